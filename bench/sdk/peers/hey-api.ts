import type { Contestant } from '../contestants.ts';
import { apiKey, baseUrl, type StubFetch, vault } from '../stub.ts';
import { importPeer } from './import-peer.ts';

interface HeyApi {
  createClient(config: { baseUrl: string; fetch: StubFetch; headers: Record<string, string> }): {
    get(options: { url: string; path: object }): Promise<{ data: unknown }>;
  };
}

/** What its generator writes calls this client. */
export const heyApi: Contestant = {
  title: '@hey-api/client-fetch',
  packageName: '@hey-api/client-fetch',
  prepare: async (fetch) => {
    const { createClient } = await importPeer<HeyApi>('@hey-api/client-fetch');
    const client = createClient({ baseUrl, fetch, headers: { 'x-api-key': apiKey } });
    return async () => {
      const { data } = await client.get({ url: '/api/v1/vaults/{id}', path: { id: vault.id } });
      return data;
    };
  },
};
