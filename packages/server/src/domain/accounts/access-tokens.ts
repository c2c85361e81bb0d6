import {
  type CryptoKey,
  calculateJwkThumbprint,
  decodeJwt,
  errors,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';
import type { Clock } from '../../clock.ts';
import { ServiceError } from '../../errors.ts';
import type { SigningKeyRecord } from '../../store/repositories/signing-keys.ts';
import type { UserRecord } from '../../store/repositories/users.ts';
import type { Store } from '../../store/store.ts';
import { grantableScopes } from '../access.ts';
import type { Shape } from '../shapes.ts';

/** The `aud` of every access token. */
export const audience = 'document-vault';

export interface AccessTokenClaims {
  readonly userId: string;
  /** The session that the token was issued for. */
  readonly sessionId: string;
  readonly scopes: readonly string[];
}

export interface AccessTokens {
  /** A signed token for a session of this account (RFC 7519, RS256), valid for at most an hour. */
  issue(user: UserRecord, sessionId: string): Promise<string>;
  /** @throws ServiceError EXPIRED_TOKEN, or INVALID_TOKEN for whatever else is wrong with it */
  verify(token: string): Promise<AccessTokenClaims>;
  /** The public keys (RFC 7517) by which others can verify the tokens. */
  publicKeys(): Shape<'JsonWebKeySet'>;
  /**
   * Signs with a new key from now on and answers its `kid`. The key before it is published, and
   * verifies, for another 65 minutes: as long as its tokens can live.
   */
  rotate(): Promise<string>;
  /** Deletes the keys whose tokens have all ended, and answers how many they were: the step of a sweeper. */
  removeRetired(): Promise<number>;
}

export interface AccessTokensOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** The `iss` of the tokens: this server's base URL. */
  readonly issuer: () => string;
  /** Default: makes a new RSA key. */
  readonly newSigningKey?: (() => Promise<SigningKeyPair>) | undefined;
}

export async function createAccessTokens(options: AccessTokensOptions): Promise<AccessTokens> {
  const { store, clock, issuer, newSigningKey } = options;
  const keys = await createSigningKeys(store, clock, newSigningKey);

  /**
   * Whether a token whose key is not here says itself that it is one of ours and over. It is refused
   * in any case; but who has slept through a rotation is to refresh, not to sign in again.
   */
  function claimsToHaveEnded(token: string): boolean {
    try {
      const { iss, aud, exp } = decodeJwt(token);
      return iss === issuer() && aud === audience && Number(exp) * 1000 <= clock.now();
    } catch (error) {
      if (error instanceof errors.JOSEError) return false;
      throw error;
    }
  }

  return {
    issue(user, sessionId) {
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

    async verify(token) {
      try {
        const { payload } = await jwtVerify(
          token,
          ({ kid }) => {
            const key = keys.verifier(kid);
            if (!key) throw new errors.JWKSNoMatchingKey();
            return key;
          },
          {
            algorithms: [signingAlgorithm],
            typ: 'JWT',
            issuer: issuer(),
            audience,
            requiredClaims: ['sub', 'sid', 'exp', 'iat'],
            currentDate: new Date(clock.now()),
          },
        );
        return toClaims(payload);
      } catch (error) {
        if (
          error instanceof errors.JWTExpired ||
          (isWithoutKey(error) && claimsToHaveEnded(token))
        ) {
          throw new ServiceError('EXPIRED_TOKEN', { cause: error });
        }
        if (error instanceof errors.JOSEError) {
          throw new ServiceError('INVALID_TOKEN', { cause: error });
        }
        throw error;
      }
    },

    publicKeys: keys.publicKeys,
    rotate: keys.rotate,
    removeRetired: keys.removeRetired,
  };
}

function isWithoutKey(error: unknown): boolean {
  return error instanceof errors.JWKSNoMatchingKey;
}

function toClaims(payload: JWTPayload): AccessTokenClaims {
  const { sub, sid, scopes } = payload;
  if (sub === undefined || typeof sid !== 'string' || !Array.isArray(scopes)) {
    throw new ServiceError('INVALID_TOKEN');
  }
  return { userId: sub, sessionId: sid, scopes };
}

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

/** A new RSA key pair, as two JSON Web Keys (RFC 7517). */
export type SigningKeyPair = Pick<SigningKeyRecord, 'kid' | 'publicJwk' | 'privateJwk'>;

interface LoadedKey {
  readonly kid: string;
  readonly publicJwk: Shape<'JsonWebKeySet'>['keys'][number];
  readonly publicKey: CryptoKey;
  /** When it stops verifying; null for the key that signs. */
  readonly endsAt: number | null;
}

/** The keys of the store, made ready once; the first one is made when there is none. */
export async function createSigningKeys(
  store: Store,
  clock: Clock,
  newPair = generateSigningKey,
): Promise<SigningKeys> {
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
    const pair = await newPair();
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
