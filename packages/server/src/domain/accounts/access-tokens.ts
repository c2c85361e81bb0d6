import { decodeJwt, errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { Clock } from '../../clock.ts';
import { ServiceError } from '../../errors.ts';
import type { UserRecord } from '../../store/repositories/users.ts';
import type { Store } from '../../store/store.ts';
import { grantableScopes } from '../access.ts';
import type { Shape } from '../shapes.ts';
import { accessTokenLifetime, createSigningKeys, signingAlgorithm } from './signing-keys.ts';

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
}

export async function createAccessTokens(options: AccessTokensOptions): Promise<AccessTokens> {
  const { store, clock, issuer } = options;
  const keys = await createSigningKeys(store, clock);

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
