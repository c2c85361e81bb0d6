import { describe, expect, test } from 'vitest';
import { expectEveryHeader } from './support/front-door.ts';
import { type Caller, type Reply, startTestServer } from './support/server.ts';

const origin = 'https://app.example.com';

const preflight = (call: Caller, from: string, path = '/api/v1/vaults') =>
  call('OPTIONS', path, {
    headers: {
      origin: from,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,idempotency-key,x-api-key',
    },
  });

/** The members of a comma-separated header, in lower case. */
function listed({ headers }: Reply, name: string): string[] {
  return (headers.get(name) ?? '').split(',').map((member) => member.trim().toLowerCase());
}

describe('CORS with the default origins', () => {
  test('a preflight of any origin returns 204 with the allowed methods and headers', async () => {
    const { anonymous } = await startTestServer();
    const reply = await preflight(anonymous, origin);
    expect(reply).toMatchObject({ status: 204, body: undefined });
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(reply.headers.get('access-control-allow-methods')).toBe('GET,HEAD,POST');
    expect(listed(reply, 'access-control-allow-headers')).toEqual([
      'content-type',
      'idempotency-key',
      'x-api-key',
    ]);
    expect(reply.headers.get('access-control-max-age')).toBe('600');
    expectEveryHeader(reply);
  });

  test.each([
    ['/api/v1/vaults/1', 'GET,HEAD,PUT,DELETE'],
    ['/auth/login', 'POST'],
    ['/webhooks', 'GET,HEAD,POST'],
    ['/graphql', 'POST'],
    ['/oauth/token', 'POST'],
    ['/oauth/userinfo', 'GET,HEAD,POST'],
    ['/nothing', ''],
  ])('a preflight of %s announces the methods %s', async (path, methods) => {
    const { anonymous } = await startTestServer();
    const reply = await preflight(anonymous, origin, path);
    expect(reply.headers.get('access-control-allow-methods')).toBe(methods);
  });

  test('a preflight does not count towards the rate limit', async () => {
    const { anonymous } = await startTestServer();
    const remaining = async (reply: Promise<Reply>) =>
      Number((await reply).headers.get('x-ratelimit-remaining'));
    const before = await remaining(anonymous('GET', '/.well-known/jwks.json'));
    expect(await remaining(preflight(anonymous, origin))).toBe(before);
    expect(await remaining(preflight(anonymous, origin))).toBe(before);
    expect(await remaining(anonymous('GET', '/.well-known/jwks.json'))).toBe(before - 1);
  });

  test('a response exposes the headers of the contract', async () => {
    const { developer } = await startTestServer();
    const reply = await developer('GET', '/api/v1/vaults', { headers: { origin } });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(listed(reply, 'access-control-expose-headers').sort()).toEqual([
      'accept-ranges',
      'content-range',
      'date',
      'etag',
      'idempotency-replayed',
      'ratelimit',
      'ratelimit-policy',
      'repr-digest',
      'retry-after',
      'www-authenticate',
      'x-rate-limit-limit',
      'x-rate-limit-remaining',
      'x-rate-limit-reset',
      'x-ratelimit-limit',
      'x-ratelimit-minute-limit',
      'x-ratelimit-minute-remaining',
      'x-ratelimit-minute-reset',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
      'x-ratelimit-tier',
      'x-request-id',
    ]);
  });

  test('responses neither allow credentials nor set cookies', async () => {
    const { developer } = await startTestServer();
    const replies = [
      await preflight(developer, origin),
      await developer('GET', '/api/v1/vaults', { headers: { origin } }),
    ];
    for (const { headers } of replies) {
      expect(headers.has('access-control-allow-credentials')).toBe(false);
      expect(headers.has('set-cookie')).toBe(false);
    }
  });

  test('error responses of every check allow the origin and expose headers', async () => {
    const { anonymous, developer } = await startTestServer({
      defaultTier: 'free',
      requestsPerMinute: { free: 4 },
    });
    const send = (call: Caller, method: string, path: string, body?: unknown) =>
      call(method, path, { body, headers: { origin } });
    const replies = [
      await send(developer, 'POST', '/api/v1/vaults', {}),
      await send(anonymous, 'GET', '/api/v1/vaults'),
      await send(developer, 'GET', '/api/v1/api-keys'),
      await send(developer, 'GET', '/api/v1/vaults/unknown'),
      await send(anonymous, 'GET', '/nothing'),
      await send(developer, 'GET', '/api/v1/vaults'),
      await send(developer, 'GET', '/api/v1/vaults'),
    ];
    expect(replies.map(({ status }) => status)).toEqual([400, 401, 403, 404, 404, 200, 429]);
    for (const reply of replies) {
      expect(reply.headers.get('access-control-allow-origin')).toBe('*');
      expect(listed(reply, 'access-control-expose-headers')).toContain('retry-after');
      expectEveryHeader(reply);
    }
  });

  test('the 403 of a blocked address allows the origin', async () => {
    const { anonymous } = await startTestServer({ blockedAddresses: ['127.0.0.1/32'] });
    const reply = await anonymous('GET', '/api/v1/vaults', { headers: { origin } });
    expect(reply.status).toBe(403);
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('CORS with configured origins', () => {
  const corsOrigins = [origin, 'http://localhost:5173'];

  test('preflights and responses allow the configured origins', async () => {
    const { anonymous, developer } = await startTestServer({ corsOrigins });
    for (const from of corsOrigins) {
      const replies = [
        await preflight(anonymous, from),
        await developer('GET', '/api/v1/vaults', { headers: { origin: from } }),
      ];
      expect(replies.map(({ status }) => status)).toEqual([204, 200]);
      for (const reply of replies) {
        expect(reply.headers.get('access-control-allow-origin')).toBe(from);
        expect(listed(reply, 'vary')).toContain('origin');
      }
    }
  });

  test('preflights return 404 and responses allow nothing for other origins', async () => {
    const { anonymous, developer } = await startTestServer({ corsOrigins });
    for (const from of [
      'https://example.com',
      'http://app.example.com',
      'https://app.example.com:8443',
      'https://app.example.com.evil.example',
      'null',
    ]) {
      const checked = await preflight(anonymous, from);
      const reply = await developer('GET', '/api/v1/vaults', { headers: { origin: from } });
      for (const { headers } of [checked, reply]) {
        expect(headers.has('access-control-allow-origin'), from).toBe(false);
        expect(headers.get('vary')?.toLowerCase()).toContain('origin');
      }
      // The browser hides the response from the page. Other programs can read it.
      expect(checked.status).toBe(404);
      expect(reply.status).toBe(200);
    }
  });

  test('requests without Origin return 200 without CORS headers', async () => {
    const { developer } = await startTestServer({ corsOrigins });
    const reply = await developer('GET', '/api/v1/vaults');
    expect(reply.status).toBe(200);
    expect(reply.headers.has('access-control-allow-origin')).toBe(false);
  });
});
