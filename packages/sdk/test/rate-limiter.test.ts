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
 * A client that has been refused once, with 50 more calls waiting, and the service behind it, which
 * opens `opensIn` seconds later and tells the first to wait 10 seconds, the rest 20.
 */
async function queueOfFifty(opensIn: number) {
  const clock = new HeldClock();
  const opensAt = clock.now() + opensIn * 1_000;
  /** `rounds`: how many requests were in flight together each time they were answered. */
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

describe('guarantee 4, rate limit: the gate', () => {
  test('sends none of 50 calls that come while the window is closed', async () => {
    const { clock, counts, finished } = await queueOfFifty(10);
    expect(counts).toMatchObject({ refused: 1, inFlight: 0 });
    clock.release();
    await expect(finished).resolves.toHaveLength(51);
    expect(counts.refused).toBe(1);
  });

  test('costs 50 waiting calls one more refusal when the window is still closed', async () => {
    const { clock, counts, finished } = await queueOfFifty(30);
    clock.release();
    await expect(finished).resolves.toHaveLength(51);
    expect(counts.refused).toBe(2);
  });

  test('lets one through first, then twice as many each time, and later calls at will', async () => {
    const { clock, counts, finished, client } = await queueOfFifty(10);
    clock.release();
    await finished;
    // 51 calls in rounds of 1, 2, 4, 8, 16; the last 20 have room for 32.
    expect(counts.rounds.slice(1)).toEqual([1, 2, 4, 8, 16, 20]);
    await Promise.all(Array.from({ length: 100 }, (_, n) => client.vaults.get(`${n}`)));
    expect(counts.rounds.at(-1)).toBe(100);
  });

  test('begins with one again after another refusal', async () => {
    const { clock, counts, finished } = await queueOfFifty(30);
    clock.release();
    await finished;
    expect(counts.rounds.slice(0, 5)).toEqual([1, 1, 1, 2, 4]);
  });

  test('lets nobody stand in the queue for a steady load', async () => {
    const clock = new HeldClock();
    const answers: (() => void)[] = [];
    let refusals = 1;
    const fetch = async () => {
      if (refusals-- > 0) return refused(1)();
      await new Promise<void>((resolve) => answers.push(resolve));
      return ok();
    };
    const client = keyClient({ fetch, clock });
    const calls = [client.vaults.get('0')];
    await until(() => refusals === 0);
    clock.release();
    // Two more calls come for each that is answered; none of them has to wait for another in the end.
    for (let n = 1; n < 12; n++) {
      await until(() => answers.length > 0);
      answers.shift()?.();
      calls.push(client.vaults.get('a'), client.vaults.get('b'));
      await new Promise(setImmediate);
    }
    expect(answers).toHaveLength(12);
    refusals = 0;
    while (answers.length > 0) {
      answers.shift()?.();
      await new Promise(setImmediate);
    }
    await expect(Promise.all(calls)).resolves.toHaveLength(23);
  });

  test('opens at the latest of the moments it was told', async () => {
    const clock = new JumpingClock();
    const { fetch } = scriptedFetch(refused(30), refused(10), ok);
    const client = keyClient({ fetch, clock });
    await Promise.all([client.vaults.get('1'), client.vaults.get('2')]);
    expect(clock.slept).toEqual([30_000]);
  });

  test('refuses at once who will not wait so long, while another one waits', async () => {
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

  test('refuses at once, without a request, who would have to wait longer than allowed', async () => {
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

  test('forgets a caller who gives up, and lets nobody overtake', async () => {
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

  test("keeps the address's limit, which a login meets, apart from the account's", async () => {
    const tokens = { accessToken: 'a', refreshToken: 'r', expiresIn: 3_600 };
    const { fetch } = scriptedFetch(() => json(tokens), refused(300), ok);
    const client = sessionClient({ fetch });
    await client.auth.login({ email: 'ada@example.com', password: 'p' });
    await rejection(client.auth.login({ email: 'ada@example.com', password: 'q' }));
    await expect(client.vaults.get('1')).resolves.toEqual(vaultBody);
  });

  test('lets a throttled login hold up neither the renewal nor a logout', async () => {
    const { client, expireAll, state } = await loggedIn();
    expireAll();
    state.answerLogin = refused(900);
    await rejection(client.auth.login({ email: 'ada@example.com', password: 'q' }));
    await expect(client.vaults.get('1')).resolves.toEqual(vaultBody);
    expect(state.refreshes).toBe(1);
    await client.auth.logout();
    expect(state.sent.at(-1)?.url).toMatch(/logout$/);
  });

  test('belongs to the account: the next one has a window of its own', async () => {
    const { client, state } = await loggedIn();
    state.answer = refused(3_600);
    await rejection(client.vaults.get('1'));
    state.answer = undefined;
    await expect(client.vaults.get('2')).rejects.toMatchObject({ attempts: 0 });
    await client.auth.logout();
    await client.auth.login(ada);
    await expect(client.vaults.get('3')).resolves.toEqual(vaultBody);
  });

  test('is waited for by a guest whose answer comes after the login, too', async () => {
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

  test('learns nothing from a call that was given up: the next one goes alone again', async () => {
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
