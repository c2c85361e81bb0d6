import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningServer, startServer } from '@document-vault/server';
import type { BrowserContext } from 'playwright-core';
import { build, defaultClientConditions, preview } from 'vite';

/** The built pages on an origin of their own, beside a service on another one. */
export interface Pages {
  readonly url: string;
  readonly server: RunningServer;
  /** What the pages' own server was asked: address and headers of each request. */
  readonly arrivals: readonly string[];
  readonly close: () => Promise<void>;
}

/**
 * Builds pages for a fresh service and serves both on free ports.
 *
 * @param configFile - of Vite
 * @param data - folder of the service's data
 */
export async function startPages(configFile: string, data = ':memory:'): Promise<Pages> {
  const server = await startServer({ port: 0, data, logLevel: 'error' });
  const outDir = await mkdtemp(join(tmpdir(), 'document-vault-pages-'));
  process.env.VITE_VAULT_URL = server.url;
  const common = {
    configFile,
    logLevel: 'warn',
    build: { outDir, emptyOutDir: true },
  } as const;
  // The packages are built from their sources, so that the test needs no other build before it.
  const conditions = ['@document-vault/source', ...defaultClientConditions];
  await build({ ...common, resolve: { conditions } });
  const site = await preview({ ...common, preview: { port: 0, host: 'localhost' } });
  const arrivals: string[] = [];
  site.httpServer.on('request', ({ url, headers }) => {
    arrivals.push(`${url}\n${JSON.stringify(headers)}`);
  });
  const { port } = site.httpServer.address() as AddressInfo;
  return {
    url: `http://localhost:${port}`,
    server,
    arrivals,
    close: async () => {
      await site.close();
      await server.close();
      await rm(outDir, { recursive: true });
    },
  };
}

/** What a context has sent and complained about. */
export interface Watched {
  /** Each request of its pages in full: method, URL, headers, body. */
  readonly requests: string[];
  readonly complaints: string[];
}

/** Notes every request of a context, and everything its consoles complain about. */
export function watch(context: BrowserContext): Watched {
  const requests: string[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => {
    // The address bar's own request is looked at where it arrives: here it has its fragment.
    if (request.resourceType() === 'document') return;
    const headers = JSON.stringify(request.headers());
    const body = request.postData() ?? '';
    requests.push([request.method(), request.url(), headers, body].join('\n'));
  });
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  return { requests, complaints };
}
