import { describe, expect, test } from 'vitest';
import { expectEveryHeader, rateLimitOf, refusal } from './front-door.ts';
import { newKey } from './resources.ts';
import { type Answer, type Caller, startTestServer } from './server.ts';

const minute = 60_000;
const hour = 60 * minute;

/** Small limits for everybody. */
const small = { defaultTier: 'free', freeRequestsPerHour: 6, freeRequestsPerMinute: 4 } as const;

const getVaults = (call: Caller) => call('GET', '/api/v1/vaults');

async function statuses(times: number, send: () => Promise<Answer>): Promise<number[]> {
  const answers: number[] = [];
  for (let time = 0; time < times; time += 1) answers.push((await send()).status);
  return answers;
}

function expectToWait(answer: Answer, seconds: number): void {
  expect(answer).toMatchObject(refusal('RATE_LIMIT_EXCEEDED', {}));
  expect(answer.body.error.retryAfter).toBe(seconds);
  expect(answer.headers.get('retry-after')).toBe(String(seconds));
  expectEveryHeader(answer);
}

describe('the windows', () => {
  test('let the minute through, and open again with the next one', async () => {
    const { developer, clock } = await startTestServer(small);
    clock.advance(1500);
    expect(await statuses(4, () => getVaults(developer))).toEqual([200, 200, 200, 200]);
    // Whole seconds, rounded up: after them it is sure to work.
    expectToWait(await getVaults(developer), 59);
    clock.advance(58_499);
    expectToWait(await getVaults(developer), 1);
    clock.advance(1);
    expect((await getVaults(developer)).status).toBe(200);
  });

  test('let the hour through, and open again with the next one', async () => {
    const { developer, clock } = await startTestServer(small);
    clock.advance(10 * minute);
    expect(await statuses(4, () => getVaults(developer))).toEqual([200, 200, 200, 200]);
    clock.advance(minute);
    expect(await statuses(3, () => getVaults(developer))).toEqual([200, 200, 429]);
    clock.advance(minute);
    expectToWait(await getVaults(developer), 48 * 60);
    clock.advance(48 * minute - 1);
    expectToWait(await getVaults(developer), 1);
    clock.advance(1);
    expect((await getVaults(developer)).status).toBe(200);
  });

  test('are aligned to the clock, whenever the first request came', async () => {
    const { developer, clock } = await startTestServer(small);
    clock.advance(hour - 1);
    const last = await getVaults(developer);
    expect(rateLimitOf(last)).toMatchObject({ remaining: 5, resetAt: clock.now() + 1 });
    clock.advance(1);
    const next = await getVaults(developer);
    expect(rateLimitOf(next)).toMatchObject({ remaining: 5, resetAt: clock.now() + hour });
  });

  test('count every request once, and none that they refuse', async () => {
    const { developer, clock } = await startTestServer(small);
    const remaining = async () => rateLimitOf(await getVaults(developer)).remaining;
    const seen = [await remaining(), await remaining(), await remaining(), await remaining()];
    expect(seen).toEqual([5, 4, 3, 2]);
    for (let refused = 0; refused < 5; refused += 1) {
      const answer = await getVaults(developer);
      expect(answer.status).toBe(429);
      expect(rateLimitOf(answer).remaining).toBe(2);
    }
    clock.advance(minute);
    expect([await remaining(), await remaining()]).toEqual([1, 0]);
    expect((await getVaults(developer)).status).toBe(429);
  });

  test('let exactly the limit through when all come at once', async () => {
    const { developer } = await startTestServer(small);
    const answers = await Promise.all(Array.from({ length: 12 }, () => getVaults(developer)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(8);
  });
});

describe('the headers', () => {
  test('describe the hour in both spellings', async () => {
    const { developer, clock } = await startTestServer(small);
    const answer = await getVaults(developer);
    expectEveryHeader(answer);
    expect(rateLimitOf(answer)).toEqual({
      limit: 6,
      remaining: 5,
      resetAt: clock.now() + hour,
      tier: 'free',
    });
    expect(answer.headers.get('x-ratelimit-reset')).toBe('1767229200');
    expect(answer.headers.get('x-rate-limit-reset')).toBe('2026-01-01T01:00:00.000Z');
    expect(answer.headers.has('retry-after')).toBe(false);
  });

  test('stand on every kind of answer', async () => {
    const { developer, anonymous, signIn, account } = await startTestServer();
    const call = await signIn({ email: '', password: '', ...account });
    const { keyId } = await newKey(call, ['vaults:read']);
    const answers = [
      await getVaults(developer),
      await developer('POST', '/api/v1/vaults', { body: { name: 'Taxes' } }),
      await call('DELETE', `/api/v1/api-keys/${keyId}`),
      await developer('POST', '/api/v1/vaults', { body: {} }),
      await getVaults(anonymous),
      await developer('GET', '/api/v1/api-keys'),
      await developer('GET', '/api/v1/vaults/unknown'),
      await anonymous('GET', '/nothing'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 204, 400, 401, 403, 404, 404]);
    for (const answer of answers) expectEveryHeader(answer);
  });

  test.each([
    ['free', 1000],
    ['paid', 10_000],
    ['enterprise', 100_000],
  ] as const)('say what the tier %s allows unless configured', async (tier, limit) => {
    const { developer } = await startTestServer({ defaultTier: tier });
    const answer = await getVaults(developer);
    expect(rateLimitOf(answer)).toMatchObject({ tier, limit, remaining: limit - 1 });
  });

  test.each([
    ['free', 10],
    ['paid', 100],
  ] as const)('leave the tier %s %i requests a minute', async (tier, burst) => {
    const { developer } = await startTestServer({ defaultTier: tier });
    const allowed = await statuses(burst, () => getVaults(developer));
    expect(new Set(allowed)).toEqual(new Set([200]));
    expectToWait(await getVaults(developer), 60);
  });
});

describe('a budget', () => {
  test('is one for all keys and tokens of an account', async () => {
    const { signUp, withKey, clock } = await startTestServer({
      ...small,
      freeRequestsPerHour: 100,
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

  test('is not shared between accounts', async () => {
    const { developer, signUp } = await startTestServer(small);
    const { call } = await signUp('ada@example.com');
    expect(await statuses(5, () => getVaults(developer))).toEqual([200, 200, 200, 200, 429]);
    expect(rateLimitOf(await getVaults(call)).remaining).toBe(5);
  });

  test('is that of the address without valid credentials', async () => {
    const { anonymous, developer } = await startTestServer({
      ...small,
      trustedProxies: ['127.0.0.1/32'],
    });
    const from = (address: string) => () =>
      anonymous('GET', '/openapi/v1.json', { headers: { 'x-forwarded-for': address } });
    expect(await statuses(5, from('198.51.100.1'))).toEqual([200, 200, 200, 200, 429]);
    expect(rateLimitOf(await from('198.51.100.2')())).toMatchObject({ remaining: 5, tier: 'free' });
    // An account is not held to what somebody else at its address has used.
    const headers = { 'x-forwarded-for': '198.51.100.1' };
    expect((await developer('GET', '/api/v1/vaults', { headers })).status).toBe(200);
  });

  test('of the address pays for what is refused before an account is known', async () => {
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
