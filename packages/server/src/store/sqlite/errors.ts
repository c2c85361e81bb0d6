import { OperatorError } from '../../lib/operator-error.ts';

/** Another process, or another driver of this process, uses the data folder in a way that excludes this use. */
export class DatabaseInUseError extends OperatorError {
  override readonly name = 'DatabaseInUseError';

  constructor(folder: string, options?: ErrorOptions) {
    super(`The data folder ${folder} is in use by another process. Stop it first.`, options);
  }
}

/** SQLite found damage in the database. The driver rejects writes and continues to read. */
export class DatabaseDamagedError extends Error {
  override readonly name = 'DatabaseDamagedError';

  constructor(options: ErrorOptions) {
    super('The database is damaged and rejects changes. Restore it from a backup.', options);
  }
}

/** SQLite cannot read a file as a database (see `cause`). */
export class DatabaseUnreadableError extends OperatorError {
  override readonly name = 'DatabaseUnreadableError';

  constructor(file: string, options: { readonly cause: Error }) {
    super(`${file} cannot be read as a database: ${options.cause.message}.`, options);
  }
}
