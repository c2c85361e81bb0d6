import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose';
import type { Clock } from '../../clock.ts';
import type { SigningKeyRecord } from '../../store/repositories/signing-keys.ts';
import type { Store } from '../../store/store.ts';
import type { Shape } from '../shapes.ts';

export const signingAlgorithm = 'RS256';

/** Lifetime of what is signed with these keys, in seconds. */
export const accessTokenLifetime = 3600;

/**
 * How long a retired key still verifies, in milliseconds: as long as the last token that it signed,
 * and five minutes for clocks that differ.
 */
const overlap = (accessTokenLifetime + 300) * 1000;

export interface SigningKeys {
  /** The key that signs. */
  signer(): { readonly kid: string; readonly key: CryptoKey };
  /** The key that verifies; undefined when it never was one, or is one no longer. */
  verifier(kid: string | undefined): CryptoKey | undefined;
  /** What others may verify with at this moment (RFC 7517). */
  publicKeys(): Shape<'JsonWebKeySet'>;
  /** Makes a new key that signs from now on, and answers its `kid`. The one before verifies on for 65 minutes. */
  rotate(): Promise<string>;
  /** Deletes the keys that verify no longer, and answers how many they were. */
  removeRetired(): Promise<number>;
}

interface LoadedKey {
  readonly kid: string;
  readonly publicJwk: Shape<'JsonWebKeySet'>['keys'][number];
  readonly publicKey: CryptoKey;
  /** When it stops verifying; null for the key that signs. */
  readonly endsAt: number | null;
}

/** The keys of the store, made ready once; the first one is made when there is none. */
export async function createSigningKeys(store: Store, clock: Clock): Promise<SigningKeys> {
  let keys: ReadonlyMap<string | undefined, LoadedKey> = new Map();
  let current: ReturnType<SigningKeys['signer']>;
  let loading = Promise.resolve();
  if ((await store.signingKeys.list()).length === 0) await insertKey();
  await load();

  const isOver = ({ endsAt }: LoadedKey) => endsAt !== null && endsAt <= clock.now();

  async function load(): Promise<void> {
    const records = await store.signingKeys.list();
    const signing = records.find(({ retiredAt }) => retiredAt === null);
    if (!signing) throw new Error('the store holds no active signing key');
    const loaded = await Promise.all(records.map(toLoadedKey));
    const key = await importKey(signing.privateJwk);
    // At once, so that nothing is signed by a key that could not be verified.
    keys = new Map(loaded.map((entry) => [entry.kid, entry]));
    current = { kid: signing.kid, key };
  }

  /** One after the other, so that the latest look at the store counts. */
  function reload(): Promise<void> {
    const reloading = loading.then(load);
    loading = reloading.catch(() => undefined);
    return reloading;
  }

  /** Stores a new key; whatever has signed before it is retired in the same transaction. */
  async function insertKey(): Promise<string> {
    const pair = await generatePair();
    await store.transaction(async (tx) => {
      const now = clock.now();
      await tx.signingKeys.retire(now);
      await tx.signingKeys.insert({ ...pair, createdAt: now, retiredAt: null });
    });
    return pair.kid;
  }

  return {
    signer: () => current,

    verifier(kid) {
      const found = keys.get(kid);
      return found && !isOver(found) ? found.publicKey : undefined;
    },

    publicKeys: () => ({
      keys: [...keys.values()].filter((key) => !isOver(key)).map(({ publicJwk }) => publicJwk),
    }),

    async rotate() {
      const kid = await insertKey();
      await reload();
      return kid;
    },

    async removeRetired() {
      const retiredBefore = clock.now() - overlap;
      const removed = await store.transaction((tx) => tx.signingKeys.deleteRetired(retiredBefore));
      if (removed > 0) await reload();
      return removed;
    },
  };
}

async function toLoadedKey({ kid, publicJwk, retiredAt }: SigningKeyRecord): Promise<LoadedKey> {
  return {
    kid,
    publicJwk: JSON.parse(publicJwk),
    publicKey: await importKey(publicJwk),
    endsAt: retiredAt === null ? null : retiredAt + overlap,
  };
}

async function importKey(jwk: string): Promise<CryptoKey> {
  const key = await importJWK(JSON.parse(jwk), signingAlgorithm);
  if (key instanceof Uint8Array) throw new Error('a stored signing key is not an RSA key');
  return key;
}

async function generatePair() {
  const { publicKey, privateKey } = await generateKeyPair(signingAlgorithm, {
    extractable: true,
    modulusLength: 2048,
  });
  const publicJwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  const named = (jwk: JWK) => JSON.stringify({ ...jwk, kid, alg: signingAlgorithm, use: 'sig' });
  return { kid, publicJwk: named(publicJwk), privateJwk: named(await exportJWK(privateKey)) };
}
