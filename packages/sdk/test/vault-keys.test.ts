import { UsageError } from '@document-vault/sdk';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { unwrapDocumentKey, wrapDocumentKey } from '../src/crypto/document-key.ts';
import { type AccountKeys, importKey } from '../src/crypto/keyring.ts';
import {
  createEntry,
  nextGeneration,
  openEntry,
  sealEntry,
  type VaultEntry,
} from '../src/crypto/vault-keys.ts';
import { rejection } from './support/client.ts';

const vaultId = '019cadd9-1528-7b02-8d4f-6c2a7b1e5f88';
const documentId = '019cadd9-1528-7f5e-848b-0eb02474ebdb';

let keys: AccountKeys;
beforeAll(async () => {
  const uses: KeyUsage[] = ['encrypt', 'decrypt'];
  const accountKey = await crypto.subtle.importKey(
    'raw',
    new Uint8Array(32),
    'AES-GCM',
    false,
    uses,
  );
  const userId = '019cadd9-1528-7a01-9c3e-5b1f6a0d4e77';
  keys = { userId, accountKey } as AccountKeys;
});

/** Encrypts any text as the entry of the vault. */
async function sealText(text: string): Promise<string> {
  const iv = new Uint8Array(12);
  const context = `document-vault/3/vault/${vaultId}/${keys.userId}`;
  const parameters = { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(context) };
  const plain = new TextEncoder().encode(text);
  const sealed = await crypto.subtle.encrypt(parameters, keys.accountKey, plain);
  return Buffer.concat([iv, new Uint8Array(sealed)]).toString('base64');
}

const secret = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString('base64'));
const participants = fc.dictionary(
  fc.uuid(),
  fc.record({ secret, email: fc.emailAddress() }, { noNullPrototype: true }),
  { maxKeys: 50, noNullPrototype: true },
);

describe('the entry of a vault', () => {
  test('any entry opens as it was sealed', async () => {
    const generations = fc.record({
      lost: fc.nat({ max: 20 }),
      more: fc.nat({ max: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(
        generations,
        participants,
        participants,
        async ({ lost, more }, members, invitations) => {
          let entry: VaultEntry = { ...createEntry(lost), members, invitations };
          for (let n = 0; n < more; n += 1) entry = nextGeneration(entry);
          const opened = await openEntry(keys, vaultId, await sealEntry(keys, vaultId, entry));
          expect(opened).toEqual(entry);
        },
      ),
      { numRuns: 30 },
    );
  });

  test('has 115 bytes with one key and no members', async () => {
    const sealed = await sealEntry(keys, vaultId, createEntry());
    expect(Buffer.from(sealed, 'base64')).toHaveLength(115);
  });

  test('keeps the keys of earlier generations when the next one is added', async () => {
    const first = createEntry();
    const second = nextGeneration(first);
    expect(second.keys).toHaveLength(2);
    expect(second.keys[0]).toBe(first.keys[0]);
    expect(second.keys[1]).not.toEqual(first.keys[0]);
    expect(first.keys).toHaveLength(1);
  });

  test('has at most 250 generations and 32 KiB', async () => {
    const full = createEntry(249);
    expect(await openEntry(keys, vaultId, await sealEntry(keys, vaultId, full))).toEqual(full);
    expect(() => nextGeneration(full)).toThrow(UsageError);
    expect(() => createEntry(250)).toThrow(UsageError);
    const large = { ...full, members: { a: { secret: '', email: 'a'.repeat(32 * 1024) } } };
    expect(await rejection(sealEntry(keys, vaultId, large))).toBeInstanceOf(UsageError);
  });

  test.each<[string, string]>([
    ['a text that is not JSON', 'keys'],
    ['null', 'null'],
    ['an entry without keys', '{"keys":[],"members":{},"invitations":{}}'],
    ['an entry whose newest key is lost', '{"keys":[null],"members":{},"invitations":{}}'],
    ['a key of another length', '{"keys":["AAAA"],"members":{},"invitations":{}}'],
    [
      'an empty key below the newest',
      `{"keys":["","${'A'.repeat(43)}="],"members":{},"invitations":{}}`,
    ],
    ['an entry without members', `{"keys":["${'A'.repeat(43)}="],"invitations":{}}`],
    [
      'a member without e-mail address',
      `{"keys":["${'A'.repeat(43)}="],"members":{"a":{"secret":"${'A'.repeat(43)}="}},"invitations":{}}`,
    ],
    [
      'more than 250 keys',
      JSON.stringify({ keys: Array(251).fill(`${'A'.repeat(43)}=`), members: {}, invitations: {} }),
    ],
  ])('openEntry rejects %s with the reason keys', async (_, text) => {
    const error = await rejection(openEntry(keys, vaultId, await sealText(text)));
    expect(error).toMatchObject({ name: 'DecryptionError', reason: 'keys' });
  });
});

test('the key of a generation alone unwraps the keys of documents that it has wrapped', async () => {
  const entry = nextGeneration(createEntry());
  const [first, second] = await Promise.all(
    entry.keys.map((key) => importKey(key as never, 'AES-GCM', ['encrypt', 'decrypt'])),
  );
  const documentKey = crypto.getRandomValues(new Uint8Array(32));
  const wrapped = await wrapDocumentKey(second as CryptoKey, documentKey, documentId);
  expect(wrapped).toHaveLength(60);
  const unwrapped = await unwrapDocumentKey(second as CryptoKey, wrapped, documentId);
  expect(unwrapped).toEqual(documentKey);
  const error = await rejection(unwrapDocumentKey(first as CryptoKey, wrapped, documentId));
  expect(error).toMatchObject({ name: 'DecryptionError', reason: 'key' });
});
