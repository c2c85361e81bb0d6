import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { dataFolder, inDatabase } from '../support/data-folder.ts';
import { ask, graphqlJson, refusedWith } from '../support/graphql/asking.ts';
import { newVault } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';

/** Creates a logger whose lines can be read. */
function readableLog() {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) });
  return { log, lines };
}

describe('log of GraphQL requests', () => {
  test('it contains the operation and its fields, but no values', async () => {
    const { log, lines } = readableLog();
    const { developer } = await startTestServer({ log });
    const query = `query Secret($text: String) { a: vaults(search: $text) { data { id } } me { id } }`;
    await ask(developer, query, { variables: { text: 'hidden words' } });
    await ask(developer, 'mutation { createVault(input: { name: "hidden words" }) { id } }');
    await ask(developer, '{ nope(hidden: "hidden words") }');
    const requests = lines.filter(({ msg }) => msg === 'request');
    expect(requests).toMatchObject([
      {
        operation: 'graphql',
        status: 200,
        graphql: { type: 'query', name: 'Secret', fields: ['vaults', 'me'] },
      },
      {
        operation: 'graphql',
        status: 200,
        graphql: { type: 'mutation', name: null, fields: ['createVault'] },
      },
      { operation: 'graphql', status: 400 },
    ]);
    expect(JSON.stringify(lines)).not.toContain('hidden');
  });

  test('an internal error is logged with the request id; the response contains no details', async () => {
    const folder = await dataFolder();
    const first = await startTestServer({ data: folder });
    const { id } = await newVault(first.developer);
    await first.close();
    inDatabase(folder, (database) =>
      database.exec(`CREATE TRIGGER broken BEFORE UPDATE OF name ON vaults
        BEGIN SELECT RAISE(ABORT, 'the table is broken'); END`),
    );
    const { log, lines } = readableLog();
    const { developer } = await startTestServer({ data: folder, log });
    const query = `mutation { updateVault(id: "${id}", input: { name: "x" }) { id } }`;
    const failed = await ask(developer, query);
    expect(failed).toMatchObject(refusedWith(200, 'INTERNAL_ERROR'));
    expect(failed.body).toMatchObject({ data: null, errors: [{ path: ['updateVault'] }] });
    for (const inner of ['broken', 'SQLITE', '.ts', 'stack']) {
      expect(JSON.stringify(failed.body)).not.toContain(inner);
    }
    const requestId = failed.headers.get('x-request-id');
    expect(lines.filter(({ level }) => level === 50)).toMatchObject([
      {
        requestId,
        operation: 'graphql',
        path: ['updateVault'],
        err: { message: 'the table is broken' },
      },
    ]);
  });
});

test('the metrics count all GraphQL requests as one operation', async () => {
  const { developer, url } = await startTestServer();
  await ask(developer, 'query Some { me { id } }');
  await ask(developer, '{ nope }');
  const text = await (await fetch(`${url}/metrics`)).text();
  expect(text).toContain('document_vault_http_requests_total{operation="graphql",status="200"} 1');
  expect(text).toContain('document_vault_http_requests_total{operation="graphql",status="400"} 1');
  expect(text).not.toContain('Some');
});

describe('fault injection', () => {
  test('faults for POST /graphql respond as GraphQL errors', async () => {
    const { developer, fault } = await startTestServer();
    const operations = 'graphql';
    fault('rateLimit', { operations, retryAfter: 7 });
    const limited = await ask(developer, '{ me { id } }');
    expect(limited).toMatchObject(refusedWith(429, 'RATE_LIMIT_EXCEEDED'));
    expect(limited.headers.get('retry-after')).toBe('7');
    fault('error', { operations });
    expect(await ask(developer, '{ me { id } }')).toMatchObject(refusedWith(500, 'INTERNAL_ERROR'));
    fault('networkError', { operations, when: 'after' });
    const create = 'mutation { createVault(input: { name: "x" }) { id } }';
    await expect(ask(developer, create)).rejects.toThrow('fetch failed');
    expect((await developer('GET', '/api/v1/vaults')).body.data).toHaveLength(1);
  });
});

describe('reset', () => {
  test('every account has all its points again', async () => {
    const server = await startTestServer();
    await ask(server.developer, '{ me { id } }');
    await server.reset();
    const { body } = await ask(server.developer, '{ me { id } }');
    expect(body.extensions.cost.remaining).toBe(49_999);
  });
});

describe('GraphiQL', () => {
  const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

  test('a browser receives a page whose policy allows its own script and this server only', async () => {
    const { url } = await startTestServer();
    const response = await fetch(`${url}/graphql`, { headers: html });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const page = await response.text();
    expect(page).toContain('GraphiQL');
    // The page contains no API key, because anyone who can reach the server may open it.
    expect(page).not.toContain('service_sk_');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy.split(';').toSorted()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      'font-src data:',
      "form-action 'none'",
      "frame-ancestors 'none'",
      'img-src data:',
      expect.stringMatching(/^script-src 'sha256-[\w+/]{43}='$/),
      "style-src 'unsafe-inline'",
      'worker-src blob:',
    ]);
  });

  test('other clients, and every client without introspection, get 405', async () => {
    const open = await startTestServer();
    const asked = await open.developer('GET', '/graphql', { headers: { accept: graphqlJson } });
    expect(asked.status).toBe(405);
    const closed = await startTestServer({ graphqlIntrospection: false });
    const refused = await fetch(`${closed.url}/graphql`, { headers: html });
    expect(refused.status).toBe(405);
  });
});
