import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { userScopes } from '../src/domain/access.ts';
import { dataFolder, inDatabase, makeAdmin, storedBytes } from './support/data-folder.ts';
import { refusal } from './support/front-door.ts';
import { invalid, missing } from './support/replies.ts';
import { newKey } from './support/resources.ts';
import { type Caller, startTestServer, type TestServer } from './support/server.ts';

const path = '/api/v1/api-keys';

describe('API keys', () => {
  test('POST /api-keys returns the secret key; GET /api-keys does not', async () => {
    const { signUp, clock } = await startTestServer();
    const { call } = await signUp('ada@example.com');
    const expiresAt = new Date(clock.now() + 1000).toISOString();
    const created = await call('POST', path, {
      body: { name: '  Backup ', scopes: ['vaults:read', 'documents:read'], expiresAt },
    });
    expect(created.status).toBe(201);
    const { key, ...facts } = created.body;
    expect(key).toMatch(/^service_sk_[A-Za-z0-9]{40}$/);
    expect(facts).toEqual({
      keyId: expect.stringMatching(/^key_[0-9a-f]{32}$/),
      name: 'Backup',
      scopes: ['vaults:read', 'documents:read'],
      prefix: key.slice(0, 15),
      createdAt: new Date(clock.now()).toISOString(),
      lastUsedAt: null,
      expiresAt,
    });

    const list = await call('GET', path);
    expect(list.body.data).toEqual([facts]);
    expect(JSON.stringify(list.body)).not.toContain(key.slice(0, 16));
  });

  test('20 keys created at once are all different and use letters of both cases and digits', async () => {
    const { signUp } = await startTestServer();
    const { call } = await signUp('ada@example.com');
    const bodies = await Promise.all(
      Array.from({ length: 20 }, () => newKey(call, ['vaults:read'])),
    );
    expect(new Set(bodies.map(({ key }) => key)).size).toBe(20);
    // 800 random characters of 62: all of them occur with a probability above 0.999.
    const used = new Set(bodies.flatMap(({ key }) => [...key.slice('service_sk_'.length)]));
    expect(used.size).toBeGreaterThan(50);
  });

  test('the database stores the SHA-256 hash of a key and not the key', async () => {
    const data = await dataFolder();
    const { signUp, close } = await startTestServer({ data });
    const { key } = await newKey((await signUp('ada@example.com')).call, ['vaults:read']);
    await close();
    expect(storedBytes(data).includes(key.slice(15))).toBe(false);
    const hashes = inDatabase(data, (database) =>
      database.prepare('SELECT hash FROM api_keys').pluck().all(),
    );
    expect(hashes).toContainEqual(createHash('sha256').update(key).digest());
  });

  test('GET /auth/validate returns the id, name, scopes and expiry of the key', async () => {
    const { signUp, withKey } = await startTestServer();
    const { call } = await signUp('ada@example.com');
    const { key, keyId } = await newKey(call, ['webhooks:read']);
    expect(await withKey(key)('GET', '/api/v1/auth/validate')).toMatchObject({
      status: 200,
      body: { valid: true, keyId, name: 'Key', scopes: ['webhooks:read'], expiresAt: null },
    });
    // The operation accepts API keys only.
    expect(await call('GET', '/api/v1/auth/validate')).toMatchObject(refusal('MISSING_AUTH'));
  });

  test('a request with an API key and an access token is authenticated by the key', async () => {
    const { signUp, developer, withKey } = await startTestServer();
    const { key } = await newKey((await signUp('ada@example.com')).call, ['users:read']);
    const headers = { authorization: 'Bearer rubbish' };
    const me = await withKey(key)('GET', '/api/v1/users/me', { headers });
    expect(me).toMatchObject({ status: 200, body: { email: 'ada@example.com' } });
    const other = await developer('GET', '/api/v1/users/me', { headers });
    expect(other.body.email).toBe('developer@example.com');
  });

  test('lastUsedAt is updated at most once a minute', async () => {
    const { signUp, withKey, clock } = await startTestServer();
    const { call } = await signUp('ada@example.com');
    const { key } = await newKey(call, ['vaults:read']);
    const use = () => withKey(key)('GET', '/api/v1/vaults');
    const lastUse = async () => (await call('GET', path)).body.data[0].lastUsedAt;
    const start = clock.now();

    await Promise.all([use(), use(), use()]);
    expect(await lastUse()).toBe(new Date(start).toISOString());
    clock.advance(59_999);
    await use();
    expect(await lastUse()).toBe(new Date(start).toISOString());
    clock.advance(1);
    await use();
    expect(await lastUse()).toBe(new Date(start + 60_000).toISOString());
  });
});

describe('invalid API keys', () => {
  test('unknown, revoked, expired and malformed keys return byte-identical 401 INVALID_API_KEY', async () => {
    const { signUp, url, clock } = await startTestServer();
    const { call } = await signUp('ada@example.com');
    const { key } = await newKey(call, ['vaults:read']);
    const revoked = await newKey(call, ['vaults:read']);
    await call('DELETE', `${path}/${revoked.keyId}`);
    const expiresAt = new Date(clock.now() + 1000).toISOString();
    const expired = await call('POST', path, {
      body: { name: 'Short', scopes: ['vaults:read'], expiresAt },
    });
    clock.advance(999);
    expect((await fetchVaults(url, expired.body.key)).status).toBe(200);
    clock.advance(1);

    const refused = await fetchVaults(url, 'rubbish');
    expect(refused.status).toBe(401);
    expect(JSON.parse(refused.text).error.code).toBe('INVALID_API_KEY');
    const reasons: Record<string, string> = {
      unknown: `service_sk_${'0'.repeat(40)}`,
      revoked: revoked.key,
      expired: expired.body.key,
      'too short': key.slice(0, -1),
      'too long': `${key}0`,
      'in another case': key.toUpperCase(),
      'its id': revoked.keyId,
      'not ASCII': 'schlüssel',
      'sent twice': `${key}, ${key}`,
    };
    for (const [reason, wrong] of Object.entries(reasons)) {
      expect(await fetchVaults(url, wrong), reason).toEqual(refused);
    }
    expect((await fetchVaults(url, key)).status).toBe(200);
  });

  /** The response's bytes without the request id and the time. */
  async function fetchVaults(url: string, key: string) {
    const response = await fetch(`${url}/api/v1/vaults`, { headers: { 'x-api-key': key } });
    const names = [...response.headers.keys()];
    const text = (await response.text())
      .replace(/req_[0-9a-f]{32}/, 'req_')
      .replace(/"timestamp":"[^"]{24}"/, '"timestamp":""');
    return { status: response.status, names, text };
  }
});

describe('managing API keys', () => {
  test('with an API key returns 403 INSUFFICIENT_PERMISSIONS; it needs an access token', async () => {
    const { developer, signUp, withKey } = await startTestServer();
    const { call } = await signUp('ada@example.com');
    const { key, keyId } = await newKey(call, userScopes);
    for (const holder of [developer, withKey(key)]) {
      const body = { name: 'Another', scopes: ['vaults:read'] };
      const replies = [
        await holder('GET', path),
        await holder('POST', path, { body }),
        await holder('DELETE', `${path}/${keyId}`),
      ];
      for (const reply of replies) {
        expect(reply).toMatchObject(
          refusal('INSUFFICIENT_PERMISSIONS', { requiredScopes: ['admin:*'] }),
        );
      }
    }
    expect((await call('GET', path)).body.data).toMatchObject([{ keyId }]);
  });

  test('DELETE /api-keys/{id} revokes the key at once; a second DELETE returns 404', async () => {
    const { signUp, withKey } = await startTestServer();
    const { call } = await signUp('ada@example.com');
    const [kept, gone] = [await newKey(call, ['vaults:read']), await newKey(call, ['vaults:read'])];
    expect((await call('DELETE', `${path}/${gone.keyId}`)).status).toBe(204);
    expect(await withKey(gone.key)('GET', '/api/v1/vaults')).toMatchObject(
      refusal('INVALID_API_KEY'),
    );
    expect((await withKey(kept.key)('GET', '/api/v1/vaults')).status).toBe(200);
    expect((await call('GET', path)).body.data).toMatchObject([{ keyId: kept.keyId }]);
    for (const keyId of [gone.keyId, 'key_unknown', gone.key]) {
      expect(await call('DELETE', `${path}/${keyId}`)).toMatchObject(missing({ keyId }));
    }
  });

  test('GET and DELETE do not reach the keys of another account', async () => {
    const { signUp, withKey } = await startTestServer();
    const [ada, bob] = [await signUp('ada@example.com'), await signUp('bob@example.com')];
    const { key, keyId } = await newKey(ada.call, ['vaults:read']);
    expect((await bob.call('GET', path)).body.data).toEqual([]);
    expect(await bob.call('DELETE', `${path}/${keyId}`)).toMatchObject(missing({ keyId }));
    expect((await withKey(key)('GET', '/api/v1/vaults')).status).toBe(200);
  });

  test('GET /api-keys returns pages, newest first or sorted by name', async () => {
    const { signUp, clock } = await startTestServer();
    const { call } = await signUp('ada@example.com');
    for (const name of ['b', 'c', 'a']) {
      clock.advance(1000);
      await call('POST', path, { body: { name, scopes: ['vaults:read'] } });
    }
    const names = async (query: string) =>
      (await call('GET', path + query)).body.data.map((key: { name: string }) => key.name);
    expect(await names('')).toEqual(['a', 'c', 'b']);
    expect(await names('?sortBy=name')).toEqual(['a', 'b', 'c']);
    expect(await names('?sortBy=name&sortOrder=desc&pageSize=2')).toEqual(['c', 'b']);
    expect(await names('?sortBy=name&sortOrder=desc&pageSize=2&page=2')).toEqual(['a']);
  });

  test('POST /api-keys with invalid fields returns 400 with field and constraint', async () => {
    const { signUp } = await startTestServer();
    const { call } = await signUp('ada@example.com');
    for (const [fields, field, constraint] of [
      [{ scopes: ['vaults:read', 'admin:*'] }, 'scopes.1', 'grantable'],
      [{ scopes: [] }, 'scopes', 'minItems'],
      [{ scopes: ['vaults:read', 'vaults:read'] }, 'scopes', 'uniqueItems'],
      [{ scopes: ['vaults:burn'] }, 'scopes.0', 'enum'],
      [{ name: '   ' }, 'name', 'minLength'],
      [{ expiresAt: '2026-01-01T00:00:00.000Z' }, 'expiresAt', 'future'],
      [{ expiresAt: 'tomorrow' }, 'expiresAt', 'format'],
      [{ key: 'service_sk_chosen' }, 'key', 'additionalProperties'],
    ] as const) {
      const body = { name: 'Key', scopes: ['vaults:read'], ...fields };
      const reply = await call('POST', path, { body });
      expect(reply, JSON.stringify(fields)).toMatchObject(invalid(field, constraint));
    }
    expect((await call('GET', path)).body.data).toEqual([]);
  });
});

describe('API keys of administrators', () => {
  /** Starts a server whose development account is an administrator with an `admin:*` key. */
  async function startWithAdmin(data: string): Promise<{ server: TestServer; key: string }> {
    const first = await startTestServer({ data });
    await first.close();
    makeAdmin(data, 'developer@example.com');
    const server = await startTestServer({ data });
    const call = await server.signIn({ email: '', password: '', ...server.account });
    return { server, key: (await newKey(call, ['admin:*'])).key };
  }

  test('a key with admin:* lists and revokes the keys of every account', async () => {
    const { server, key } = await startWithAdmin(await dataFolder());
    const admin = server.withKey(key);
    const ada = await server.signUp('ada@example.com');
    const adas = await newKey(ada.call, ['vaults:read']);

    const listed = (await admin('GET', `${path}?account=all`)).body.data;
    expect(listed.map((item: { keyId: string }) => item.keyId)).toContain(adas.keyId);
    expect((await newKey(admin, ['consents:read'])).scopes).toEqual(['consents:read']);
    expect((await admin('DELETE', `${path}/${adas.keyId}`)).status).toBe(204);
    expect((await ada.call('GET', path)).body.data).toEqual([]);
  });

  test('a key with admin:* returns 403 once its account is no longer an administrator', async () => {
    const data = await dataFolder();
    const { server, key } = await startWithAdmin(data);
    await server.close();
    inDatabase(data, (database) => database.exec(`UPDATE users SET role = 'user'`));
    const call = (await startTestServer({ data })).withKey(key);
    expect(await call('GET', path)).toMatchObject(refusal('INSUFFICIENT_PERMISSIONS'));
    expect(await call('GET', '/api/v1/vaults')).toMatchObject(refusal('INSUFFICIENT_PERMISSIONS'));
  });
});

describe('POST /api/v1/api-keys with an Idempotency-Key', () => {
  const hour = 60 * 60 * 1000;
  const create = (call: Caller, body: object = {}) =>
    call('POST', path, {
      body: { name: 'CI', scopes: ['vaults:read'], ...body },
      headers: { 'Idempotency-Key': 'one key' },
    });

  test('replays the secret while the key is usable', async () => {
    const { signUp, withKey } = await startTestServer();
    const { call } = await signUp('ada@example.com');
    const first = await create(call);
    const again = await create(call);
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await withKey(again.body.key)('GET', '/api/v1/vaults')).status).toBe(200);
  });

  test('returns 400 usable, without the secret, once the key was revoked', async () => {
    const { signUp } = await startTestServer();
    const { call } = await signUp('ada@example.com');
    const { body } = await create(call);
    expect((await call('DELETE', `${path}/${body.keyId}`)).status).toBe(204);
    const again = await create(call);
    expect(again).toMatchObject(invalid('Idempotency-Key', 'usable'));
    expect(again.body.error.message).toContain('was revoked');
    expect(JSON.stringify(again.body)).not.toContain(body.key);
    expect(again.headers.has('idempotency-replayed')).toBe(false);
    expect((await call('GET', path)).body.pagination.totalCount, 'no other key is made').toBe(0);
  });

  test('returns 400 usable, without the secret, once the key has expired', async () => {
    const { signIn, signUp, clock } = await startTestServer();
    const account = await signUp('ada@example.com');
    const expiresAt = new Date(clock.now() + hour).toISOString();
    const { body } = await create(account.call, { expiresAt });
    clock.advance(hour);
    const again = await create(await signIn(account), { expiresAt });
    expect(again).toMatchObject(invalid('Idempotency-Key', 'usable'));
    expect(again.body.error.message).toContain('has expired');
    expect(JSON.stringify(again.body)).not.toContain(body.key);
  });
});
