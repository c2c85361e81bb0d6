import { SqliteError } from 'better-sqlite3';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Connection } from '../src/store/sqlite/connection.ts';
import {
  callEveryRoute,
  countedStatuses,
  expectFailingTasks,
  expectLogged,
  expectPages,
  furnish,
  type LogLine,
} from './support/outage.ts';
import { newVault } from './support/resources.ts';
import { startTestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

/** Lets every statement of SQLite fail, until the returned function is called. */
function failStatements(message: string, code: string): () => void {
  const spies = (['get', 'all', 'run'] as const).map((method) =>
    vi.spyOn(Connection.prototype, method).mockImplementation(() => {
      throw new SqliteError(message, code);
    }),
  );
  const end = () => {
    for (const spy of spies) spy.mockRestore();
  };
  onTestFinished(end);
  return end;
}

test.each([
  ['the disk has an I/O error', 'disk I/O error', 'SQLITE_IOERR_READ'],
  ['the disk is full', 'database or disk is full', 'SQLITE_FULL'],
  ['another process locks the database', 'database is locked', 'SQLITE_BUSY'],
])('every route keeps the form of its errors while %s, and works after it', async (_, ...error) => {
  const lines: LogLine[] = [];
  const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) });
  const server = await startTestServer({
    log,
    requestsPerMinute: { enterprise: 100_000 },
    requestsPerHour: { enterprise: 1_000_000 },
  });
  const furnished = await furnish(server);
  const { call } = furnished.owner;
  const receiver = await listen({ server, call, events: ['vault.created'] });

  const end = failStatements(...error);
  const before = await countedStatuses(server);
  const replies = await callEveryRoute(server, furnished);
  const failures = replies.filter(({ status }) => status === 500);
  expect(failures.length).toBeGreaterThan(50);
  const after = await countedStatuses(server);
  expect((after.get(500) ?? 0) - (before.get(500) ?? 0)).toBe(failures.length);
  expectLogged(replies, lines);
  await expectPages(server);
  await expectFailingTasks(server, lines);

  end();
  await newVault(call);
  await expect.poll(() => receiver.requests.length).toBe(1);
  const problems = lines.length;
  server.clock.advance(120_000);
  await server.settled();
  // The unreachable receiver of the routes is tried again.
  const others = lines.slice(problems).filter(({ msg }) => !msg.startsWith('delivery failed'));
  expect(others.filter(({ level }) => level >= 40)).toEqual([]);
});
