/** Guarantee 13: the progress of uploads in Chromium. Guarantee 7: what XMLHttpRequest does with a redirect. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { launchChromium } from '../../../test/chromium.ts';
import { startTestServer } from '../../server/test/support/server.ts';
import { type PageServer, servePage } from './page-server.ts';
import type { UploadProgressPage } from './upload-progress/page.ts';

const MiB = 1024 * 1024;
const maxStep = 256 * 1024;

let site: PageServer;
let browser: Browser;
beforeAll(async () => {
  const policy = "default-src 'self'; connect-src *";
  site = await servePage(new URL('upload-progress', import.meta.url), { policy });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

type Upload = Parameters<UploadProgressPage['upload']>[0];

const upload = (page: Page, options: Upload) =>
  page.evaluate(
    (given) => (window as unknown as { page: UploadProgressPage }).page.upload(given),
    options,
  );

/** Opens the page on a connection that sends 1 MiB in a second. */
async function visit(): Promise<Page> {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(site.url);
  const devtools = await context.newCDPSession(page);
  const conditions = { offline: false, latency: 0, downloadThroughput: -1 };
  await devtools.send('Network.emulateNetworkConditions', { ...conditions, uploadThroughput: MiB });
  return page;
}

/** Starts the service with a user who has a vault. */
async function startService() {
  const origin = new URL(site.url).origin;
  const server = await startTestServer({ corsOrigins: [origin] });
  const { email, password } = await server.signUp('ada@example.com');
  const login = await server.anonymous('POST', '/auth/login', { body: { email, password } });
  const token: string = login.body.accessToken;
  const call = server.withToken(token);
  const { body: vault } = await call('POST', '/api/v1/vaults', { body: { name: 'Films' } });
  return { call, given: { baseUrl: server.url, vaultId: vault.id as string, token } };
}

describe.each([
  ['of 3 MiB', 3 * MiB],
  ['in parts', 9 * MiB + 123],
])('an upload %s in Chromium', (_, size) => {
  test('reports its bytes in steps of at most 256 KiB, from 0 to all', async () => {
    const { given } = await startService();
    const { seen, error } = await upload(await visit(), { ...given, size });
    expect(error).toBeUndefined();
    expect([seen[0], seen.at(-1)]).toEqual([0, size]);
    const steps = seen.slice(1).map((loaded, at) => loaded - (seen[at] as number));
    expect(Math.min(...steps)).toBeGreaterThan(0);
    expect(Math.max(...steps)).toBeLessThanOrEqual(maxStep);
  });

  test('that is aborted in the middle of its bytes rejects with AbortError and stores nothing', async () => {
    const { call, given } = await startService();
    const { seen, error } = await upload(await visit(), { ...given, size, abortAt: MiB });
    expect(error).toMatch(/^AbortError/);
    expect(seen.at(-1)).toBeLessThanOrEqual(MiB + maxStep);
    expect((await call('GET', '/api/v1/documents')).body.data).toEqual([]);
  });
});

/** Starts a server that allows every origin. */
async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', 'authorization, *');
    if (request.method === 'OPTIONS') response.writeHead(204).end();
    else request.resume().on('end', () => listener(request, response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a redirect of an upload with progress is refused', () => {
  const anyUpload = { vaultId: 'v1', size: 300_000 };
  const refused = /^ConnectionError: .*refused a redirect/;

  test('to another origin, which receives no access token', async () => {
    const received: IncomingHttpHeaders[] = [];
    const other = await startServer(({ headers }, response) => {
      received.push(headers);
      response.writeHead(201).end('{}');
    });
    const baseUrl = await startServer((_, response) =>
      response.writeHead(307, { location: `${other}/api/v1/documents` }).end(),
    );
    const { error } = await upload(await visit(), { ...anyUpload, baseUrl, token: 'a1' });
    expect(error).toMatch(refused);
    expect(received.map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  test('on the same origin', async () => {
    const baseUrl = await startServer(({ url = '' }, response) =>
      url.endsWith('/elsewhere')
        ? response.writeHead(201).end('{}')
        : response.writeHead(307, { location: '/elsewhere' }).end(),
    );
    const { error } = await upload(await visit(), { ...anyUpload, baseUrl, token: 'a1' });
    expect(error).toMatch(refused);
  });

  test('before it is followed, of a client with an API key', async () => {
    let followed = 0;
    const other = await startServer((_, response) => {
      followed++;
      response.end();
    });
    const baseUrl = await startServer((_, response) =>
      response.writeHead(307, { location: `${other}/api/v1/documents` }).end(),
    );
    const { error } = await upload(await visit(), { ...anyUpload, baseUrl, apiKey: 'k1' });
    expect(error).toMatch(refused);
    expect(followed).toBe(0);
  });
});

test.each([
  ['403 without headers', 403, {}, /^PermissionError/],
  ['400 whose last header is empty', 400, { 'x-last': '' }, /^ValidationError|^ApiError/],
  ['600', 600, {}, /^ConnectionError|^VaultError/],
] as const)('a response with status %s ends an upload with progress', async (...given) => {
  const [, status, headers, expected] = given;
  const baseUrl = await startServer((_, response) => {
    response.setHeader('access-control-expose-headers', '*');
    response.writeHead(status, headers).end();
  });
  const options = { vaultId: 'v1', size: 3_000, baseUrl, token: 'a1' };
  expect((await upload(await visit(), options)).error).toMatch(expected);
});
