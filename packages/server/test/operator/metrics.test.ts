import { describe, expect, test } from 'vitest';
import { held } from '../support/held-receiver.ts';
import { newVault } from '../support/resources.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { listen } from '../support/webhook-events.ts';

/** Returns the samples of the page by name and labels. Advances the clock, because the page is cached. */
async function samples({ url, clock }: TestServer): Promise<Map<string, number>> {
  clock.advance(1_000);
  const response = await fetch(`${url}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const lines = (await response.text()).split('\n');
  return new Map(
    lines
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const [, name = '', value] = /^(.*) (\S+)$/.exec(line) ?? expect.fail(line);
        return [name, Number(value)];
      }),
  );
}

const requests = (operation: string, status: number) =>
  `document_vault_http_requests_total{operation="${operation}",status="${status}"}`;
const delivery = (name: string) => `document_vault_deliver${name}`;

test('http_requests_total counts by operation and status, and durations are measured by operation', async () => {
  const server = await startTestServer();
  const { anonymous, developer } = server;
  const vault = await newVault(developer);
  for (let count = 0; count < 3; count += 1) await developer('GET', `/api/v1/vaults/${vault.id}`);
  await developer('GET', '/api/v1/vaults/unknown');
  await anonymous('GET', `/api/v1/vaults/${vault.id}`);
  await anonymous('GET', '/nowhere');
  await anonymous('GET', '/somewhere/else');

  const found = await samples(server);
  expect(found.get(requests('createVault', 201))).toBe(1);
  expect(found.get(requests('getVault', 200))).toBe(3);
  expect(found.get(requests('getVault', 404))).toBe(1);
  expect(found.get(requests('getVault', 401))).toBe(1);
  expect(found.get(requests('none', 404)), 'unknown paths are one series').toBe(2);
  const duration = 'document_vault_http_request_duration_seconds';
  expect(found.get(`${duration}_count{operation="getVault"}`)).toBe(5);
  expect(found.get(`${duration}_bucket{le="+Inf",operation="getVault"}`)).toBe(5);
  expect(found.get(`${duration}_sum{operation="getVault"}`)).toBeGreaterThan(0);
  expect([...found.keys()].filter((name) => name.includes(vault.id))).toEqual([]);
});

test('buckets of a histogram are cumulative', async () => {
  const server = await startTestServer();
  for (let count = 0; count < 5; count += 1) await server.anonymous('GET', '/openapi/v1.json');
  const found = await samples(server);
  const metric = 'document_vault_http_request_duration_seconds_bucket';
  const buckets = [...found]
    .filter(([name]) => name.startsWith(metric) && name.includes('"getOpenApiDocument"'))
    .map(([, value]) => value);
  expect(buckets).toHaveLength(14);
  expect(buckets).toEqual([...buckets].sort((a, b) => a - b));
  expect(buckets.at(-1)).toBe(5);
});

test('deliveries are counted by result, and open ones and their lag are measured', async () => {
  const server = await startTestServer();
  const { developer, clock } = server;
  const good = await listen({ server, call: developer, events: ['vault.created'] });
  const bad = await listen({
    server,
    call: developer,
    events: ['vault.created'],
    reply: (response) => response.writeHead(500).end(),
  });
  await newVault(developer);
  await server.settled();
  expect(good.requests).toHaveLength(1);
  const first = await samples(server);
  expect(first.get(delivery('y_attempts_total{outcome="acknowledged"}'))).toBe(1);
  expect(first.get(delivery('y_attempts_total{outcome="failed"}'))).toBe(1);
  expect(first.get(delivery('y_attempt_duration_seconds_count'))).toBe(2);
  expect(first.get(delivery('ies_open'))).toBe(1);
  expect(first.get(delivery('y_lag_seconds')), 'the retry is not due').toBe(0);

  await developer('PUT', bad.path, { body: { active: false } });
  clock.advance(600_000);
  const paused = await samples(server);
  expect(paused.get(delivery('ies_open'))).toBe(1);
  expect(paused.get(delivery('y_lag_seconds')), 'the webhook is paused').toBe(0);
  await developer('PUT', bad.path, { body: { active: true } });
  for (let attempt = 2; attempt <= 6; attempt += 1) {
    await server.settled();
    clock.advance(4 * 3_600_000);
  }
  await server.settled();
  const last = await samples(server);
  expect(last.get(delivery('ies_given_up_total'))).toBe(1);
  expect(last.get(delivery('y_attempts_total{outcome="failed"}'))).toBe(6);
  expect(last.get(delivery('ies_open'))).toBe(0);
});

test('deliveries_given_up_total counts a failed manual retry, but neither a failed test nor a success', async () => {
  const server = await startTestServer({ webhookRetryDelays: [] });
  const { developer } = server;
  const reply = { status: 500 };
  const webhook = await listen({
    server,
    call: developer,
    events: ['vault.created'],
    reply: (response) => response.writeHead(reply.status).end(),
  });
  const givenUp = async () => {
    await server.settled();
    return (await samples(server)).get(delivery('ies_given_up_total'));
  };
  await newVault(developer);
  expect(await givenUp()).toBe(1);
  const [failed] = (await developer('GET', `${webhook.path}/deliveries`)).body.data;

  await developer('POST', `${webhook.path}/deliveries/${failed.id}/retry`);
  expect(await givenUp(), 'one retry failed').toBe(2);
  await developer('POST', `${webhook.path}/deliveries/retry-failed`);
  expect(await givenUp(), 'all were retried and failed').toBe(3);
  await developer('POST', `${webhook.path}/test`);
  expect(await givenUp(), 'a test failed').toBe(3);
  reply.status = 200;
  await developer('POST', `${webhook.path}/deliveries/${failed.id}/retry`);
  expect(await givenUp(), 'a retry was acknowledged').toBe(3);
});

test('delivery_lag_seconds is the age of the oldest delivery that waits for the server', async () => {
  const server = await startTestServer({ webhookConcurrency: 1 });
  const { developer, clock } = server;
  const gate = held();
  const options = { server, call: developer, events: ['vault.created'], reply: gate.reply };
  const [one, other] = [await listen(options), await listen(options)];
  await newVault(developer);
  await Promise.race([one.received(1), other.received(1)]);
  clock.advance(59_000);
  const late = await samples(server);
  expect(late.get(delivery('ies_open'))).toBe(2);
  expect(late.get(delivery('y_lag_seconds'))).toBe(60);
  gate.release();
  await server.settled();
  const served = await samples(server);
  expect(served.get(delivery('ies_open'))).toBe(0);
  expect(served.get(delivery('y_lag_seconds'))).toBe(0);
});

test('store and process are measured', async () => {
  const server = await startTestServer();
  const before = await samples(server);
  for (let count = 0; count < 4; count += 1) await newVault(server.developer);
  const after = await samples(server);
  const growth = (name: string) => (after.get(name) ?? NaN) - (before.get(name) ?? NaN);
  expect(growth('document_vault_store_transactions_total')).toBeGreaterThanOrEqual(4);
  expect(growth('document_vault_store_commits_total')).toBeGreaterThanOrEqual(4);
  expect(growth('document_vault_store_commit_duration_seconds_count')).toBe(
    growth('document_vault_store_commits_total'),
  );
  expect(after.get('document_vault_store_damaged')).toBe(0);
  expect(after.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
  expect(after.get('process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
});

test('servers in one process have separate metrics', async () => {
  const [one, other] = [await startTestServer(), await startTestServer()];
  await newVault(one.developer);
  expect((await samples(one)).get(requests('createVault', 201))).toBe(1);
  expect((await samples(other)).has(requests('createVault', 201))).toBe(false);
});

describe('GET /metrics', () => {
  const production = { mode: 'production', host: '127.0.0.1' } as const;

  test.each([
    ['in development returns 200', {}, 200],
    ['in production returns 404', production, 404],
    ['from a listed network returns 200', { ...production, metricsNetworks: ['127.0.0.0/8'] }, 200],
    ['from a network that is not listed returns 404', { metricsNetworks: ['10.0.0.0/8'] }, 404],
  ])('%s', async (_, options, status) => {
    const { url } = await startTestServer(options);
    const response = await fetch(`${url}/metrics`);
    expect(response.status).toBe(status);
    if (status === 404)
      expect(await response.json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });

  test('behind a trusted proxy the forwarded address decides', async () => {
    const { url } = await startTestServer({
      trustedProxies: ['127.0.0.1/32'],
      metricsNetworks: ['10.0.0.0/8'],
    });
    const statusFor = async (address: string) => {
      const headers = { 'x-forwarded-for': address };
      return (await fetch(`${url}/metrics`, { headers })).status;
    };
    expect(await statusFor('10.1.2.3')).toBe(200);
    expect(await statusFor('192.0.2.1')).toBe(404);
  });
});
