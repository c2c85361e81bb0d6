import { EventEmitter } from 'node:events';
import pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { TestClock } from '../src/lib/clock.ts';
import { openStore } from '../src/store/open-store.ts';
import { openPostgres } from '../src/store/postgres/driver.ts';
import { createWakeUps } from '../src/store/postgres/wake-ups.ts';
import { createDatabase, emptyTemplate } from '../test/support/postgres/databases.ts';

async function openTwo() {
  const { url, drop } = await createDatabase(emptyTemplate);
  const [first, second] = await Promise.all([openPostgres({ url }), openPostgres({ url })]);
  onTestFinished(async () => {
    await Promise.all([first.close(), second.close()]);
    await drop();
  });
  return { url, first, second };
}

describe('wake-ups', () => {
  test('a message wakes the other process, and not its sender', async () => {
    const { first, second } = await openTwo();
    const [own, other] = [vi.fn(), vi.fn()];
    const stops = [first.wakeUps.listen(own), second.wakeUps.listen(other)];
    await expect
      .poll(() => {
        first.wakeUps.send();
        return other.mock.calls.length;
      })
      .toBeGreaterThan(0);
    expect(own).not.toHaveBeenCalled();
    for (const stop of stops) stop();
  });

  test('a lost connection is replaced', async () => {
    const { url, first, second } = await openTwo();
    const woken = vi.fn();
    const stop = second.wakeUps.listen(woken);
    const listening = `SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'LISTEN %'`;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const pid = async () => (await client.query(listening)).rows[0]?.pid as number | undefined;
    await expect.poll(pid).toBeDefined();
    const before = await pid();
    await client.query('SELECT pg_terminate_backend($1)', [before]);
    await expect.poll(async () => ![undefined, before].includes(await pid())).toBe(true);
    await client.end();
    await expect
      .poll(() => {
        first.wakeUps.send();
        return woken.mock.calls.length;
      })
      .toBeGreaterThan(0);
    stop();
  });
});

test('open() ends its connection when it cannot listen', async () => {
  const failure = new Error('out of shared memory');
  const end = vi.fn(async () => undefined);
  const client = Object.assign(new EventEmitter(), { query: () => Promise.reject(failure), end });
  const wakeUps = createWakeUps({ query: vi.fn() }, async () => client as unknown as pg.Client);
  await expect(wakeUps.open()).rejects.toBe(failure);
  expect(end).toHaveBeenCalledOnce();
});

test('othersListen is true as soon as another process has opened the store, until it closes the store', async () => {
  const { url, first } = await openTwo();
  const options = { folder: '-', databaseUrl: url, clock: new TestClock(), masterKey: null };
  const { store } = await openStore(options);
  expect(await first.wakeUps.othersListen()).toBe(true);
  expect(await store.wakeUps?.othersListen()).toBe(false);
  const stop = store.wakeUps?.listen(() => undefined);
  stop?.();
  expect(await first.wakeUps.othersListen()).toBe(true);
  await store.close();
  await expect.poll(() => first.wakeUps.othersListen()).toBe(false);
});
