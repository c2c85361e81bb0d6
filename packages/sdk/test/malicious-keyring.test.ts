/** docs/threat-model.md lists what a malicious server can do with stored keys. Each test shows one trick and the error. */
import type { Unlocker } from '@document-vault/sdk';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { unwrapDocumentKey, wrapDocumentKey } from '../src/crypto/document-key.ts';
import {
  type AccountKeys,
  addUnlocker,
  createKeyring,
  type ImportedSecret,
  importSecret,
  openKeyring,
  removeUnlocker,
  type StoredKeyring,
} from '../src/crypto/keyring.ts';
import { createRecoveryKey } from '../src/crypto/recovery-key.ts';
import { createEntry, nextGeneration, openEntry, sealEntry } from '../src/crypto/vault-keys.ts';
import { rejection } from './support/client.ts';

const userId = '019cadd9-1528-7a01-9c3e-5b1f6a0d4e77';
const otherId = '019cadd9-1528-7a01-9c3e-5b1f6a0d4e78';
const vaultId = '019cadd9-1528-7b02-8d4f-6c2a7b1e5f88';

interface Account {
  readonly keyring: StoredKeyring;
  readonly passphrase: ImportedSecret;
  readonly recoveryKey: ImportedSecret;
  readonly keys: AccountKeys;
}

async function createAccount(id: string): Promise<Account> {
  const passphrase = await importSecret({ passphrase: 'open sesame' });
  const recoveryKey = await importSecret({ recoveryKey: await createRecoveryKey() });
  const passkey = await importSecret({ prf: new Uint8Array(32) });
  const keyring = await createKeyring(id, [
    { secret: passphrase, label: 'Passphrase' },
    { secret: recoveryKey, label: 'Recovery key' },
    { secret: passkey, label: 'Phone', credentialId: new Uint8Array(16) },
  ]);
  return { keyring, passphrase, recoveryKey, keys: await openKeyring(id, keyring, recoveryKey) };
}

let ada: Account;
let eve: Account;
beforeAll(async () => {
  [ada, eve] = [await createAccount(userId), await createAccount(otherId)];
});

/** Opens Ada's keyring as the server has changed it, by default with the recovery key. */
async function reasonOf(
  changed: object,
  secret: ImportedSecret = ada.recoveryKey,
): Promise<string | undefined> {
  const returned = { ...ada.keyring, ...changed } as StoredKeyring;
  const opening = openKeyring(userId, returned, secret);
  return ((await rejection(opening)) as { reason?: string }).reason;
}

/** One of Ada's unlockers: passphrase, recovery key, passkey. */
const at = (n: number) => ada.keyring.unlockers[n] as Unlocker;

/** Ada's unlockers with one of them changed. */
const withUnlocker = (n: number, change: object) => ({
  unlockers: ada.keyring.unlockers.map((unlocker, index) =>
    index === n ? { ...unlocker, ...change } : unlocker,
  ),
});

describe('a malicious server is detected when it', () => {
  describe('weakens the derivation of the passphrase, before anything is derived', () => {
    beforeEach(() => {
      const derive = vi.spyOn(crypto.subtle, 'deriveKey');
      return () => {
        expect(derive).not.toHaveBeenCalled();
        derive.mockRestore();
      };
    });

    test.each<[string, object]>([
      ['599,999 iterations', { iterations: 599_999 }],
      ['10,000,001 iterations', { iterations: 10_000_001 }],
      ['a broken number of iterations', { iterations: 600_000.5 }],
      ['iterations as text', { iterations: '600000' }],
      ['no iterations', { iterations: undefined }],
      ['an unknown kdf', { kdf: 'PBKDF2-SHA1' }],
      ['no kdf', { kdf: undefined }],
      ['a salt of 8 bytes', { salt: 'AAAAAAAAAAA=' }],
      ['no salt', { salt: undefined }],
    ])('%s', async (_, change) => {
      expect(await reasonOf(withUnlocker(0, change), ada.passphrase)).toBe('keys');
    });
  });

  test('exchanges the public key, so that others would encrypt for the server', async () => {
    expect(await reasonOf({ publicKey: eve.keyring.publicKey })).toBe('keys');
    const { publicKey, privateKey } = eve.keyring;
    expect(await reasonOf({ publicKey, privateKey })).toBe('keys');
  });

  test('exchanges the private key', async () => {
    expect(await reasonOf({ privateKey: eve.keyring.privateKey })).toBe('keys');
  });

  test('exchanges the public key while an unlocker is added, before a new version exists', async () => {
    const keyring = { ...ada.keyring, publicKey: eve.keyring.publicKey };
    const added = { current: ada.recoveryKey, secret: eve.recoveryKey, label: '' };
    expect(await rejection(addUnlocker(userId, keyring, added))).toMatchObject({ reason: 'keys' });
  });

  test('returns no passphrase, two of them, more than 20 unlockers, or something else', async () => {
    for (const unlockers of [
      ada.keyring.unlockers.slice(1),
      [at(0), ...ada.keyring.unlockers],
      [...eve.keyring.unlockers, ...ada.keyring.unlockers],
      [...ada.keyring.unlockers, ...Array(18).fill(at(1))],
      [null, at(1)],
      {},
      undefined,
    ]) {
      expect(await reasonOf({ unlockers })).toBe('keys');
    }
  });

  test('returns the keyring of another account, although its secret is the same', async () => {
    const opening = openKeyring(userId, eve.keyring, eve.recoveryKey);
    expect(await rejection(opening)).toMatchObject({ reason: 'key' });
  });

  test('gives an unlocker to another type, account or place', async () => {
    const { wrappedKey } = at(2);
    expect(await reasonOf(withUnlocker(1, { wrappedKey }))).toBe('key');
    expect(
      await reasonOf(withUnlocker(1, { wrappedKey: eve.keyring.unlockers[1]?.wrappedKey })),
    ).toBe('key');
    expect(await reasonOf(withUnlocker(1, { type: 'passkey' }))).toBe('key');
    const passkey = await importSecret({ prf: new Uint8Array(32) });
    expect(await reasonOf(withUnlocker(2, { type: 'recoveryKey' }), passkey)).toBe('key');
  });

  test('returns the entry of another vault or another account', async () => {
    const sealed = await sealEntry(ada.keys, vaultId, createEntry());
    expect(await openEntry(ada.keys, vaultId, sealed)).toMatchObject({ members: {} });
    const foreign = await sealEntry(eve.keys, vaultId, createEntry());
    const attempts: [AccountKeys, string, string][] = [
      [ada.keys, userId, sealed],
      [{ ...ada.keys, userId: otherId }, vaultId, sealed],
      [ada.keys, vaultId, foreign],
      [ada.keys, vaultId, ada.keyring.privateKey],
      [ada.keys, vaultId, ''],
      [ada.keys, vaultId, '*'],
      [ada.keys, vaultId, undefined as never],
    ];
    for (const attempt of attempts) {
      const error = await rejection(openEntry(...attempt));
      expect(error).toMatchObject({ name: 'DecryptionError', reason: 'keys' });
    }
  });

  test('returns what belongs to any other account, vault or document', async () => {
    const sealed = await sealEntry(ada.keys, vaultId, createEntry());
    const passkey = await importSecret({ prf: new Uint8Array(32) });
    const documentKey = await wrapDocumentKey(ada.keys.accountKey, new Uint8Array(32), vaultId);
    const ids = fc.oneof(fc.uuid(), fc.constantFrom('', '/', `${userId}/`, vaultId.toUpperCase()));
    await fc.assert(
      fc.asyncProperty(ids, async (id) => {
        const { keyring, keys } = ada;
        for (const [attempt, reason] of [
          [() => openKeyring(id, keyring, ada.recoveryKey), 'key'],
          [() => openKeyring(id, keyring, passkey), 'key'],
          [() => openEntry(keys, id, sealed), 'keys'],
          [() => openEntry({ ...keys, userId: id }, vaultId, sealed), 'keys'],
          [() => unwrapDocumentKey(keys.accountKey, documentKey, id), 'key'],
        ] as const) {
          expect(await rejection(attempt())).toMatchObject({ reason });
        }
      }),
    );
    const opening = openKeyring(otherId, ada.keyring, ada.passphrase);
    expect(await rejection(opening)).toMatchObject({ reason: 'key' });
  });

  test('flips any bit of a value that opening uses', async () => {
    const fields: [string, number, (value: string) => object, string][] = [
      [at(1).wrappedKey, 60, (wrappedKey) => withUnlocker(1, { wrappedKey }), 'key'],
      [ada.keyring.publicKey, 65, (publicKey) => ({ publicKey }), 'keys'],
      [ada.keyring.privateKey, 166, (privateKey) => ({ privateKey }), 'keys'],
    ];
    for (const [value, length, change, reason] of fields) {
      const bytes = Buffer.from(value, 'base64');
      expect(bytes).toHaveLength(length);
      for (let bit = 0; bit < length * 8; bit += 1) {
        expect(await reasonOf(change(flipped(bytes, bit)))).toBe(reason);
      }
    }
    const sealed = await sealEntry(ada.keys, vaultId, nextGeneration(createEntry()));
    const bytes = Buffer.from(sealed, 'base64');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const opening = openEntry(ada.keys, vaultId, flipped(bytes, bit));
      expect(await rejection(opening)).toMatchObject({ reason: 'keys' });
    }
  });

  test('changes any character of a stored value', async () => {
    const characters = fc.constantFrom(...'AQgw09+/=-_ ');
    const places = fc.nat({ max: 300 });
    await fc.assert(
      fc.asyncProperty(characters, places, async (character, place) => {
        for (const field of ['publicKey', 'privateKey'] as const) {
          const value = ada.keyring[field];
          const index = place % value.length;
          const changed = value.slice(0, index) + character + value.slice(index + 1);
          if (changed !== value) expect(await reasonOf({ [field]: changed })).toBe('keys');
        }
      }),
      { numRuns: 200 },
    );
  });

  test('flips bits of the salt or of the wrapped key of the passphrase', async () => {
    for (const field of ['salt', 'wrappedKey'] as const) {
      const value = flipped(Buffer.from(at(0)[field] ?? '', 'base64'), 77);
      expect(await reasonOf(withUnlocker(0, { [field]: value }), ada.passphrase)).toBe('key');
    }
  });
});

function flipped(bytes: Buffer, bit: number): string {
  const changed = Buffer.from(bytes);
  changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return changed.toString('base64');
}

describe('a malicious server remains undetected when it', () => {
  test('returns an earlier keyring: a removed unlocker and a replaced passphrase open it', async () => {
    const current = ada.recoveryKey;
    const secret = await importSecret({ passphrase: 'a new one' });
    const removed = removeUnlocker(ada.keyring, at(2).id);
    const newest = await addUnlocker(userId, removed, { current, secret, label: '' });
    expect(newest.version).toBe(3);
    for (const earlier of [ada.passphrase, await importSecret({ prf: new Uint8Array(32) })]) {
      expect(await openKeyring(userId, ada.keyring, earlier)).toMatchObject({ userId });
    }
  });

  test('returns an earlier entry of a vault to a client that has not seen a later one', async () => {
    const first = createEntry();
    const earlier = await sealEntry(ada.keys, vaultId, first);
    await sealEntry(ada.keys, vaultId, nextGeneration(first));
    expect(await openEntry(ada.keys, vaultId, earlier)).toEqual(first);
  });

  test('changes label, date, id or credential of an unlocker', async () => {
    const change = { id: 'x', label: 'Phone', createdAt: '2020-01-01T00:00:00.000Z' };
    const returned = { ...ada.keyring, ...withUnlocker(1, change) };
    expect(await openKeyring(userId, returned, ada.recoveryKey)).toMatchObject({ userId });
  });
});
