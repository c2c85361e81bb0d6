/** The package as it is built, and what it is held against. */
import { DocumentVault, memoryTokenStore } from '@document-vault/sdk';
import { createHttpClient } from '@document-vault/sdk/http';
import type { Contestant } from './contestants.ts';
import { apiKey, baseUrl, url, vault } from './stub.ts';

export const bare: Contestant = {
  title: 'bare fetch(url, init) and json()',
  prepare: async (fetch) => async () => {
    const headers = { accept: 'application/json', 'x-api-key': apiKey };
    const response = await fetch(url, { method: 'GET', headers });
    return response.json();
  },
};

const client = (fetch: (url: string, init: RequestInit) => Promise<Response>) =>
  new DocumentVault({ baseUrl, apiKey, fetch });

export const own: Contestant = {
  title: 'client.vaults.get(id)',
  prepare: async (fetch) => {
    const { vaults } = client(fetch);
    return () => vaults.get(vault.id);
  },
};

export const ownSession: Contestant = {
  title: 'client.vaults.get(id) in a session',
  prepare: async (fetch) => {
    const store = memoryTokenStore();
    // A session of an app that runs: its token is valid.
    await store.set({
      accessToken: apiKey,
      refreshToken: apiKey,
      expiresIn: 3_600,
      expiresAt: Infinity,
    });
    const { vaults } = new DocumentVault({ baseUrl, session: { store }, fetch });
    return () => vaults.get(vault.id);
  },
};

export const ownHttp: Contestant = {
  title: 'createHttpClient(client).GET(path)',
  prepare: async (fetch) => {
    const http = createHttpClient(client(fetch));
    return async () => {
      const params = { path: { id: vault.id } };
      const { data } = await http.GET('/api/v1/vaults/{id}', { params });
      return data;
    };
  },
};
