import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { Clock } from '../../lib/clock.ts';
import { ServiceError } from '../../lib/service-error.ts';
import type { OAuthGrantHolder, OAuthHolder } from '../../store/rows/oauth/grants.ts';
import type { SigningKeys } from '../accounts/access-tokens.ts';
import { signingAlgorithm } from '../accounts/access-tokens.ts';
import { createTokenCache } from '../accounts/token-cache.ts';
import type { OAuthAccess } from '../actor.ts';
import { artifactHash } from './artifacts.ts';
import {
  type AccessState,
  accessEnded,
  inForce,
  inForceOfGrant,
  isLiveClient,
  isLiveGrant,
} from './live-access.ts';

/** Lifetime of the access tokens of apps, in seconds. */
export const appTokenLifetime = 3600;

/** The `aud` of the tokens: the API of this server. */
export function audienceOf(baseUrl: string): string {
  return `${baseUrl}/api/v1`;
}

/** The claim with the id of the grant. Tokens of client credentials have none. */
export const grantClaim = 'grant_id';

/** The claim with the version of the client's credentials, in tokens of client credentials. */
export const credentialsClaim = 'credentials_version';

/** The kind of the artifact that marks a token of client credentials as revoked. */
export const revokedTokenKind = 'RevokedToken';

/** A verified access token of an app (RFC 9068). */
export interface OAuthTokenClaims extends OAuthAccess {
  readonly tokenId: string;
  readonly subject: string;
  /** The scopes of the token. */
  readonly scopes: readonly string[];
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** The account that a token acts for, and the scopes that are in force at this moment. */
export interface AdmittedToken {
  readonly claims: OAuthTokenClaims;
  readonly holder: OAuthHolder;
  readonly scopes: readonly string[];
}

export interface OAuthTokensOptions {
  readonly keys: Pick<SigningKeys, 'verifier' | 'newVerifier'>;
  readonly state: AccessState;
  readonly clock: Clock;
  /** Returns the server's public address. */
  readonly issuer: () => string;
}

const tokenType = 'at+jwt';

/** Whether a token says that it belongs to an app. It chooses the verification and proves nothing. */
export function isOfApp(token: string): boolean {
  const header = token.slice(0, token.indexOf('.'));
  return Buffer.from(header, 'base64url').includes(`"${tokenType}"`);
}

/**
 * Verifies the access tokens of apps. Type and audience differ from those of sessions, so that neither token
 * passes for the other.
 */
export function createOAuthTokens({ keys, state, clock, issuer }: OAuthTokensOptions) {
  const cache = createTokenCache<VerifiedToken>(
    ({ claims, kid, key, issuedBy }) =>
      claims.expiresAt > clock.now() && keys.verifier(kid) === key && issuedBy === issuer(),
  );

  async function verifySignature(token: string): Promise<VerifiedToken> {
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
          typ: tokenType,
          issuer: issuer(),
          audience: audienceOf(issuer()),
          requiredClaims: ['sub', 'jti', 'client_id', 'exp', 'iat'],
          currentDate: new Date(clock.now()),
        },
      );
      const { kid } = protectedHeader;
      return { claims: toClaims(payload), kid, key, issuedBy: issuer() };
    } catch (error) {
      if (error instanceof errors.JWTExpired) {
        throw new ServiceError('EXPIRED_TOKEN', { cause: error });
      }
      if (error instanceof errors.JOSEError) {
        throw new ServiceError('INVALID_TOKEN', { cause: error });
      }
      throw error;
    }
  }

  /** @throws ServiceError EXPIRED_TOKEN, INVALID_TOKEN */
  async function verify(token: string): Promise<OAuthTokenClaims> {
    const verified = cache.find(token) ?? cache.keep(token, await verifySignature(token));
    return verified.claims;
  }

  /**
   * Verifies a token, and that grant, consent and client are in force.
   *
   * @throws ServiceError EXPIRED_TOKEN, INVALID_TOKEN
   */
  async function admit(token: string): Promise<AdmittedToken> {
    const claims = await verify(token);
    const { clientId, grantId, tokenHash } = claims;
    if (grantId !== null) return ofGrant(claims, await state.findHolder(grantId));
    const holder = await state.findClientHolder(clientId, tokenHash);
    if (!holder || !isLiveClient(holder, claims)) throw accessEnded();
    return { claims, holder, scopes: inForce(claims.scopes, holder.clientScopes) };
  }

  function ofGrant(claims: OAuthTokenClaims, holder: OAuthGrantHolder | undefined): AdmittedToken {
    const isOwn = holder && holder.userId === claims.subject && holder.clientId === claims.clientId;
    if (!isOwn || !isLiveGrant(holder, clock.now())) throw accessEnded();
    return { claims, holder, scopes: inForceOfGrant(claims.scopes, holder) };
  }

  return { verify, admit };
}

/** A token whose signature was verified, with everything that can end its validity but its grant. */
interface VerifiedToken {
  readonly claims: OAuthTokenClaims;
  readonly kid: string | undefined;
  readonly key: unknown;
  readonly issuedBy: string;
}

function toClaims(payload: JWTPayload): OAuthTokenClaims {
  const { sub, jti, client_id: clientId, scope = '', [grantClaim]: grantId = null } = payload;
  const { [credentialsClaim]: version = null } = payload;
  // A token that is bound to a key needs a proof of that key, which this server does not check (RFC 7800, section 3).
  const isBearer = payload.cnf === undefined;
  const isKnownForm =
    isBearer &&
    typeof sub === 'string' &&
    typeof jti === 'string' &&
    typeof clientId === 'string' &&
    typeof scope === 'string' &&
    (grantId === null
      ? sub === clientId && typeof version === 'number'
      : typeof grantId === 'string');
  if (!isKnownForm) throw new ServiceError('INVALID_TOKEN');
  return {
    tokenId: jti,
    tokenHash: artifactHash(revokedTokenKind, jti),
    subject: sub,
    clientId,
    grantId: grantId as string | null,
    credentialsVersion: version as number | null,
    scopes: scope.split(' ').filter(Boolean),
    expiresAt: Number(payload.exp) * 1000,
  };
}
