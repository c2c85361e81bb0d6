import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { sqlStore } from '../../../../examples/sql-store.ts';
import { type EventStore, memoryStore } from '../../src/index.ts';
import { directReceiver, heldHandler, settled } from '../support/receivers/direct.ts';

let redisStore: (redis: FakeRedis) => EventStore;
let folder: string;

/** Returns the store of the guide. */
beforeAll(async () => {
  const guide = await readFile(new URL('../../docs/repeated-events.md', import.meta.url), 'utf8');
  const blocks = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
  folder = await mkdtemp(join(tmpdir(), 'webhook-stores-'));
  const file = join(folder, 'redis.ts');
  await writeFile(file, blocks.find((code) => code.includes('const redisStore')) ?? '');
  ({ redisStore } = await import(/* @vite-ignore */ pathToFileURL(file).href));
});
afterAll(() => rm(folder, { recursive: true }));

/** The commands of Redis that the guide uses, as its documentation describes them. */
class FakeRedis {
  readonly #entries = new Map<string, { value: string; expiresAt: number }>();

  async set(key: string, value: string, ...options: (string | number)[]): Promise<string | null> {
    const kept = this.#get(key);
    const milliseconds = Number(options[options.indexOf('PX') + 1]);
    if (!options.includes('NX') || kept === null) {
      this.#entries.set(key, { value, expiresAt: Date.now() + milliseconds });
    }
    return options.includes('GET') ? kept : 'OK';
  }

  async eval(script: string, keyCount: number, ...[key = '', value]: string[]): Promise<unknown> {
    expect([script, keyCount]).toEqual([
      `return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1])`,
      1,
    ]);
    return this.#get(key) === value && this.#entries.delete(key) ? 1 : null;
  }

  #get(key: string): string | null {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.expiresAt > Date.now() ? entry.value : null;
  }
}

const stores: [string, () => EventStore][] = [
  ['in memory', () => memoryStore()],
  ['in SQL', () => sqlStore(new DatabaseSync(':memory:'))],
  ['in Redis', () => redisStore(new FakeRedis())],
];

afterEach(() => {
  vi.useRealTimers();
});

describe.each(stores)('a store %s', (_, open) => {
  test('returns claimed to one of many concurrent callers', async () => {
    const store = open();
    const claims = await Promise.all(
      Array.from({ length: 100 }, (_item, index) => store.claim('evt_1', `token ${index}`)),
    );
    expect(claims.filter((claim) => claim === 'claimed')).toHaveLength(1);
    expect(claims.filter((claim) => claim === 'running')).toHaveLength(99);
    expect(await store.claim('evt_2', 'a')).toBe('claimed');
  });

  test('returns done after complete, for as long as maxAge accepts the event', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const store = open();
    await store.claim('evt_1', 'a');
    await store.complete('evt_1', 'a');
    expect(await store.claim('evt_1', 'b')).toBe('done');
    const day = 24 * 3_600_000;
    vi.advanceTimersByTime(15 * day);
    expect(await store.claim('evt_1', 'b')).toBe('done');
    vi.advanceTimersByTime(31 * day);
    expect(await store.claim('evt_1', 'b')).toBe('claimed');
  });

  test('returns claimed again after release', async () => {
    const store = open();
    await store.claim('evt_1', 'a');
    await store.release('evt_1', 'a');
    expect(await store.claim('evt_1', 'b')).toBe('claimed');
  });

  test('returns claimed again after the lease, not earlier', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const store = open();
    await store.claim('evt_1', 'a');
    vi.advanceTimersByTime(299_999);
    expect(await store.claim('evt_1', 'b')).toBe('running');
    vi.advanceTimersByTime(1);
    expect(await store.claim('evt_1', 'b')).toBe('claimed');
    await store.release('evt_1', 'a');
    expect(await store.claim('evt_1', 'c')).toBe('running');
  });

  test('returns done after complete, also when another claim is released', async () => {
    const store = open();
    await store.claim('evt_1', 'a');
    await store.complete('evt_1', 'a');
    await store.release('evt_1', 'a');
    expect(await store.claim('evt_1', 'b')).toBe('done');
    await store.complete('evt_2', 'a');
    expect(await store.claim('evt_2', 'b')).toBe('done');
  });

  test('lets two processes run a handler once', async () => {
    const store = open();
    const { handler, runs } = heldHandler();
    const [here, there] = [directReceiver(handler, { store }), directReceiver(handler, { store })];
    const first = here.deliver();
    await settled();
    expect(await there.deliver()).toBe('500 The event is still being handled.');
    runs[0]?.succeed();
    expect(await first).toBe('200 OK');
    expect(await there.deliver()).toBe('200 OK');
    expect(runs).toHaveLength(1);
  });
});

test('the SQL store waits for another process that is writing', async () => {
  const path = join(folder, 'shared.db');
  const database = new DatabaseSync(path);
  const store = sqlStore(database);
  const writing = new Worker(
    `const { workerData: path, parentPort } = require('node:worker_threads');
    const database = new (require('node:sqlite').DatabaseSync)(path);
    database.exec('BEGIN IMMEDIATE');
    parentPort.postMessage('locked');
    setTimeout(() => database.exec('COMMIT'), 100);`,
    { eval: true, workerData: path },
  );
  const ended = once(writing, 'exit');
  await once(writing, 'message');
  expect(await store.claim('evt_1', 'a')).toBe('claimed');
  await ended;
  database.close();
});
