import { AbortError, type Clock, RateLimitError } from '@document-vault/sdk';
import { describe, expect, test } from 'vitest';
import type { TestServer } from '../../server/test/support/server.ts';
import { rejection } from './support/client.ts';
import { StoppedClock } from './support/clock.ts';
import { startKeyClient } from './support/real-server.ts';
import { latch } from './support/session.ts';
import { until } from './support/until.ts';

const minute = 60_000;
const perMinute = 60;

/**
 * Starts a server whose limit per minute is used up, and a client with one rejected call and 50 waiting
 * calls. The test releases its sleeps. The first sleep ends `early` milliseconds too early.
 */
async function closedWindow(early = 0) {
  const { open: release, opened: released } = latch();
  let server: TestServer | undefined;
  let now = 0;
  let short = early;
  const clock: Clock = {
    now: () => now,
    sleep: async (ms) => {
      await released;
      now += ms;
      server?.clock.advance(ms - short);
      short = 0;
    },
  };
  const started = await startKeyClient({ requestsPerMinute: { enterprise: perMinute } }, { clock });
  ({ server } = started);
  const { client, statuses } = started;
  for (let n = 0; n < perMinute; n++) await client.users.me();
  const begin = server.clock.now();
  const first = client.users.me();
  await until(() => statuses.at(-1) === 429);
  const queued = Array.from({ length: 50 }, () => client.users.me());
  const finished = Promise.all([first, ...queued]);
  const refusals = () => statuses.filter((status) => status === 429).length;
  return { ...started, begin, release, finished, refusals };
}

describe('guarantee 4: the rate limit of the real server', () => {
  test('50 queued calls are sent when the window opens and not before', async () => {
    const { server, begin, release, finished, refusals, sent } = await closedWindow();
    expect(sent).toHaveLength(perMinute + 1);
    release();
    await expect(finished).resolves.toHaveLength(51);
    expect(refusals()).toBe(1);
    expect(sent).toHaveLength(perMinute + 52);
    expect(server.clock.now()).toBe(begin + minute);
  });

  test('50 queued calls cause one more 429 when the window is still closed', async () => {
    const { release, finished, refusals } = await closedWindow(15_000);
    release();
    await expect(finished).resolves.toHaveLength(51);
    expect(refusals()).toBe(2);
  });

  test('a call with a lower maxRetryAfter rejects at once with retryAfterMs', async () => {
    const { client, sent, statuses } = await startKeyClient({
      requestsPerMinute: { enterprise: 1 },
    });
    await client.users.me();
    const impatient = { maxRetryAfter: minute - 1 };
    const asked = await rejection(client.users.me(impatient));
    expect(asked).toBeInstanceOf(RateLimitError);
    expect(asked).toMatchObject({ status: 429, attempts: 1, retryAfterMs: minute });
    const unasked = await rejection(client.users.me({ totalTimeout: minute }));
    expect(unasked).toBeInstanceOf(RateLimitError);
    expect(unasked).toMatchObject({ status: 429, attempts: 0, retryAfterMs: minute });
    expect(sent).toHaveLength(2);
    await client.users.me();
    expect(statuses).toEqual([200, 429, 200]);
  });

  test('an aborted call leaves the queue and the next one is sent', async () => {
    const clock = new StoppedClock();
    const { client, sent, statuses } = await startKeyClient(
      { requestsPerMinute: { enterprise: 1 } },
      { clock },
    );
    await client.users.me();
    const controllers = [new AbortController(), new AbortController()];
    const calls = controllers.map(({ signal }) => rejection(client.users.me({ signal })));
    await until(() => statuses.length === 3);
    await until(() => clock.sleepers === 1);
    for (const controller of controllers) controller.abort();
    for (const call of calls) await expect(call).resolves.toBeInstanceOf(AbortError);
    expect(clock.sleepers).toBe(0);
    expect(sent).toHaveLength(3);
  });
});
