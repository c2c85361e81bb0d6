import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startServer } from '../src/index.ts';
import { Checkpointer } from '../src/store/sqlite/checkpointer.ts';
import { dataFolder, inDatabase } from './support/data-folder.ts';
import { expectEveryHeader } from './support/front-door.ts';
import { testsPostgres } from './support/postgres/databases.ts';
import { newDocument, newVault } from './support/resources.ts';
import { startTestServer } from './support/server.ts';

test('a request with an API key returns 200 when the last use of the key cannot be stored', async () => {
  const data = await dataFolder();
  await (await startServer({ port: 0, data, logLevel: 'silent' })).close();
  inDatabase(data, (database) =>
    database.exec(`CREATE TRIGGER full BEFORE UPDATE ON api_keys
      BEGIN SELECT RAISE(ABORT, 'disk full'); END`),
  );

  const lines: { msg: string }[] = [];
  const log = pino({ level: 'error' }, { write: (line) => lines.push(JSON.parse(line)) });
  const server = await startServer({ port: 0, data, log, validateResponses: true });
  try {
    const headers = { 'x-api-key': server.account?.apiKey ?? '' };
    const reply = await fetch(`${server.url}/api/v1/vaults`, { headers });
    expect(reply.status).toBe(200);
    expect(lines.map(({ msg }) => msg)).toEqual(['use of credentials not noted']);
    expect(JSON.stringify(lines)).not.toContain(server.account?.apiKey);
  } finally {
    await server.close();
  }
});

test('requests to a store that cannot be read return INTERNAL_ERROR in the form of the contract', async () => {
  const lines: { msg: string }[] = [];
  const log = pino({ level: 'error' }, { write: (line) => lines.push(JSON.parse(line)) });
  const data = await dataFolder();
  const server = await startTestServer({ data, log });
  await server.settled();
  // The first request stores the last use of the key. The second one caches the account.
  for (let count = 0; count < 2; count += 1) await server.developer('GET', '/api/v1/users/me');
  inDatabase(data, (database) => database.exec('ALTER TABLE users RENAME TO gone'));
  try {
    const reply = await server.developer('GET', '/api/v1/users/me');
    expect(reply).toMatchObject({ status: 500, body: { error: { code: 'INTERNAL_ERROR' } } });
    expectEveryHeader(reply);
    const query = { query: '{ me { email } }' };
    const asked = await server.developer('POST', '/graphql', { body: query });
    expect(asked.body.errors).toMatchObject([{ extensions: { code: 'INTERNAL_ERROR' } }]);
    expect(lines.map(({ msg }) => msg)).toEqual(['request failed', 'request failed']);
  } finally {
    inDatabase(data, (database) => database.exec('ALTER TABLE gone RENAME TO users'));
  }
});

// PostgreSQL makes its checkpoints itself.
test.skipIf(testsPostgres)(
  'failing checkpoints are logged once, and requests succeed',
  async () => {
    const failure = new Error('no thread');
    const checkpoint = vi.spyOn(Checkpointer.prototype, 'checkpoint').mockRejectedValue(failure);
    onTestFinished(() => checkpoint.mockRestore());
    const lines: { msg: string; err: object }[] = [];
    const log = pino({ level: 'error' }, { write: (line) => lines.push(JSON.parse(line)) });
    const server = await startTestServer({ data: await dataFolder(), log });
    const { id } = await newVault(server.developer);
    for (const content of [Buffer.alloc(9 * 1024 * 1024), Buffer.alloc(9 * 1024 * 1024), 'small']) {
      await newDocument(server.developer, id, content);
    }
    expect(checkpoint.mock.calls.length).toBeGreaterThan(1);
    expect(lines).toMatchObject([
      { msg: 'a checkpoint of the database failed', err: { message: 'no thread' } },
    ]);
  },
);
