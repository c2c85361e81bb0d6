import { ServiceError } from '../../generated/rules/errors.ts';
import type {
  OAuthClientHolder,
  OAuthGrantHolder,
  OAuthHolder,
} from '../../store/rows/oauth/grants.ts';
import type { Repositories } from '../../store/store.ts';
import type { OAuthAccess, Sender } from '../actor.ts';
import type { Scope } from '../shapes.ts';

/** The grants and clients at this moment: the repository, or caches that end with the next commit. */
export interface AccessState {
  findHolder(grantId: string): Promise<OAuthGrantHolder | undefined>;
  findClientHolder(clientId: string, tokenHash: Uint8Array): Promise<OAuthClientHolder | undefined>;
}

/** INVALID_TOKEN for an access that was revoked, has expired, or whose client or account is gone. */
export function accessEnded(cause?: unknown): ServiceError {
  return new ServiceError('INVALID_TOKEN', {
    message: 'The access of this app has ended. Ask the user to approve it again.',
    cause,
  });
}

/** Returns the id of the access that ends what an app makes: its grant, or the client itself when it acts as its owner. */
export function accessIdOf({ oauth = null }: Pick<Sender, 'oauth'>): string | null {
  return oauth && (oauth.grantId ?? oauth.clientId);
}

/** Returns the ids of the accesses of these rows that have ended, or have lost the scope: so have the rows. */
export async function endedAccessOf(
  { oauthGrants }: Pick<Repositories, 'oauthGrants'>,
  rows: readonly { readonly accessId: string | null }[],
  { scope, now }: { readonly scope: Scope; readonly now: number },
): Promise<ReadonlySet<string | null>> {
  const ids = new Set(rows.map(({ accessId }) => accessId).filter((id) => id !== null));
  if (ids.size === 0) return ids;
  for (const live of await oauthGrants.findLive({ ids: [...ids], scope, now })) ids.delete(live);
  return ids;
}

/** Whether grant, consent and client are all in force. */
export function isLiveGrant(holder: OAuthGrantHolder, now: number): boolean {
  const { consentStatus, consentExpiresAt } = holder;
  const hasConsent =
    consentStatus === 'granted' && (consentExpiresAt === null || consentExpiresAt > now);
  return hasConsent && holder.revokedAt === null && holder.expiresAt > now && holder.clientUsable;
}

/** Whether the client can be used. A suspended owner gets 403 for its own tokens, not 401. */
function isOfUsableClient({ clientUsable, status }: OAuthHolder): boolean {
  return clientUsable || status === 'suspended';
}

/** Whether a client may act for its owner, with a token that was not revoked and with credentials that are not ended. */
export function isLiveClient(
  holder: OAuthClientHolder,
  { credentialsVersion }: Pick<OAuthAccess, 'credentialsVersion'>,
): boolean {
  return (
    isOfUsableClient(holder) &&
    !holder.tokenRevoked &&
    holder.credentialsVersion === credentialsVersion &&
    holder.grantTypes.includes('client_credentials')
  );
}

/** Returns the scopes that every list contains. */
export function inForce(
  scopes: readonly string[],
  ...limits: readonly (readonly string[])[]
): readonly string[] {
  return scopes.filter((scope) => limits.every((limit) => limit.includes(scope)));
}

/** Returns those of the scopes that grant, consent and client all have. */
export function inForceOfGrant(
  scopes: readonly string[],
  { scopes: granted, consentScopes, clientScopes }: OAuthGrantHolder,
): readonly string[] {
  return inForce(scopes, granted, consentScopes, clientScopes);
}

/**
 * Returns the account behind an access.
 *
 * @throws ServiceError INVALID_TOKEN when the access has ended, INSUFFICIENT_PERMISSIONS when it has lost a scope
 */
export async function requireLiveAccess(
  state: AccessState,
  access: OAuthAccess,
  now: number,
): Promise<OAuthHolder> {
  const { clientId, grantId, tokenHash, scopes } = access;
  if (grantId === null) {
    const holder = await state.findClientHolder(clientId, tokenHash);
    if (!holder || !isLiveClient(holder, access)) throw accessEnded();
    refuseLostScopes(scopes, inForce(scopes, holder.clientScopes));
    return holder;
  }
  const holder = await state.findHolder(grantId);
  if (!holder || holder.clientId !== clientId || !isLiveGrant(holder, now)) throw accessEnded();
  refuseLostScopes(scopes, inForceOfGrant(scopes, holder));
  return holder;
}

/**
 * Rejects a request that lost any of its scopes while it ran. Which of them the request needs is not known here.
 */
function refuseLostScopes(before: readonly string[], now: readonly string[]): void {
  const lost = before.filter((scope) => !now.includes(scope));
  if (lost.length === 0) return;
  throw new ServiceError('INSUFFICIENT_PERMISSIONS', {
    message: `The app lost ${lost.join(', ')} while its request ran. Repeat what works without.`,
    details: { requiredScopes: lost },
  });
}
