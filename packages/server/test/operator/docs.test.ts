import { describe, expect, test } from 'vitest';
import { startTestServer } from '../support/server.ts';

const assets = [
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/initializer.js', 'text/javascript; charset=utf-8'],
  ['/docs/favicon.svg', 'image/svg+xml'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
] as const;

describe('the reference', () => {
  test.each(assets)('%s is served from the package, with its type', async (path, type) => {
    const { url } = await startTestServer();
    const response = await fetch(url + path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect((await response.text()).length).toBeGreaterThan(100);
  });

  test.each(assets)('%s may do nothing beyond this server', async (path) => {
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
      'style-src': `'self'`,
      'img-src': `'self' data:`,
      'connect-src': `'self'`,
      'base-uri': `'none'`,
      'form-action': `'none'`,
      'frame-ancestors': `'none'`,
    });
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('refers to its own files alone, all of which are there', async () => {
    const { url } = await startTestServer();
    const html = await (await fetch(`${url}/docs`)).text();
    const links = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThanOrEqual(4);
    for (const link of links) {
      const target = new URL(link, `${url}/docs`);
      expect(target.origin).toBe(url);
      expect((await fetch(target)).status, link).toBe(200);
    }
    const script = await (await fetch(`${url}/docs/initializer.js`)).text();
    expect(script).toContain(`fetch('openapi/v1.json')`);
    expect(script + html).not.toMatch(/https?:\/\//);
  });

  test('is sent again only when it has changed', async () => {
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

  test('is found with a slash at the end too, and nothing below it but its files', async () => {
    const { url } = await startTestServer();
    const slash = await fetch(`${url}/docs/`, { redirect: 'manual' });
    expect(slash.status).toBe(308);
    expect(new URL(slash.headers.get('location') ?? '', `${url}/docs/`).href).toBe(`${url}/docs`);
    for (const path of ['/docs/index.html', '/docs/LICENSE', '/docs/..%2fdocs.ts', '/docs/x']) {
      expect((await fetch(url + path)).status, path).toBe(404);
    }
  });
});

describe('the contract as it is served', () => {
  test('has an entity tag, by which a caller learns that nothing has changed', async () => {
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

  test('is another document under another address', async () => {
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
