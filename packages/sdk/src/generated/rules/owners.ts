// Generated from openapi/rules/owners.ts by `npm run generate`. Do not edit.

import { ServiceError } from './errors.ts';

// What an administrator cannot do for another account. Its effect would last after the role has ended.

interface Owned {
  readonly userId: string;
}

/**
 * Leaves to the owner of a webhook where it sends what.
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
 * Leaves share links to the owner of the document.
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
 * Leaves renewals to the account that consents.
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

function requireOwner({ userId }: Owned, callerId: string, message: string): void {
  if (userId === callerId) return;
  throw new ServiceError('INSUFFICIENT_PERMISSIONS', { message });
}
