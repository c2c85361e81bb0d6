import type { Awaitable } from '../../awaitable.ts';
import { ServiceError } from '../../errors.ts';
import type {
  OAuthClientHolder,
  OAuthGrantHolder,
  OAuthHolder,
} from '../../store/repositories/oauth-grants.ts';
import type { OAuthAccess } from '../actor.ts';

/** The grants and clients at this moment: the repository, or caches that end with the next commit. */
export interface AccessState {
  findHolder(grantId: string): Awaitable<OAuthGrantHolder | undefined>;
  findClientHolder(
    clientId: string,
    tokenHash: Uint8Array,
  ): Awaitable<OAuthClientHolder | undefined>;
}

/** INVALID_TOKEN for an access that was revoked, has expired, or whose client or account is gone. */
export function accessEnded(cause?: unknown): ServiceError {
  return new ServiceError('INVALID_TOKEN', {
    message: 'The access of this app has ended. Ask the user to approve it again.',
    cause,
  });
}

/** Whether grant, consent and client are all in force. */
export function isLiveGrant(holder: OAuthGrantHolder, now: number): boolean {
  const { consentStatus, consentExpiresAt } = holder;
  const hasConsent =
    consentStatus === 'granted' && (consentExpiresAt === null || consentExpiresAt > now);
  return (
    hasConsent && holder.revokedAt === null && holder.expiresAt > now && !holder.clientDisabled
  );
}

/** Whether a client may act for its owner, with a token that was not revoked. */
export function isLiveClient(holder: OAuthClientHolder): boolean {
  return (
    !holder.clientDisabled &&
    !holder.tokenRevoked &&
    holder.grantTypes.includes('client_credentials')
  );
}

/**
 * Returns the account behind an access.
 *
 * @throws ServiceError INVALID_TOKEN when the access has ended
 */
export async function requireLiveAccess(
  state: AccessState,
  { clientId, grantId, tokenHash }: OAuthAccess,
  now: number,
): Promise<OAuthHolder> {
  if (grantId === null) {
    const holder = await state.findClientHolder(clientId, tokenHash);
    if (!holder || !isLiveClient(holder)) throw accessEnded();
    return holder;
  }
  const holder = await state.findHolder(grantId);
  if (!holder || holder.clientId !== clientId || !isLiveGrant(holder, now)) throw accessEnded();
  return holder;
}
