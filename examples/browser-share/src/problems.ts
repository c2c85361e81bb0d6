import {
  AuthenticationError,
  ConnectionError,
  DecryptionError,
  NotFoundError,
  RateLimitError,
  TimeoutError,
  UsageError,
  ValidationError,
} from '@document-vault/sdk';

/** Messages for the sender of a file. */
export function sendingProblem(error: unknown): string {
  if (error instanceof AuthenticationError) return 'Email or password is not right.';
  if (error instanceof DecryptionError && error.reason === 'key') return 'The passphrase is wrong.';
  if (error instanceof ValidationError) {
    const { field, violations } = error.details;
    if (error.details.constraint === 'unique')
      return 'There is an account with this email already.';
    return violations?.[0]?.message ?? `The service does not accept this ${field}.`;
  }
  return anyProblem(error);
}

/** Messages for the recipient of a link. */
export function openingProblem(error: unknown): string {
  if (error instanceof NotFoundError) {
    return 'This link does not open anything any more: it has ended, was used up, or was taken back.';
  }
  if (error instanceof UsageError) {
    return 'This link is not complete. Copy all of it, or ask the sender for it again.';
  }
  if (error instanceof DecryptionError) {
    return 'The file cannot be decrypted with this link. Ask the sender for it again.';
  }
  return anyProblem(error);
}

function anyProblem(error: unknown): string {
  if (error instanceof RateLimitError) return 'Too many requests just now. Try again in a minute.';
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    return 'The service cannot be reached. Check the connection and try again.';
  }
  return error instanceof Error ? error.message : String(error);
}
