import { afterEach, describe, expect, test, vi } from 'vitest';
import { type EventStore, memoryStore } from '../../src/index.ts';
import { secret } from '../support/builds.ts';
import { vaultDeleted } from '../support/events.ts';
import { directReceiver, heldHandler, settled } from '../support/receivers/direct.ts';
import { frameworks } from '../support/receivers/frameworks.ts';
import { post, startReceiver, stopServers, until } from '../support/receivers/receiver.ts';
import { sign } from '../support/sign.ts';

const body = JSON.stringify(vaultDeleted);

afterEach(stopServers);

/** A store that resolves later, in the order of the event loop. */
function slowly(store: EventStore): EventStore {
  const pause = () => new Promise(setImmediate);
  return {
    claim: async (id, token) => {
      const claim = await store.claim(id, token);
      await pause();
      return claim;
    },
    complete: async (id, claim) => {
      await pause();
      await store.complete(id, claim);
    },
    release: async (id, token) => {
      await pause();
      await store.release(id, token);
    },
  };
}

/** A memory store that records its claims. */
function watchedStore(): EventStore & { readonly claimed: readonly string[] } {
  const claimed: string[] = [];
  const store = memoryStore();
  return {
    ...store,
    claimed,
    claim(id, token) {
      claimed.push(id);
      return store.claim(id, token);
    },
  };
}

describe.each(frameworks)('1,000 concurrent repeats in %s', (_, build) => {
  test('run the handler once, and no response precedes its end', async () => {
    const { handler, runs } = heldHandler();
    const store = watchedStore();
    const receiver = await startReceiver(build, {
      handlers: { 'vault.deleted': handler },
      options: { store, timeout: 60_000 },
    });
    let responded = 0;
    const responses = Array.from({ length: 1000 }, async () => {
      const answer = await post(receiver, body);
      responded += 1;
      return answer;
    });
    await until(() => store.claimed.length === 1000);
    await settled();
    expect(responded).toBe(0);
    runs[0]?.succeed();

    const unlike = (await Promise.all(responses)).filter(({ status }) => status !== 200);
    expect(unlike).toEqual([]);
    expect(runs).toHaveLength(1);
  });
});

describe('1,000 concurrent repeats of an event whose handler fails', () => {
  test('all get 500, and the next attempt runs the handler again', async () => {
    const { handler, runs } = heldHandler();
    const receiver = directReceiver(handler, { timeout: 60_000 });
    const responses = Array.from({ length: 1000 }, () => receiver.deliver());
    await settled();
    runs[0]?.fail(new Error('the database is away'));
    expect(new Set(await Promise.all(responses))).toEqual(new Set(['500 The handler failed.']));
    expect(runs).toHaveLength(1);

    const retry = receiver.deliver();
    await settled();
    runs[1]?.succeed();
    expect(await retry).toBe('200 OK');
    expect(runs).toHaveLength(2);
  });
});

describe('a repeated event', () => {
  test.each([
    ['a store in memory', memoryStore()],
    ['a slower one', slowly(memoryStore())],
  ])('runs its handler once with %s', async (_, store) => {
    const { handler, runs } = heldHandler();
    const receiver = directReceiver(handler, { store });
    const first = receiver.deliver();
    await settled();
    runs[0]?.succeed();
    expect(await first).toBe('200 OK');
    expect(await receiver.deliver()).toBe('200 OK');
    expect(runs).toHaveLength(1);
    expect(receiver.reports).toEqual([]);
  });

  test('gets the outcome of the first event while its handler runs', async () => {
    const { handler, runs } = heldHandler();
    const receiver = directReceiver(handler);
    const responses = [receiver.deliver(), receiver.deliver()];
    await settled();
    runs[0]?.fail(new Error('full'));
    expect(await Promise.all(responses)).toEqual([
      '500 The handler failed.',
      '500 The handler failed.',
    ]);
    expect(runs).toHaveLength(1);
    expect(receiver.reports).toEqual(['500 full', '500 full']);
  });

  test('gets 500 while another process handles it, and 200 afterwards', async () => {
    const store = memoryStore();
    const here = heldHandler();
    const there = heldHandler();
    const receiverThere = directReceiver(there.handler, { store });
    const receiverHere = directReceiver(here.handler, { store });
    const first = receiverThere.deliver();
    await settled();
    expect(await receiverHere.deliver()).toBe('500 The event is still being handled.');
    expect(receiverHere.reports).toEqual(['500 The event is still being handled.']);
    there.runs[0]?.succeed();
    expect(await first).toBe('200 OK');
    expect(await receiverHere.deliver()).toBe('200 OK');
    expect(here.runs).toEqual([]);
  });

  test('does not get the outcome of an earlier run in this process', async () => {
    const store = memoryStore();
    const here = heldHandler();
    const there = heldHandler();
    const receiver = directReceiver(here.handler, { store });
    const failed = receiver.deliver();
    await settled();
    here.runs[0]?.fail(new Error('full'));
    expect(await failed).toBe('500 The handler failed.');

    void directReceiver(there.handler, { store }).deliver();
    await settled();
    expect(there.runs).toHaveLength(1);
    expect(await receiver.deliver()).toBe('500 The event is still being handled.');
  });

  test('does not block other events', async () => {
    const { handler, runs } = heldHandler();
    const receiver = directReceiver(handler);
    const first = receiver.deliver('evt_1');
    const second = receiver.deliver('evt_2');
    await settled();
    runs[1]?.succeed();
    expect(await second).toBe('200 OK');
    runs[0]?.succeed();
    expect(await first).toBe('200 OK');
  });

  test('is handled again by a receiver with another memory store', async () => {
    const handler = vi.fn();
    await directReceiver(handler).deliver();
    await directReceiver(handler).deliver();
    expect(handler).toHaveBeenCalledTimes(2);
  });
});

describe('a lease that has ended', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test('lets another process handle the event, and a late failure does not release its claim', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const store = memoryStore();
    const crashed = heldHandler();
    const crashedReceiver = directReceiver(crashed.handler, { store });
    const lost = crashedReceiver.deliver();
    await settled();

    vi.advanceTimersByTime(300_000);
    const next = heldHandler();
    const receiver = directReceiver(next.handler, { store });
    const retry = receiver.deliver();
    await settled();
    expect(next.runs).toHaveLength(1);

    crashed.runs[0]?.fail(new Error('too late'));
    expect(await lost).toBe('500 The handler failed.');
    const other = directReceiver(heldHandler().handler, { store });
    expect(await other.deliver()).toBe('500 The event is still being handled.');
    next.runs[0]?.succeed();
    expect(await retry).toBe('200 OK');
    expect(await other.deliver()).toBe('200 OK');
  });

  test('lets the same process run a handler again that never finishes', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const store = memoryStore();
    const { handler, runs } = heldHandler();
    const receiver = directReceiver(handler, { store });
    const hanging = receiver.deliver();
    await settled();
    vi.advanceTimersByTime(300_000);
    const retry = receiver.deliver();
    await settled();
    expect(runs).toHaveLength(2);

    runs[0]?.fail(new Error('after all'));
    expect(await hanging).toBe('500 The handler failed.');
    const repeat = receiver.deliver();
    await settled();
    runs[1]?.succeed();
    expect(await Promise.all([retry, repeat])).toEqual(['200 OK', '200 OK']);
    expect(await receiver.deliver()).toBe('200 OK');
    expect(runs).toHaveLength(2);
  });
});

describe('an unverified request', () => {
  test('claims no event, so that a forged copy does not block the event', async () => {
    const store = watchedStore();
    const receiver = directReceiver(() => {}, { store });
    expect(await receiver.deliver('evt_1', sign('{}', secret))).toBe('401 Unauthorized');
    expect(store.claimed).toEqual([]);
    expect(await receiver.deliver('evt_1')).toBe('200 OK');
    expect(store.claimed).toEqual(['evt_1']);
  });
});

describe('a store that fails', () => {
  const fail = (): never => {
    throw new Error('Redis is away');
  };

  test.each<[string, EventStore['claim']]>([
    ['throws', fail],
    ['rejects', async () => fail()],
    ['says nothing', () => undefined as never],
    ['says yes', () => true as never],
  ])('the response is 500 and no handler runs when claim %s', async (_, claim) => {
    const { handler, runs } = heldHandler();
    const receiver = directReceiver(handler, { store: { ...memoryStore(), claim } });
    expect(await receiver.deliver()).toBe('500 The event could not be claimed.');
    expect(runs).toEqual([]);
    expect(receiver.reports).toEqual(['500 The event could not be claimed.']);
  });

  test.each([fail, async () => fail()])(
    'responds with 200 and reports the error when complete throws',
    async (complete) => {
      const receiver = directReceiver(() => {}, { store: { ...memoryStore(), complete } });
      expect(await receiver.deliver()).toBe('200 OK');
      expect(receiver.reports).toEqual(['200 The event could not be marked as done.']);
    },
  );

  test('both errors are reported when the handler and release fail', async () => {
    const store = { ...memoryStore(), release: fail };
    const receiver = directReceiver(() => Promise.reject(new Error('full')), { store });
    expect(await receiver.deliver()).toBe('500 The handler failed.');
    expect(receiver.reports).toEqual(['500 The claim could not be released.', '500 full']);
  });
});
