import { ConfigError } from '../config/config.ts';
import { ServiceError } from '../generated/rules/errors.ts';
import { OperatorError } from '../lib/operator-error.ts';
import { FileExistsError } from '../store/maintenance/backup.ts';
import { MigrationError } from '../store/migrations.ts';
import { isSqliteError } from '../store/sqlite/connection.ts';
import { DatabaseDamagedError } from '../store/sqlite/errors.ts';
import { TransactionLostError } from '../store/store-errors.ts';
import { printable } from './terminal.ts';

/** A command failed; the message names the reason and the way out. */
export class CommandError extends OperatorError {
  override readonly name: string = 'CommandError';
}

/** The arguments of a command are wrong. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';
}

/** How a process ends by an error. */
export interface Ending {
  readonly message: string;
  /** 1 failure, 2 wrong arguments or configuration. */
  readonly exitCode: 1 | 2;
}

/** Maps an error to message and exit code. Errors that an operator cannot fix keep their stack trace. */
export function endingOf(error: unknown): Ending {
  const isUsage = error instanceof UsageError || error instanceof ConfigError;
  return { message: explain(error), exitCode: isUsage ? 2 : 1 };
}

/** Errors whose cause is what the operator has to fix. */
const causedErrors = [DatabaseDamagedError, MigrationError, TransactionLostError];

function withCause({ message, cause }: Error): string {
  if (cause === undefined) return message;
  return `${message} (${cause instanceof Error ? cause.message : cause})`;
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ServiceError) return explainService(error);
  if (error instanceof FileExistsError) {
    return `${error.message} Name another file, or pass --force to replace it.`;
  }
  if (causedErrors.some((kind) => error instanceof kind)) return withCause(error);
  if (isSqliteError(error)) return explainSqlite(error);
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return `${message}. Stop the program that listens there, or choose another --port.`;
  if (syscall !== undefined) return `${message}.`;
  const isFixable = error instanceof OperatorError || error instanceof ConfigError;
  return isFixable ? message : (error.stack ?? message);
}

function explainSqlite(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'SQLITE_CANTOPEN'
    ? 'The database cannot be opened. Run the server and its commands as the user who owns the files in the data folder.'
    : `The database failed: ${error.message}.`;
}

/** The option for each field of the contract. */
const optionOf: Readonly<Record<string, string>> = {
  email: '--email',
  name: '--name',
  password: 'The password',
  scopes: '--scopes',
  expiresAt: '--expires',
  redirectUris: '--redirect-uris',
  grantTypes: '--grant-types',
  type: '--public',
};

function explainService({ code, message, details }: ServiceError): string {
  if (code === 'NOT_FOUND') {
    const asked = Object.values(details).map((id) => printable(String(id)));
    return `${message.replace(/\.$/, '')}: ${asked.join(', ')}.`;
  }
  const field = String(details.field ?? '');
  return code === 'VALIDATION_ERROR' ? optionMessage(field, message) : message;
}

/** Rewrites a message about a field of the contract to name the option of the command. */
export function optionMessage(field: string, message: string): string {
  const [root = ''] = field.split('.');
  const option = optionOf[root] ?? field;
  return message.startsWith(`${field} `)
    ? `${option}${message.slice(field.length)}`
    : `${option}: ${message}`;
}
