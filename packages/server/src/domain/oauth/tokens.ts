import type { JWTPayload } from 'jose';
import { ServiceError } from '../../generated/rules/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { OAuthGrantHolder, OAuthHolder } from '../../store/rows/oauth/grants.ts';
import { createTokenVerifier, type VerificationKeys } from '../accounts/token-verifier.ts';
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
  readonly keys: VerificationKeys;
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
  const verify = createTokenVerifier({
    keys,
    clock,
    issuer,
    audience: () => audienceOf(issuer()),
    type: tokenType,
    requiredClaims: ['sub', 'jti', 'client_id', 'exp', 'iat'],
    toClaims,
  });

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
