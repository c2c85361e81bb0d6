import { AbortError, RateLimitError } from '@document-vault/sdk';
import { describe, expect, test } from 'vitest';
import { keyClient, rejection, sessionClient } from './support/client.ts';
import { HeldClock, JumpingClock, StoppedClock } from './support/clock.ts';
import { scriptedFetch } from './support/fetch.ts';
import { failure, json, vaultBody } from './support/responses.ts';
import { ada, latch, loggedIn } from './support/session.ts';
import { until } from './support/until.ts';

const refused = (retryAfter: number) => () => failure(429, 'RATE_LIMIT_EXCEEDED', { retryAfter });
const ok = () => json(vaultBody);

/**
 * Creates a client with one rejected call and 50 waiting calls. The service opens after `opensIn` seconds.
 * Its first 429 asks to wait 10 seconds, later ones 20.
 */
async function queueOfFifty(opensIn: number) {
  const clock = new HeldClock();
  const opensAt = clock.now() + opensIn * 1_000;
  /** `rounds`: numbers of requests in flight at each response. */
  const counts = { refused: 0, inFlight: 0, rounds: [] as number[] };
  let round: Promise<void> | undefined;
  const endOfRound = async () => {
    await new Promise(setImmediate);
    counts.rounds.push(counts.inFlight);
    counts.inFlight = 0;
    round = undefined;
  };
  const fetch = async () => {
    counts.inFlight++;
    round ??= endOfRound();
    await round;
    if (clock.now() >= opensAt) return ok();
    counts.refused++;
    return refused(counts.refused === 1 ? 10 : 20)();
  };
  const client = keyClient({ fetch, clock });
  const first = client.vaults.get('0');
  await until(() => counts.refused === 1);
  const queued = Array.from({ length: 50 }, (_, n) => client.vaults.get(`${n + 1}`));
  const finished = Promise.all([first, ...queued]);
  await new Promise(setImmediate);
  return { clock, counts, client, finished };
}

describe('guarantee 4, rate limit: the rate limiter', () => {
  test('50 calls during a closed window send no request', async () => {
    const { clock, counts, finished } = await queueOfFifty(10);
    expect(counts).toMatchObject({ refused: 1, inFlight: 0 });
    clock.release();
    await expect(finished).resolves.toHaveLength(51);
    expect(counts.refused).toBe(1);
  });

  test('50 waiting calls cause one more 429 when the window is still closed', async () => {
    const { clock, counts, finished } = await queueOfFifty(30);
    clock.release();
    await expect(finished).resolves.toHaveLength(51);
    expect(counts.refused).toBe(2);
  });

  test('waiting calls are sent in rounds of 1, 2, 4 and more, and later calls at once', async () => {
    const { clock, counts, finished, client } = await queueOfFifty(10);
    clock.release();
    await finished;
    // 51 calls in rounds of 1, 2, 4, 8, 16; the last 20 have room for 32.
    expect(counts.rounds.slice(1)).toEqual([1, 2, 4, 8, 16, 20]);
    await Promise.all(Array.from({ length: 100 }, (_, n) => client.vaults.get(`${n}`)));
    expect(counts.rounds.at(-1)).toBe(100);
  });

  test('after another 429 the rounds start with one call again', async () => {
    const { clock, counts, finished } = await queueOfFifty(30);
    clock.release();
    await finished;
    expect(counts.rounds.slice(0, 5)).toEqual([1, 1, 1, 2, 4]);
  });

  test('a steady load leaves no call waiting', async () => {
    const clock = new HeldClock();
    const pending: (() => void)[] = [];
    let refusals = 1;
    const fetch = async () => {
      if (refusals-- > 0) return refused(1)();
      await new Promise<void>((resolve) => pending.push(resolve));
      return ok();
    };
    const client = keyClient({ fetch, clock });
    const calls = [client.vaults.get('0')];
    await until(() => refusals === 0);
    clock.release();
    // Each response is followed by two more calls. In the end none of them waits for another.
    for (let n = 1; n < 12; n++) {
      await until(() => pending.length > 0);
      pending.shift()?.();
      calls.push(client.vaults.get('a'), client.vaults.get('b'));
      await new Promise(setImmediate);
    }
    expect(pending).toHaveLength(12);
    refusals = 0;
    while (pending.length > 0) {
      pending.shift()?.();
      await new Promise(setImmediate);
    }
    await expect(Promise.all(calls)).resolves.toHaveLength(23);
  });

  test('several 429 responses close the limiter until the latest of their times', async () => {
    const clock = new JumpingClock();
    const { fetch } = scriptedFetch(refused(30), refused(10), ok);
    const client = keyClient({ fetch, clock });
    await Promise.all([client.vaults.get('1'), client.vaults.get('2')]);
    expect(clock.slept).toEqual([30_000]);
  });

  test('a call with a lower maxRetryAfter rejects at once while another waits', async () => {
    const clock = new StoppedClock();
    const { fetch, sent } = scriptedFetch(refused(42));
    const client = keyClient({ fetch, clock });
    const controller = new AbortController();
    const waiting = rejection(client.vaults.get('1', { signal: controller.signal }));
    await until(() => clock.sleepers === 1);
    const error = await rejection(client.vaults.get('2', { maxRetryAfter: 1_000 }));
    expect(error).toMatchObject({ name: 'RateLimitError', retryAfterMs: 42_000, attempts: 0 });
    controller.abort();
    await waiting;
    expect(sent).toHaveLength(1);
  });

  test('a call that would wait longer than maxRetryAfter rejects without a request', async () => {
    const clock = new JumpingClock();
    const { fetch, sent } = scriptedFetch(refused(3_600));
    const client = keyClient({ fetch, clock });
    await rejection(client.vaults.get('1'));
    clock.advance(600_000);
    const error = await rejection(client.vaults.get('2'));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({
      retryAfterMs: 3_000_000,
      attempts: 0,
      code: 'RATE_LIMIT_EXCEEDED',
      path: '/api/v1/vaults/{id}',
    });
    expect(sent).toHaveLength(1);
  });

  test('an aborted call leaves the queue and the order of the others stays', async () => {
    const clock = new StoppedClock();
    const { fetch, sent } = scriptedFetch(refused(30));
    const client = keyClient({ fetch, clock });
    const controllers = Array.from({ length: 3 }, () => new AbortController());
    const calls = controllers.map(({ signal }) => rejection(client.vaults.get('1', { signal })));
    await new Promise(setImmediate);
    expect(sent).toHaveLength(3);
    // One sleeps for all of them.
    expect(clock.sleepers).toBe(1);
    controllers[1]?.abort();
    await expect(calls[1]).resolves.toBeInstanceOf(AbortError);
    await new Promise(setImmediate);
    expect(clock.sleepers).toBe(1);
    controllers[0]?.abort();
    await new Promise(setImmediate);
    expect(clock.sleepers).toBe(1);
    controllers[2]?.abort();
    await Promise.all(calls);
    expect(clock.sleepers).toBe(0);
    expect(sent).toHaveLength(3);
  });

  test('the rate limit of the address for logins is separate from that of the account', async () => {
    const tokens = { accessToken: 'a', refreshToken: 'r', expiresIn: 3_600 };
    const { fetch } = scriptedFetch(() => json(tokens), refused(300), ok);
    const client = sessionClient({ fetch });
    await client.auth.login({ email: 'ada@example.com', password: 'p' });
    await rejection(client.auth.login({ email: 'ada@example.com', password: 'q' }));
    await expect(client.vaults.get('1')).resolves.toEqual(vaultBody);
  });

  test('a throttled login delays neither a renewal nor a logout', async () => {
    const { client, expireAll, state } = await loggedIn();
    expireAll();
    state.answerLogin = refused(900);
    await rejection(client.auth.login({ email: 'ada@example.com', password: 'q' }));
    await expect(client.vaults.get('1')).resolves.toEqual(vaultBody);
    expect(state.refreshes).toBe(1);
    await client.auth.logout();
    expect(state.sent.at(-1)?.url).toMatch(/logout$/);
  });

  test('the rate limiter of one account does not delay calls of the next', async () => {
    const { client, state } = await loggedIn();
    state.answer = refused(3_600);
    await rejection(client.vaults.get('1'));
    state.answer = undefined;
    await expect(client.vaults.get('2')).rejects.toMatchObject({ attempts: 0 });
    await client.auth.logout();
    await client.auth.login(ada);
    await expect(client.vaults.get('3')).resolves.toEqual(vaultBody);
  });

  test('an anonymous 429 that arrives after the login delays the retry of its call', async () => {
    const clock = new JumpingClock();
    const { open, opened } = latch();
    const tokens = { accessToken: 'a', refreshToken: 'r', expiresIn: 3_600 };
    const { fetch, sent } = scriptedFetch(
      async () => {
        await opened;
        return refused(30)();
      },
      () => json(tokens),
      ok,
    );
    const client = sessionClient({ fetch, clock });
    const call = client.vaults.get('1');
    await until(() => sent.length === 1);
    await client.auth.login(ada);
    open();
    await expect(call).resolves.toEqual(vaultBody);
    expect(clock.slept).toEqual([30_000]);
  });

  test('after an aborted first call the next call is sent alone', async () => {
    const clock = new HeldClock();
    const opensAt = clock.now() + 20_000;
    const counts = { sent: 0, refused: 0 };
    const fetch = async () => {
      counts.sent++;
      if (counts.sent === 2) return new Promise<never>(() => {});
      const isOpen = clock.now() >= opensAt;
      await new Promise(setImmediate);
      if (isOpen) return ok();
      counts.refused++;
      return refused(10)();
    };
    const client = keyClient({ fetch, clock });
    const controller = new AbortController();
    const first = rejection(client.vaults.get('0', { signal: controller.signal }));
    await until(() => counts.refused === 1);
    const queued = Array.from({ length: 50 }, (_, n) => client.vaults.get(`${n + 1}`));
    clock.release();
    await until(() => counts.sent === 2);
    controller.abort();
    await expect(first).resolves.toBeInstanceOf(AbortError);
    await expect(Promise.all(queued)).resolves.toHaveLength(50);
    expect(counts).toEqual({ sent: 53, refused: 2 });
  });
});
