import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startServer } from '../src/index.ts';
import { TestClock } from '../src/lib/clock.ts';
import { dataFolder, inDatabase } from './support/data-folder.ts';
import { newDocument, newKey, newShare, newVault } from './support/resources.ts';
import { type Caller, startTestServer, type TestServer } from './support/server.ts';
import { listen, verifiedEvent } from './support/webhook-events.ts';

/** Everything that an account can read. */
async function visibleTo(call: Caller, documentIds: readonly string[]) {
  const paths = [
    '/api/v1/users/me',
    '/api/v1/vaults',
    '/api/v1/documents',
    '/api/v1/webhooks',
    ...documentIds.flatMap((id) => [`/api/v1/documents/${id}`, `/api/v1/documents/${id}/shares`]),
  ];
  const seen: Record<string, unknown> = {};
  for (const path of paths) {
    const { status, body } = await call('GET', path);
    expect(status, path).toBe(200);
    seen[path] = body;
  }
  return seen;
}

/** Creates resources of every type. */
async function fill({ developer }: TestServer) {
  const vault = await newVault(developer, { category: 'personal', description: 'Ärger' });
  await developer('PUT', `/api/v1/vaults/${vault.id}`, { body: { isActive: true, name: 'New' } });
  const documents = [
    await newDocument(developer, vault.id, 'first'),
    await newDocument(developer, vault.id, Buffer.alloc(100_000, 0xff)),
  ];
  const share = await newShare(developer, documents[0].id, { access: 'anyone', maxAccessCount: 2 });
  const url = 'http://127.0.0.1:9/';
  const webhook = { url, events: ['user.deleted'], secret: 'x'.repeat(32), metadata: { a: 1 } };
  await developer('POST', '/api/v1/webhooks', { body: webhook });
  return { documentIds: documents.map(({ id }) => id as string), token: share.shareToken };
}

describe('restart on the same folder', () => {
  test('accounts, tokens, keys and resources are unchanged', async () => {
    const data = await dataFolder();
    const first = await startTestServer({ data });
    const { documentIds, token } = await fill(first);
    const account = await first.signUp('User@example.com');
    const credentials = { email: account.email, password: account.password };
    const session = (await first.anonymous('POST', '/auth/login', { body: credentials })).body;
    const { key } = await newKey(account.call, ['vaults:read', 'documents:share']);
    const revoked = await newKey(account.call, ['vaults:read']);
    await account.call('DELETE', `/api/v1/api-keys/${revoked.keyId}`);
    await first.anonymous('GET', `/shares/${token}`);
    const before = await visibleTo(first.developer, documentIds);
    const keysBefore = (await first.anonymous('GET', '/.well-known/jwks.json')).body;
    await first.close();

    // Access tokens contain the issuer's address, so the port stays the same.
    const second = await startTestServer({ data, port: Number(new URL(first.url).port) });
    expect(second.account).toEqual(first.account);
    expect(await visibleTo(second.developer, documentIds)).toEqual(before);
    expect((await second.anonymous('GET', '/.well-known/jwks.json')).body).toEqual(keysBefore);
    const me = await second.withToken(session.accessToken)('GET', '/api/v1/users/me');
    expect(me.body).toMatchObject({ id: account.userId, email: account.email });
    expect(await second.withKey(key)('GET', '/api/v1/vaults')).toMatchObject({ status: 200 });
    expect(await second.withKey(revoked.key)('GET', '/api/v1/vaults')).toMatchObject({
      status: 401,
    });
    const { refreshToken } = session;
    const refreshed = await second.anonymous('POST', '/auth/refresh', { body: { refreshToken } });
    expect(refreshed).toMatchObject({ status: 200 });
    await second.signIn({ ...account, email: 'user@EXAMPLE.com' });
    const opened = [];
    for (let count = 0; count < 2; count += 1) {
      opened.push((await second.anonymous('GET', `/shares/${token}`)).status);
    }
    expect(opened, 'accesses before the restart count').toEqual([200, 404]);
  });

  test('the development account is the same and works', async () => {
    const data = await dataFolder();
    const first = await startTestServer({ data });
    const { account } = first;
    expect(account).toEqual({
      id: expect.any(String),
      email: 'developer@example.com',
      password: expect.stringMatching(/^.{43}$/),
      apiKey: expect.stringMatching(/^service_sk_[A-Za-z0-9]{40}$/),
    });
    await first.close();
    const file = join(data, 'development.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(account);
    expect((await stat(file)).mode & 0o777, 'readable by its owner alone').toBe(0o600);

    const second = await startTestServer({ data });
    expect(second.account).toEqual(account);
    await second.signIn(account ?? expect.fail());
    expect(await second.developer('GET', '/api/v1/auth/validate')).toMatchObject({
      status: 200,
      body: { valid: true, name: 'Development' },
    });
    const { totalCount } = (await second.developer('GET', '/api/v1/vaults')).body.pagination;
    expect(totalCount).toBe(0);
  });

  test('a deleted development account is not created again, except in an empty store', async () => {
    const data = await dataFolder();
    const deleteAccount = async (server: TestServer, { email = '', password = '' } = {}) => {
      const call = await server.signIn({ email, password });
      const body = { password };
      expect((await call('DELETE', '/api/v1/users/me', { body })).status).toBe(204);
    };
    const first = await startTestServer({ data });
    const other = await first.signUp('ada@example.com');
    await deleteAccount(first, first.account);
    await first.close();
    const second = await startTestServer({ data });
    expect(second.account).toBeUndefined();
    await deleteAccount(second, other);
    await second.close();
    const third = await startTestServer({ data });
    expect(third.account?.password).not.toBe(first.account?.password);
    await third.signIn(third.account ?? expect.fail());
  });

  test('the development account is created after a start that failed before creating it', async () => {
    const data = await dataFolder();
    const file = join(data, 'development.json');
    await mkdir(file);
    await expect(startTestServer({ data })).rejects.toThrow('EISDIR');
    await rm(file, { recursive: true });
    const server = await startTestServer({ data });
    await server.signIn(server.account ?? expect.fail());
    expect((await server.developer('GET', '/api/v1/auth/validate')).status).toBe(200);
  });

  test('production has no development account', async () => {
    const data = await dataFolder();
    const server = await startTestServer({ data, mode: 'production', host: '127.0.0.1' });
    expect(server.account).toBeUndefined();
    await server.close();
    const users = inDatabase(data, (database) =>
      database.prepare('SELECT COUNT(*) FROM users').pluck().get(),
    );
    expect(users).toBe(0);
  });

  test('pending, paused and failed deliveries continue', async () => {
    const data = await dataFolder();
    const clock = new TestClock();
    const first = await startTestServer({ data, clock });
    const { developer } = first;
    let status = 500;
    const failing = await listen({
      server: first,
      call: developer,
      reply: (response) => {
        response.statusCode = status;
        response.end();
      },
    });
    const paused = await listen({ server: first, call: developer, fields: { active: false } });
    const vault = await newVault(developer);
    await first.settled();
    const [attempt] = failing.requests.splice(0);
    await first.close();
    clock.advance(59_999);

    const second = await startTestServer({ data, clock });
    await second.settled();
    expect(failing.requests, 'no attempt before its time').toEqual([]);
    expect(paused.requests).toEqual([]);
    status = 200;
    clock.advance(1);
    await second.settled();
    expect(failing.requests).toHaveLength(1);
    expect(failing.requests[0]?.body).toEqual(attempt?.body);
    for (const request of failing.requests) verifiedEvent(request);
    await second.developer('PUT', paused.path, { body: { active: true } });
    await second.settled();
    expect(paused.requests.map(verifiedEvent)).toMatchObject([{ data: { object: vault } }]);
    const { stats } = (await second.developer('GET', failing.path)).body;
    expect(stats).toMatchObject({ totalDeliveries: 1, failedDeliveries: 0 });
    await second.close();

    const third = await startTestServer({ data, clock });
    clock.advance(24 * 60 * 60 * 1000);
    await third.settled();
    expect(failing.requests, 'an acknowledged delivery is not sent again').toHaveLength(1);
    expect(paused.requests).toHaveLength(1);
  });

  test('attempts that fell due while the server was stopped are made once', async () => {
    const data = await dataFolder();
    const clock = new TestClock();
    const first = await startTestServer({ data, clock });
    const webhook = await listen({
      server: first,
      call: first.developer,
      reply: (response) => {
        response.statusCode = 500;
        response.end();
      },
    });
    await newVault(first.developer);
    await first.settled();
    await first.close();
    clock.advance(60 * 60 * 1000);
    const second = await startTestServer({ data, clock });
    await second.settled();
    expect(webhook.requests).toHaveLength(2);
    clock.advance(5 * 60 * 1000 - 1);
    await second.settled();
    expect(webhook.requests).toHaveLength(2);
    clock.advance(1);
    await second.settled();
    expect(webhook.requests).toHaveLength(3);
  });
});

describe('failed start', () => {
  test('a start on a folder in use fails, and the running server still works', async () => {
    const data = await dataFolder();
    const { developer } = await startTestServer({ data });
    await expect(startTestServer({ data })).rejects.toThrow(
      `The data folder ${data} is in use by another process. Stop it first.`,
    );
    await newVault(developer);
    expect((await developer('GET', '/api/v1/vaults')).body.pagination.totalCount).toBe(1);
  });

  test('a failed start leaves no server running and releases the folder', async () => {
    const data = await dataFolder();
    const taken = await startTestServer();
    const portOf = ({ url }: { url: string }) => Number(new URL(url).port);
    await expect(startTestServer({ data, port: portOf(taken) })).rejects.toThrow('EADDRINUSE');
    const server = await startTestServer({ data });
    await server.close();

    const account = join(data, 'development.json');
    const again = { data, port: portOf(server) };
    await writeFile(account, '{');
    await expect(startTestServer(again)).rejects.toThrow(`${account} cannot be read`);
    await writeFile(account, JSON.stringify(server.account));
    expect(await startTestServer(again)).toMatchObject({
      account: server.account,
      url: server.url,
    });
  });
});

test('close can be called several times and waits for the same end', async () => {
  const server = await startServer({ port: 0, data: ':memory:', logLevel: 'silent' });
  await Promise.all([server.close(), server.close()]);
  await server.close();
  await expect(fetch(server.url)).rejects.toThrow();
});
