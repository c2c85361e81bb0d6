/** Programs of this folder with as little as possible around the work itself. */
import { fileURLToPath } from 'node:url';
import { someSeededIds } from '../data.ts';
import type { Synchronous } from '../programs/arguments.ts';
import { seedBareStore } from '../programs/sqlite.ts';
import { contractPaths, type Target } from '../scenarios.ts';
import type { Peer } from './peer.ts';

function programPath(name: string): string {
  return fileURLToPath(new URL(`../programs/${name}`, import.meta.url));
}

function openBare(url: string): Target {
  return { url, headers: {}, vaultIds: someSeededIds(), paths: contractPaths };
}

interface SqliteProgram extends Pick<Peer, 'name' | 'title'> {
  readonly framework: 'koa' | 'fastify';
  readonly synchronous: Synchronous;
}

function sqliteProgram({ name, title, framework, synchronous }: SqliteProgram): Peer {
  return {
    name,
    title,
    packages: [framework, 'better-sqlite3'],
    durability: synchronous === 'FULL' ? 'FULL, a commit each' : 'NORMAL, a commit each',
    stores: true,
    seed: seedBareStore,
    command: ({ folder, port }) => [
      programPath(`${framework}.ts`),
      ...['--folder', folder, '--port', String(port), '--synchronous', synchronous],
    ],
    open: openBare,
  };
}

export const koaNormal = sqliteProgram({
  name: 'koa',
  title: 'bare Koa',
  framework: 'koa',
  synchronous: 'NORMAL',
});

export const koaFull = sqliteProgram({
  name: 'koa-full',
  title: 'bare Koa, FULL',
  framework: 'koa',
  synchronous: 'FULL',
});

export const fastifyFull = sqliteProgram({
  name: 'fastify',
  title: 'Fastify, FULL',
  framework: 'fastify',
  synchronous: 'FULL',
});

export const nodeHttp: Peer = {
  name: 'node',
  title: 'node:http',
  packages: [],
  durability: 'stores nothing',
  stores: false,
  needsData: 'keeps no data',
  command: ({ port }) => [programPath('node-http.ts'), '--port', String(port)],
  open: openBare,
};
