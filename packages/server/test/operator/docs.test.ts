import { get, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../support/server.ts';

const assets = [
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/reference.js', 'text/javascript; charset=utf-8'],
  ['/docs/favicon.svg', 'image/svg+xml'],
  ['/docs/scalar.js', 'text/javascript; charset=utf-8'],
] as const;

interface Received {
  readonly headers: IncomingHttpHeaders;
  /** As it was sent: `fetch` would decompress it. */
  readonly body: Buffer;
}

function receive(url: string, accepted: string): Promise<Received> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': accepted }, agent: false }, (response) => {
      const { headers } = response;
      buffer(response).then((body) => resolve({ headers, body }), reject);
    }).once('error', reject);
  });
}

describe('GET /docs', () => {
  test.each(assets)('%s returns a file of the package with its media type', async (path, type) => {
    const { url } = await startTestServer();
    const response = await fetch(url + path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect((await response.text()).length).toBeGreaterThan(100);
  });

  test.each(assets)('%s has a policy that allows this server only', async (path) => {
    const { url } = await startTestServer();
    const { headers } = await fetch(url + path);
    const policy = new Map(
      (headers.get('content-security-policy') ?? '').split(';').map((directive) => {
        const [name = '', ...sources] = directive.trim().split(' ');
        return [name, sources.join(' ')];
      }),
    );
    expect(Object.fromEntries(policy)).toEqual({
      'default-src': `'none'`,
      'script-src': `'self'`,
      'style-src': `'unsafe-inline'`,
      'img-src': `'self' data:`,
      'connect-src': `'self'`,
      'base-uri': `'none'`,
      'form-action': `'none'`,
      'frame-ancestors': `'none'`,
    });
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('links to files of this server only, and all of them exist', async () => {
    const { url } = await startTestServer();
    const html = await (await fetch(`${url}/docs`)).text();
    const links = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThanOrEqual(3);
    for (const link of links) {
      const target = new URL(link, `${url}/docs`);
      expect(target.origin).toBe(url);
      expect((await fetch(target)).status, link).toBe(200);
    }
    const script = await (await fetch(`${url}/docs/reference.js`)).text();
    expect(script).toContain(`fetch('openapi/v1.json')`);
    expect(script + html).not.toMatch(/https?:\/\//);
  });

  test('every file is sent compressed, except to clients that do not take it', async () => {
    const { url } = await startTestServer();
    for (const [path] of assets) {
      const gzipped = await receive(url + path, 'gzip, br');
      const plain = await receive(url + path, 'identity');
      expect(gzipped.headers, path).toMatchObject({
        'content-encoding': 'gzip',
        vary: 'Accept-Encoding',
      });
      expect(plain.headers['content-encoding'], path).toBeUndefined();
      expect(plain.headers.vary, path).toBe('Accept-Encoding');
      expect(gunzipSync(gzipped.body).equals(plain.body), path).toBe(true);
      expect(gzipped.headers.etag, path).not.toBe(plain.headers.etag);
    }
    const { body } = await receive(`${url}/docs/scalar.js`, 'gzip');
    expect(body.length).toBeLessThan(1.5 * 2 ** 20);
  });

  test('returns 304 to a matching If-None-Match', async () => {
    const { url } = await startTestServer();
    for (const [path] of assets) {
      const first = await fetch(url + path);
      expect(first.headers.get('cache-control')).toBe('no-cache');
      const etag = first.headers.get('etag') ?? expect.fail();
      await first.arrayBuffer();
      const again = await fetch(url + path, { headers: { 'if-none-match': etag } });
      expect(again.status, path).toBe(304);
      expect(await again.text()).toBe('');
      const other = await fetch(url + path, { headers: { 'if-none-match': '"other"' } });
      expect(other.status).toBe(200);
    }
  });

  test('/docs/ redirects to /docs, and other paths below it return 404', async () => {
    const { url } = await startTestServer();
    const slash = await fetch(`${url}/docs/`, { redirect: 'manual' });
    expect(slash.status).toBe(308);
    expect(new URL(slash.headers.get('location') ?? '', `${url}/docs/`).href).toBe(`${url}/docs`);
    for (const path of ['/docs/index.html', '/docs/LICENSE', '/docs/..%2fdocs.ts', '/docs/x']) {
      expect((await fetch(url + path)).status, path).toBe(404);
    }
  });
});

describe('GET /openapi/v1.json', () => {
  test('returns an ETag, and 304 to a matching If-None-Match', async () => {
    const { anonymous } = await startTestServer();
    const first = await anonymous('GET', '/openapi/v1.json');
    const etag = first.headers.get('etag') ?? expect.fail();
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    expect(first.headers.get('cache-control')).toBe('no-cache');
    const headers = { 'if-none-match': etag };
    const again = await anonymous('GET', '/openapi/v1.json', { headers });
    expect(again).toMatchObject({ status: 304, body: undefined });
    expect(again.headers.get('etag')).toBe(etag);
    expect(again.headers.has('x-ratelimit-limit')).toBe(true);
  });

  test('returns another ETag under another base URL', async () => {
    const first = await startTestServer();
    const { headers } = await first.anonymous('GET', '/openapi/v1.json');
    await first.close();
    const port = Number(new URL(first.url).port);
    await startTestServer({ port, baseUrl: 'https://vault.example' });
    const etag = headers.get('etag') ?? expect.fail();
    const second = await fetch(`${first.url}/openapi/v1.json`, {
      headers: { 'if-none-match': etag },
    });
    expect(second.status).toBe(200);
    expect(await second.json()).toMatchObject({ servers: [{ url: 'https://vault.example' }] });
  });
});
