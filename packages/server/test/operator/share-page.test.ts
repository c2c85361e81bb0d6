import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../support/server.ts';

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

/** Returns the sources of each directive. */
function policyOf({ headers }: Response): Record<string, string> {
  const directives = (headers.get('content-security-policy') ?? '').split(';');
  return Object.fromEntries(
    directives.map((directive) => {
      const [name = '', ...sources] = directive.trim().split(' ');
      return [name, sources.join(' ')];
    }),
  );
}

describe('GET /share/', () => {
  test('returns one file of at most 21 kB (gzip) that names no other host', async () => {
    const { url } = await startTestServer();
    const response = await fetch(`${url}/share/`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await response.text();
    expect(gzipSync(html).length).toBeLessThanOrEqual(21_000);
    expect(html).not.toContain('<!-- ');
    expect(html.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:\/\/\w/);
    expect(html).not.toMatch(/\ssrc=/);
  });

  test('allows its own script and style by their hashes, and previews from memory', async () => {
    const { url } = await startTestServer();
    const response = await fetch(`${url}/share/`);
    const hash = expect.stringMatching(/^'sha256-[\w+/]{43}='$/);
    expect(policyOf(response)).toEqual({
      'default-src': `'none'`,
      'script-src': hash,
      'style-src': hash,
      'img-src': 'blob: data:',
      'media-src': `blob: 'self'`,
      'frame-src': `blob: 'self'`,
      'worker-src': `'self'`,
      'connect-src': `'self'`,
      'base-uri': `'none'`,
      'form-action': `'none'`,
      'frame-ancestors': `'none'`,
      'require-trusted-types-for': `'script'`,
      'trusted-types': 'service-worker',
    });
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin');
  });

  test('needs no credentials, counts towards no limit and returns 304 to its entity tag', async () => {
    const { url } = await startTestServer({ requestsPerMinute: { free: 1 } });
    for (let count = 0; count < 5; count += 1) {
      const { status, headers } = await fetch(`${url}/share/`);
      expect(status).toBe(200);
      expect(headers.has('x-ratelimit-limit')).toBe(false);
      const etag = headers.get('etag') ?? expect.fail();
      const again = await fetch(`${url}/share/`, { headers: { 'if-none-match': etag } });
      expect(again.status).toBe(304);
    }
    expect((await fetch(`${url}/share/`, { method: 'HEAD' })).status).toBe(200);
  });

  test.each(['share', 'console'])(
    '/%s/service-worker.js returns a script that may load nothing',
    async (page) => {
      const { url } = await startTestServer();
      const response = await fetch(`${url}/${page}/service-worker.js`);
      expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(policyOf(response)).toMatchObject({ 'default-src': `'none'` });
      expect(Object.values(policyOf(response))).toEqual(Array(4).fill(`'none'`));
      expect(await response.text()).not.toContain('import');
    },
  );

  test('/share redirects there; other paths and methods stay 404', async () => {
    const { url } = await startTestServer();
    const { status, headers } = await fetch(`${url}/share`, { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([308, 'share/']);
    expect((await fetch(`${url}/share/index.html`, { headers: browser })).status).toBe(404);
    expect((await fetch(`${url}/share/`, { method: 'POST' })).status).toBe(404);
  });
});
