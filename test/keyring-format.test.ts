import { afterEach, describe, expect, test, vi } from 'vitest';
import { unwrapDocumentKey, wrapDocumentKey } from '../packages/sdk/src/crypto/document-key.ts';
import {
  type AccountKeys,
  addUnlocker,
  createKeyring,
  importKey,
  importSecret,
  openKeyring,
  type Secret,
  type StoredKeyring,
} from '../packages/sdk/src/crypto/keyring.ts';
import {
  createRecoveryKey,
  readRecoveryKey,
  writeRecoveryKey,
} from '../packages/sdk/src/crypto/recovery-key.ts';
import {
  createEntry,
  nextGeneration,
  openEntry,
  sealEntry,
} from '../packages/sdk/src/crypto/vault-keys.ts';
import { hasCryptography, readBlock, runPython } from './format-page.ts';

/** The page from which other languages implement the keyring. */
const vector = JSON.parse(await readBlock('keyring-format.md', 'json'));
const { userId, vaultId, keyring, document } = vector;

const fromHex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** The secrets of the three unlockers, in their order. */
const secrets: [string, Secret][] = [
  ['passphrase', { passphrase: vector.passphrase }],
  ['recovery key', { recoveryKey: vector.recoveryKey }],
  ['passkey', { prf: fromHex(vector.prf) }],
];

const openVector = async (secret: Secret): Promise<AccountKeys> =>
  openKeyring(userId, keyring, await importSecret(secret));

const importVaultKey = (n: number) =>
  importKey(fromBase64(vector.opened.keys[n]), 'AES-GCM', ['encrypt', 'decrypt']);

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, 'base64'));
}

/** Lets the next random bytes be those of a stored value, so that encryption repeats it. */
function repeatRandomness(...values: string[]): void {
  const random = vi.spyOn(crypto, 'getRandomValues');
  for (const value of values) {
    random.mockImplementationOnce((bytes) => {
      const array = bytes as Uint8Array;
      array.set(fromBase64(value).subarray(0, array.length));
      return bytes;
    });
  }
}
afterEach(() => {
  vi.restoreAllMocks();
});

describe('the vector of the keyring', () => {
  test.each(secrets)('opens by the %s of the SDK', async (_, secret) => {
    const keys = await openVector(secret);
    expect(base64(keys.publicKey)).toBe(keyring.publicKey);
    expect(await openEntry(keys, vaultId, vector.entry)).toEqual({
      ...vector.opened,
      keys: vector.opened.keys.map(fromBase64),
    });
  });

  test('the SDK writes the same unlockers from the same random bytes', async () => {
    const current = await importSecret({ recoveryKey: vector.recoveryKey });
    for (const [n, [, secret]] of secrets.entries()) {
      const { label, wrappedKey, salt = '', ...rest } = keyring.unlockers[n];
      repeatRandomness(salt, wrappedKey);
      const added = { current, secret: await importSecret(secret), label };
      const { unlockers } = await addUnlocker(userId, keyring, added);
      const { type, kdf, iterations } = rest;
      expect(unlockers.at(-1)).toMatchObject({
        type,
        label,
        wrappedKey,
        ...(salt && { kdf, iterations, salt }),
      });
    }
  });

  test('the SDK writes the same keyring from the same keys', async () => {
    const { subtle } = crypto;
    const curve = { name: 'ECDH', namedCurve: 'P-256' };
    const pkcs8 = fromHex(vector.privateKey);
    const privateKey = await subtle.importKey('pkcs8', pkcs8, curve, true, ['deriveBits']);
    const raw = fromBase64(keyring.publicKey);
    const publicKey = await subtle.importKey('raw', raw, curve, true, []);
    vi.spyOn(subtle, 'generateKey').mockResolvedValue({ privateKey, publicKey } as never);
    const accountKey = base64(fromHex(vector.accountKey));
    repeatRandomness(accountKey, keyring.privateKey);
    const secret = await importSecret({ recoveryKey: vector.recoveryKey });
    const made = await createKeyring(userId, [{ secret, label: 'Recovery key' }]);
    expect(made).toMatchObject({
      publicKey: keyring.publicKey,
      privateKey: keyring.privateKey,
    });
  });

  test('the pair of keys does not open for another account with the same account key', async () => {
    const otherId = vaultId;
    const secret = await importSecret({ prf: fromHex(vector.prf) });
    const passphrase = await importSecret({ passphrase: 'open sesame' });
    repeatRandomness(base64(fromHex(vector.accountKey)));
    const other = await createKeyring(otherId, [
      { secret: passphrase, label: '' },
      { secret, label: '' },
    ]);
    expect(await openKeyring(otherId, other, secret)).toMatchObject({ userId: otherId });
    const { publicKey, privateKey } = keyring;
    for (const exchanged of [{ publicKey, privateKey }, { publicKey }, { privateKey }]) {
      const opening = openKeyring(otherId, { ...other, ...exchanged }, secret);
      await expect(opening).rejects.toMatchObject({ name: 'DecryptionError', reason: 'keys' });
    }
  });

  test('the SDK writes and reads the recovery key', async () => {
    const bytes = fromHex(vector.recoveryKeyBytes);
    expect(await writeRecoveryKey(bytes)).toBe(vector.recoveryKey);
    expect(await readRecoveryKey(vector.recoveryKey)).toEqual(bytes);
  });

  test('the SDK writes the same entry of the vault from the same random bytes', async () => {
    const keys = await openVector({ recoveryKey: vector.recoveryKey });
    const entry = await openEntry(keys, vaultId, vector.entry);
    repeatRandomness(vector.entry);
    expect(await sealEntry(keys, vaultId, entry)).toBe(vector.entry);
  });

  test('the SDK wraps and unwraps the key of the document', async () => {
    const key = await importVaultKey(document.keyGeneration - 1);
    const unwrapped = await unwrapDocumentKey(key, fromBase64(document.wrappedKey), document.id);
    expect(unwrapped).toEqual(fromHex(document.key));
    repeatRandomness(document.wrappedKey);
    expect(base64(await wrapDocumentKey(key, unwrapped, document.id))).toBe(document.wrappedKey);
  });

  test('the document is that of the vector of documents', async () => {
    const documents = JSON.parse(await readBlock('formats.md', 'json'));
    expect(document).toMatchObject({ id: documents.document.id, key: documents.documentKey });
  });
});

describe.skipIf(!hasCryptography())(
  'the program in Python (needs python3 with the package cryptography)',
  () => {
    const program = Promise.all([
      readBlock('formats.md', 'python'),
      readBlock('keyring-format.md', 'python'),
    ]);

    async function python(lines: string, input: unknown): Promise<unknown> {
      return runPython([...(await program), lines].join('\n'), input);
    }

    const opening = `
secrets = [input["passphrase"], input["recoveryKey"], bytes.fromhex(input["prf"])]
user, ring = input["userId"], input["keyring"]
opened = [
    [key.hex() for key in open_keyring(ring, unlocker, secret, user)]
    for unlocker, secret in zip(ring["unlockers"], secrets)
]`;

    test('it opens the keyring of the vector by each unlocker', async () => {
      const keys = [vector.accountKey, vector.privateKey];
      const lines = `${opening}\nprint(json.dumps(opened))`;
      expect(await python(lines, vector)).toEqual([keys, keys, keys]);
    });

    test('it opens the entry and the document, and writes the same values', async () => {
      const lines = `
key, owner, vault = bytes.fromhex(input["accountKey"]), input["userId"], input["vaultId"]
sealed = b64decode(input["entry"])
entry = open_entry(sealed, key, vault, owner)
again = seal_entry(**entry, account_key=key, vault_id=vault, owner_id=owner, iv=sealed[:12])
document = input["document"]
vault_key = entry["keys"][document["keyGeneration"] - 1]
document_key = unwrap(b64decode(document["wrappedKey"]), vault_key, document["id"])
recovery = write_recovery_key(read_recovery_key(input["recoveryKey"].lower()))
entry["keys"] = [b64encode(each).decode() for each in entry["keys"]]
print(json.dumps([entry, again == sealed, document_key.hex(), recovery]))`;
      const { opened, recoveryKey } = vector;
      expect(await python(lines, vector)).toEqual([opened, true, document.key, recoveryKey]);
    });

    test('it opens a keyring and an entry that the SDK has made', async () => {
      const recoveryKey = await createRecoveryKey();
      const prf = crypto.getRandomValues(new Uint8Array(32));
      const passphrase = 'cafe\u0301 au lait';
      const secrets: Secret[] = [{ passphrase }, { recoveryKey }, { prf }];
      const unlockers = secrets.map(async (secret) => ({
        secret: await importSecret(secret),
        label: '',
      }));
      const made: StoredKeyring = await createKeyring(userId, await Promise.all(unlockers));
      const keys = await openKeyring(userId, made, await importSecret({ recoveryKey }));
      const entry = nextGeneration(createEntry(1));
      const sealed = await sealEntry(keys, vaultId, entry);
      const lines = `${opening}
account_key = bytes.fromhex(opened[0][0])
entry = open_entry(b64decode(input["entry"]), account_key, input["vaultId"], user)
entry["keys"] = [key and b64encode(key).decode() for key in entry["keys"]]
print(json.dumps([opened[0] == opened[1] == opened[2], entry]))`;
      const hex = Buffer.from(prf).toString('hex');
      const input = {
        userId,
        vaultId,
        passphrase: passphrase.normalize('NFC'),
        recoveryKey,
        prf: hex,
      };
      expect(await python(lines, { ...input, keyring: made, entry: sealed })).toEqual([
        true,
        { ...entry, keys: entry.keys.map((key) => key && base64(key)) },
      ]);
    });

    test('the SDK opens an entry that it has made', async () => {
      const lines = `
key, owner, vault = bytes.fromhex(input["accountKey"]), input["userId"], input["vaultId"]
print(json.dumps(b64encode(seal_entry([None, bytes(32)], {}, {}, key, vault, owner)).decode()))`;
      const sealed = (await python(lines, vector)) as string;
      const keys = await openVector({ recoveryKey: vector.recoveryKey });
      const entry = { keys: [null, new Uint8Array(32)], members: {}, invitations: {} };
      expect(await openEntry(keys, vaultId, sealed)).toEqual(entry);
    });

    const refusals = {
      'a wrong passphrase': ['passphrase', 'InvalidTag'],
      'the id of another account': ['userId', 'InvalidTag'],
      'a recovery key with a typing error': ['recoveryKey', 'ValueError'],
    } as const;
    test.each(Object.entries(refusals))('it raises an error for %s', async (_, [field, error]) => {
      const lines = `
try:${opening.replaceAll('\n', '\n    ')}
except Exception as error:
    print(json.dumps(type(error).__name__))`;
      const changed = vector[field].replace(/^./, field === 'recoveryKey' ? 'S' : '1');
      expect(await python(lines, { ...vector, [field]: changed })).toBe(error);
    });

    test.each([
      ['fewer iterations', [{ iterations: 599_999 }, {}, {}]],
      ['another derivation', [{ kdf: 'PBKDF2-SHA1' }, {}, {}]],
      ['two passphrases', [{}, { type: 'passphrase' }, {}]],
    ])('it raises a ValueError for %s', async (_, changes) => {
      const unlockers = changes.map((change, n) => ({ ...keyring.unlockers[n], ...change }));
      const lines = `
try:${opening.replaceAll('\n', '\n    ')}
except ValueError as error:
    print(json.dumps("ValueError"))`;
      const changed = { ...vector, keyring: { ...keyring, unlockers } };
      expect(await python(lines, changed)).toBe('ValueError');
    });
  },
);
