import type { UserRecord } from '../../store/rows/accounts/users.ts';
import type { Repositories } from '../../store/store.ts';
import type { Emit } from '../unit-of-work.ts';
import { revokeConsent } from './consents.ts';

/** Users read it in their consents. */
const revocationReason = 'All access of the account was revoked.';

/**
 * Ends API keys, what the account's own clients authenticate with, and the access of apps. Their consents end too: an
 * app with a consent would get its access back without asking the user.
 */
export async function revokeAllAccess(
  tx: Repositories,
  emit: Emit,
  { id, updatedAt }: UserRecord,
): Promise<void> {
  await tx.apiKeys.revokeAll(id, updatedAt);
  await tx.oauthClients.endCredentials(id, updatedAt);
  await tx.oauthGrants.revokeAll(id, updatedAt);
  for (const consent of await tx.consents.liveOfApps(id, updatedAt)) {
    await revokeConsent({ tx, emit }, consent, { reason: revocationReason, now: updatedAt });
  }
}
