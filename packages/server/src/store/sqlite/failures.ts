import Database from 'better-sqlite3';

/** SQLite's result codes for a file that is no longer a sound database. */
const damage = /^SQLITE_(CORRUPT|NOTADB|IOERR_CORRUPTFS)/;

function code(error: unknown): string {
  return error instanceof Database.SqliteError ? error.code : '';
}

export function isDamage(error: unknown): error is Error {
  return damage.test(code(error));
}

export function isBusy(error: unknown): boolean {
  return code(error).startsWith('SQLITE_BUSY');
}

export function isSqliteError(error: unknown): boolean {
  return error instanceof Database.SqliteError;
}

/** Remembers the first sign of damage, whichever connection met it. */
export class DamageRecord {
  #cause: Error | undefined;

  get cause(): Error | undefined {
    return this.#cause;
  }

  note(error: unknown): void {
    if (isDamage(error)) this.#cause ??= error;
  }
}
