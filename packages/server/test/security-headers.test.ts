import { describe, expect, test } from 'vitest';
import { startTestServer } from './support/server.ts';

const always = {
  'content-security-policy': `default-src 'none';frame-ancestors 'none'`,
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

describe('security headers', () => {
  test('every response forbids sniffing, framing and caching', async () => {
    const { anonymous, developer } = await startTestServer({
      defaultTier: 'free',
      requestsPerMinute: { free: 4 },
    });
    const replies = [
      await developer('GET', '/api/v1/vaults'),
      await developer('POST', '/api/v1/vaults', { body: {} }),
      await anonymous('GET', '/api/v1/vaults'),
      await anonymous('GET', '/nowhere'),
      await anonymous('OPTIONS', '/api/v1/vaults', {
        headers: { origin: 'https://app.example', 'access-control-request-method': 'GET' },
      }),
      await anonymous('GET', '/health/live'),
      await developer('GET', '/api/v1/vaults'),
      await developer('GET', '/api/v1/vaults'),
      await developer('GET', '/api/v1/vaults'),
    ];
    const statuses = replies.map(({ status }) => status);
    expect(statuses).toEqual([200, 400, 401, 404, 204, 200, 200, 200, 429]);
    for (const { headers } of replies) {
      expect(Object.fromEntries(headers)).toMatchObject(always);
      expect(headers.has('x-powered-by')).toBe(false);
      expect(headers.has('strict-transport-security')).toBe(false);
    }
  });

  test('with a base URL of https, every response has Strict-Transport-Security', async () => {
    const { url, close } = await startTestServer();
    await close();
    const port = Number(new URL(url).port);
    await startTestServer({ port, baseUrl: 'https://vault.example' });
    for (const path of ['/nowhere', '/health/live', '/openapi/v1.json', '/docs']) {
      const { headers } = await fetch(url + path);
      expect(headers.get('strict-transport-security'), path).toBe(
        'max-age=31536000; includeSubDomains',
      );
    }
  });
});
