import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { decrypt, encrypt, encryptionOverhead } from '../lib/encryption.ts';
import { OperatorError } from '../lib/operator-error.ts';
import type { SqlValue } from './driver.ts';

interface Sealing {
  /** The primary key of the table. */
  readonly key: readonly string[];
  /** What is removed when the master key is lost: the row, or only the value, which becomes NULL. */
  readonly lost: 'row' | 'value';
}

/** The columns with secrets. */
export const sealedColumns = {
  'signing_keys.private_jwk': { key: ['kid'], lost: 'row' },
  'server_secrets.value': { key: ['name'], lost: 'row' },
  'webhooks.secret': { key: ['id'], lost: 'value' },
  'webhooks.previous_secret': { key: ['id'], lost: 'value' },
  'webhooks.headers': { key: ['id'], lost: 'value' },
  'oauth_artifacts.payload': { key: ['id_hash'], lost: 'row' },
  'idempotency_outcomes.body': { key: ['user_id', 'call_hash'], lost: 'row' },
} as const satisfies Readonly<Record<string, Sealing>>;

export type SealedColumn = keyof typeof sealedColumns;

/**
 * Encrypts values before they are stored and decrypts them after they are read. A value can only be
 * decrypted in its own column and row.
 */
export interface Sealer {
  /** Id of the master key in hexadecimal; null without a key: values are stored plain. */
  readonly keyId: string | null;
  /** @param row the row's primary key, in the order of `sealedColumns` */
  seal(value: string | Uint8Array, column: SealedColumn, row: readonly SqlValue[]): Uint8Array;
  /** @throws SealedValueError when the value has another key or was changed */
  open(stored: Uint8Array, column: SealedColumn, row: readonly SqlValue[]): Buffer;
}

/** A stored secret cannot be decrypted. */
export class SealedValueError extends OperatorError {
  override readonly name = 'SealedValueError';

  constructor(column: SealedColumn, row: readonly SqlValue[], reason: string) {
    super(`The value of ${column} in the row ${rowName(row)} ${reason}.`);
  }
}

// A stored value begins with its form, so that no plain value can be mistaken for a sealed one:
//   0x00, the plain value
//   0x01, key id (8 bytes), nonce, tag and ciphertext

const plainForm = 0;
const sealedForm = 1;
const keyIdLength = 8;
const encryptedStart = 1 + keyIdLength;

/** Returns the key id of a stored value; null for a plain value, undefined for a damaged one. */
export function keyIdOf(stored: Uint8Array): string | null | undefined {
  if (stored[0] === plainForm) return null;
  const isSealed = stored[0] === sealedForm && stored.length >= encryptedStart + encryptionOverhead;
  return isSealed ? Buffer.from(stored.subarray(1, encryptedStart)).toString('hex') : undefined;
}

const damaged = 'has been changed, or was moved from another row';

/** For a server without a master key. */
export const plainSealer: Sealer = {
  keyId: null,
  seal: (value) => Buffer.concat([Buffer.of(plainForm), Buffer.from(value as string)]),
  open(stored, column, row) {
    const keyId = keyIdOf(stored);
    if (keyId === null) return Buffer.from(stored.subarray(1));
    const reason = keyId === undefined ? damaged : `is sealed with master key ${keyId}`;
    throw new SealedValueError(column, row, reason);
  },
};

/** Encrypts under a key derived from the master key. */
export function createSealer(masterKey: KeyObject | null): Sealer {
  if (masterKey === null) return plainSealer;
  const keyId = masterKeyId(masterKey);
  const head = Buffer.from([sealedForm, ...Buffer.from(keyId, 'hex')]);
  const key = createSecretKey(derive(masterKey, 'sealing', 32));
  return {
    keyId,

    seal: (value, column, row) => Buffer.concat([head, encrypt(value, key, placeOf(column, row))]),

    open(stored, column, row) {
      const fail = (reason: string) => new SealedValueError(column, row, reason);
      const foundId = keyIdOf(stored);
      // Otherwise an attacker with write access could replace sealed values by plain ones.
      if (foundId === null) throw fail('is not sealed');
      if (foundId === undefined) throw fail(damaged);
      if (foundId !== keyId) throw fail(`is sealed with master key ${foundId}, not ${keyId}`);
      try {
        return decrypt(stored.subarray(encryptedStart), key, placeOf(column, row));
      } catch {
        throw fail(damaged);
      }
    },
  };
}

/** Returns the id of a master key for messages. It is derived one way and does not reveal the key. */
export function masterKeyId(masterKey: KeyObject): string {
  return derive(masterKey, 'key id', keyIdLength).toString('hex');
}

function derive(masterKey: KeyObject, purpose: string, length: number): Buffer {
  const info = `document-vault master key: ${purpose}`;
  return Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), info, length));
}

function placeOf(column: SealedColumn, row: readonly SqlValue[]): Buffer {
  return Buffer.from(`${column}\0${rowName(row)}`);
}

function rowName(row: readonly SqlValue[]): string {
  return JSON.stringify(
    row.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value)),
  );
}
