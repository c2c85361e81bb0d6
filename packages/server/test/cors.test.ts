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

/** The members of a header that is a list. */
function listed({ headers }: Reply, name: string): string[] {
  return (headers.get(name) ?? '').split(',').map((member) => member.trim().toLowerCase());
}

describe('a page of any origin, unless configured otherwise,', () => {
  test('is told before its request what it may send', async () => {
    const { anonymous } = await startTestServer();
    const reply = await preflight(anonymous, origin);
    expect(reply).toMatchObject({ status: 204, body: undefined });
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(listed(reply, 'access-control-allow-methods')).toEqual(
      expect.arrayContaining(['get', 'post', 'put', 'delete']),
    );
    expect(listed(reply, 'access-control-allow-headers')).toEqual([
      'content-type',
      'idempotency-key',
      'x-api-key',
    ]);
    expect(reply.headers.get('access-control-max-age')).toBe('600');
    expectEveryHeader(reply);
  });

  test('spends none of its budget by asking', async () => {
    const { anonymous } = await startTestServer();
    const remaining = async (reply: Promise<Reply>) =>
      Number((await reply).headers.get('x-ratelimit-remaining'));
    const before = await remaining(anonymous('GET', '/.well-known/jwks.json'));
    expect(await remaining(preflight(anonymous, origin))).toBe(before);
    expect(await remaining(preflight(anonymous, origin))).toBe(before);
    expect(await remaining(anonymous('GET', '/.well-known/jwks.json'))).toBe(before - 1);
  });

  test('may read the headers that the contract speaks of', async () => {
    const { developer } = await startTestServer();
    const reply = await developer('GET', '/api/v1/vaults', { headers: { origin } });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(listed(reply, 'access-control-expose-headers').sort()).toEqual([
      'date',
      'idempotency-replayed',
      'retry-after',
      'x-rate-limit-limit',
      'x-rate-limit-remaining',
      'x-rate-limit-reset',
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
      'x-ratelimit-tier',
      'x-request-id',
    ]);
  });

  test('does not bring cookies or other credentials of the browser', async () => {
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

  test('may read errors too, whichever check they come from', async () => {
    const { anonymous, developer } = await startTestServer({
      defaultTier: 'free',
      freeRequestsPerMinute: 4,
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

  test('may read that its address is blocked', async () => {
    const { anonymous } = await startTestServer({ blockedAddresses: ['127.0.0.1/32'] });
    const reply = await anonymous('GET', '/api/v1/vaults', { headers: { origin } });
    expect(reply.status).toBe(403);
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('with configured origins', () => {
  const corsOrigins = [origin, 'http://localhost:5173'];

  test('their pages may call', async () => {
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

  test('those of others may not', async () => {
    const { anonymous, developer } = await startTestServer({ corsOrigins });
    for (const from of [
      'https://example.com',
      'http://app.example.com',
      'https://app.example.com:8443',
      'https://app.example.com.evil.example',
      'null',
    ]) {
      const asked = await preflight(anonymous, from);
      const reply = await developer('GET', '/api/v1/vaults', { headers: { origin: from } });
      for (const { headers } of [asked, reply]) {
        expect(headers.has('access-control-allow-origin'), from).toBe(false);
        expect(headers.get('vary')?.toLowerCase()).toContain('origin');
      }
      // The browser keeps the answer from the page; programs other than browsers get it.
      expect(asked.status).toBe(404);
      expect(reply.status).toBe(200);
    }
  });

  test('requests of no page are answered as ever', async () => {
    const { developer } = await startTestServer({ corsOrigins });
    const reply = await developer('GET', '/api/v1/vaults');
    expect(reply.status).toBe(200);
    expect(reply.headers.has('access-control-allow-origin')).toBe(false);
  });
});
