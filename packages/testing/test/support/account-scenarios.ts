import type { Recorder } from './recorder.ts';

// Requests about accounts, which test kit and server must respond to alike.

const hour = 3_600_000;
const day = 24 * hour;
const later = (now: number, milliseconds: number) => new Date(now + milliseconds).toISOString();
const missing = '019cadd6-a210-7670-891a-985ccc8c71a2';

export async function sessions(recorder: Recorder): Promise<void> {
  const email = 'ada@sessions.example';
  const { as, refreshToken } = await recorder.signUp(email);
  const password = 'correct horse battery';
  await recorder.send('POST /auth/register', {
    body: { email: email.toUpperCase(), password, name: 'A' },
  });
  await recorder.send('POST /auth/register', { body: { email: 'x', password: 'short' } });
  await recorder.send('POST /auth/login', { body: { email, password: 'wrong' } });
  await recorder.send('POST /auth/login', {
    body: { email: 'unknown@sessions.example', password },
  });
  for (const body of ['', '{', '[]', 'null']) await recorder.send('POST /auth/login', { body });
  await recorder.send('POST /auth/login', {
    body: '{}',
    headers: { 'content-type': 'text/plain' },
  });
  const me = 'GET /api/v1/users/me';
  for (const by of [{}, { as }, { as: 'a.b.c' }, { headers: { authorization: 'Basic x' } }])
    await recorder.send(me, by);
  // The tokens of one second are one token.
  recorder.advance(1_000);
  const next = await recorder.send('POST /auth/refresh', { body: { refreshToken } });
  recorder.advance(10_000);
  const same = await recorder.send('POST /auth/refresh', { body: { refreshToken } });
  await recorder.send(me, { as: same.accessToken });
  recorder.advance(1);
  await recorder.send('POST /auth/refresh', { body: { refreshToken } });
  await recorder.send('POST /auth/refresh', { body: { refreshToken: next.refreshToken } });
  await recorder.send('POST /auth/refresh', { body: { refreshToken: 'unknown' } });
  recorder.advance(hour);
  await recorder.send(me, { as });
  const again = await recorder.send('POST /auth/login', { body: { email, password } });
  const by = { as: again.accessToken };
  const put = (body: object) => recorder.send('PUT /api/v1/users/me', { ...by, body });
  for (const body of [{ name: 'Ada L.' }, { password: 'another password' }, { role: 'admin' }])
    await put(body);
  await put({ password: 'another password', currentPassword: 'wrong' });
  await put({
    email: 'developer@sessions.example',
    password: 'another password',
    currentPassword: password,
  });
  await recorder.send('POST /auth/refresh', { body: { refreshToken: again.refreshToken } });
  await recorder.send('POST /auth/logout', { body: { refreshToken: 'unknown' } });
  await recorder.send('DELETE /api/v1/users/me', { ...by, body: { password } });
  await recorder.send('DELETE /api/v1/users/me', { ...by, body: { password: 'another password' } });
  await recorder.send(me, by);
  await recorder.send('POST /auth/login', { body: { email, password } });
}

export async function administration(recorder: Recorder): Promise<void> {
  const { id, as } = await recorder.signUp('ada@accounts.example');
  for (const by of [{}, { as }, { as: 'a.b.c' }]) {
    await recorder.send('GET /api/v1/users', by);
    await recorder.send(`GET /api/v1/users/${id}`, by);
    for (const body of [{ role: 'admin' }, { role: 'root' }]) {
      await recorder.send(`PUT /api/v1/users/${id}`, { ...by, body });
    }
  }
}

export async function sessionLists(recorder: Recorder): Promise<void> {
  const email = 'ada@devices.example';
  const password = 'correct horse battery';
  const { as } = await recorder.signUp(email);
  const bob = await recorder.signUp('bob@devices.example');
  const login = async (agent: string, secret = password) => {
    recorder.advance(1_000);
    const body = { email, password: secret };
    return recorder.send('POST /auth/login', { body, headers: { 'user-agent': agent } });
  };
  const list = (by: string, query = '') =>
    recorder.send(`GET /api/v1/auth/sessions${query}`, { as: by });
  const me = (by: string) => recorder.send('GET /api/v1/users/me', { as: by });
  const phone = await login('Phone');
  const laptop = await login('x'.repeat(600));
  for (const query of ['?pageSize=2', '?sortOrder=asc', '?sortBy=lastUsedAt', '?page=9']) {
    await list(as, query);
  }
  const { data } = await list(as, '?sortOrder=asc');
  const [own, onPhone] = data;
  // A use is noted once a minute.
  for (const pause of [59_000, 1_000]) {
    recorder.advance(pause);
    await recorder.send('GET /api/v1/users/me', {
      as: phone.accessToken,
      headers: { 'user-agent': 'Tablet' },
    });
    await list(as);
  }
  const { key } = await recorder.send('POST /api/v1/api-keys', {
    as,
    body: { name: 'K', scopes: ['users:write', 'users:read'] },
  });
  for (const path of ['', `/${onPhone.id}`]) {
    await recorder.send(`DELETE /api/v1/auth/sessions${path}`, { key });
    await recorder.send(`DELETE /api/v1/auth/sessions${path}`);
  }
  await recorder.send('GET /api/v1/auth/sessions', { key });
  for (const by of [bob.as, as, as]) {
    await recorder.send(`DELETE /api/v1/auth/sessions/${onPhone.id}`, { as: by });
  }
  await me(phone.accessToken);
  await list(phone.accessToken);
  await recorder.send('POST /auth/refresh', { body: { refreshToken: phone.refreshToken } });
  await recorder.send('DELETE /api/v1/auth/sessions', { as: laptop.accessToken });
  for (const by of [as, laptop.accessToken, bob.as]) await me(by);
  await list(laptop.accessToken);
  await recorder.send(`DELETE /api/v1/auth/sessions/${own.id}`, { as: laptop.accessToken });

  const put = (change: object, by: { as?: string; key?: string }) =>
    recorder.send('PUT /api/v1/users/me', { ...by, body: change });
  for (const by of [{ as: laptop.accessToken }, { key }]) {
    await put({ email: 'new@devices.example' }, by);
    await put({ email: 'new@devices.example', currentPassword: 'wrong' }, by);
    await put({ revokeApiKeys: true }, by);
    await put({ password: 'another password', currentPassword: 'wrong', revokeApiKeys: true }, by);
  }
  const second = await login('Second');
  const first = { password: 'another password', currentPassword: password };
  await put(first, { as: second.accessToken });
  for (const by of [laptop.accessToken, second.accessToken]) await me(by);
  await recorder.send('GET /api/v1/users/me', { key });
  const next = { password, currentPassword: 'another password', revokeApiKeys: true };
  await put({ ...next, email: 'bob@devices.example' }, { key });
  await put(next, { key });
  await recorder.send('GET /api/v1/users/me', { key });
  await me(second.accessToken);
  const third = await login('Third');
  await recorder.send('GET /api/v1/api-keys', { as: third.accessToken });
  await recorder.send('GET /api/v1/auth/validate', { as: third.accessToken });
  await recorder.send('GET /api/v1/vaults', { as: key });
  await recorder.send('GET /api/v1/vaults', { key: third.accessToken });
  await recorder.send('GET /api/v1/vaults', { headers: { authorization: 'Basic YTpi' } });
  await recorder.send('PATCH /api/v1/api/v1/vaults?search=x', { key });
  await recorder.send('POST /auth/logout', { body: { refreshToken: third.refreshToken } });
  await me(third.accessToken);
  const fourth = await login('Fourth');
  recorder.advance(30 * day);
  await me(fourth.accessToken);
  const fifth = await login('Fifth');
  await list(fifth.accessToken);
}

export async function apiKeys(recorder: Recorder, now: () => number): Promise<void> {
  const { as } = await recorder.signUp('ada@keys.example');
  const create = (body: object) => recorder.send('POST /api/v1/api-keys', { as, body });
  const reader = await create({ name: ' Reader ', scopes: ['vaults:read', 'users:read'] });
  const wrong = [
    { scopes: ['admin:*'] },
    { scopes: [] },
    { expiresAt: later(now(), 0) },
    { scopes: ['x', 'x'] },
  ];
  for (const part of wrong) await create({ name: 'K', scopes: ['vaults:read'], ...part });
  const brief = await create({
    name: 'Brief',
    scopes: ['users:read'],
    expiresAt: later(now(), hour / 4),
  });
  for (const key of [reader.key, brief.key, 'service_sk_x', `service_sk_${'a'.repeat(40)}`]) {
    await recorder.send('GET /api/v1/auth/validate', { key });
    await recorder.send('GET /api/v1/vaults', { key });
  }
  const key = reader.key;
  await recorder.send('POST /api/v1/vaults', { key, body: {} });
  await recorder.send('POST /api/v1/api-keys', { key, body: {} });
  await recorder.send('GET /api/v1/auth/validate', { as });
  recorder.advance(hour / 4);
  await recorder.send('GET /api/v1/users/me', { key: brief.key });
  for (const query of ['', '?sortBy=name', '?sortBy=x'])
    await recorder.send(`GET /api/v1/api-keys${query}`, { as });
  await recorder.send(`DELETE /api/v1/api-keys/${reader.keyId}`, { as });
  await recorder.send(`DELETE /api/v1/api-keys/${reader.keyId}`, { as });
  await recorder.send('GET /api/v1/users/me', { key });
}

export async function replayedKeys(recorder: Recorder, now: () => number): Promise<void> {
  const { as } = await recorder.signUp('ada@replays.example');
  const create = (name: string, part: object = {}) =>
    recorder.send('POST /api/v1/api-keys', {
      as,
      headers: { 'idempotency-key': name },
      body: { name, scopes: ['users:read'], ...part },
    });
  const kept = await create('kept');
  await create('kept');
  await recorder.send('GET /api/v1/users/me', { key: kept.key });
  const revoked = await create('revoked');
  await recorder.send(`DELETE /api/v1/api-keys/${revoked.keyId}`, { as });
  await create('revoked');
  const end = { expiresAt: later(now(), hour / 4) };
  await create('brief', end);
  recorder.advance(hour / 4);
  await create('brief', end);
  await create('refused', { scopes: ['admin:*'] });
  await create('refused', { scopes: ['admin:*'] });
}

export async function idempotency(recorder: Recorder): Promise<void> {
  const { as } = await recorder.signUp('ada@idempotency.example');
  const bob = await recorder.signUp('bob@idempotency.example');
  const headers = { 'idempotency-key': 'once' };
  const create = (name: string, by = as) =>
    recorder.send('POST /api/v1/vaults', { as: by, headers, body: { name } });
  for (const name of ['A', 'A', 'B']) await create(name);
  await create('A', bob.as);
  await recorder.send('POST /api/v1/consents', {
    as,
    headers,
    body: { purpose: 'x', grantedTo: 'y', expiresAt: '2001-01-01T00:00:00Z' },
  });
  await recorder.send('POST /api/v1/consents', {
    as,
    headers,
    body: { purpose: 'x', grantedTo: 'y', expiresAt: '2001-01-01T00:00:00Z' },
  });
  await recorder.send('POST /consents', {
    as,
    headers,
    body: { purpose: 'x', grantedTo: 'y', expiresAt: '2001-01-01T00:00:00Z' },
  });
  await recorder.send('POST /api/v1/vaults', {
    as,
    headers: { 'idempotency-key': 'ä' },
    body: { name: 'A' },
  });
  recorder.advance(day);
  const again = await recorder.send('POST /auth/login', {
    body: { email: 'ada@idempotency.example', password: 'correct horse battery' },
  });
  await create('A', again.accessToken);
}

export async function consents(recorder: Recorder, now: () => number): Promise<void> {
  const { as } = await recorder.signUp('ada@consents.example');
  const bob = await recorder.signUp('bob@consents.example');
  const body = { purpose: ' Taxes ', grantedTo: 'Linden', metadata: { ticket: 1 } };
  const { id } = await recorder.send('POST /consents', { as, body });
  for (const part of [
    { purpose: '' },
    { expiresAt: later(now(), 0) },
    { scopes: [] },
    { status: 'granted' },
  ]) {
    await recorder.send('POST /consents', { as, body: { ...body, ...part } });
  }
  const put = (change: object, by = as, which = id) =>
    recorder.send(`PUT /api/v1/consents/${which}`, { as: by, body: change });
  await put({ description: 'x' }, bob.as);
  const changes = [
    { expiresAt: later(now(), hour) },
    { reason: 'x' },
    { description: 'Mine' },
    { status: 'granted' },
  ];
  for (const change of changes) await put(change);
  await put({ status: 'revoked', expiresAt: later(now(), hour) });
  for (const reason of ['Filed', 'Again']) await put({ status: 'revoked', reason });
  recorder.advance(10);
  await put({ status: 'granted' });
  const brief = await recorder.send('POST /consents', {
    as,
    body: { ...body, expiresAt: later(now(), hour / 4) },
  });
  await put({ expiresAt: later(now(), hour / 8) }, as, brief.id);
  recorder.advance(hour / 4);
  for (const query of ['', '?sortBy=updatedAt&sortOrder=asc', '?page=-1']) {
    await recorder.send(`GET /api/v1/consents${query}`, { as });
  }
  await put({ status: 'revoked' }, as, brief.id);
  await put({ status: 'granted' }, as, brief.id);
  await recorder.send('GET /consents', { as: bob.as });
  // Only the consents of apps end with it.
  await recorder.send('POST /consents', { as, body });
  await recorder.send('PUT /api/v1/users/me', {
    as,
    body: {
      currentPassword: 'correct horse battery',
      password: 'another password',
      revokeApiKeys: true,
    },
  });
  await recorder.send('GET /consents', { as });
  await recorder.send('GET /api/v1/events?type=consent.revoked', { as });
}

/** Rotates the secret of a webhook to given ones. */
async function rotations(recorder: Recorder, as: string, id: string): Promise<void> {
  const far = '2100-01-01T00:00:00.000Z';
  const second = 'a second secret of these tests';
  const changes = [
    { secret: `${second}, long` },
    { previousSecretExpiresAt: null },
    { previousSecretExpiresAt: far },
    { secret: `${second}, longer`, previousSecretExpiresAt: far },
    { secret: `${second}, longer`, previousSecretExpiresAt: '2020-01-01T00:00:00.000Z' },
    { secret: `${second}, and longer` },
    { secret: `${second}, and another`, url: 'https://receiver.example/other' },
  ];
  for (const body of changes) {
    await recorder.send(`PUT /webhooks/${id}`, { as, body });
    await recorder.send(`GET /webhooks/${id}`, { as });
  }
  const body = { secret: `${second}, and the last` };
  await recorder.send(`POST /api/v1/webhooks/${id}/secret`, { as, body });
  await recorder.send(`POST /api/v1/webhooks/${id}/secret`, { as, body: { secret: 'short' } });
}

export async function webhooks(recorder: Recorder): Promise<void> {
  const { as } = await recorder.signUp('ada@webhooks.example');
  const bob = await recorder.signUp('bob@webhooks.example');
  // Switched off: its deliveries wait, at the service too.
  const body = {
    url: 'https://receiver.example/hook',
    events: ['vault.created', 'consent.granted'],
    secret: 'a secret of these tests, long enough',
    active: false,
  };
  const { id } = await recorder.send('POST /api/v1/webhooks', { as, body });
  const wrong = [
    { secret: 'short' },
    { url: 'ftp://x.example' },
    { events: ['x'] },
    { headers: { Host: 'x', 'X-Service-A': 'y' } },
  ];
  for (const part of [
    ...wrong,
    { url: 'https://a:b@receiver.example/' },
    { headers: { 'a b': 'c' } },
  ]) {
    await recorder.send('POST /webhooks', { as, body: { ...body, ...part } });
  }
  for (const change of [
    { description: 'Mine' },
    { description: 'Mine' },
    { metadata: { a: 1 } },
    {},
    { id },
  ]) {
    await recorder.send(`PUT /webhooks/${id}`, { as, body: change });
  }
  await rotations(recorder, as, id);
  await recorder.send('POST /api/v1/vaults', { as, body: { name: 'A' } });
  await recorder.send('POST /api/v1/vaults', { as: bob.as, body: { name: 'A' } });
  const path = `/api/v1/webhooks/${id}`;
  const tested = await recorder.send(`POST ${path}/test`, { as });
  const unsubscribed = { eventType: 'document.shared' };
  await recorder.send(`POST ${path}/test`, { as, body: unsubscribed });
  await recorder.send(`POST ${path}/test`, {
    as,
    body: { ...unsubscribed, allowUnsubscribed: true },
  });
  await recorder.send(`POST ${path}/test`, { as, body: { eventType: 'x' } });
  for (const query of [
    '',
    '?status=failed',
    '?eventType=vault.created',
    '?status=x',
    '?sortOrder=asc',
  ]) {
    await recorder.send(`GET ${path}/deliveries${query}`, { as });
  }
  const { data } = await recorder.send(
    `GET ${path}/deliveries?eventType=vault.created&sortOrder=asc`,
    { as },
  );
  for (const deliveryId of [data[0].id, tested.id, 'dlv_x']) {
    await recorder.send(`GET ${path}/deliveries/${deliveryId}`, { as });
    await recorder.send(`POST ${path}/deliveries/${deliveryId}/retry`, { as });
  }
  await recorder.send(`POST ${path}/deliveries/retry-failed`, { as });
  for (const by of [as, bob.as]) {
    await recorder.send(`GET ${path}`, { as: by });
    await recorder.send('GET /webhooks', { as: by });
  }
  const headers = { Authorization: 'of the receiver', 'X-Team': 'archive' };
  await recorder.send(`PUT ${path}`, { as, body: { headers } });
  for (const scopes of [['webhooks:read'], ['webhooks:read', 'webhooks:write']]) {
    const { key } = await recorder.send('POST /api/v1/api-keys', {
      as,
      body: { name: 'K', scopes },
    });
    await recorder.send(`GET ${path}`, { key });
    await recorder.send('GET /webhooks', { key });
  }
  await recorder.send(`GET ${path}/deliveries`, { as: bob.as });
  await recorder.send('GET /api/v1/instances/statistics', { as });
  await recorder.send(`DELETE ${path}`, { as: bob.as });
  await recorder.send(`DELETE ${path}`, { as });
  await recorder.send(`GET ${path}`, { as });
}

export async function events(recorder: Recorder, now: () => number): Promise<void> {
  const { as } = await recorder.signUp('ada@events.example');
  const bob = await recorder.signUp('bob@events.example');
  const from = now();
  for (const name of ['A', 'B', 'C']) {
    recorder.advance(1);
    await recorder.send('POST /api/v1/vaults', { as, body: { name } });
  }
  const list = (query: string, by: object = { as }) =>
    recorder.send(`GET /api/v1/events${query}`, by);
  await list('');
  const { data } = await list('?type=vault.created&pageSize=2');
  await list('?page=9');
  for (const query of [
    `?since=${later(from, 2)}`,
    `?since=${later(from, 2)}&until=${later(from, 2)}`,
    `?until=${later(from, 1)}&type=vault.created`,
    `?since=${later(from, 2)}&until=${later(from, 1)}`,
    '?type=x',
    '?since=yesterday',
  ]) {
    await list(query);
  }
  await list('?type=vault.created', { as: bob.as });
  const { cursor } = await list('?pageSize=1');
  await list(`?after=${cursor}`);
  for (const name of ['D', 'E', 'F']) {
    await recorder.send('POST /api/v1/vaults', { as, body: { name } });
  }
  const first = await list(`?pageSize=2&after=${cursor}`);
  const second = await list(`?pageSize=2&after=${first.cursor}`);
  await list(`?after=${second.cursor}`);
  await list(`?type=vault.updated&after=${cursor}`);
  await list(`?after=${cursor}`, { as: bob.as });
  for (const other of [
    'page=2',
    'since=2026-01-01T00:00:00.000Z',
    'until=2026-01-01T00:00:00.000Z',
  ]) {
    await list(`?${other}&after=${cursor}`);
  }
  await list('?after=x');
  const one = `GET /api/v1/events/${data[0].id}`;
  for (const by of [as, bob.as]) await recorder.send(one, { as: by });
  await recorder.send('GET /api/v1/events/evt_0', { as });
  for (const scopes of [['webhooks:read'], ['vaults:read'], ['webhooks:read', 'users:read']]) {
    const { key } = await recorder.send('POST /api/v1/api-keys', {
      as,
      body: { name: 'K', scopes },
    });
    await list('', { key });
    await list('?type=vault.created', { key });
    await recorder.send(one, { key });
  }
}

export async function instances(recorder: Recorder): Promise<void> {
  const { as } = await recorder.signUp('ada@instances.example');
  const { data } = await recorder.send('GET /instances?sortBy=name', { as });
  for (const id of [data[0].id, missing]) {
    await recorder.send(`GET /instances/${id}`, { as });
    await recorder.send(`GET /api/v1/instances/${id}/health`, { as });
    await recorder.send(`PUT /instances/${id}`, { as, body: { name: 'Mine' } });
  }
  await recorder.send('POST /instances', { as, body: { name: 'Mine' } });
  await recorder.send('GET /instances?sortBy=x', { as });
}
