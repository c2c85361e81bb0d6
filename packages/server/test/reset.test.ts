import { describe, expect, test } from 'vitest';
import { dataFolder, inDatabase } from './support/data-folder.ts';
import { refreshAs, useApp } from './support/oauth/used-app.ts';
import { newDocument, newKey, newShare, newVault } from './support/resources.ts';
import { startTestServer, type TestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

/** Returns the number of rows in each table. */
function rowCounts(folder: string): Record<string, number> {
  return inDatabase(folder, (database) => {
    const names = database
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
      .pluck()
      .all() as string[];
    const count = (name: string) =>
      database.prepare(`SELECT COUNT(*) FROM "${name}"`).pluck().get();
    return Object.fromEntries(names.sort().map((name) => [name, Number(count(name))]));
  });
}

async function fill(server: TestServer) {
  const { developer } = server;
  const vault = await newVault(developer);
  const document = await newDocument(developer, vault.id);
  await newShare(developer, document.id);
  await listen({ server, call: developer });
  await developer('POST', '/api/v1/vaults', {
    body: { name: 'Once' },
    headers: { 'idempotency-key': 'once' },
  });
  const user = await server.signUp('user@example.com');
  await newKey(user.call, ['vaults:read']);
  await newVault(user.call);
  const app = await useApp(server, user);
  await server.settled();
  return { vault, user, app };
}

describe('reset', () => {
  test('every table has the rows of a first start', async () => {
    const fresh = await dataFolder();
    await (await startTestServer({ data: fresh })).close();
    const data = await dataFolder();
    const server = await startTestServer({ data });
    await fill(server);
    await server.reset();
    await server.close();
    // The server keeps the secrets that it has made, as it keeps its signing key.
    const { server_secrets: secrets, ...rows } = rowCounts(data);
    expect(rows).toEqual({ ...rowCounts(fresh), server_secrets: undefined });
    expect(secrets).toBe(1);
    const used = inDatabase(data, (database) =>
      database.prepare('SELECT total_size FROM account_usage').pluck().all(),
    );
    expect(used).toEqual([0]);
  });

  test('the development account keeps its key and password, and all other accounts are removed', async () => {
    const server = await startTestServer();
    const { developer, account } = server;
    const me = await developer('GET', '/api/v1/users/me');
    const { vault, user } = await fill(server);
    await server.reset();

    expect((await developer('GET', '/api/v1/users/me')).body).toEqual(me.body);
    await server.signIn(account ?? expect.fail());
    expect(await developer('GET', `/api/v1/vaults/${vault.id}`)).toMatchObject({ status: 404 });
    expect(await user.call('GET', '/api/v1/vaults')).toMatchObject({ status: 401 });
    await fill(server);
  });

  test('events, deliveries and injected faults are removed', async () => {
    const server = await startTestServer();
    const beginning = await server.events();
    await fill(server);
    const fault = server.fault('error', { times: 5 });
    expect(await server.deliveries()).not.toEqual([]);
    await server.reset();
    expect(await server.events()).toEqual(beginning);
    expect(await server.deliveries()).toEqual([]);
    expect(await server.developer('GET', '/api/v1/vaults')).toMatchObject({ status: 200 });
    expect(fault.calls).toBe(0);
  });

  test('apps lose their access, and the endpoints of OAuth are unknown until a client is registered again', async () => {
    const server = await startTestServer();
    const { app } = await fill(server);
    const metadata = () => server.anonymous('GET', '/.well-known/oauth-authorization-server');
    expect((await metadata()).status).toBe(200);
    await server.reset();
    expect((await metadata()).status).toBe(404);
    expect((await server.withToken(app.accessToken)('GET', '/api/v1/vaults')).status).toBe(401);
    const again = await fill(server);
    expect((await metadata()).status).toBe(200);
    expect((await refreshAs(server, app, app.refreshToken)).status).toBe(401);
    expect((await refreshAs(server, again.app, again.app.refreshToken)).status).toBe(200);
  });

  test('cached searches are removed', async () => {
    const server = await startTestServer();
    const { developer } = server;
    for (const name of ['Alpha', 'Almost', 'Alpha']) {
      const { id } = await newVault(developer, { name });
      const { body } = await developer('GET', '/api/v1/vaults?search=al');
      expect(body.data.map((vault: { id: string }) => vault.id)).toEqual([id]);
      await server.reset();
    }
  });

  test('failed logins are forgotten', async () => {
    const server = await startTestServer();
    const { email, password } = server.account ?? expect.fail();
    const login = (attempt: string) =>
      server.anonymous('POST', '/auth/login', { body: { email, password: attempt } });
    for (let attempt = 0; attempt < 10; attempt += 1) await login('wrong');
    expect(await login(password)).toMatchObject({ status: 429 });
    await server.reset();
    expect(await login(password)).toMatchObject({ status: 200 });
  });

  test('rate limits are full again', async () => {
    const server = await startTestServer({ defaultTier: 'free', requestsPerMinute: { free: 2 } });
    const statuses = async () => {
      const seen = [];
      for (let count = 0; count < 3; count += 1) {
        seen.push((await server.developer('GET', '/api/v1/vaults')).status);
      }
      return seen;
    };
    expect(await statuses()).toEqual([200, 200, 429]);
    await server.reset();
    expect(await statuses()).toEqual([200, 200, 429]);
  });

  test('the clock is not reset', async () => {
    const server = await startTestServer();
    server.clock.advance(60_000);
    const before = server.clock.now();
    await server.reset();
    expect(server.clock.now()).toBe(before);
  });

  test('a server started on a used folder returns to the state of a first start', async () => {
    const data = await dataFolder();
    const first = await startTestServer({ data });
    await fill(first);
    await first.close();
    const second = await startTestServer({ data });
    await second.reset();
    expect((await second.developer('GET', '/api/v1/vaults')).body.data).toEqual([]);
    expect((await second.events()).map(({ type }) => type)).toEqual(['user.created']);
  });
});

test('events() and deliveries() return the same values as webhooks and API, oldest first', async () => {
  const server = await startTestServer();
  const { developer } = server;
  const webhook = await listen({ server, call: developer, events: ['vault.created'] });
  const vault = await newVault(developer);
  await developer('DELETE', `/api/v1/vaults/${vault.id}`);
  const [received] = await webhook.events();
  const events = await server.events();
  expect(events.map(({ type }) => type)).toEqual([
    'user.created',
    'vault.created',
    'vault.deleted',
  ]);
  expect(events[1]).toEqual(received);
  expect(await server.deliveries()).toEqual(
    (await developer('GET', `${webhook.path}/deliveries`)).body.data,
  );
});
