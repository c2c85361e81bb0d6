/** The store was used against its rules, which is a bug of this program. */
export class StoreUseError extends Error {
  override readonly name = 'StoreUseError';
}

/** The driver was closed before the call. */
export function databaseClosed(): StoreUseError {
  return new StoreUseError('The database is closed.');
}

/**
 * Checks that a transaction can run another query.
 *
 * @param failure the error of an earlier query
 * @throws StoreUseError
 */
export function requireRunning(
  hasEnded: boolean,
  failure: { readonly error: unknown } | undefined,
): void {
  if (hasEnded) {
    throw new StoreUseError('This transaction has ended. Its queries cannot be used any more.');
  }
  if (failure) {
    const message = 'An earlier query of this transaction failed. It can only be rolled back.';
    throw new StoreUseError(message, { cause: failure.error });
  }
}

/** The shared commit of this transaction failed and was rolled back (see `cause`). */
export class TransactionLostError extends Error {
  override readonly name = 'TransactionLostError';

  constructor(options: ErrorOptions) {
    super('The transaction could not be committed.', options);
  }
}

/** The connection ended during a commit, and the outcome could not be found (see `cause`). */
export class CommitUnknownError extends Error {
  override readonly name = 'CommitUnknownError';

  constructor(options: ErrorOptions) {
    super('The connection to the database ended during a commit. Its outcome is unknown.', options);
  }
}
