/** Another process, or another driver of this one, has the data folder open. */
export class DatabaseInUseError extends Error {
  override readonly name = 'DatabaseInUseError';

  constructor(folder: string, options?: ErrorOptions) {
    super(`The data folder ${folder} is in use by another process. Stop it first.`, options);
  }
}

/** The database is refused at start: SQLite is too old, or a setting did not take. */
export class DatabaseRefusedError extends Error {
  override readonly name = 'DatabaseRefusedError';
}

/** SQLite found the database damaged. Nothing is written any more; reading goes on as far as it can. */
export class DatabaseDamagedError extends Error {
  override readonly name = 'DatabaseDamagedError';

  constructor(options: ErrorOptions) {
    super('The database is damaged and takes no changes. Restore it from a backup.', options);
  }
}

/** The driver was closed before this was asked for. */
export class DatabaseClosedError extends Error {
  override readonly name = 'DatabaseClosedError';

  constructor() {
    super('The database is closed.');
  }
}

/** The queries of a transaction were used after it had ended. */
export class TransactionEndedError extends Error {
  override readonly name = 'TransactionEndedError';

  constructor() {
    super('This transaction has ended; its queries cannot be used any more.');
  }
}

/** A query was asked for after another of the same transaction had failed (see `cause`). */
export class TransactionFailedError extends Error {
  override readonly name = 'TransactionFailedError';

  constructor(options: ErrorOptions) {
    super('An earlier query of this transaction failed; it can only be rolled back.', options);
  }
}

/** A transaction awaited something else than its queries. It was rolled back. */
export class TransactionStalledError extends Error {
  override readonly name = 'TransactionStalledError';

  constructor() {
    super(
      'A transaction may await its own queries only; this one awaited more and is rolled back.',
    );
  }
}

/** The commit that this transaction was part of did not happen (see `cause`). Nothing of it is left. */
export class TransactionLostError extends Error {
  override readonly name = 'TransactionLostError';

  constructor(options: ErrorOptions) {
    super('The transaction could not be committed.', options);
  }
}

/** There is no database where one was to be read. */
export class DatabaseMissingError extends Error {
  override readonly name = 'DatabaseMissingError';
  readonly file: string;

  constructor(file: string) {
    super(`There is no database at ${file}.`);
    this.file = file;
  }
}

/** A file is no database, or one that SQLite cannot read (see `cause`). */
export class DatabaseUnreadableError extends Error {
  override readonly name = 'DatabaseUnreadableError';

  constructor(file: string, options: { readonly cause: Error }) {
    super(`${file} cannot be read as a database: ${options.cause.message}.`, options);
  }
}

/** A database that was opened for reading was asked to change. */
export class DatabaseReadOnlyError extends Error {
  override readonly name = 'DatabaseReadOnlyError';

  constructor() {
    super('The database was opened for reading only.');
  }
}

/** A database could not be copied into another file (see `cause`). */
export class DatabaseCopyError extends Error {
  override readonly name = 'DatabaseCopyError';

  constructor(options: { readonly cause: Error }) {
    super(`The copy could not be written: ${options.cause.message}.`, options);
  }
}
