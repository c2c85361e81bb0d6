// Generated from openapi/rules/accounts.ts by `npm run generate`. Do not edit.

import { ServiceError, violation } from './errors.ts';

// Errors of registrations, and of changes of an account.

/** The error for a registration while no instance is active. */
export function noInstance(): ServiceError {
  return new ServiceError('INSUFFICIENT_PERMISSIONS', {
    message: 'No instance of this server takes new accounts.',
  });
}

/** The error for an address that has an account. */
export function emailTaken(): ServiceError {
  return violation('email', 'unique', 'An account with this email address exists already.');
}

/** @param field the one with the password */
export function wrongPassword(field: string): ServiceError {
  return violation(field, 'match', `${field} is not the password of this account.`);
}
