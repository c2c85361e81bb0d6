import { DecryptionError, type Unlocker, UsageError } from '@document-vault/sdk';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
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
import { rejection } from './support/client.ts';

const userId = '019cadd9-1528-7a01-9c3e-5b1f6a0d4e77';
const passphrase = 'cafe\u0301 au lait';

/** A keyring with two recovery keys and a passkey beside the passphrase. */
let keyring: StoredKeyring;
/** The secrets of its unlockers, in their order. */
let secrets: ImportedSecret[];

const recoveryKeyOf = async () => importSecret({ recoveryKey: await createRecoveryKey() });
const randomPasskey = () => importSecret({ prf: crypto.getRandomValues(new Uint8Array(32)) });

beforeAll(async () => {
  secrets = [
    await importSecret({ passphrase }),
    await recoveryKeyOf(),
    await recoveryKeyOf(),
    await randomPasskey(),
  ];
  const credentialId = new Uint8Array([1, 2, 3]);
  const unlockers = secrets.map((secret, n) => ({
    secret,
    label: `Unlocker ${n}`,
    ...(secret.type === 'passkey' && { credentialId }),
  }));
  keyring = await createKeyring(userId, unlockers);
});

/** Returns a ciphertext under the account key, which other opened keys of the account decrypt. */
async function encryptedBy({ accountKey }: AccountKeys): Promise<ArrayBuffer> {
  const iv = new Uint8Array(12);
  return crypto.subtle.encrypt({ name: 'AES-GCM', iv }, accountKey, new Uint8Array(4));
}

const reasonOf = async (promise: Promise<unknown>) => {
  const error = await rejection(promise);
  expect(error).toBeInstanceOf(DecryptionError);
  return (error as DecryptionError).reason;
};

/** The first recovery key opens in a thousandth of the time that the passphrase takes. */
const cheap = () => secrets[1] as ImportedSecret;

describe('a keyring', () => {
  test('has the fields and sizes of its format', () => {
    const { version, publicKey, privateKey, unlockers } = keyring;
    expect(version).toBe(1);
    expect(Buffer.from(publicKey, 'base64')).toHaveLength(65);
    expect(Buffer.from(privateKey, 'base64')).toHaveLength(166);
    expect(unlockers.map(({ type }) => type)).toEqual(secrets.map(({ type }) => type));
    const [first, second, , last] = unlockers as [Unlocker, Unlocker, Unlocker, Unlocker];
    expect(Object.keys(second)).toEqual(['id', 'type', 'wrappedKey', 'label', 'createdAt']);
    expect(first).toMatchObject({ kdf: 'PBKDF2-SHA256', iterations: 600_000, label: 'Unlocker 0' });
    expect(Buffer.from(first.salt ?? '', 'base64')).toHaveLength(16);
    expect(last.credentialId).toBe('AQID');
    expect(new Set(unlockers.map(({ id }) => id)).size).toBe(4);
    for (const { wrappedKey } of unlockers) {
      expect(Buffer.from(wrappedKey, 'base64')).toHaveLength(60);
    }
  });

  test('opens by each of its unlockers, with the same keys that cannot be exported', async () => {
    const opened = await Promise.all(secrets.map((secret) => openKeyring(userId, keyring, secret)));
    const ciphertexts = await Promise.all(opened.map(encryptedBy));
    for (const ciphertext of ciphertexts) expect(ciphertext).toEqual(ciphertexts[0]);
    for (const keys of opened) {
      expect(keys).toMatchObject({ userId });
      expect(Buffer.from(keys.publicKey).toString('base64')).toBe(keyring.publicKey);
      expect(keys.accountKey).toMatchObject({ extractable: false, usages: ['encrypt', 'decrypt'] });
      expect(keys.privateKey).toMatchObject({ extractable: false, usages: ['deriveBits'] });
    }
  });

  test('has a private key that belongs to its public key', async () => {
    const { privateKey, publicKey } = await openKeyring(userId, keyring, cheap());
    const curve = { name: 'ECDH', namedCurve: 'P-256' };
    const other = await crypto.subtle.generateKey(curve, false, ['deriveBits']);
    const received = await crypto.subtle.importKey('raw', publicKey, curve, false, []);
    const agreed = await Promise.all([
      crypto.subtle.deriveBits({ name: 'ECDH', public: other.publicKey }, privateKey, 256),
      crypto.subtle.deriveBits({ name: 'ECDH', public: received }, other.privateKey, 256),
    ]);
    expect(agreed[0]).toEqual(agreed[1]);
  });

  test('opens by the passphrase in its composed form', async () => {
    const composed = await importSecret({ passphrase: passphrase.normalize('NFC') });
    expect(await openKeyring(userId, keyring, composed)).toMatchObject({ userId });
  });

  test('a wrong secret of any type is a DecryptionError with the reason key', async () => {
    for (const wrong of [
      await importSecret({ passphrase: 'wrong' }),
      await recoveryKeyOf(),
      await randomPasskey(),
    ]) {
      expect(await reasonOf(openKeyring(userId, keyring, wrong))).toBe('key');
    }
  });

  test('any combination of unlockers opens by each of them, and by no other secret', async () => {
    const kinds = fc.array(fc.constantFrom(recoveryKeyOf, randomPasskey), {
      minLength: 1,
      maxLength: 18,
    });
    await fc.assert(
      fc.asyncProperty(kinds, async (kinds) => {
        let grown: StoredKeyring = { ...keyring, unlockers: keyring.unlockers.slice(0, 2) };
        const added: ImportedSecret[] = [];
        for (const kind of kinds) {
          const secret = await kind();
          grown = await addUnlocker(userId, grown, { current: cheap(), secret, label: '' });
          added.push(secret);
        }
        grown = removeUnlocker(grown, keyring.unlockers[1]?.id ?? '');
        expect(grown.unlockers).toHaveLength(1 + kinds.length);
        for (const secret of added) await openKeyring(userId, grown, secret);
        for (const secret of [cheap(), await randomPasskey()]) {
          expect(await reasonOf(openKeyring(userId, grown, secret))).toBe('key');
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe('a changed keyring', () => {
  test('has the next version, the same keys and one more unlocker', async () => {
    const secret = await recoveryKeyOf();
    const next = await addUnlocker(userId, keyring, { current: cheap(), secret, label: 'Safe' });
    const added = { type: 'recoveryKey', label: 'Safe' };
    expect(next).toMatchObject({
      ...keyring,
      version: 2,
      unlockers: [...keyring.unlockers, added],
    });
    const [before, after] = [
      await openKeyring(userId, keyring, cheap()),
      await openKeyring(userId, next, secret),
    ];
    expect(await encryptedBy(after)).toEqual(await encryptedBy(before));
  });

  test('with a new passphrase opens with that and no longer with the older one', async () => {
    const secret = await importSecret({ passphrase: 'a new one' });
    const next = await addUnlocker(userId, keyring, { current: cheap(), secret, label: 'New' });
    const others = keyring.unlockers.slice(1);
    expect(next.unlockers).toMatchObject([...others, { type: 'passphrase', label: 'New' }]);
    expect(next.unlockers.at(-1)?.salt).not.toBe(keyring.unlockers[0]?.salt);
    expect(await openKeyring(userId, next, secret)).toMatchObject({ userId });
    expect(await reasonOf(openKeyring(userId, next, secrets[0] as ImportedSecret))).toBe('key');
  });

  test('without an unlocker no longer opens with it', async () => {
    const next = removeUnlocker(keyring, keyring.unlockers[1]?.id ?? '');
    expect(next.version).toBe(2);
    expect(await reasonOf(openKeyring(userId, next, cheap()))).toBe('key');
    expect(await openKeyring(userId, next, secrets[2] as ImportedSecret)).toMatchObject({ userId });
  });

  test('is refused for a wrong current secret', async () => {
    const [current, secret] = [await recoveryKeyOf(), await recoveryKeyOf()];
    expect(await reasonOf(addUnlocker(userId, keyring, { current, secret, label: '' }))).toBe(
      'key',
    );
  });

  test('has at most 20 unlockers, keeps its passphrase, and removes only what it has', async () => {
    let full = keyring;
    const added = { current: cheap(), secret: await recoveryKeyOf(), label: '' };
    while (full.unlockers.length < 20) full = await addUnlocker(userId, full, added);
    const error = await rejection(addUnlocker(userId, full, added));
    expect(error).toBeInstanceOf(UsageError);
    const replaced = { ...added, secret: await importSecret({ passphrase: 'a new one' }) };
    expect((await addUnlocker(userId, full, replaced)).unlockers).toHaveLength(20);
    expect(() => removeUnlocker(keyring, keyring.unlockers[0]?.id ?? '')).toThrow(UsageError);
    expect(() => removeUnlocker(keyring, 'unknown')).toThrow(UsageError);
  });
});

describe('a secret', () => {
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['an unknown secret', { password: 'a' }],
    ['an empty passphrase', { passphrase: '' }],
    ['a passphrase that is not a string', { passphrase: 1 }],
    ['a passphrase with a lone surrogate', { passphrase: '\ud83d' }],
    ['a recovery key with a typing error', { recoveryKey: 'RF2C' }],
    ['a PRF output of 31 bytes', { prf: new Uint8Array(31) }],
    ['a PRF output as text', { prf: 'a'.repeat(32) }],
  ])('importSecret rejects %s with a UsageError', async (_, secret) => {
    const error = await rejection(importSecret(secret as { passphrase: string }));
    expect(error).toBeInstanceOf(UsageError);
  });
});
