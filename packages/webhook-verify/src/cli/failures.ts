import { WebhookVerificationError, type WebhookVerificationErrorCode } from '../errors.ts';

/** The command was understood and did not succeed. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}

/** What was typed, or what the environment holds, cannot be done. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** How the process ends after an error that a command is expected to throw. */
export interface Ending {
  readonly message: string;
  readonly exitCode: 1 | 2;
}

/** Refused before anything was signed or verified. */
const usageCodes: readonly WebhookVerificationErrorCode[] = [
  'secret_too_short',
  'secret_whitespace',
];

/** @throws the error itself when it is none that a command is expected to throw */
export function endingOf(error: unknown): Ending {
  if (error instanceof UsageError) return { message: error.message, exitCode: 2 };
  if (error instanceof CommandFailure) return { message: error.message, exitCode: 1 };
  if (!(error instanceof WebhookVerificationError)) throw error;
  const { code, message } = error;
  return { message: `${code}: ${message}`, exitCode: usageCodes.includes(code) ? 2 : 1 };
}
