import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createReadiness } from '../../src/domain/instances/health.ts';
import { startServer } from '../../src/index.ts';
import { TestClock } from '../../src/lib/clock.ts';
import { databaseFile } from '../../src/store/sqlite/driver.ts';
import { dataFolder, inDatabase } from '../support/data-folder.ts';
import { newVault } from '../support/resources.ts';
import { type Caller, startTestServer } from '../support/server.ts';

const ready = { status: 200, body: { status: 'ready' } };
const unwritable = {
  status: 503,
  body: { status: 'not ready', problems: ['the store cannot be read and written'] },
};

/** Returns a logger, and its messages of level `warn` and above. */
function listener(): { log: Logger; messages: string[] } {
  const messages: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => messages.push(JSON.parse(line).msg) });
  return { log, messages };
}

async function get(url: string, init?: RequestInit) {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, body: await response.json() };
}

describe('healthy server', () => {
  test('liveness and readiness return 200 without credentials and without counting requests', async () => {
    const { anonymous } = await startTestServer({
      defaultTier: 'free',
      requestsPerMinute: { free: 1 },
    });
    for (let count = 0; count < 20; count += 1) {
      expect(await anonymous('GET', '/health/live')).toMatchObject({
        status: 200,
        body: { status: 'live' },
      });
      expect(await anonymous('GET', '/health/ready')).toMatchObject(ready);
    }
    expect((await anonymous('GET', '/openapi/v1.json')).status, 'nothing was counted').toBe(200);
  });

  test('the response is not cacheable and has no rate limit headers', async () => {
    const { anonymous } = await startTestServer();
    const { headers } = await anonymous('GET', '/health/ready');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.has('x-ratelimit-limit')).toBe(false);
    expect(headers.get('x-request-id')).toMatch(/^req_/);
  });

  test('HEAD returns no body, and other methods and paths return 404', async () => {
    const { anonymous } = await startTestServer();
    expect(await anonymous('HEAD', '/health/ready')).toMatchObject({ status: 200 });
    for (const [method, path] of [
      ['POST', '/health/live'],
      ['DELETE', '/health/ready'],
      ['GET', '/health'],
      ['GET', '/health/ready/'],
      ['GET', '/health/'],
    ] as const) {
      expect((await anonymous(method, path)).body.error.code, path).toBe('NOT_FOUND');
    }
    expect(await anonymous('GET', '/health/live?probe=1')).toMatchObject({ status: 200 });
  });

  test('a blocked address gets 403 IP_BLOCKED', async () => {
    const { anonymous } = await startTestServer({ blockedAddresses: ['127.0.0.1/32'] });
    for (const path of ['/health/live', '/health/ready', '/metrics', '/docs']) {
      expect((await anonymous('GET', path)).body.error.code).toBe('IP_BLOCKED');
    }
  });
});

describe('store that cannot be written', () => {
  test('readiness returns 503 until a later check succeeds, and the failure is logged once', async () => {
    const data = await dataFolder();
    await (await startServer({ port: 0, data, logLevel: 'silent' })).close();
    inDatabase(data, (database) =>
      database.exec(`DELETE FROM health_probe;
        CREATE TRIGGER full BEFORE INSERT ON health_probe
        WHEN NOT EXISTS (SELECT 1 FROM vaults) BEGIN SELECT RAISE(ABORT, 'disk full'); END`),
    );
    const { log, messages } = listener();
    const { anonymous, developer, clock } = await startTestServer({ data, log });
    expect(await anonymous('GET', '/health/ready')).toMatchObject(unwritable);
    clock.advance(1_000);
    expect(await anonymous('GET', '/health/ready')).toMatchObject(unwritable);
    expect(await anonymous('GET', '/health/live')).toMatchObject({ status: 200 });
    expect(messages.sort()).toEqual([
      'health check failed',
      'the store cannot be read and written',
    ]);

    await newVault(developer);
    expect(
      await anonymous('GET', '/health/ready'),
      'the result of a check is kept for a second',
    ).toMatchObject(unwritable);
    clock.advance(1_000);
    expect(await anonymous('GET', '/health/ready')).toMatchObject(ready);
  });
});

describe('damaged database', () => {
  /** Overwrites the root page of the table of consents. */
  async function damage(data: string): Promise<void> {
    const page = inDatabase(data, (database) =>
      Number(
        database
          .prepare(`SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = 'consents'`)
          .pluck()
          .get(),
      ),
    );
    const file = await open(join(data, databaseFile), 'r+');
    await file.write(Buffer.alloc(8192, 0xa5), 0, 8192, (page - 1) * 8192);
    await file.close();
  }

  test('readiness returns 503 after a request met the damage; liveness and metrics still return 200', async () => {
    const data = await dataFolder();
    const before = await startServer({ port: 0, data, logLevel: 'silent' });
    const call: Caller = async (method, path, { body } = {}) =>
      get(before.url + path, {
        method,
        body: JSON.stringify(body),
        headers: { 'x-api-key': before.apiKey, 'content-type': 'application/json' },
      });
    const body = { purpose: 'Backup', grantedTo: 'Ada' };
    expect(await call('POST', '/api/v1/consents', { body })).toMatchObject({ status: 201 });
    await before.close();
    await damage(data);

    const { log, messages } = listener();
    const server = await startServer({ port: 0, data, log, clock: new TestClock() });
    onTestFinished(() => server.close());
    expect(await get(`${server.url}/health/ready`)).toMatchObject(ready);
    const headers = { 'x-api-key': server.apiKey };
    expect((await get(`${server.url}/api/v1/consents`, { headers })).status).toBe(500);
    expect(await get(`${server.url}/health/ready`)).toMatchObject({
      status: 503,
      body: { problems: ['the database is damaged'] },
    });
    expect(await get(`${server.url}/health/live`)).toMatchObject({ status: 200 });
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toContain('\ndocument_vault_store_damaged 1\n');
    expect(messages).toContain('request failed');
  });
});

test('1000 concurrent calls share one check and its failure', async () => {
  const clock = new TestClock();
  const failures: string[] = [];
  let checkCount = 0;
  const readiness = createReadiness({
    clock,
    checks: [
      {
        name: 'no',
        check: async () => {
          checkCount += 1;
          throw new Error(`look ${checkCount}`);
        },
      },
      { name: 'yes', check: async () => {} },
    ],
    onFailure: (name, error) => failures.push(`${name}: ${(error as Error).message}`),
  });
  const replies = await Promise.all(Array.from({ length: 1000 }, readiness));
  expect(new Set(replies.map(String))).toEqual(new Set(['no']));
  clock.advance(999);
  await readiness();
  expect(checkCount).toBe(1);
  clock.advance(1);
  await readiness();
  expect(checkCount).toBe(2);
  expect(failures).toEqual(['no: look 1']);
});
