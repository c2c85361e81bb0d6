import { expect } from 'vitest';
import { encryptionMetadata } from './resources.ts';
import type { Caller } from './server.ts';

// Keyrings and vault keys whose contents are random bytes: they are opaque to the service.

type Fields = Readonly<Record<string, unknown>>;

/** Random bytes as padded base64. */
export function base64Of(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('base64');
}

/** An uncompressed point begins with 4. */
export function publicKey(): string {
  const point = crypto.getRandomValues(new Uint8Array(65));
  point[0] = 4;
  return Buffer.from(point).toString('base64');
}

export function passphrase(fields: Fields = {}) {
  return {
    id: crypto.randomUUID(),
    type: 'passphrase',
    label: 'Passphrase',
    createdAt: '2026-03-02T09:16:20.004Z',
    wrappedKey: base64Of(60),
    kdf: 'PBKDF2-SHA256',
    iterations: 600_000,
    salt: base64Of(16),
    ...fields,
  };
}

export function recoveryKey(fields: Fields = {}) {
  const { kdf: _, iterations: __, salt: ___, ...unlocker } = passphrase();
  return { ...unlocker, type: 'recoveryKey', label: 'Recovery key', ...fields };
}

export function passkey(fields: Fields = {}) {
  return recoveryKey({ type: 'passkey', label: 'Laptop', credentialId: base64Of(32), ...fields });
}

export function keyringOf(fields: Fields = {}) {
  return {
    version: 1,
    publicKey: publicKey(),
    privateKey: base64Of(166),
    unlockers: [passphrase(), recoveryKey(), passkey()],
    ...fields,
  };
}

export const keyringPath = '/api/v1/keyring';

export const putKeyring = (call: Caller, body: object) => call('PUT', keyringPath, { body });

/** Stores the first keyring of an account, and returns its body. */
export async function newKeyring(call: Caller, fields: Fields = {}) {
  const keyring = keyringOf(fields);
  expect(await putKeyring(call, keyring)).toMatchObject({ status: 200 });
  return keyring;
}

export const keysPath = (vaultId: string) => `/api/v1/vaults/${vaultId}/keys`;

export const putVaultKeys = (call: Caller, vaultId: string, body: object) =>
  call('PUT', keysPath(vaultId), { body });

/** Stores the first key of a vault, and returns its body. */
export async function newVaultKeys(call: Caller, vaultId: string) {
  const body = { version: 1, generation: 1, sealed: base64Of(101) };
  expect(await putVaultKeys(call, vaultId, body)).toMatchObject({ status: 200 });
  return body;
}

export const vaultKeysOf = async (call: Caller) =>
  (await call('GET', '/api/v1/vault-keys')).body.data;

/** The metadata of a document that the key of its vault encrypts. */
export function underVaultKey(keyGeneration: number | undefined) {
  const { salt: _, ...metadata } = encryptionMetadata;
  return {
    ...metadata,
    keyDerivation: 'VAULT_KEY',
    iterations: 1,
    keyGeneration,
    wrappedKey: base64Of(60),
  };
}
