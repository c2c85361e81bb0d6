/** The surroundings of a command: environment, input, output, secrets, and the errors it ends with. */
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { WebhookVerificationError } from '../errors.ts';
import { checkSecrets } from '../secrets.ts';

export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes a line to standard output. */
  print(text: string): void;
  /** Writes a line to standard error. */
  printError(text: string): void;
  /** Reads all bytes of standard input. */
  read(): Promise<Uint8Array>;
  /** Resolves after this time. A rejection ends the command. */
  sleep(milliseconds: number): Promise<unknown>;
}

export const processTerminal: Terminal = {
  env: process.env,
  print: (line) => void process.stdout.write(`${line}\n`),
  printError: (line) => void process.stderr.write(`${line}\n`),
  read: () => buffer(process.stdin),
  sleep: setTimeout,
};

/** The command ran and failed: exit code 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}

/** The arguments or the environment are invalid: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What the process prints and returns after an expected error. */
export interface Ending {
  readonly message: string;
  readonly exitCode: 1 | 2;
}

/** @throws the error itself when it is unexpected */
export function endingOf(error: unknown): Ending {
  if (error instanceof UsageError) return { message: error.message, exitCode: 2 };
  if (error instanceof CommandFailure) return { message: error.message, exitCode: 1 };
  if (!(error instanceof WebhookVerificationError)) throw error;
  const { code, message } = error;
  return { message: `${code}: ${message}`, exitCode: code.startsWith('secret_') ? 2 : 1 };
}

/** Makes foreign text safe to print: control characters except tab and line feed become U+FFFD. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(/(?![\t\n])\p{Cc}/gu, '\ufffd');
}

/** The secrets of a command. */
export interface GivenSecrets {
  readonly values: readonly string[];
  /** Returns a description of a secret, which never contains the secret itself. */
  nameOf(index: number): string;
}

/**
 * Returns the secrets of `--secret`, or else the secret of the environment.
 *
 * @throws {@link UsageError} when there is none
 * @throws {@link WebhookVerificationError} with a code that begins with `secret_`
 */
export function secretsOf(typed: readonly string[] | undefined, { env }: Terminal): GivenSecrets {
  if (typed !== undefined) {
    const nameOf = (index: number) => `secret ${index + 1} of ${typed.length}`;
    return { values: checkSecrets(typed), nameOf };
  }
  const { WEBHOOK_SECRET: secret } = env;
  if (!secret) {
    throw new UsageError('WEBHOOK_SECRET is not set. Set it, or pass --secret.');
  }
  return { values: checkSecrets([secret]), nameOf: () => 'WEBHOOK_SECRET' };
}

/**
 * Returns the secret to sign with.
 *
 * @throws {@link UsageError} when there is none, or more than one
 * @throws {@link WebhookVerificationError} with a code that begins with `secret_`
 */
export function signingSecret(typed: readonly string[] | undefined, terminal: Terminal): string {
  const [secret = '', ...others] = secretsOf(typed, terminal).values;
  if (others.length > 0) throw new UsageError('Pass --secret once: a body has one signature.');
  return secret;
}

const fileErrors: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
};

/**
 * Reads the bytes of a file, or of standard input without a file and for `-`.
 *
 * @throws {@link UsageError} when the file cannot be read
 */
export async function readBytes(file: string | undefined, terminal: Terminal): Promise<Uint8Array> {
  if (file === undefined || file === '-') return terminal.read();
  try {
    return await readFile(file);
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    throw new UsageError(`Cannot read ${file}: ${fileErrors[code] ?? code}.`, { cause });
  }
}
