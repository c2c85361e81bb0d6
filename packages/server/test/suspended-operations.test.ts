import { expect, test } from 'vitest';
import { startWithAdministrator } from './support/administrator.ts';
import { everyRow, inDatabase } from './support/data-folder.ts';
import { everyRequest } from './support/every-request.ts';
import { expectEveryHeader, filled, refusal } from './support/front-door.ts';
import { createResources } from './support/owned-resources.ts';
import { newKey } from './support/resources.ts';
import { startTestServer } from './support/server.ts';

// Generated from the contract: calls every operation as a suspended account. It is an administrator, so that
// only the suspension rejects the requests.

const limits = { requestsPerMinute: { enterprise: 100_000 } };

/** Creates one of each resource for an account, suspends it and returns a server with its credentials. */
async function startSuspended() {
  const first = await startWithAdministrator(limits);
  const { admin, adminAccount, data, instanceId, clock } = first;
  const resources = await createResources(first, admin);
  const { key } = await newKey(admin, ['admin:*']);
  const { email, password } = adminAccount;
  const session = await first.anonymous('POST', '/auth/login', { body: { email, password } });
  const requests = everyRequest(resources, instanceId);
  // Without the suspension every request would succeed.
  const vaults = await first.withKey(key)('GET', '/api/v1/vaults');
  expect(vaults.body.pagination.totalCount).toBe(1);
  await first.close();

  inDatabase(data, (database) =>
    database.prepare(`UPDATE users SET status = 'suspended' WHERE email = ?`).run(email),
  );
  const before = everyRow(data);
  // Access tokens contain the issuer's address, so the port stays the same.
  const port = Number(new URL(first.url).port);
  const server = await startTestServer({ ...limits, data, clock, port });
  const { accessToken, refreshToken } = session.body;
  return {
    ...server,
    data,
    before,
    resources,
    requests,
    credentials: { email, password },
    refreshToken,
    callers: { key: server.withKey(key), token: server.withToken(accessToken) },
  };
}

test('every operation returns 403 ACCOUNT_SUSPENDED to a suspended account and changes nothing', async () => {
  const { requests, callers, close, data, before } = await startSuspended();
  const counting = requests.filter(({ operation }) => operation.schemes.size > 0);
  expect(counting.length).toBeGreaterThan(40);
  for (const { operation, name, send } of counting) {
    for (const scheme of operation.schemes.keys()) {
      const reply = await send(scheme === 'apiKey' ? callers.key : callers.token);
      expect(reply, `${scheme}: ${name}`).toMatchObject(refusal('ACCOUNT_SUSPENDED', {}));
      expectEveryHeader(reply);
    }
  }
  await close();
  expect(everyRow(data)).toEqual(before);
});

test('invalid requests of a suspended account return 403 ACCOUNT_SUSPENDED too', async () => {
  const { requests, callers, close, data, before } = await startSuspended();
  for (const { operation, name } of requests) {
    if (operation.schemes.size === 0) continue;
    const call = operation.schemes.has('bearer') ? callers.token : callers.key;
    const method = operation.method.toUpperCase();
    const body = method === 'GET' ? undefined : '{';
    const reply = await call(method, filled(operation.path), { body });
    expect(reply, name).toMatchObject(refusal('ACCOUNT_SUSPENDED', {}));
  }
  await close();
  expect(everyRow(data)).toEqual(before);
});

test('login and refresh of a suspended account return 403 and issue no credentials', async () => {
  const { anonymous, credentials, refreshToken, close, data, before } = await startSuspended();
  for (const [path, body] of [
    ['/auth/login', credentials],
    ['/auth/refresh', { refreshToken }],
  ] as const) {
    const reply = await anonymous('POST', path, { body });
    expect(reply, path).toMatchObject(refusal('ACCOUNT_SUSPENDED', {}));
    expect(JSON.stringify(reply.body)).not.toContain('oken"');
    expectEveryHeader(reply);
  }
  await close();
  expect(everyRow(data)).toEqual(before);
});

test('public operations ignore the credentials of a suspended account', async () => {
  const { requests, callers, anonymous } = await startSuspended();
  const free = requests.filter(({ operation }) => operation.schemes.size === 0);
  for (const { operation, name } of free) {
    const ask = (call: typeof anonymous) =>
      call(operation.method.toUpperCase(), operation.path, {
        ...(operation.body !== 'none' && { body: {} }),
      });
    const expected = await ask(anonymous);
    expect(expected.status, name).toBe(operation.body === 'none' ? 200 : 400);
    for (const call of Object.values(callers)) {
      expect((await ask(call)).status, name).toBe(expected.status);
    }
  }
});
