/** The driver was closed before the call. */
export class DatabaseClosedError extends Error {
  override readonly name = 'DatabaseClosedError';

  constructor() {
    super('The database is closed.');
  }
}

/** The queries of a transaction were used after its end. */
export class TransactionEndedError extends Error {
  override readonly name = 'TransactionEndedError';

  constructor() {
    super('This transaction has ended. Its queries cannot be used any more.');
  }
}

/** An earlier query of the same transaction failed (see `cause`). */
export class TransactionFailedError extends Error {
  override readonly name = 'TransactionFailedError';

  constructor(options: ErrorOptions) {
    super('An earlier query of this transaction failed. It can only be rolled back.', options);
  }
}

/** A transaction awaited something other than its queries and was rolled back. */
export class TransactionStalledError extends Error {
  override readonly name = 'TransactionStalledError';

  constructor() {
    super('The transaction was rolled back, because it awaited something other than its queries.');
  }
}

/** The shared commit of this transaction failed and was rolled back (see `cause`). */
export class TransactionLostError extends Error {
  override readonly name = 'TransactionLostError';

  constructor(options: ErrorOptions) {
    super('The transaction could not be committed.', options);
  }
}

/** A text contains the character NUL, which PostgreSQL cannot store. */
export class UnstorableTextError extends Error {
  override readonly name = 'UnstorableTextError';

  /** @param parameter the name of the parameter */
  constructor(parameter: string) {
    super(`The parameter @${parameter} contains the character NUL, which PostgreSQL cannot store.`);
  }
}

/** The connection ended during a commit, and the outcome could not be found (see `cause`). */
export class CommitUnknownError extends Error {
  override readonly name = 'CommitUnknownError';

  constructor(options: ErrorOptions) {
    super('The connection to the database ended during a commit. Its outcome is unknown.', options);
  }
}

/** A write was attempted on a database that was opened for reading. */
export class DatabaseReadOnlyError extends Error {
  override readonly name = 'DatabaseReadOnlyError';

  constructor() {
    super('The database was opened for reading only.');
  }
}
