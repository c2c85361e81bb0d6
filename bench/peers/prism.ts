import { fileURLToPath } from 'node:url';
import { someSeededIds } from '../data.ts';
import { contractPaths } from '../scenarios.ts';
import { installedFile } from './installed.ts';
import type { Peer } from './peer.ts';

/** A mock of the contract: it validates, and returns the contract's examples (a page of one). */
export const prism: Peer = {
  name: 'prism',
  title: 'Prism (mock)',
  packages: ['@stoplight/prism-cli'],
  durability: 'stores nothing',
  stores: false,
  needsData: 'keeps no data',

  command: ({ port }) => [
    installedFile('@stoplight/prism-cli', 'dist/index.js'),
    ...['mock', fileURLToPath(new URL('../../openapi/v1.json', import.meta.url))],
    ...['--host', '127.0.0.1', '--port', String(port), '--verboseLevel', 'warn'],
  ],

  open: (url) => ({
    url,
    headers: { 'x-api-key': `service_sk_${'0'.repeat(40)}` },
    vaultIds: someSeededIds(),
    paths: contractPaths,
  }),
};
