import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pageSize, seededVaults, someSeededIds } from '../data.ts';
import { installedFile } from './installed.ts';
import type { Peer } from './peer.ts';

const dataFile = (folder: string) => join(folder, 'db.json');

export const jsonServer: Peer = {
  name: 'json-server',
  title: 'json-server',
  packages: ['json-server'],
  durability: 'the whole file, no sync',
  stores: true,
  needsData: 'starts on a file that exists',
  // Otherwise it watches its own file for changes.
  environment: { NODE_ENV: 'production' },

  async seed(folder) {
    // In production it insists on a folder of static files where it runs.
    await mkdir(join(folder, 'public'));
    await writeFile(dataFile(folder), JSON.stringify({ vaults: seededVaults(), documents: [] }));
  },

  command: ({ folder, port }) => [
    installedFile('json-server', 'lib/bin.js'),
    ...['--port', String(port), dataFile(folder)],
  ],

  open: (url) => ({
    url,
    headers: {},
    vaultIds: someSeededIds(),
    paths: {
      vaults: '/vaults',
      documents: '/documents',
      page: (page) => `?_page=${page}&_per_page=${pageSize}`,
    },
  }),
};
