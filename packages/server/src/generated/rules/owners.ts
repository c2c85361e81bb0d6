// Generated from openapi/rules/owners.ts by `npm run generate`. Do not edit.

import { ServiceError } from './errors.ts';

// Administrators cannot do this for another account: its effect would last after the role has ended.

interface Owned {
  readonly userId: string;
}

/**
 * Rejects a change by another account, except of `active`.
 *
 * @param fields the fields to change
 * @throws ServiceError INSUFFICIENT_PERMISSIONS
 */
export function requireWebhookOwner(
  webhook: Owned,
  callerId: string,
  fields: readonly string[],
): void {
  if (fields.every((field) => field === 'active')) return;
  requireOwner(
    webhook,
    callerId,
    'Only the account of this webhook can change it. Administrators can set active, and delete it.',
  );
}

/**
 * Rejects a share of another account's document.
 *
 * @throws ServiceError INSUFFICIENT_PERMISSIONS
 */
export function requireSharingOwner(document: Owned, callerId: string): void {
  requireOwner(
    document,
    callerId,
    'Only the account of this document can share it. Administrators can revoke its shares.',
  );
}

/**
 * Rejects the renewal of another account's consent.
 *
 * @throws ServiceError INSUFFICIENT_PERMISSIONS
 */
export function requireConsentingOwner(consent: Owned, callerId: string): void {
  requireOwner(
    consent,
    callerId,
    'Only the account of this consent can renew it. Administrators can revoke it.',
  );
}

/**
 * Rejects a change of the keys of another account's vault.
 *
 * @throws ServiceError INSUFFICIENT_PERMISSIONS
 */
export function requireKeysOwner(vault: Owned, callerId: string): void {
  requireOwner(vault, callerId, 'Only the account of this vault can store its keys.');
}

function requireOwner({ userId }: Owned, callerId: string, message: string): void {
  if (userId === callerId) return;
  throw new ServiceError('INSUFFICIENT_PERMISSIONS', { message });
}
