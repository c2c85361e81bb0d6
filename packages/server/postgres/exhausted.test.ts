import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { command, createDatabase, emptyTemplate } from '../test/support/postgres/databases.ts';
import { startTestServer } from '../test/support/server.ts';

/** Creates an empty database and a user that may open `connections`. Returns its URL. */
async function createLimited(connections: number): Promise<string> {
  const role = `limited_${process.pid}_${connections}`;
  await command(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT ${connections}`);
  const database = await createDatabase(emptyTemplate);
  onTestFinished(async () => {
    await database.drop();
    await command(`DROP ROLE ${role}`);
  });
  const url = new URL(database.url);
  await command(`ALTER DATABASE ${url.pathname.slice(1)} OWNER TO ${role}`);
  url.username = role;
  return url.href;
}

test('a start that PostgreSQL gives no second connection ends with the reason', async () => {
  const databaseUrl = await createLimited(1);
  await expect(startTestServer({ databaseUrl })).rejects.toThrow(
    /too many connections: raise max_connections/,
  );
});

test('requests wait for the connections of the server while PostgreSQL refuses further ones', async () => {
  // PostgreSQL may still be ending the two sessions that the start has tried.
  const databaseUrl = await createLimited(8);
  const lines: { level: number; msg: string; err?: { code: string } }[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line)) });
  const server = await startTestServer({
    databaseUrl,
    log,
    requestsPerMinute: { enterprise: 100_000 },
  });
  const replies = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      index % 2 === 0
        ? server.developer('GET', '/api/v1/vaults')
        : server.developer('POST', '/api/v1/vaults', { body: { name: 'Taxes' } }),
    ),
  );
  const statuses = replies.map(({ status }) => status);
  expect(Map.groupBy(statuses, (status) => status).get(201)).toHaveLength(100);
  expect(Map.groupBy(statuses, (status) => status).get(200)).toHaveLength(100);
  const refused = lines.filter(({ msg }) =>
    msg.startsWith('PostgreSQL refuses further connections'),
  );
  // At most one of each pool.
  expect([1, 2]).toContain(refused.length);
  expect(refused[0]).toMatchObject({ level: 40, err: { code: '53300' } });
  expect(lines.filter(({ level }) => level > 40)).toEqual([]);
});
