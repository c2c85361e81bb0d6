import { CommanderError } from 'commander';
import { ConfigError } from '../config/config.ts';
import { DevelopmentAccountError } from '../domain/accounts/administration.ts';
import { ServiceError } from '../errors.ts';
import { BackupError, FileExistsError } from '../store/maintenance/backup.ts';
import { UnsoundDatabaseError } from '../store/maintenance/verification.ts';
import { MasterKeyError } from '../store/sealed-rows.ts';
import { SealedValueError } from '../store/sealing.ts';
import { isSqliteError } from '../store/sqlite/connection.ts';
import {
  DatabaseCopyError,
  DatabaseDamagedError,
  DatabaseInUseError,
  DatabaseMissingError,
  DatabaseRefusedError,
  DatabaseUnreadableError,
  TransactionLostError,
} from '../store/sqlite/errors.ts';
import { MigrationError } from '../store/sqlite/migrations.ts';
import { UnsupportedNodeError } from '../version.ts';
import { printable } from './table.ts';

/** A command was not done, for a reason that its sentence names. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
}

/** A command was not understood: what was typed has to change. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';
}

/** A command has failed and has said so itself. */
export class ReportedError extends Error {
  override readonly name = 'ReportedError';
}

/** What a process has to say, and how it ends: 0 done, 1 not done, 2 not understood. */
export interface Ending {
  /** undefined: everything is said. */
  readonly message: string | undefined;
  readonly exitCode: 0 | 1 | 2;
}

/** How a failed command ends: with a sentence for what its operator can mend, with everything for the rest. */
export function endingOf(error: unknown): Ending {
  // Commander has written what it had to say.
  if (error instanceof CommanderError) {
    return { message: undefined, exitCode: error.exitCode === 0 ? 0 : 2 };
  }
  if (error instanceof ReportedError) return { message: undefined, exitCode: 1 };
  const isUsage = error instanceof UsageError || error instanceof ConfigError;
  return { message: explain(error), exitCode: isUsage ? 2 : 1 };
}

const mendable = [
  CommandError,
  ConfigError,
  UnsupportedNodeError,
  BackupError,
  DatabaseCopyError,
  DatabaseInUseError,
  DatabaseMissingError,
  DatabaseRefusedError,
  DatabaseUnreadableError,
  DevelopmentAccountError,
  MasterKeyError,
  MigrationError,
  SealedValueError,
  UnsoundDatabaseError,
];

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ServiceError) return explainService(error);
  if (error instanceof FileExistsError) {
    return `${error.message} Name another file, or replace it with --force.`;
  }
  if (error instanceof TransactionLostError || error instanceof DatabaseDamagedError) {
    const { message, cause } = error;
    return `${message} (${cause instanceof Error ? cause.message : cause})`;
  }
  if (isSqliteError(error)) return `The database could not be used: ${error.message}.`;
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return `${message}. Stop what listens there, or choose another --port.`;
  if (syscall !== undefined) return `${message}.`;
  return mendable.some((kind) => error instanceof kind) ? message : (error.stack ?? message);
}

/** The options of commands by the fields of the contract that they fill. */
const optionOf: Readonly<Record<string, string>> = {
  email: '--email',
  name: '--name',
  password: 'The password',
  scopes: '--scopes',
  expiresAt: '--expires',
};

function explainService({ code, message, details }: ServiceError): string {
  if (code === 'NOT_FOUND') {
    const asked = Object.values(details).map((id) => printable(String(id)));
    return `${message.replace(/\.$/, '')}: ${asked.join(', ')}.`;
  }
  const field = String(details.field ?? '');
  return code === 'VALIDATION_ERROR' ? inOptions(field, message) : message;
}

/** What is said about a field of the contract, said about the option of a command. */
export function inOptions(field: string, message: string): string {
  const [root = ''] = field.split('.');
  const option = optionOf[root] ?? field;
  return message.startsWith(`${field} `)
    ? `${option}${message.slice(field.length)}`
    : `${option}: ${message}`;
}
