import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../support/server.ts';

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

const policy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self' blob:`,
  `media-src 'self' blob:`,
  `frame-src blob:`,
  `worker-src 'self'`,
  `connect-src 'self'`,
  `require-trusted-types-for 'script'`,
  `trusted-types service-worker`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join(';');

/** Returns the paths of the assets that a page names, as they are written there. */
async function assetsOf(response: Response): Promise<string[]> {
  return [...(await response.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(
    ([, path]) => path ?? '',
  );
}

/** Returns a response whose body is not decompressed, unlike that of `fetch`. */
async function compressed(url: URL, acceptEncoding: string) {
  const { headers, body } = await request(url, { headers: { 'accept-encoding': acceptEncoding } });
  return { headers, body: Buffer.from(await body.arrayBuffer()) };
}

describe('GET /console/', () => {
  test('returns the page with its policy, whose assets are hashed and of this server', async () => {
    const { url } = await startTestServer();
    const response = await fetch(`${url}/console/`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toBe(policy);
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    const assets = await assetsOf(response);
    // Icon, script and styles: one round trip after the page loads all that the login needs.
    expect(assets).toHaveLength(3);
    for (const asset of assets)
      expect(asset).toMatch(/^\.\/assets\/[\w-]+-[\w-]{8}\.(css|js|svg)$/);
  });

  test('serves assets immutable and compressed as the browser accepts it', async () => {
    const { url } = await startTestServer();
    const page = await fetch(`${url}/console/`);
    const [script] = (await assetsOf(page)).filter((path) => path.endsWith('.js'));
    const address = new URL(script ?? '', page.url);
    const plain = await compressed(address, 'identity');
    const gzip = await compressed(address, 'gzip');
    const brotli = await compressed(address, 'gzip, deflate, br');
    for (const { headers } of [plain, gzip, brotli]) {
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(headers.vary).toContain('Accept-Encoding');
      expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
      expect(headers['content-security-policy']).toBe(policy);
    }
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(brotli.headers['content-encoding']).toBe('br');
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
    expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
    expect(brotli.body.length).toBeLessThan(plain.body.length);
  });

  test('every address of a screen returns the page with links to the same assets', async () => {
    const { url } = await startTestServer();
    const resolved = async (path: string) => {
      const page = await fetch(`${url}${path}`, { headers: browser });
      expect(page.status).toBe(200);
      return (await assetsOf(page)).map((asset) => new URL(asset, page.url).href);
    };
    const assets = await resolved('/console/');
    expect(await resolved('/console/vaults?search=a/b')).toEqual(assets);
    expect(await resolved('/console/vaults/1/documents')).toEqual(assets);
  });

  test('needs no credentials, counts towards no limit and returns 304 to its entity tag', async () => {
    const { url } = await startTestServer({ requestsPerMinute: { free: 1 } });
    for (let count = 0; count < 5; count += 1) {
      const { status, headers } = await fetch(`${url}/console/`);
      expect(status).toBe(200);
      expect(headers.has('x-ratelimit-limit')).toBe(false);
      const etag = headers.get('etag') ?? expect.fail();
      const again = await fetch(`${url}/console/`, { headers: { 'if-none-match': etag } });
      expect(again.status).toBe(304);
    }
  });

  test('an asset that does not exist is 404 without the page', async () => {
    const { url } = await startTestServer();
    for (const path of ['assets/missing-12345678.js', 'assets/', 'assets/__proto__']) {
      const { statusCode, headers, body } = await request(`${url}/console/${path}`);
      expect([statusCode, headers['cache-control']]).toEqual([404, 'no-store']);
      expect(await body.text()).toContain('not part of the console');
    }
  });

  test('/console redirects there; other methods stay 404', async () => {
    const { url } = await startTestServer();
    const { status, headers } = await fetch(`${url}/console`, { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([308, 'console/']);
    expect((await fetch(`${url}/console/`, { method: 'POST' })).status).toBe(404);
  });
});

test('an address of more than 16 folders returns 404', async () => {
  const { url } = await startTestServer();
  const below = (depth: number) => fetch(`${url}/console/${'a/'.repeat(depth)}`);
  expect((await below(16)).status).toBe(200);
  const response = await below(17);
  expect(response.status).toBe(404);
  expect(await response.text()).not.toContain('../');
});

describe('GET /', () => {
  test('redirects a browser to the console', async () => {
    const { url } = await startTestServer();
    const { status, headers } = await fetch(url, { headers: browser, redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([302, 'console/']);
    expect(headers.get('vary')).toContain('Accept');
  });

  test('returns NOT_FOUND to other clients and methods', async () => {
    const { url } = await startTestServer();
    for (const init of [
      {},
      { headers: { accept: 'application/json' } },
      { headers: { accept: 'application/json, text/html' } },
      { headers: { accept: 'text/html,'.padEnd(1_001, '",') } },
      { method: 'POST', headers: browser },
    ]) {
      const response = await fetch(url, { ...init, redirect: 'manual' });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
    }
  });
});

describe('a server without the console', () => {
  test('returns 404 below /console/ and redirects a browser at the root to share links', async () => {
    const { url } = await startTestServer({ console: false });
    for (const path of ['/console', '/console/', '/console/vaults']) {
      const response = await fetch(`${url}${path}`, { headers: browser, redirect: 'manual' });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
    }
    const { status, headers } = await fetch(url, { headers: browser, redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([302, 'share/']);
    expect((await fetch(`${url}/share/`)).status).toBe(200);
  });
});
