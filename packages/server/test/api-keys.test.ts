import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { userScopes } from '../src/domain/access.ts';
import { databaseFile } from '../src/store/sqlite/driver.ts';
import { dataFolder, inDatabase, makeAdmin } from './support/data-folder.ts';
import { refusal } from './support/front-door.ts';
import { invalid, missing } from './support/replies.ts';
import { newKey } from './support/resources.ts';
import { type Caller, startTestServer, type TestServer } from './support/server.ts';

const path = '/api/v1/api-keys';

describe('an API key', () => {
  test('is shown once, at its creation', async () => {
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

  test('is like no other', async () => {
    const { signUp } = await startTestServer();
    const { call } = await signUp('ada@example.com');
    const bodies = await Promise.all(
      Array.from({ length: 20 }, () => newKey(call, ['vaults:read'])),
    );
    expect(new Set(bodies.map(({ key }) => key)).size).toBe(20);
    // Letters of both cases and digits: 800 of them from 62 leave none out, but for 1 in 10,000.
    const used = new Set(bodies.flatMap(({ key }) => [...key.slice('service_sk_'.length)]));
    expect(used.size).toBeGreaterThan(50);
  });

  test('is stored as its hash alone', async () => {
    const data = await dataFolder();
    const { signUp, close } = await startTestServer({ data });
    const { key } = await newKey((await signUp('ada@example.com')).call, ['vaults:read']);
    await close();
    expect((await readFile(join(data, databaseFile))).includes(key.slice(15))).toBe(false);
    const hashes = inDatabase(data, (database) =>
      database.prepare('SELECT hash FROM api_keys').pluck().all(),
    );
    expect(hashes).toContainEqual(createHash('sha256').update(key).digest());
  });

  test('tells its facts when it is validated', async () => {
    const { signUp, withKey } = await startTestServer();
    const { call } = await signUp('ada@example.com');
    const { key, keyId } = await newKey(call, ['webhooks:read']);
    expect(await withKey(key)('GET', '/api/v1/auth/validate')).toMatchObject({
      status: 200,
      body: { valid: true, keyId, name: 'Key', scopes: ['webhooks:read'], expiresAt: null },
    });
    // The operation is about keys: a token is no key.
    expect(await call('GET', '/api/v1/auth/validate')).toMatchObject(refusal('MISSING_AUTH'));
  });

  test('goes before an access token', async () => {
    const { signUp, developer, withKey } = await startTestServer();
    const { key } = await newKey((await signUp('ada@example.com')).call, ['users:read']);
    const headers = { authorization: 'Bearer rubbish' };
    const me = await withKey(key)('GET', '/api/v1/users/me', { headers });
    expect(me).toMatchObject({ status: 200, body: { email: 'ada@example.com' } });
    const other = await developer('GET', '/api/v1/users/me', { headers });
    expect(other.body.email).toBe('developer@example.com');
  });

  test('notes its use at most once a minute', async () => {
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

describe('a key that is not valid', () => {
  test('is refused with the same bytes for every reason', async () => {
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

  /** The answer byte by byte, without what is different for every request. */
  async function fetchVaults(url: string, key: string) {
    const response = await fetch(`${url}/api/v1/vaults`, { headers: { 'x-api-key': key } });
    const names = [...response.headers.keys()];
    const text = (await response.text())
      .replace(/req_[0-9a-f]{32}/, 'req_')
      .replace(/"timestamp":"[^"]{24}"/, '"timestamp":""');
    return { status: response.status, names, text };
  }
});

describe('the management of keys', () => {
  test('is for people who are signed in, not for their keys', async () => {
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

  test('revokes at once, and once', async () => {
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

  test('does not reach the keys of another account', async () => {
    const { signUp, withKey } = await startTestServer();
    const [ada, bob] = [await signUp('ada@example.com'), await signUp('bob@example.com')];
    const { key, keyId } = await newKey(ada.call, ['vaults:read']);
    expect((await bob.call('GET', path)).body.data).toEqual([]);
    expect(await bob.call('DELETE', `${path}/${keyId}`)).toMatchObject(missing({ keyId }));
    expect((await withKey(key)('GET', '/api/v1/vaults')).status).toBe(200);
  });

  test('lists in pages, newest first or by name', async () => {
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

  test('refuses what a key cannot be', async () => {
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

describe('an administrator', () => {
  /** A server whose development account is an administrator, and a key of it with `admin:*`. */
  async function startWithAdmin(data: string): Promise<{ server: TestServer; key: string }> {
    const first = await startTestServer({ data });
    await first.close();
    makeAdmin(data, 'developer@example.com');
    const server = await startTestServer({ data });
    const call = await server.signIn({ email: '', password: '', ...server.account });
    return { server, key: (await newKey(call, ['admin:*'])).key };
  }

  test('has keys that manage the keys of every account', async () => {
    const { server, key } = await startWithAdmin(await dataFolder());
    const admin = server.withKey(key);
    const ada = await server.signUp('ada@example.com');
    const adas = await newKey(ada.call, ['vaults:read']);

    const listed = (await admin('GET', path)).body.data;
    expect(listed.map((item: { keyId: string }) => item.keyId)).toContain(adas.keyId);
    expect((await newKey(admin, ['consents:read'])).scopes).toEqual(['consents:read']);
    expect((await admin('DELETE', `${path}/${adas.keyId}`)).status).toBe(204);
    expect((await ada.call('GET', path)).body.data).toEqual([]);
  });

  test('who is one no longer has keys without admin:*', async () => {
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
