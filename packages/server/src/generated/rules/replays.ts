// Generated from openapi/rules/replays.ts by `npm run generate`. Do not edit.

import { type ServiceError, violation } from './errors.ts';

// Errors of repeated calls with an Idempotency-Key.

const header = 'Idempotency-Key';
const advice = `Repeat the call with a new ${header}.`;

/** The error for a key of another call. */
export function reusedKey(): ServiceError {
  const message = `This ${header} was used with another request body, or before the role of the account changed.`;
  return violation(header, 'reuse', message);
}

/** The error for a stored response with an API key that is no longer valid. */
export function endedApiKey(isExpired: boolean): ServiceError {
  const reason = isExpired ? 'has expired' : 'was revoked';
  const message = `The API key that this ${header} created ${reason}. Create another one with a new ${header}.`;
  return violation(header, 'usable', message);
}

/** The error for a stored response with the secret of an OAuth client or a webhook that is no longer valid. */
export function endedSecret(owner: 'client' | 'webhook', exists: boolean): ServiceError {
  const reason = exists ? 'was replaced' : `was deleted with its ${owner}`;
  return violation(header, 'usable', `The secret that this ${header} created ${reason}. ${advice}`);
}

/** The error for a stored response with a share that has ended. */
export function endedShare(): ServiceError {
  return violation(header, 'usable', `The share that this ${header} created has ended. ${advice}`);
}
