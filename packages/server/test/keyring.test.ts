import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { startWithAdministrator } from './support/administrator.ts';
import { refusal } from './support/front-door.ts';
import {
  base64Of,
  keyringOf,
  keyringPath,
  keysPath,
  newKeyring,
  newVaultKeys,
  passkey,
  passphrase,
  publicKey,
  putKeyring,
  putVaultKeys,
  recoveryKey,
  vaultKeysOf,
} from './support/keys.ts';
import { invalid } from './support/replies.ts';
import { newKey, newVault } from './support/resources.ts';
import { type Account, startTestServer, type TestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

let server: TestServer;
let ada: Account;
beforeEach(async () => {
  server = await startTestServer();
  ada = await server.signUp('ada@example.com');
});

const put = (body: object) => putKeyring(ada.call, body);

const stored = async () => (await ada.call('GET', keyringPath)).body;

describe('GET /keyring', () => {
  test('returns 404 without a keyring, and what PUT has stored afterwards', async () => {
    expect(await ada.call('GET', keyringPath)).toMatchObject(
      refusal('NOT_FOUND', { userId: ada.userId }),
    );
    const keyring = await newKeyring(ada.call);
    expect(await ada.call('GET', keyringPath)).toMatchObject({
      status: 200,
      body: { ...keyring, userId: ada.userId },
    });
  });

  test('never returns the keyring of another account, to administrators neither', async () => {
    const administered = await startWithAdministrator();
    const bob = await administered.signUp('bob@example.com');
    await newKeyring(bob.call);
    for (const other of [administered.admin, administered.developer]) {
      expect((await other('GET', keyringPath)).status).toBe(404);
      expect((await other('GET', `${keyringPath}?account=${bob.userId}`)).status).toBe(400);
      expect((await other('GET', `/api/v1/users/${bob.userId}`)).body).not.toHaveProperty(
        'unlockers',
      );
    }
  });
});

describe('PUT /keyring', () => {
  test('stores the first keyring with an API key, and later ones with a session and the password alone', async () => {
    const { key } = await newKey(ada.call, ['users:write', 'documents:read']);
    const program = server.withKey(key);
    const first = await newKeyring(program);
    expect((await program('GET', keyringPath)).body).toMatchObject(first);
    const { password } = ada;
    const second = { ...first, version: 2, unlockers: [passphrase()] };
    expect(await putKeyring(program, { ...second, currentPassword: password })).toMatchObject(
      refusal('INSUFFICIENT_PERMISSIONS'),
    );
    expect(await put(second)).toMatchObject(invalid('currentPassword', 'required'));
    expect(await put({ ...second, currentPassword: 'wrong' })).toMatchObject(
      invalid('currentPassword', 'match'),
    );
    expect(await stored()).toMatchObject(first);
    const changed = await put({ ...second, currentPassword: password });
    expect(changed).toMatchObject({ status: 200, body: { ...second, userId: ada.userId } });
    expect(changed.body).not.toHaveProperty('currentPassword');
    expect(await stored()).toEqual(changed.body);
  });

  test('limits wrong passwords as the password change does', async () => {
    const first = await newKeyring(ada.call);
    const next = { ...first, version: 2, currentPassword: 'wrong' };
    for (let attempt = 0; attempt < 10; attempt++) {
      expect(await put(next)).toMatchObject(invalid('currentPassword', 'match'));
    }
    const limited = refusal('RATE_LIMIT_EXCEEDED');
    expect(await put(next)).toMatchObject(limited);
    const body = { name: 'Ada', currentPassword: 'wrong' };
    expect(await ada.call('PUT', '/api/v1/users/me', { body })).toMatchObject(limited);
  });

  test.each([0, 2, 3, 5])('with version %j after version 3 returns 400', async (lie) => {
    const first = await newKeyring(ada.call);
    const { password: currentPassword } = ada;
    for (const version of [2, 3]) await put({ ...first, version, currentPassword });
    const before = await stored();
    expect(before.version).toBe(3);
    const reply = await put({ ...first, version: lie, currentPassword });
    expect(reply).toMatchObject(invalid('version', lie === 0 ? 'minimum' : 'version'));
    expect(await put({ ...first, version: 1 })).toMatchObject(invalid('version', 'version'));
    expect(await stored()).toEqual(before);
  });

  test('with version 2 and no keyring returns 400 for the version', async () => {
    const reply = await put(keyringOf({ version: 2, currentPassword: ada.password }));
    expect(reply).toMatchObject(invalid('version', 'version'));
  });

  test('of many calls at the same time with the same version, one succeeds', async () => {
    const { password: currentPassword } = ada;
    for (const version of [1, 2, 3]) {
      const present = version === 1 ? undefined : await stored();
      const bodies = Array.from({ length: 6 }, () =>
        keyringOf({ version, currentPassword, publicKey: present?.publicKey ?? publicKey() }),
      );
      const replies = await Promise.all(bodies.map(put));
      const winners = replies.filter(({ status }) => status === 200);
      expect(winners).toHaveLength(1);
      for (const reply of replies) {
        if (reply.status !== 200) expect(reply).toMatchObject(invalid('version', 'version'));
      }
      expect(await stored()).toEqual(winners[0]?.body);
    }
  });

  test('with another public key needs replace and removes the keys of own vaults alone', async () => {
    const bob = await server.signUp('bob@example.com');
    const kept = await newVaultKeys(bob.call, (await newVault(bob.call)).id);
    const first = await newKeyring(ada.call);
    const vault = await newVault(ada.call);
    await newVaultKeys(ada.call, vault.id);
    const { password: currentPassword } = ada;
    const other = keyringOf({ version: 2, currentPassword });
    for (const replace of [undefined, false]) {
      expect(await put({ ...other, replace })).toMatchObject(invalid('replace', 'required'));
    }
    expect(await stored()).toMatchObject(first);
    const same = { ...first, version: 2, currentPassword, replace: true };
    expect(await put(same)).toMatchObject({ status: 200 });
    expect((await vaultKeysOf(ada.call))[0].sealed).not.toBeNull();

    expect(await put({ ...other, version: 3, replace: true })).toMatchObject({ status: 200 });
    const lost = { vaultId: vault.id, version: 1, generation: 1, sealed: null };
    expect(await vaultKeysOf(ada.call)).toEqual([{ ...lost, grant: null, rotationDue: false }]);
    expect(await vaultKeysOf(bob.call)).toMatchObject([kept]);
  });

  test('emits user.updated with the version alone, and no event after a refusal', async () => {
    const webhook = await listen({ server, call: ada.call });
    const first = await newKeyring(ada.call);
    const { password: currentPassword } = ada;
    await put({ ...first, version: 2, currentPassword });
    await put({ ...first, version: 2, currentPassword });
    const me = await ada.call('GET', '/api/v1/users/me');
    const { usage: _, ...object } = me.body;
    const events = await webhook.events();
    expect(events).toMatchObject([
      { type: 'user.updated', data: { changes: ['keyring'], previous: { keyring: null } } },
      { type: 'user.updated', data: { changes: ['keyring'], previous: { keyring: 1 } } },
    ]);
    expect(events.at(-1).data.object).toEqual(object);
    const log = await ada.call('GET', '/api/v1/events');
    for (const secret of [first.privateKey, ...first.unlockers.map((each) => each.wrappedKey)]) {
      expect(JSON.stringify([events, log.body])).not.toContain(secret);
    }
  });

  const two = [passphrase(), passphrase()];
  const twins = [passphrase(), recoveryKey({ id: 'c4e8f2d1-7b36-4a9c-b0d5-1e6f8a3c9072' })];
  test.each<[string, string, Record<string, unknown>]>([
    ['publicKey', 'pattern', { publicKey: base64Of(64) }],
    ['publicKey', 'pattern', { publicKey: base64Of(66) }],
    // A compressed point begins with 2 or 3.
    ['publicKey', 'pattern', { publicKey: `Ag${publicKey().slice(2)}` }],
    ['publicKey', 'pattern', { publicKey: publicKey().replace(/.=$/, 'B=') }],
    ['privateKey', 'pattern', { privateKey: base64Of(165) }],
    ['privateKey', 'pattern', { privateKey: base64Of(167) }],
    ['privateKey', 'maxLength', { privateKey: base64Of(169) }],
    ['unlockers', 'minItems', { unlockers: [] }],
    ['unlockers', 'maxItems', { unlockers: Array(21).fill(passphrase()) }],
    ['unlockers', 'passphrase', { unlockers: [recoveryKey()] }],
    ['unlockers', 'passphrase', { unlockers: two }],
    ['unlockers.2.id', 'unique', { unlockers: [...twins, passkey({ id: twins[1]?.id })] }],
    ['unlockers.0.id', 'pattern', { unlockers: [passphrase({ id: 'A' })] }],
    ['unlockers.0.type', 'enum', { unlockers: [passphrase({ type: 'pin' })] }],
    [
      'unlockers.0.wrappedKey',
      'pattern',
      { unlockers: [passphrase({ wrappedKey: base64Of(59) })] },
    ],
    [
      'unlockers.0.wrappedKey',
      'maxLength',
      { unlockers: [passphrase({ wrappedKey: base64Of(61) })] },
    ],
    ['unlockers.0.kdf', 'enum', { unlockers: [passphrase({ kdf: 'PBKDF2-SHA1' })] }],
    ['unlockers.0.iterations', 'minimum', { unlockers: [passphrase({ iterations: 599_999 })] }],
    ['unlockers.0.iterations', 'maximum', { unlockers: [passphrase({ iterations: 10_000_001 })] }],
    ['unlockers.0.iterations', 'required', { unlockers: [passphrase({ iterations: undefined })] }],
    ['unlockers.0.salt', 'pattern', { unlockers: [passphrase({ salt: base64Of(15) })] }],
    ['unlockers.0.salt', 'pattern', { unlockers: [passphrase({ salt: base64Of(17) })] }],
    ['unlockers.0.label', 'maxLength', { unlockers: [passphrase({ label: 'x'.repeat(61) })] }],
    ['unlockers.0.createdAt', 'format', { unlockers: [passphrase({ createdAt: 'today' })] }],
    [
      'unlockers.1.salt',
      'additionalProperties',
      { unlockers: [passphrase(), recoveryKey({ salt: base64Of(16) })] },
    ],
    [
      'unlockers.1.credentialId',
      'required',
      { unlockers: [passphrase(), passkey({ credentialId: undefined })] },
    ],
    [
      'body',
      'maxBytes',
      {
        unlockers: [
          passphrase(),
          ...Array.from({ length: 19 }, () => passkey({ credentialId: base64Of(600) })),
        ],
      },
    ],
  ])('with an invalid %s returns 400 with %s', async (field, constraint, fields) => {
    expect(await put(keyringOf(fields))).toMatchObject(invalid(field, constraint));
    expect((await ada.call('GET', keyringPath)).status).toBe(404);
  });

  test('accepts the limits: 20 unlockers, 10,000,000 iterations, 60 characters', async () => {
    const keys = Array.from({ length: 19 }, () => recoveryKey({ label: '鍵'.repeat(60) }));
    await newKeyring(ada.call, { unlockers: [passphrase({ iterations: 10_000_000 }), ...keys] });
    expect((await stored()).unlockers).toHaveLength(20);
  });
});

test('the deletion of an account removes its keyring and vault keys', async () => {
  await newKeyring(ada.call);
  const vault = await newVault(ada.call);
  await newVaultKeys(ada.call, vault.id);
  expect(await server.store.keyrings.find(ada.userId)).toBeDefined();
  const body = { password: ada.password };
  expect((await ada.call('DELETE', '/api/v1/users/me', { body })).status).toBe(204);
  expect(await server.store.keyrings.find(ada.userId)).toBeUndefined();
  expect(await server.store.vaultKeys.find(vault.id)).toBeUndefined();
});

test('keyring and vault keys count in the bytes of the account until they are removed', async () => {
  const usage = async () => (await ada.call('GET', '/api/v1/users/me')).body.usage.bytes.used;
  const before = await usage();
  const keyring = await newKeyring(ada.call);
  const { publicKey: point, privateKey, unlockers } = keyring;
  const held = point.length + privateKey.length + JSON.stringify(unlockers).length;
  expect(await usage()).toBe(before + held);
  const vault = await newVault(ada.call);
  const empty = await usage();
  const { sealed } = await newVaultKeys(ada.call, vault.id);
  expect(await usage()).toBe(empty + sealed.length);
  const { password: currentPassword } = ada;
  const next = { ...keyring, version: 2, unlockers: unlockers.slice(0, 1), currentPassword };
  await put(next);
  const saved = JSON.stringify(unlockers).length - JSON.stringify(next.unlockers).length;
  expect(await usage()).toBe(empty + sealed.length - saved);
  await put({ ...next, version: 3, publicKey: publicKey(), replace: true });
  expect(await usage()).toBe(empty - saved);
  await ada.call('DELETE', `/api/v1/vaults/${vault.id}`);
  expect(await usage()).toBe(before + held - saved);
});

test('no key and no password of these operations is in the log', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  const logged = await startTestServer({ log });
  const { call, password: currentPassword } = await logged.signUp('bob@example.com');
  const keyring = await newKeyring(call);
  const vault = await newVault(call);
  const { sealed } = await newVaultKeys(call, vault.id);
  await putKeyring(call, { ...keyring, version: 2, currentPassword });
  await putKeyring(call, { ...keyring, version: 9, currentPassword });
  await putKeyring(call, { ...keyring, version: 3, currentPassword: 'wrong canary' });
  await putVaultKeys(call, vault.id, { version: 9, generation: 1, sealed });
  await call('GET', keyringPath);
  await vaultKeysOf(call);
  const text = lines.join('');
  expect(text).toContain('updateKeyring');
  const wraps = keyring.unlockers.map(({ wrappedKey }) => wrappedKey);
  const secrets = [keyring.privateKey, sealed, currentPassword, 'wrong canary', ...wraps];
  for (const secret of secrets) expect(text).not.toContain(secret);
});

test('anonymous callers and keys of other scopes cannot call the operations', async () => {
  const vault = await newVault(ada.call);
  const others = ['vaults:read', 'documents:write', 'users:read'];
  const { key } = await newKey(ada.call, others);
  for (const [method, path, body] of [
    ['GET', keyringPath, undefined],
    ['PUT', keyringPath, keyringOf()],
    ['GET', '/api/v1/vault-keys', undefined],
    ['PUT', keysPath(vault.id), { version: 1, generation: 1, sealed: base64Of(101) }],
  ] as const) {
    const options = { ...(body && { body }) };
    expect(await server.anonymous(method, path, options)).toMatchObject(refusal('MISSING_AUTH'));
    expect(await server.withKey(key)(method, path, options)).toMatchObject(
      refusal('INSUFFICIENT_PERMISSIONS'),
    );
  }
});
