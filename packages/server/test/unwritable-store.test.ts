import { pino } from 'pino';
import { expect, test } from 'vitest';
import { startServer } from '../src/index.ts';
import { dataFolder, inDatabase } from './support/data-folder.ts';

test('a key reads on while its use cannot be noted', async () => {
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
