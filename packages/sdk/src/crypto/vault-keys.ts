import { UsageError } from '../errors.ts';
import { decryptUnder, encryptUnder, keyLength, randomBytes } from './aes-gcm.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { contextOf } from './context.ts';
import { type AccountKeys, decodeStored, untrusted } from './keyring.ts';

/** A person with access to a vault, or invited to it. */
interface Participant {
  /** The secret that opens the person's copy of the keys, base64 of 32 bytes. */
  secret: string;
  email: string;
}

/** The owner's record of a vault. It is stored encrypted under the account key. */
export interface VaultEntry {
  /** The key of each generation, from generation 1. Null: lost with an earlier account key. */
  keys: (Uint8Array<ArrayBuffer> | null)[];
  /** By user id. */
  members: Record<string, Participant>;
  /** By id of the invitation. */
  invitations: Record<string, Participant>;
}

/** The most keys that a vault has. */
export const maxGenerations = 250;
/** Bytes of an encrypted entry. */
const maxLength = 32 * 1024;

/**
 * Creates the entry of a vault, with its first key.
 *
 * @param lost - how many generations were lost with an earlier account key
 */
export function createEntry(lost = 0): VaultEntry {
  return nextGeneration({ keys: Array(lost).fill(null), members: {}, invitations: {} });
}

/**
 * Adds a key to an entry, of the next generation.
 *
 * @throws UsageError after 250 generations
 */
export function nextGeneration(entry: VaultEntry): VaultEntry {
  if (entry.keys.length < maxGenerations) {
    return { ...entry, keys: [...entry.keys, randomBytes(keyLength)] };
  }
  throw new UsageError(`A vault has at most ${maxGenerations} keys: move its documents to another`);
}

/**
 * Encrypts the entry of a vault for its owner.
 *
 * @param vaultId - the entry opens as that of this vault only
 * @returns base64
 * @throws UsageError above 32 KiB
 */
export async function sealEntry(
  { userId, accountKey }: AccountKeys,
  vaultId: string,
  entry: VaultEntry,
): Promise<string> {
  const text = JSON.stringify({ ...entry, keys: entry.keys.map((key) => key && toBase64(key)) });
  const bytes = new TextEncoder().encode(text);
  const sealed = await encryptUnder(accountKey, bytes, contextOf('vault', vaultId, userId));
  if (sealed.length <= maxLength) return toBase64(sealed);
  throw new UsageError(`The keys and members of a vault have at most ${maxLength} bytes`);
}

/**
 * Decrypts the entry of a vault.
 *
 * @param vaultId - id of the vault, as the caller knows it
 * @throws DecryptionError with the reason `keys` for the entry of another vault or account, and for a changed one
 */
export async function openEntry(
  { userId, accountKey }: AccountKeys,
  vaultId: string,
  sealed: string,
): Promise<VaultEntry> {
  try {
    const context = contextOf('vault', vaultId, userId);
    const bytes = await decryptUnder(accountKey, fromBase64(sealed), context);
    return parseEntry(JSON.parse(new TextDecoder().decode(bytes)));
  } catch (cause) {
    throw untrusted('the entry is not that of this vault', cause);
  }
}

function parseEntry({ keys, members, invitations }: Record<keyof VaultEntry, unknown>): VaultEntry {
  if (!Array.isArray(keys) || keys.length > maxGenerations || !keys.at(-1)) {
    throw untrusted(`keys must be a list of 1 to ${maxGenerations}`);
  }
  return {
    keys: keys.map((key) => (key === null ? null : decodeStored(key, keyLength))),
    members: participantsOf(members),
    invitations: participantsOf(invitations),
  };
}

function participantsOf(value: unknown): Record<string, Participant> {
  const participants = Object.values(value as Record<string, Participant>);
  for (const { secret, email } of participants) {
    decodeStored(secret, keyLength);
    if (typeof email !== 'string') throw untrusted('email must be a string');
  }
  return value as Record<string, Participant>;
}
