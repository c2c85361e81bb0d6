import type { Contestant } from '../contestants.ts';
import { apiKey, type StubFetch, url } from '../stub.ts';
import { importPeer } from './import-peer.ts';

interface Ky {
  create(options: { fetch: StubFetch; headers: Record<string, string> }): {
    get(url: string): { json(): Promise<unknown> };
  };
}

export const ky: Contestant = {
  title: 'ky',
  packageName: 'ky',
  prepare: async (fetch) => {
    const { default: ky } = await importPeer<{ default: Ky }>('ky');
    const client = ky.create({ fetch, headers: { 'x-api-key': apiKey } });
    return () => client.get(url).json();
  },
};
