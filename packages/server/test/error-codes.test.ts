import { pino } from 'pino';
import { expect, test } from 'vitest';
import { dataFolder, inDatabase } from './support/data-folder.ts';
import { expectEveryHeader } from './support/front-door.ts';
import { newKey } from './support/resources.ts';
import {
  type Reply,
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from './support/server.ts';

// The error table of the specification, repeated by hand: each code with a request that returns it.

interface Expected {
  readonly status: number;
  /** The complete details. */
  readonly details: object;
  /** Seconds, in the body and the header. */
  readonly retryAfter?: number;
  /** Options of the server that gets the request. */
  readonly options?: TestServerOptions;
  /** Runs on the database before the server starts. */
  readonly sql?: string;
  readonly request: (server: TestServer) => Promise<Reply>;
}

const path = '/api/v1/vaults';
const list = (call: TestServer['anonymous']) => call('GET', path);

const table: readonly (readonly [code: string, Expected])[] = [
  [
    'INVALID_API_KEY',
    {
      status: 401,
      details: {},
      request: (server) => list(server.withKey(`service_sk_${'a'.repeat(40)}`)),
    },
  ],
  [
    'EXPIRED_TOKEN',
    {
      status: 401,
      details: {},
      async request(server) {
        const { call } = await server.signUp('ada@example.com');
        server.clock.advance(60 * 60 * 1000);
        return list(call);
      },
    },
  ],
  [
    'INVALID_TOKEN',
    { status: 401, details: {}, request: (server) => list(server.withToken('invalid')) },
  ],
  ['MISSING_AUTH', { status: 401, details: {}, request: (server) => list(server.anonymous) }],
  [
    'INSUFFICIENT_PERMISSIONS',
    {
      status: 403,
      details: { requiredScopes: ['vaults:write'] },
      async request(server) {
        const { call } = await server.signUp('ada@example.com');
        const { key } = await newKey(call, ['vaults:read']);
        return server.withKey(key)('POST', path, { body: { name: 'Taxes' } });
      },
    },
  ],
  [
    'ACCOUNT_SUSPENDED',
    {
      status: 403,
      details: {},
      sql: `UPDATE users SET status = 'suspended'`,
      request: (server) => list(server.developer),
    },
  ],
  [
    'IP_BLOCKED',
    {
      status: 403,
      details: {},
      options: { blockedAddresses: ['127.0.0.1/32'] },
      request: (server) => list(server.developer),
    },
  ],
  [
    'NOT_FOUND',
    {
      status: 404,
      details: { vaultId: 'unknown' },
      request: (server) => server.developer('GET', `${path}/unknown`),
    },
  ],
  [
    'VALIDATION_ERROR',
    {
      status: 400,
      details: {
        field: 'name',
        constraint: 'required',
        violations: [
          { field: 'name', constraint: 'required', message: expect.any(String) },
          { field: 'category', constraint: 'pattern', message: expect.any(String) },
        ],
      },
      request: (server) => server.developer('POST', path, { body: { category: 'Ä' } }),
    },
  ],
  [
    'RATE_LIMIT_EXCEEDED',
    {
      status: 429,
      details: {},
      retryAfter: 60,
      options: { requestsPerMinute: { enterprise: 1 } },
      async request(server) {
        expect((await list(server.developer)).status).toBe(200);
        return list(server.developer);
      },
    },
  ],
  [
    'INTERNAL_ERROR',
    {
      status: 500,
      details: {},
      options: { log: pino({ level: 'silent' }) },
      sql: `CREATE TRIGGER broken BEFORE INSERT ON vaults
        BEGIN SELECT RAISE(ABORT, 'the table is broken'); END`,
      request: (server) => server.developer('POST', path, { body: { name: 'Taxes' } }),
    },
  ],
];

test.each(table)(
  'a request that fails with %s returns its status, details and headers, and no internals',
  async (code, row) => {
    const data = await dataFolder();
    const first = await startTestServer({ data });
    await first.close();
    if (row.sql) inDatabase(data, (database) => database.exec(row.sql ?? ''));
    const server = await startTestServer({ ...row.options, data });

    const reply = await row.request(server);
    const { retryAfter } = row;
    expect(reply.status).toBe(row.status);
    expect(reply.body).toEqual({
      error: {
        code,
        message: expect.stringMatching(/\w/),
        details: row.details,
        requestId: expect.stringMatching(/^req_[0-9a-f]{32}$/),
        timestamp: new Date(server.clock.now()).toISOString(),
        ...(retryAfter !== undefined && { retryAfter }),
      },
    });
    expectEveryHeader(reply);
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(reply.headers.get('retry-after')).toBe(
      retryAfter === undefined ? null : `${retryAfter}`,
    );
    expect(reply.headers.has('idempotency-replayed')).toBe(false);
    expect(reply.headers.has('www-authenticate')).toBe(false);
    const text = JSON.stringify(reply.body);
    for (const inner of ['broken', 'SQLITE', '.ts', data]) expect(text).not.toContain(inner);
  },
);

test('the table has every code of the specification once', () => {
  expect(table.map(([code, { status }]) => `${code} ${status}`).toSorted()).toEqual([
    'ACCOUNT_SUSPENDED 403',
    'EXPIRED_TOKEN 401',
    'INSUFFICIENT_PERMISSIONS 403',
    'INTERNAL_ERROR 500',
    'INVALID_API_KEY 401',
    'INVALID_TOKEN 401',
    'IP_BLOCKED 403',
    'MISSING_AUTH 401',
    'NOT_FOUND 404',
    'RATE_LIMIT_EXCEEDED 429',
    'VALIDATION_ERROR 400',
  ]);
});
