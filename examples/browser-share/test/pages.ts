import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningServer, startServer } from '@document-vault/server';
import type { BrowserContext, Page } from 'playwright-core';
import { build, defaultClientConditions, preview } from 'vite';

/** The built pages on an origin of their own, beside a service on another one. */
export interface Pages {
  readonly url: string;
  readonly server: RunningServer;
  /** What the pages' own server was asked: address and headers of each request. */
  readonly arrivals: readonly string[];
  readonly close: () => Promise<void>;
}

/** Builds the pages for a fresh service and serves both on free ports. */
export async function startPages(): Promise<Pages> {
  const server = await startServer({ port: 0, data: ':memory:', logLevel: 'error' });
  const outDir = await mkdtemp(join(tmpdir(), 'document-vault-pages-'));
  process.env.VITE_VAULT_URL = server.url;
  const common = {
    configFile: join(import.meta.dirname, '../vite.config.ts'),
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

/** Registers an account on the sender's page. */
export async function register(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel('New account').check();
  await page.getByLabel('Your name').fill('Ada');
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Create the account' }).click();
  await page.getByRole('heading', { name: 'Choose a file' }).waitFor();
}

/** What is chosen in the form. */
export interface Sending {
  readonly file: { readonly name: string; readonly mimeType: string; readonly buffer: Buffer };
  readonly passphrase: string;
  /** The label of the option. */
  readonly opens: string;
}

/** Sends a file and returns the link that the page shows. */
export async function send(page: Page, { file, passphrase, opens }: Sending): Promise<string> {
  await page.locator('[name=file]').setInputFiles(file);
  await page.getByLabel('Your passphrase').fill(passphrase);
  await page.getByLabel('It can be opened').selectOption({ label: opens });
  await page.getByRole('button', { name: 'Encrypt and make a link' }).click();
  await page.getByRole('heading', { name: 'Your link is ready' }).waitFor();
  return page.getByRole('textbox', { name: 'Link' }).inputValue();
}
