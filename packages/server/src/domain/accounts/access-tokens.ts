import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { ServiceError } from '../../generated/rules/errors.ts';
import { type Clock, cachedFor } from '../../lib/clock.ts';
import type { UserRecord } from '../../store/rows/accounts/users.ts';
import type { SigningKeyRecord } from '../../store/rows/instance/signing-keys.ts';
import type { Store } from '../../store/store.ts';
import { grantableScopes } from '../access.ts';
import type { Shape } from '../shapes.ts';
import { createTokenVerifier, signingAlgorithm } from './token-verifier.ts';

/** The `aud` of every access token. */
export const audience = 'document-vault';

export interface AccessTokenClaims {
  readonly userId: string;
  /** The session that the token was issued for. */
  readonly sessionId: string;
  readonly scopes: readonly string[];
}

export type AccessTokens = Awaited<ReturnType<typeof createAccessTokens>>;

export async function createAccessTokens(options: {
  readonly store: Store;
  readonly clock: Clock;
  /** The `iss` of the tokens: this server's base URL. */
  readonly issuer: () => string;
  /** Default: makes a new RSA key. */
  readonly newSigningKey?: (() => Promise<SigningKeyPair>) | undefined;
}) {
  const { store, clock, issuer, newSigningKey } = options;
  const keys = await createSigningKeys(store, clock, newSigningKey);

  const verify = createTokenVerifier({
    keys,
    clock,
    issuer,
    audience: () => audience,
    type: 'JWT',
    requiredClaims: ['sub', 'sid', 'exp', 'iat'],
    expiresWithoutKey: true,
    toClaims,
  });

  return {
    /** Returns a signed token for a session (RFC 7519, RS256). It is valid for one hour at most. */
    issue(user: UserRecord, sessionId: string): Promise<string> {
      const { kid, key } = keys.signer();
      const now = Math.floor(clock.now() / 1000);
      const scopes = [...grantableScopes[user.role]];
      return new SignJWT({ email: user.email, sid: sessionId, scopes })
        .setProtectedHeader({ alg: signingAlgorithm, typ: 'JWT', kid })
        .setSubject(user.id)
        .setIssuer(issuer())
        .setAudience(audience)
        .setIssuedAt(now)
        .setExpirationTime(now + accessTokenLifetime)
        .sign(key);
    },

    verify,

    /** The keys that sign and verify the tokens. */
    keys,
    publicKeys: keys.publicKeys,
    rotate: keys.rotate,
    /** A step of the sweeper. */
    removeRetired: keys.removeRetired,
    reload: keys.reload,
  };
}

function toClaims(payload: JWTPayload): AccessTokenClaims {
  const { sub, sid, scopes } = payload;
  if (sub === undefined || typeof sid !== 'string' || !Array.isArray(scopes)) {
    throw new ServiceError('INVALID_TOKEN');
  }
  return { userId: sub, sessionId: sid, scopes };
}

/** Lifetime of access tokens, in seconds. */
export const accessTokenLifetime = 3600;

/** How long others may cache the published keys, in seconds. */
export const publicKeysMaxAge = 300;

/**
 * How long a key verifies after the next one has started to sign, in milliseconds: until its last token
 * expires, and five minutes for differing clocks.
 */
const overlap = (accessTokenLifetime + 300) * 1000;

export interface KeyRotation {
  readonly kid: string;
  /** When the new key starts to sign. */
  readonly signsFrom: number;
}

export type SigningKeys = Awaited<ReturnType<typeof createSigningKeys>>;

/** Milliseconds between two looks for an unknown key. */
const lookInterval = 1_000;

/** A new RSA key pair, as two JSON Web Keys (RFC 7517). */
export type SigningKeyPair = Pick<SigningKeyRecord, 'kid' | 'publicJwk' | 'privateJwk'>;

interface ImportedPair {
  readonly kid: string;
  readonly publicJwk: Shape<'JsonWebKeySet'>['keys'][number];
  readonly publicKey: CryptoKey;
  readonly key: CryptoKey;
  readonly privateJwk: JWK;
}

interface LoadedKey extends ImportedPair {
  readonly signsFrom: number;
  /** When it stops verifying. Infinity for the key that signs last. */
  readonly endsAt: number;
}

/** Loads the keys of the store, and makes the first one when there is none. */
export async function createSigningKeys(store: Store, clock: Clock, newPair = generateSigningKey) {
  /** The key that signs last comes first. */
  let keys: readonly LoadedKey[] = [];
  let loading = Promise.resolve();
  // Another process may start at the same time.
  await store.exclusively(async () => {
    if ((await store.signingKeys.list()).length === 0) await insertKey(0, false);
  });
  await load();

  const isOver = ({ endsAt }: LoadedKey) => endsAt <= clock.now();

  async function load(): Promise<void> {
    const stored = await store.signingKeys.list();
    // Keeps the imported CryptoKey: the token cache compares it by identity.
    const loaded = new Map(keys.map((key) => [key.kid, key]));
    keys = await Promise.all(
      stored.map(async (record, index) => ({
        ...(loaded.get(record.kid) ?? (await importPair(record))),
        signsFrom: record.signsFrom,
        endsAt: endOf(stored[index - 1]),
      })),
    );
  }

  const look = cachedFor({ clock, maxAgeMs: lookInterval, load: () => reload() });

  /**
   * Loads the keys again, after another process may have rotated them. Reloads run in sequence, so that the last one
   * sees the latest rows.
   */
  function reload(): Promise<void> {
    const reloading = loading.then(load);
    loading = reloading.catch(() => undefined);
    return reloading;
  }

  /** Returns the public key of a `kid`, or undefined for an unknown or retired one. */
  function verifier(kid: string | undefined): CryptoKey | undefined {
    const found = keys.find((key) => key.kid === kid);
    return found && !isOver(found) ? found.publicKey : undefined;
  }

  async function insertKey(delay: number, dropPending: boolean): Promise<KeyRotation> {
    const pair = await newPair();
    return store.transaction(async (tx) => {
      const createdAt = clock.now();
      const stored = await tx.signingKeys.list();
      for (const { kid, signsFrom } of stored) {
        if (dropPending && signsFrom > createdAt) await tx.signingKeys.delete(kid);
      }
      const latest = stored.find(({ signsFrom }) => !dropPending || signsFrom <= createdAt);
      // At least one millisecond after the previous key: two keys must not start to sign at the same time.
      const signsFrom = Math.max(createdAt + delay, (latest?.signsFrom ?? 0) + 1);
      await tx.signingKeys.insert({ ...pair, createdAt, signsFrom });
      return { kid: pair.kid, signsFrom };
    });
  }

  return {
    /** Returns the key that signs at this moment. */
    signer(): ImportedPair {
      const now = clock.now();
      // A clock that was set back precedes all keys.
      const signer = keys.find(({ signsFrom }) => signsFrom <= now) ?? keys.at(-1);
      if (!signer) throw new Error('the store has no signing key');
      return signer;
    },

    verifier,

    /** Looks for a key that another process has made. Reads the store at most once a second. */
    async newVerifier(kid: string | undefined): Promise<CryptoKey | undefined> {
      await look();
      return verifier(kid);
    },

    /** Returns the keys of the past, present and next tokens (RFC 7517). */
    publicKeys: (): Shape<'JsonWebKeySet'> => ({
      keys: keys.filter((key) => !isOver(key)).map(({ publicJwk }) => publicJwk),
    }),

    /**
     * Publishes a new key. It signs once every cached key set contains it. With `now` it signs at once, and
     * published keys that have not signed yet are deleted.
     */
    async rotate({ now = false } = {}): Promise<KeyRotation> {
      const rotation = await insertKey(now ? 0 : publicKeysMaxAge * 1000, now);
      await reload();
      return rotation;
    },

    /** Deletes the keys whose tokens have all expired, and returns their number. */
    async removeRetired(): Promise<number> {
      const retired = keys.filter(isOver);
      if (retired.length === 0) return 0;
      await store.transaction(async (tx) => {
        for (const { kid } of retired) await tx.signingKeys.delete(kid);
      });
      await reload();
      return retired.length;
    },

    reload,
  };
}

/** @param next the key that signs after it */
function endOf(next: SigningKeyRecord | undefined): number {
  return next === undefined ? Number.POSITIVE_INFINITY : next.signsFrom + overlap;
}

/** Imports a key. Its `kid` is the thumbprint of the public key, so the same `kid` is the same pair. */
async function importPair({ kid, publicJwk, privateJwk }: SigningKeyPair): Promise<ImportedPair> {
  return {
    kid,
    publicJwk: JSON.parse(publicJwk),
    publicKey: await importKey(publicJwk),
    key: await importKey(privateJwk),
    privateJwk: JSON.parse(privateJwk),
  };
}

async function importKey(jwk: string): Promise<CryptoKey> {
  const key = await importJWK(JSON.parse(jwk), signingAlgorithm);
  if (key instanceof Uint8Array) throw new Error('a stored signing key is not an RSA key');
  return key;
}

export async function generateSigningKey(): Promise<SigningKeyPair> {
  const { publicKey, privateKey } = await generateKeyPair(signingAlgorithm, {
    extractable: true,
    modulusLength: 2048,
  });
  const publicJwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  const named = (jwk: JWK) => JSON.stringify({ ...jwk, kid, alg: signingAlgorithm, use: 'sig' });
  return { kid, publicJwk: named(publicJwk), privateJwk: named(await exportJWK(privateKey)) };
}
