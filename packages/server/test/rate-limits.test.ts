import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { expectEveryHeader, minuteLimitOf, rateLimitOf, refusal } from './support/front-door.ts';
import { newKey } from './support/resources.ts';
import { type Caller, type Reply, startTestServer } from './support/server.ts';

const minute = 60_000;
const hour = 60 * minute;

/** Small limits for every account and address. */
const small = {
  defaultTier: 'free',
  requestsPerHour: { free: 6 },
  requestsPerMinute: { free: 4 },
} as const;

const getVaults = (call: Caller) => call('GET', '/api/v1/vaults');

async function statuses(times: number, send: () => Promise<Reply>): Promise<number[]> {
  const replies: number[] = [];
  for (let time = 0; time < times; time += 1) replies.push((await send()).status);
  return replies;
}

function expectRetryAfter(reply: Reply, seconds: number): void {
  expect(reply).toMatchObject(refusal('RATE_LIMIT_EXCEEDED', {}));
  expect(reply.body.error.retryAfter).toBe(seconds);
  expect(reply.headers.get('retry-after')).toBe(String(seconds));
  expectEveryHeader(reply);
}

describe('windows', () => {
  test('above the limit per minute, requests return 429 until the next minute starts', async () => {
    const { developer, clock } = await startTestServer(small);
    clock.advance(1500);
    expect(await statuses(4, () => getVaults(developer))).toEqual([200, 200, 200, 200]);
    // Whole seconds, rounded up: after that time a request succeeds.
    const refused = await getVaults(developer);
    expectRetryAfter(refused, 59);
    expect(refused.body.error.message).toBe(
      'The limit of 4 requests a minute is reached. Try again in 59 seconds.',
    );
    clock.advance(58_499);
    const last = await getVaults(developer);
    expectRetryAfter(last, 1);
    expect(last.body.error.message).toMatch(/Try again in 1 second\.$/);
    clock.advance(1);
    expect((await getVaults(developer)).status).toBe(200);
  });

  test('above the limit per hour, requests return 429 until the next hour starts', async () => {
    const { developer, clock } = await startTestServer(small);
    clock.advance(10 * minute);
    expect(await statuses(4, () => getVaults(developer))).toEqual([200, 200, 200, 200]);
    clock.advance(minute);
    expect(await statuses(3, () => getVaults(developer))).toEqual([200, 200, 429]);
    clock.advance(minute);
    const refused = await getVaults(developer);
    expectRetryAfter(refused, 48 * 60);
    expect(refused.body.error.message).toBe(
      'The limit of 6 requests an hour is reached. Try again in 48 minutes.',
    );
    clock.advance(48 * minute - 1);
    expectRetryAfter(await getVaults(developer), 1);
    clock.advance(1);
    expect((await getVaults(developer)).status).toBe(200);
  });

  test('windows are aligned to the clock, not to the first request', async () => {
    const { developer, clock } = await startTestServer(small);
    clock.advance(hour - 1);
    const last = await getVaults(developer);
    expect(rateLimitOf(last)).toMatchObject({ remaining: 5, resetAt: clock.now() + 1 });
    clock.advance(1);
    const next = await getVaults(developer);
    expect(rateLimitOf(next)).toMatchObject({ remaining: 5, resetAt: clock.now() + hour });
  });

  test('every accepted request counts once, and rejected ones do not count', async () => {
    const { developer, clock } = await startTestServer(small);
    const remaining = async () => rateLimitOf(await getVaults(developer)).remaining;
    const seen = [await remaining(), await remaining(), await remaining(), await remaining()];
    expect(seen).toEqual([5, 4, 3, 2]);
    for (let refused = 0; refused < 5; refused += 1) {
      const reply = await getVaults(developer);
      expect(reply.status).toBe(429);
      expect(rateLimitOf(reply).remaining).toBe(2);
    }
    clock.advance(minute);
    expect([await remaining(), await remaining()]).toEqual([1, 0]);
    expect((await getVaults(developer)).status).toBe(429);
  });

  test('exactly the limit of concurrent requests succeeds', async () => {
    const { developer } = await startTestServer(small);
    const replies = await Promise.all(Array.from({ length: 12 }, () => getVaults(developer)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(4);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(8);
  });
});

describe('rate limit headers', () => {
  test('both spellings describe the window of the hour', async () => {
    const { developer, clock } = await startTestServer(small);
    const reply = await getVaults(developer);
    expectEveryHeader(reply);
    expect(rateLimitOf(reply)).toEqual({
      limit: 6,
      remaining: 5,
      resetAt: clock.now() + hour,
      tier: 'free',
    });
    expect(reply.headers.get('x-ratelimit-reset')).toBe('1767229200');
    expect(reply.headers.get('x-rate-limit-reset')).toBe('2026-01-01T01:00:00.000Z');
    expect(reply.headers.has('retry-after')).toBe(false);
  });

  test('X-RateLimit-Minute-* describe the window of the minute', async () => {
    const { developer, clock } = await startTestServer(small);
    clock.advance(1500);
    const start = clock.now() - 1500;
    const minutes: unknown[] = [];
    for (let request = 0; request < 5; request += 1) {
      minutes.push(minuteLimitOf(await getVaults(developer)));
    }
    const resetAt = start + minute;
    const left = (remaining: number) => ({ limit: 4, remaining, resetAt });
    expect(minutes).toEqual([left(3), left(2), left(1), left(0), left(0)]);
    clock.advance(minute);
    const next = await getVaults(developer);
    expect(minuteLimitOf(next)).toEqual({ limit: 4, remaining: 3, resetAt: start + 2 * minute });
    expect(next.headers.get('x-ratelimit-minute-reset')).toBe('1767225720');
    // A rejected request counts in no window.
    expect(rateLimitOf(next).remaining).toBe(1);
  });

  test('responses of every status have the rate limit headers', async () => {
    const { developer, anonymous, signIn, account } = await startTestServer();
    const call = await signIn({ email: '', password: '', ...account });
    const { keyId } = await newKey(call, ['vaults:read']);
    const replies = [
      await getVaults(developer),
      await developer('POST', '/api/v1/vaults', { body: { name: 'Taxes' } }),
      await call('DELETE', `/api/v1/api-keys/${keyId}`),
      await developer('POST', '/api/v1/vaults', { body: {} }),
      await getVaults(anonymous),
      await developer('GET', '/api/v1/api-keys'),
      await developer('GET', '/api/v1/vaults/unknown'),
      await anonymous('GET', '/nothing'),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 201, 204, 400, 401, 403, 404, 404]);
    for (const reply of replies) expectEveryHeader(reply);
  });

  test.each([
    ['free', 1000],
    ['paid', 10_000],
    ['enterprise', 100_000],
  ] as const)('the tier %s allows %i requests an hour by default', async (tier, limit) => {
    const { developer } = await startTestServer({ defaultTier: tier });
    const reply = await getVaults(developer);
    expect(rateLimitOf(reply)).toMatchObject({ tier, limit, remaining: limit - 1 });
  });

  test.each([
    ['free', 10],
    ['paid', 100],
  ] as const)('the tier %s allows %i requests a minute by default', async (tier, burst) => {
    const { developer } = await startTestServer({ defaultTier: tier });
    const allowed = await statuses(burst, () => getVaults(developer));
    expect(new Set(allowed)).toEqual(new Set([200]));
    expectRetryAfter(await getVaults(developer), 60);
  });
});

describe('rate limit of an account or address', () => {
  test('all keys and tokens of an account share one limit', async () => {
    const { signUp, withKey, clock } = await startTestServer({
      ...small,
      requestsPerHour: { free: 100 },
    });
    const { call } = await signUp('ada@example.com');
    const callers = [
      call,
      withKey((await newKey(call, ['vaults:read'])).key),
      withKey((await newKey(call, ['vaults:read'])).key),
    ];
    clock.advance(minute);
    const remaining: number[] = [];
    for (const caller of callers) remaining.push(rateLimitOf(await getVaults(caller)).remaining);
    expect(remaining).toEqual([97, 96, 95]);
    expect((await getVaults(call)).status).toBe(200);
    for (const caller of callers) expect((await getVaults(caller)).status).toBe(429);
  });

  test('accounts do not share a limit', async () => {
    const { developer, signUp } = await startTestServer(small);
    const { call } = await signUp('ada@example.com');
    expect(await statuses(5, () => getVaults(developer))).toEqual([200, 200, 200, 200, 429]);
    expect(rateLimitOf(await getVaults(call)).remaining).toBe(5);
  });

  test('requests without valid credentials count on their address', async () => {
    const { anonymous, developer } = await startTestServer({
      ...small,
      trustedProxies: ['127.0.0.1/32'],
    });
    const from = (address: string) => () =>
      anonymous('GET', '/openapi/v1.json', { headers: { 'x-forwarded-for': address } });
    expect(await statuses(5, from('198.51.100.1'))).toEqual([200, 200, 200, 200, 429]);
    expect(rateLimitOf(await from('198.51.100.2')())).toMatchObject({ remaining: 5, tier: 'free' });
    // The limit of an account does not include other requests from its address.
    const headers = { 'x-forwarded-for': '198.51.100.1' };
    expect((await developer('GET', '/api/v1/vaults', { headers })).status).toBe(200);
  });

  test('the zone of an IPv6 address in X-Forwarded-For is ignored', async () => {
    const { anonymous } = await startTestServer({ ...small, trustedProxies: ['127.0.0.1/32'] });
    const zones = ['', '%eth0', '%br-8f3a', '%eth0.100'];
    const remaining: unknown[] = [];
    for (const zone of zones) {
      const headers = { 'x-forwarded-for': `fe80::1${zone}` };
      remaining.push(rateLimitOf(await anonymous('GET', '/nothing', { headers })).remaining);
    }
    expect(remaining).toEqual([5, 4, 3, 2]);
  });

  test('requests rejected before authentication count on the address', async () => {
    const { anonymous, withKey } = await startTestServer(small);
    const remaining = [
      rateLimitOf(await anonymous('GET', '/nothing')).remaining,
      rateLimitOf(await getVaults(anonymous)).remaining,
      rateLimitOf(await getVaults(withKey('rubbish'))).remaining,
    ];
    expect(remaining).toEqual([5, 4, 3]);
    const login = () => anonymous('POST', '/auth/login', { body: {} });
    expect(await statuses(2, login)).toEqual([400, 429]);
  });
});

describe('above the limit of the address', () => {
  /** Uses up the minute of the address; an account behind it has used nothing. */
  async function startAboveLimit() {
    const server = await startTestServer(small);
    const { email, password } = server.account ?? {};
    const login = await server.anonymous('POST', '/auth/login', { body: { email, password } });
    expect(login.status).toBe(200);
    const { accessToken } = login.body;
    for (let count = 1; count < small.requestsPerMinute.free; count += 1) {
      expect((await server.anonymous('GET', '/openapi/v1.json')).status).toBe(200);
    }
    return { ...server, accessToken };
  }

  const graphql = { body: { query: '{ me { id } }' } };

  test('invalid and missing credentials and unknown paths return 429 instead of 401 and 404', async () => {
    const { anonymous, withKey, withToken, accessToken, clock } = await startAboveLimit();
    const unknownKey = withKey(`service_sk_${'a'.repeat(40)}`);
    const refused = [
      await getVaults(anonymous),
      await getVaults(unknownKey),
      await getVaults(withKey('rubbish')),
      await getVaults(withToken('rubbish')),
      await getVaults(withToken(`${accessToken}x`)),
      await anonymous('GET', '/api/v1/vaults', { headers: { authorization: 'Basic eDp5' } }),
      await anonymous('GET', '/nothing'),
      await anonymous('PATCH', '/api/v1/vaults'),
      await unknownKey('GET', '/shares/unknown'),
      await anonymous('GET', '/oauth/authorize'),
    ];
    for (const reply of refused) expectRetryAfter(reply, 60);
    clock.advance(minute);
    expect((await getVaults(anonymous)).status).toBe(401);
    expect((await anonymous('GET', '/nothing')).status).toBe(404);
    expect(await statuses(2, () => getVaults(unknownKey)), 'the hour').toEqual([429, 429]);
  });

  test('GraphQL returns 429 instead of 401 and 405', async () => {
    const { anonymous, withKey, withToken } = await startAboveLimit();
    const refused = [
      await anonymous('POST', '/graphql', graphql),
      await withKey('rubbish')('POST', '/graphql', graphql),
      await withToken('rubbish')('POST', '/graphql', graphql),
      await anonymous('GET', '/graphql'),
    ];
    for (const reply of refused) {
      expect(reply.status).toBe(429);
      expect(reply.body.errors[0].extensions.code).toBe('RATE_LIMIT_EXCEEDED');
      expect(reply.headers.get('retry-after')).toBe('60');
    }
  });

  test('a malformed target returns 429 instead of 404', async () => {
    const { url } = await startAboveLimit();
    const { hostname, port } = new URL(url);
    const [line] = (await exchange(Number(port), hostname, 'GET * HTTP/1.1')).split('\r\n');
    expect(line).toBe('HTTP/1.1 429 Too Many Requests');
  });

  test('requests with valid credentials succeed and count on their account alone', async () => {
    const { anonymous, developer, withToken, accessToken } = await startAboveLimit();
    expect((await getVaults(anonymous)).status).toBe(429);
    const replies = [
      await getVaults(developer),
      await getVaults(withToken(accessToken)),
      await developer('POST', '/graphql', graphql),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(replies.map((reply) => rateLimitOf(reply).remaining)).toEqual([5, 4, 3]);
    expect((await getVaults(anonymous)).status).toBe(429);
    expect(rateLimitOf(await getVaults(developer)).remaining).toBe(2);
  });
});

/** Sends a request line that `fetch` cannot send, and returns the response as text. */
async function exchange(port: number, host: string, requestLine: string): Promise<string> {
  const socket = connect(port, host);
  socket.end(`${requestLine}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  return text(socket);
}
