import createClient from 'openapi-fetch';
import type { Contestant } from '../contestants.ts';
import { apiKey, baseUrl, vault } from '../stub.ts';

interface Paths {
  '/api/v1/vaults/{id}': {
    get: {
      parameters: { path: { id: string } };
      responses: { 200: { content: { 'application/json': unknown } } };
    };
  };
}

export const openapiFetch: Contestant = {
  title: 'openapi-fetch',
  packageName: 'openapi-fetch',
  prepare: async (fetch) => {
    const client = createClient<Paths>({ baseUrl, fetch, headers: { 'x-api-key': apiKey } });
    return async () => {
      const params = { path: { id: vault.id } };
      const { data } = await client.GET('/api/v1/vaults/{id}', { params });
      return data;
    };
  },
};
