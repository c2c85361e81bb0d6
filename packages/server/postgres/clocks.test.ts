import { expect, onTestFinished, test, vi } from 'vitest';
import { clockProblem } from '../src/store/clock-check.ts';
import { openSqlite } from '../src/store/sqlite/driver.ts';
import { command } from '../test/support/command-line.ts';
import { dataFolder } from '../test/support/data-folder.ts';
import { startTestServer } from '../test/support/server.ts';

const { now } = Date;

/** Moves the clock of this process away from the one of PostgreSQL. */
function moveClock(milliseconds: number): void {
  const moved = vi.spyOn(Date, 'now').mockImplementation(() => now() + milliseconds);
  onTestFinished(() => moved.mockRestore());
}

const minutes = 60_000;

test('a clock that differs from the one of PostgreSQL by 6 minutes fails readiness and doctor', async () => {
  const data = await dataFolder();
  const { anonymous, clock } = await startTestServer({ data });
  expect(await anonymous('GET', '/health/ready')).toMatchObject({ status: 200 });
  moveClock(6 * minutes);
  clock.advance(1_000);
  expect(await anonymous('GET', '/health/ready')).toMatchObject({
    status: 503,
    body: { problems: ['the clock is not the one of the database server'] },
  });
  const { code, out } = await command(['doctor', '--data', data]);
  expect(code).toBe(1);
  expect(out).toMatch(/machine is 3\d\d s ahead of the clock of the database server/);
  moveClock(-6 * minutes);
  expect((await command(['doctor', '--data', data])).out).toMatch(/machine is 3\d\d s behind/);
});

test('a clock that differs from the one of PostgreSQL by 4 minutes passes both', async () => {
  const data = await dataFolder();
  const { anonymous } = await startTestServer({ data });
  moveClock(-4 * minutes);
  expect(await anonymous('GET', '/health/ready')).toMatchObject({ status: 200 });
  expect(await command(['doctor', '--data', data])).toMatchObject({ code: 0 });
});

test('SQLite has no clock to compare with', async () => {
  const driver = await openSqlite({ folder: await dataFolder(), use: 'alone' });
  onTestFinished(() => driver.close());
  expect(await clockProblem(driver.reader, () => 0)).toBeUndefined();
});
