import {
  calculateJwkThumbprint,
  errors,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';
import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import type { SigningKeyRecord } from '../store/signing-keys.ts';
import type { Store } from '../store/store.ts';
import type { UserRecord } from '../store/users.ts';
import { grantableScopes } from './access.ts';
import type { Shape } from './shapes.ts';

/** The `aud` of every access token. */
export const audience = 'document-vault';

/** Lifetime of an access token, in seconds. */
export const accessTokenLifetime = 3600;

const algorithm = 'RS256';

export interface AccessTokenClaims {
  readonly userId: string;
  readonly scopes: readonly string[];
}

export interface AccessTokens {
  /** A signed token for this account (RFC 7519, RS256), valid for an hour. */
  issue(user: UserRecord): Promise<string>;
  /** @throws ServiceError EXPIRED_TOKEN, or INVALID_TOKEN for whatever else is wrong with it */
  verify(token: string): Promise<AccessTokenClaims>;
  /** The public keys (RFC 7517) by which others can verify the tokens. */
  publicKeys(): Shape<'JsonWebKeySet'>;
}

export interface AccessTokensOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** The `iss` of the tokens: this server's base URL. */
  readonly issuer: () => string;
}

type Key = Awaited<ReturnType<typeof importJWK>>;

export async function createAccessTokens(options: AccessTokensOptions): Promise<AccessTokens> {
  const { store, clock, issuer } = options;
  const records = await loadKeys(store, clock);
  const signer = records.find(({ retiredAt }) => retiredAt === null);
  if (!signer) throw new Error('the store holds no active signing key');
  const signingKey = await importJWK(JSON.parse(signer.privateJwk), algorithm);
  const verificationKeys = new Map<string | undefined, Key>();
  for (const { kid, publicJwk } of records) {
    verificationKeys.set(kid, await importJWK(JSON.parse(publicJwk), algorithm));
  }
  const keySet = { keys: records.map(({ publicJwk }) => JSON.parse(publicJwk)) };

  return {
    issue(user) {
      const now = Math.floor(clock.now() / 1000);
      const scopes = [...grantableScopes[user.role]];
      return new SignJWT({ email: user.email, scopes })
        .setProtectedHeader({ alg: algorithm, typ: 'JWT', kid: signer.kid })
        .setSubject(user.id)
        .setIssuer(issuer())
        .setAudience(audience)
        .setIssuedAt(now)
        .setExpirationTime(now + accessTokenLifetime)
        .sign(signingKey);
    },

    async verify(token) {
      try {
        const { payload } = await jwtVerify(
          token,
          ({ kid }) => {
            const key = verificationKeys.get(kid);
            if (!key) throw new errors.JWKSNoMatchingKey();
            return key;
          },
          {
            algorithms: [algorithm],
            typ: 'JWT',
            issuer: issuer(),
            audience,
            requiredClaims: ['sub', 'exp', 'iat'],
            currentDate: new Date(clock.now()),
          },
        );
        return toClaims(payload);
      } catch (error) {
        if (error instanceof errors.JWTExpired) {
          throw new ServiceError('EXPIRED_TOKEN', { cause: error });
        }
        if (error instanceof errors.JOSEError) {
          throw new ServiceError('INVALID_TOKEN', { cause: error });
        }
        throw error;
      }
    },

    publicKeys: () => keySet,
  };
}

function toClaims(payload: JWTPayload): AccessTokenClaims {
  const { sub, scopes } = payload;
  if (sub === undefined || !Array.isArray(scopes)) throw new ServiceError('INVALID_TOKEN');
  return { userId: sub, scopes };
}

/** The stored keys, newest first; the first one is made when there is none. */
async function loadKeys(store: Store, clock: Clock): Promise<SigningKeyRecord[]> {
  const stored = await store.signingKeys.list();
  if (stored.length > 0) return stored;

  const key = await generateSigningKey(clock.now());
  await store.transaction((tx) => tx.signingKeys.insert(key));
  return [key];
}

async function generateSigningKey(now: number): Promise<SigningKeyRecord> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, {
    extractable: true,
    modulusLength: 2048,
  });
  const publicJwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  const named = (jwk: JWK) => JSON.stringify({ ...jwk, kid, alg: algorithm, use: 'sig' });
  return {
    kid,
    publicJwk: named(publicJwk),
    privateJwk: named(await exportJWK(privateKey)),
    createdAt: now,
    retiredAt: null,
  };
}
