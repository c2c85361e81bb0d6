import type { Contestant } from '../contestants.ts';
import { apiKey, baseUrl, path, type StubFetch } from '../stub.ts';
import { importPeer } from './import-peer.ts';

interface Axios {
  create(options: {
    baseURL: string;
    adapter: 'fetch';
    env: { fetch: StubFetch };
    headers: Record<string, string>;
  }): { get(path: string): Promise<{ data: unknown }> };
}

export const axios: Contestant = {
  title: 'axios, over fetch',
  packageName: 'axios',
  prepare: async (fetch) => {
    const { default: axios } = await importPeer<{ default: Axios }>('axios');
    const headers = { 'x-api-key': apiKey };
    const client = axios.create({ baseURL: baseUrl, adapter: 'fetch', env: { fetch }, headers });
    return async () => (await client.get(path)).data;
  },
};
