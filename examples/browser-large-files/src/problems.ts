import {
  AbortError,
  AuthenticationError,
  ConnectionError,
  DecryptionError,
  NotFoundError,
  RateLimitError,
  SourceChangedError,
  TimeoutError,
  ValidationError,
} from '@document-vault/sdk';

/** Returns what a user should read about an error, undefined for one that the user has caused. */
export function problemText(error: unknown): string | undefined {
  if (error instanceof AbortError) return undefined;
  if (error instanceof AuthenticationError) return 'Email or password is wrong.';
  if (error instanceof SourceChangedError) {
    return 'This is not the file that the upload began with, or it has changed. Choose that file, or discard the upload.';
  }
  if (error instanceof DecryptionError) {
    if (error.reason === 'checkpoint') {
      return 'The upload cannot be continued: what this browser stored of it was changed. Upload the file again.';
    }
    return error.reason === 'key'
      ? 'The passphrase is wrong.'
      : 'The file was changed on its way. Nothing of it is shown.';
  }
  if (error instanceof NotFoundError) return 'The service no longer has this file or upload.';
  if (error instanceof RateLimitError) return 'Too many requests. Try again in a minute.';
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    return 'The service cannot be reached. Check the connection and try again.';
  }
  if (error instanceof ValidationError && error.details.constraint === 'unique') {
    return 'An account with this email exists: sign in.';
  }
  if (error instanceof ValidationError) {
    const [violation] = error.details.violations ?? [];
    return violation?.message ?? error.message;
  }
  return error instanceof Error ? error.message : String(error);
}
