import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { userScopes } from '../src/domain/access.ts';
import { dataFolder, everyRow, inDatabase, makeAdmin, rowsIn } from './support/data-folder.ts';
import { refusal } from './support/front-door.ts';
import { testsPostgres } from './support/postgres/databases.ts';
import { invalid, missing } from './support/replies.ts';
import { clientOf, newClient, newKey } from './support/resources.ts';
import { startTestServer } from './support/server.ts';

const path = '/api/v1/oauth/clients';
const hour = 60 * 60 * 1000;

/** The coordinates of a key on P-256. */
const coordinates = {
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
};
const jwks = { keys: [{ kty: 'EC', crv: 'P-256', kid: 'one', ...coordinates }] };

/** A server with the account of `ada@example.com`. */
async function start(data?: string) {
  const server = await startTestServer(data === undefined ? {} : { data });
  const ada = await server.signUp('ada@example.com');
  return { ...server, ada, call: ada.call };
}

/** A server with an administrator beside `ada@example.com`. */
async function startWithAdmin() {
  const data = await dataFolder();
  const first = await startTestServer({ data });
  await first.close();
  makeAdmin(data, 'developer@example.com');
  const server = await start(data);
  const admin = await server.signIn({ email: '', password: '', ...server.account });
  return { ...server, admin };
}

describe('POST /oauth/clients', () => {
  test('returns the client with its secret; GET returns it without', async () => {
    const { call, clock, ada } = await start();
    const created = await call('POST', path, { body: clientOf({ name: ' Tax Assistant ' }) });
    expect(created.status).toBe(201);
    const { clientSecret, ...client } = created.body;
    expect(clientSecret).toMatch(/^service_cs_[A-Za-z0-9]{40}$/);
    const now = new Date(clock.now()).toISOString();
    const me = await call('GET', '/api/v1/users/me');
    expect(me.body.email).toBe(ada.email);
    expect(client).toEqual({
      ...clientOf(),
      clientId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      userId: me.body.id,
      verified: false,
      grantTypes: ['authorization_code', 'refresh_token'],
      tokenEndpointAuthMethod: 'client_secret_basic',
      jwks: null,
      requirePar: false,
      disabled: false,
      previousSecretExpiresAt: null,
      createdAt: now,
      updatedAt: now,
    });
    expect((await call('GET', `${path}/${client.clientId}`)).body).toEqual(client);
    expect((await call('GET', path)).body.data).toEqual([client]);
  });

  test.each([
    ['a public client', { type: 'public', redirectUris: ['com.example.scanner:/callback'] }],
  ])('%s has no secret', async (_, fields) => {
    const { call } = await start();
    const client = await newClient(call, fields);
    expect(client).toMatchObject({ clientSecret: null, ...fields });
    const rotated = await call('POST', `${path}/${client.clientId}/secret`);
    expect(rotated).toMatchObject(invalid('clientId', 'secret'));
  });

  test.each([
    'https://tax.example.com/callback?from=vault',
    'https://tax.example.com',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:8412/callback',
    'http://[::1]/callback',
    'http://localhost:3000/callback',
    'com.example.app:/callback',
    'com.example.app://callback',
  ])('accepts the redirect URI %s', async (uri) => {
    const { call } = await start();
    expect((await newClient(call, { redirectUris: [uri] })).redirectUris).toEqual([uri]);
  });

  test.each([
    ['http://tax.example.com/callback', 'redirectUri'],
    ['http://127.0.0.1.example.com/callback', 'redirectUri'],
    ['http://0.0.0.0/callback', 'redirectUri'],
    ['https://tax.example.com/callback#', 'redirectUri'],
    ['https://tax.example.com/callback#part', 'redirectUri'],
    ['https://ada@tax.example.com/callback', 'redirectUri'],
    ['https://ada:secret@tax.example.com/callback', 'redirectUri'],
    ['https://@tax.example.com/callback', 'redirectUri'],
    ['https:tax.example.com/callback', 'redirectUri'],
    ['https:/tax.example.com/callback', 'redirectUri'],
    ['https:///tax.example.com/callback', 'redirectUri'],
    ['javascript:alert(1)', 'redirectUri'],
    ['data:text/html,x', 'redirectUri'],
    ['file:///etc/passwd', 'redirectUri'],
    ['myapp://callback', 'redirectUri'],
    ['/callback', 'format'],
    ['https://tax.example.com/*\\', 'format'],
    ['https://tax.example.com/\ncallback', 'format'],
  ])('refuses the redirect URI %s', async (uri, constraint) => {
    const { call } = await start();
    const redirectUris = ['https://tax.example.com/', uri];
    const reply = await call('POST', path, { body: clientOf({ redirectUris }) });
    expect(reply).toMatchObject(invalid('redirectUris.1', constraint));
    expect(reply.body.error.message).toContain('redirectUris.1');
  });

  test('refuses https on this device beside the address of a native app', async () => {
    const { call } = await start();
    const local = 'https://localhost:3000/callback';
    expect((await newClient(call, { redirectUris: [local] })).redirectUris).toEqual([local]);
    const redirects = [
      ['com.example.app:/callback', local],
      ['http://127.0.0.1/callback', local],
      ...['0.0.0.0', '[::]', '[::ffff:0:0]', '[::ffff:0.0.0.0]', '[::ffff:127.0.0.1]'].map(
        (host) => ['com.example.app:/callback', `https://${host}/callback`],
      ),
    ];
    for (const redirectUris of redirects) {
      const reply = await call('POST', path, { body: clientOf({ redirectUris }) });
      expect(reply, `${redirectUris}`).toMatchObject(invalid('redirectUris.1', 'redirectUri'));
    }
    const body = clientOf({ redirectUris: ['https://tax.example.com/', 'com.example.app:/'] });
    expect((await call('POST', path, { body })).status).toBe(201);
  });

  test.each([
    [{ redirectUris: [] }, 'redirectUris', 'required'],
    [{ scopes: ['vaults:read', 'admin:*'] }, 'scopes.1', 'grantable'],
    [{ scopes: [] }, 'scopes', 'minItems'],
    [{ name: '  ' }, 'name', 'minLength'],
    [{ name: 'Tax\u202eretsissA' }, 'name', 'format'],
    [{ name: '\u3164' }, 'name', 'format'],
    [{ name: 'Tax\u200dAssistant' }, 'name', 'pattern'],
    [{ name: 'Tax\u2028Assistant' }, 'name', 'pattern'],
    [{ name: 'Tax\u2003Assistant' }, 'name', 'pattern'],
    [{ grantTypes: ['refresh_token'] }, 'grantTypes.0', 'grantType'],
    [{ grantTypes: ['password'] }, 'grantTypes.0', 'enum'],
    [{ type: 'public', grantTypes: ['client_credentials'] }, 'grantTypes.0', 'grantType'],
    [{ tokenEndpointAuthMethod: 'none' }, 'tokenEndpointAuthMethod', 'clientType'],
    [
      { type: 'public', tokenEndpointAuthMethod: 'client_secret_post' },
      'tokenEndpointAuthMethod',
      'clientType',
    ],
    [{ tokenEndpointAuthMethod: 'private_key_jwt' }, 'jwks', 'required'],
    [{ verified: true }, 'verified', 'additionalProperties'],
    [{ clientSecret: 'chosen' }, 'clientSecret', 'additionalProperties'],
  ] as const)('refuses %j', async (fields, field, constraint) => {
    const { call } = await start();
    const reply = await call('POST', path, { body: clientOf(fields) });
    expect(reply).toMatchObject(invalid(field, constraint));
    expect((await call('GET', path)).body.data).toEqual([]);
  });

  test.each([
    [{ ...jwks.keys[0], d: 'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI' }, 'additionalProperties'],
    [{ kty: 'oct', k: 'c2VjcmV0' }, 'enum'],
    [{ kty: 'EC', crv: 'P-256' }, 'publicKey'],
    [{ kty: 'EC', crv: 'Ed25519', ...coordinates }, 'publicKey'],
    [{ kty: 'OKP', crv: 'Ed25519' }, 'publicKey'],
    [{ kty: 'RSA', e: 'AQAB' }, 'publicKey'],
    [{ kty: 'RSA', e: 'AQAB', n: 'A'.repeat(171) }, 'publicKey'],
  ])('refuses the key %j', async (key, constraint) => {
    const { call } = await start();
    const fields = { tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [key] } };
    const reply = await call('POST', path, { body: clientOf(fields) });
    expect(reply.status).toBe(400);
    const { field, constraint: broken } = reply.body.error.details;
    expect(field).toMatch(/^jwks\.keys\.0/);
    const constraints = reply.body.error.details.violations.map(
      (found: { constraint: string }) => found.constraint,
    );
    expect(constraints).toContain(constraint);
    expect(broken).toBe(constraints[0]);
  });

  test('names every broken rule', async () => {
    const { call } = await start();
    const body = clientOf({
      redirectUris: ['http://a.example', 'https://b.example/#'],
      tokenEndpointAuthMethod: 'none',
    });
    const { violations } = (await call('POST', path, { body })).body.error.details;
    expect(violations.map(({ field }: { field: string }) => field)).toEqual([
      'redirectUris.0',
      'redirectUris.1',
      'tokenEndpointAuthMethod',
    ]);
  });
});

describe('PUT /oauth/clients/{clientId}', () => {
  test('changes the fields that are sent', async () => {
    const { call, clock } = await start();
    const { clientSecret: _, ...client } = await newClient(call);
    clock.advance(1000);
    const change = { name: 'Taxes', disabled: true, requirePar: true, scopes: ['vaults:read'] };
    const changed = await call('PUT', `${path}/${client.clientId}`, { body: change });
    const updatedAt = new Date(clock.now()).toISOString();
    expect(changed).toMatchObject({ status: 200, body: { ...client, ...change, updatedAt } });
    clock.advance(1000);
    const same = await call('PUT', `${path}/${client.clientId}`, { body: change });
    expect(same.body).toEqual(changed.body);
  });

  test('checks the rules against the fields that are not sent', async () => {
    const { call } = await start();
    const { clientId } = await newClient(call, { type: 'public' });
    for (const [body, field, constraint] of [
      [{ redirectUris: [] }, 'redirectUris', 'required'],
      [{ redirectUris: ['http://tax.example.com/'] }, 'redirectUris.0', 'redirectUri'],
      [{ grantTypes: ['client_credentials'] }, 'grantTypes.0', 'grantType'],
      [{ scopes: ['admin:*'] }, 'scopes.0', 'grantable'],
      [{ type: 'confidential' }, 'type', 'additionalProperties'],
    ] as const) {
      const reply = await call('PUT', `${path}/${clientId}`, { body });
      expect(reply).toMatchObject(invalid(field, constraint));
    }
  });

  test('verified is for administrators, and ends when the owner changes name or redirect URIs, or adds a scope', async () => {
    const { call, admin } = await startWithAdmin();
    const { clientId } = await newClient(call);
    const put = (body: object, caller = call) => caller('PUT', `${path}/${clientId}`, { body });
    const verify = () => put({ verified: true }, admin);
    expect(await put({ verified: true })).toMatchObject(
      refusal('INSUFFICIENT_PERMISSIONS', { requiredRole: 'admin' }),
    );
    expect((await verify()).body.verified).toBe(true);
    expect((await put({ scopes: ['vaults:read'], disabled: false })).body.verified).toBe(true);
    expect((await put({ name: 'Tax Assistant' })).body.verified, 'the same name').toBe(true);
    expect((await put({ name: 'Your Bank' })).body.verified).toBe(false);
    await verify();
    expect((await put({ redirectUris: ['https://evil.example/'] })).body.verified).toBe(false);
    const own = await newClient(admin);
    const putOwn = (body: object) => admin('PUT', `${path}/${own.clientId}`, { body });
    await putOwn({ verified: true });
    expect((await putOwn({ name: 'Your Bank' })).body.verified).toBe(true);
    await verify();
    expect((await put({ scopes: ['vaults:read', 'documents:read'] })).body.verified).toBe(false);
  });
});

describe('POST /oauth/clients/{clientId}/secret', () => {
  test('returns a new secret, and the end of the previous one after 24 hours', async () => {
    const { ada, clock, signIn } = await start();
    const client = await newClient(ada.call);
    const rotated = await ada.call('POST', `${path}/${client.clientId}/secret`);
    const previousSecretExpiresAt = new Date(clock.now() + 24 * hour).toISOString();
    expect(rotated).toMatchObject({
      status: 200,
      body: { clientId: client.clientId, previousSecretExpiresAt },
    });
    expect(rotated.body.clientSecret).toMatch(/^service_cs_[A-Za-z0-9]{40}$/);
    expect(rotated.body.clientSecret).not.toBe(client.clientSecret);
    clock.advance(24 * hour - 1);
    const expiry = async () => {
      const call = await signIn(ada);
      return (await call('GET', `${path}/${client.clientId}`)).body.previousSecretExpiresAt;
    };
    expect(await expiry()).toBe(previousSecretExpiresAt);
    clock.advance(1);
    expect(await expiry()).toBeNull();
  });

  test.skipIf(testsPostgres)(
    'the database has SHA-256 digests of both secrets for 24 hours, and no secret',
    async () => {
      const data = await dataFolder();
      const { call, clock, settled } = await start(data);
      const client = await newClient(call);
      const rotated = await call('POST', `${path}/${client.clientId}/secret`);
      const digest = (secret: string) => createHash('sha256').update(secret).digest();
      const stored = () =>
        inDatabase(data, (database) =>
          database.prepare('SELECT secret_hash, previous_secret_hash FROM oauth_clients').get(),
        );
      expect(stored()).toEqual({
        secret_hash: digest(rotated.body.clientSecret),
        previous_secret_hash: digest(client.clientSecret),
      });
      clock.advance(24 * hour);
      await settled();
      expect(stored()).toEqual({
        secret_hash: digest(rotated.body.clientSecret),
        previous_secret_hash: null,
      });
      for (const row of Object.values(everyRow(data)).flat()) {
        expect(JSON.stringify(row)).not.toContain(client.clientSecret);
      }
    },
  );

  test('a new password with revokeApiKeys ends secrets and disables clients with keys', async () => {
    const data = await dataFolder();
    const { ada, call } = await start(data);
    const { clientId } = await newClient(call);
    const withKeys = await newClient(call, { tokenEndpointAuthMethod: 'private_key_jwt', jwks });
    const open = await newClient(call, { type: 'public' });
    await call('POST', `${path}/${clientId}/secret`);
    const body = { password: 'another long password', currentPassword: ada.password };
    await call('PUT', '/api/v1/users/me', { body: { ...body, revokeApiKeys: true } });
    const secrets = inDatabase(data, (database) =>
      database
        .prepare('SELECT COUNT(secret_hash) + COUNT(previous_secret_hash) FROM oauth_clients')
        .pluck()
        .get(),
    );
    expect(Number(secrets)).toBe(0);
    const disabled = async (id: string) => (await call('GET', `${path}/${id}`)).body.disabled;
    expect(await disabled(clientId)).toBe(false);
    expect(await disabled(withKeys.clientId)).toBe(true);
    expect(await disabled(open.clientId)).toBe(false);
    const rotated = await call('POST', `${path}/${clientId}/secret`);
    expect(rotated.body).toMatchObject({ previousSecretExpiresAt: null });
  });
});

describe('an Idempotency-Key', () => {
  const once = { headers: { 'Idempotency-Key': 'one key' } };

  test('returns the secret of the registration again until another one has replaced it', async () => {
    const { ada, call, clock, signIn } = await start();
    const create = (caller = call) => caller('POST', path, { ...once, body: clientOf() });
    const first = await create();
    expect(await create()).toMatchObject({ status: 201, body: first.body });
    await call('POST', `${path}/${first.body.clientId}/secret`);
    expect((await create()).body).toEqual(first.body);
    await call('POST', `${path}/${first.body.clientId}/secret`);
    const replaced = await create();
    expect(replaced).toMatchObject(invalid('Idempotency-Key', 'usable'));
    expect(JSON.stringify(replaced.body)).not.toContain(first.body.clientSecret);
    clock.advance(24 * hour);
    const again = await create(await signIn(ada));
    expect(again.body.clientId).not.toBe(first.body.clientId);
  });

  test('returns the secret of a rotation again, and not after the client was deleted', async () => {
    const { call } = await start();
    const { clientId } = await newClient(call);
    const rotate = () => call('POST', `${path}/${clientId}/secret`, once);
    const first = await rotate();
    expect((await rotate()).body).toEqual(first.body);
    await call('DELETE', `${path}/${clientId}`);
    const deleted = await rotate();
    expect(deleted).toMatchObject(invalid('Idempotency-Key', 'usable'));
    expect(JSON.stringify(deleted.body)).not.toContain(first.body.clientSecret);
  });
});

describe('OAuth clients', () => {
  test('with an API key return 403 INSUFFICIENT_PERMISSIONS', async () => {
    const { call, withKey } = await start();
    const { clientId } = await newClient(call);
    const holder = withKey((await newKey(call, userScopes)).key);
    for (const reply of [
      await holder('GET', path),
      await holder('POST', path, { body: clientOf() }),
      await holder('GET', `${path}/${clientId}`),
      await holder('PUT', `${path}/${clientId}`, { body: { disabled: true } }),
      await holder('DELETE', `${path}/${clientId}`),
      await holder('POST', `${path}/${clientId}/secret`),
    ]) {
      expect(reply).toMatchObject(
        refusal('INSUFFICIENT_PERMISSIONS', { requiredScopes: ['admin:*'] }),
      );
    }
  });

  test('of another account return 404, and are disabled and deleted by a key with admin:*', async () => {
    const { call, signUp, admin, withKey } = await startWithAdmin();
    const { clientId } = await newClient(call);
    const bob = await signUp('bob@example.com');
    const tried = (caller: typeof call) => [
      () => caller('GET', `${path}/${clientId}`),
      () => caller('PUT', `${path}/${clientId}`, { body: { disabled: true } }),
      () => caller('DELETE', `${path}/${clientId}`),
    ];
    const rotate = () => bob.call('POST', `${path}/${clientId}/secret`);
    for (const attempt of [...tried(bob.call), rotate]) {
      expect(await attempt()).toMatchObject(missing({ clientId }));
    }
    expect((await bob.call('GET', path)).body.data).toEqual([]);
    expect((await call('GET', `${path}/${clientId}`)).body.disabled).toBe(false);

    const key = withKey((await newKey(admin, ['admin:*'])).key);
    expect((await key('GET', `${path}?account=all`)).body.data).toMatchObject([{ clientId }]);
    for (const attempt of tried(key)) expect((await attempt()).status).toBeLessThan(300);
    expect(await call('GET', `${path}/${clientId}`)).toMatchObject(missing({ clientId }));
  });

  test.each([
    [{ scopes: [...userScopes] }],
    [{ grantTypes: ['authorization_code', 'client_credentials'] }],
    [{ redirectUris: ['https://evil.example/'] }],
    [{ jwks }],
    [{ name: 'Your Bank' }],
    [{ requirePar: true }],
    [{ disabled: true, scopes: [...userScopes] }],
  ])(
    'PUT %j by an administrator who is not the owner returns 403 and changes nothing',
    async (body) => {
      const { call, admin } = await startWithAdmin();
      const { clientSecret: _, ...client } = await newClient(call);
      const one = `${path}/${client.clientId}`;
      expect(await admin('PUT', one, { body })).toMatchObject(refusal('INSUFFICIENT_PERMISSIONS'));
      expect((await call('GET', one)).body).toEqual(client);
    },
  );

  test('a rotation by an administrator who is not the owner returns 403 and no secret', async () => {
    const { call, admin, withKey } = await startWithAdmin();
    const { clientSecret: _, ...client } = await newClient(call);
    const one = `${path}/${client.clientId}`;
    const key = withKey((await newKey(admin, ['admin:*'])).key);
    for (const caller of [admin, key]) {
      const reply = await caller('POST', `${one}/secret`);
      expect(reply).toMatchObject(refusal('INSUFFICIENT_PERMISSIONS'));
      expect(JSON.stringify(reply.body)).not.toContain('service_cs_');
    }
    expect((await call('GET', one)).body).toEqual(client);
  });

  test('are listed in pages, newest first or sorted by name', async () => {
    const { call, clock } = await start();
    for (const name of ['b', 'c', 'a']) {
      clock.advance(1000);
      await newClient(call, { name });
    }
    const names = async (query: string) =>
      (await call('GET', path + query)).body.data.map(({ name }: { name: string }) => name);
    expect(await names('')).toEqual(['a', 'c', 'b']);
    expect(await names('?sortBy=name')).toEqual(['a', 'b', 'c']);
    expect(await names('?sortBy=name&sortOrder=desc&pageSize=2&page=2')).toEqual(['a']);
  });

  test('DELETE removes a client; a second DELETE returns 404', async () => {
    const { call } = await start();
    const { clientId } = await newClient(call);
    expect((await call('DELETE', `${path}/${clientId}`)).status).toBe(204);
    expect(await call('DELETE', `${path}/${clientId}`)).toMatchObject(missing({ clientId }));
  });

  test('end with their account, and with reset()', async () => {
    const data = await dataFolder();
    const { ada, call, signUp, reset } = await start(data);
    await newClient(call);
    expect(rowsIn(data, 'oauth_clients')).toBe(1);
    await call('DELETE', '/api/v1/users/me', { body: { password: ada.password } });
    expect(rowsIn(data, 'oauth_clients')).toBe(0);
    await newClient((await signUp('bob@example.com')).call);
    await reset();
    expect(rowsIn(data, 'oauth_clients')).toBe(0);
  });
});
