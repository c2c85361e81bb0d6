import { type CryptoKey, decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { ServiceError } from '../../generated/rules/errors.ts';
import type { Clock } from '../../lib/clock.ts';

export const signingAlgorithm = 'RS256';

/** The keys that verify tokens, by their `kid`. */
export interface VerificationKeys {
  /** Returns undefined for an unknown or retired key. */
  verifier(kid: string | undefined): CryptoKey | undefined;
  /** Looks for a key that another process has made. */
  newVerifier(kid: string | undefined): Promise<CryptoKey | undefined>;
}

/** A token whose signature was verified, with everything that can end its validity but its session or grant. */
interface VerifiedToken<Claims> {
  readonly claims: Claims;
  readonly kid: string | undefined;
  readonly key: CryptoKey | Uint8Array;
  readonly issuer: string;
  /** Its `exp` in milliseconds. */
  readonly endsAt: number;
}

/**
 * Returns a function that verifies tokens of this server (RFC 7519, RS256), and remembers them.
 *
 * @throws ServiceError EXPIRED_TOKEN; INVALID_TOKEN for every other problem
 */
export function createTokenVerifier<Claims>(options: {
  readonly keys: VerificationKeys;
  readonly clock: Clock;
  /** Returns the server's public address. */
  readonly issuer: () => string;
  readonly audience: () => string;
  /** The `typ` of the header. */
  readonly type: string;
  readonly requiredClaims: string[];
  /**
   * Whether a token of an unknown key that claims to be ours and ended counts as expired. It is rejected in any case, but
   * a client that missed a key rotation should refresh instead of signing in again.
   */
  readonly expiresWithoutKey?: boolean;
  toClaims(payload: JWTPayload): Claims;
}): (token: string) => Promise<Claims> {
  const { keys, clock, issuer, audience, type, requiredClaims, toClaims } = options;

  function claimsToHaveEnded(token: string): boolean {
    try {
      const { iss, aud, exp } = decodeJwt(token);
      return iss === issuer() && aud === audience() && Number(exp) * 1000 <= clock.now();
    } catch (error) {
      if (error instanceof errors.JOSEError) return false;
      throw error;
    }
  }

  async function verifySignature(token: string): Promise<VerifiedToken<Claims>> {
    try {
      const { payload, protectedHeader, key } = await jwtVerify(
        token,
        async ({ kid }) => {
          const key = keys.verifier(kid) ?? (await keys.newVerifier(kid));
          if (!key) throw new errors.JWKSNoMatchingKey();
          return key;
        },
        {
          algorithms: [signingAlgorithm],
          typ: type,
          issuer: issuer(),
          audience: audience(),
          requiredClaims,
          currentDate: new Date(clock.now()),
        },
      );
      const endsAt = Number(payload.exp) * 1000;
      return { claims: toClaims(payload), kid: protectedHeader.kid, key, issuer: issuer(), endsAt };
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      const isWithoutKey = error instanceof errors.JWKSNoMatchingKey && options.expiresWithoutKey;
      const isExpired =
        error instanceof errors.JWTExpired || (isWithoutKey && claimsToHaveEnded(token));
      throw new ServiceError(isExpired ? 'EXPIRED_TOKEN' : 'INVALID_TOKEN', { cause: error });
    }
  }

  /** Repeats the checks of a verification whose result can change. Its key may be retired, for example. */
  const known = createTokenCache<VerifiedToken<Claims>>(
    (token) =>
      token.endsAt > clock.now() &&
      keys.verifier(token.kid) === token.key &&
      token.issuer === issuer(),
  );
  return async (token) => {
    const found = known.find(token) ?? known.keep(token, await verifySignature(token));
    return found.claims;
  };
}

/** Maximum number of cached tokens. Each takes about two kilobytes. */
export const maxCachedTokens = 5_000;

/**
 * Remembers verified tokens, since checking an RSA signature takes longer than the rest of a small request. Only
 * tokens that this server signed get in; beyond the limit, the least recently used one leaves.
 *
 * The cache does not know whether the session of a token has ended: every request checks that itself.
 *
 * @param holds whether a token is still valid; an invalid one is forgotten
 */
export function createTokenCache<Verified>(holds: (verified: Verified) => boolean) {
  const known = new Map<string, Verified>();
  return {
    find(token: string): Verified | undefined {
      const found = known.get(token);
      if (found === undefined) return undefined;
      known.delete(token);
      if (!holds(found)) return undefined;
      // Moves the token to the end: the least recently used is first.
      known.set(token, found);
      return found;
    },

    keep(token: string, verified: Verified): Verified {
      known.set(token, verified);
      const [oldest] = known.keys();
      if (known.size > maxCachedTokens && oldest !== undefined) known.delete(oldest);
      return verified;
    },
  };
}
