import {
  ConnectionError,
  DecryptionError,
  NotFoundError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UsageError,
} from '@document-vault/sdk';
import { sizeText } from './size.ts';

/** What the page shows when it cannot open a file. */
export interface Problem {
  readonly title: string;
  readonly text: string;
  /** Possible causes, when the service does not tell them apart. */
  readonly reasons?: readonly string[];
  /** What the reader can do. */
  readonly advice: string;
  /** Whether the same link can succeed later. */
  readonly canRetry?: boolean;
}

/** The address has no fragment: it was typed without one, or the page was reloaded. */
export const noLink: Problem = {
  title: 'Open a share link',
  text: 'This page opens files that were shared by a link. Its address contains no link now: the page removes a link once it has read it, so that the key stays out of your history.',
  advice: 'Open the complete link from the message that you received.',
};

/** Browsers offer Web Crypto on secure pages alone. */
export const insecurePage: Problem = {
  title: 'This page needs https',
  text: 'Browsers decrypt on secure pages only.',
  advice: 'Open the link with https:// at its start.',
};

const incompleteLink: Problem = {
  title: 'The link is incomplete',
  text: 'Its end is missing, or a program has changed it.',
  advice: 'Copy the whole link from the message that you received, and open it again.',
};

const notFound: Problem = {
  title: 'This link does not open a file',
  text: 'There are four possible reasons:',
  reasons: [
    'It has expired.',
    'It was opened as often as the sender allowed.',
    'The sender has revoked it.',
    'It is wrong: a character is missing or has changed.',
  ],
  advice: 'Compare the link with the message that you received, or ask the sender for a new one.',
};

const wrongKey: Problem = {
  title: 'The file cannot be decrypted',
  text: 'The key in the link does not fit the file.',
  advice: 'Copy the whole link again. If that does not help, ask the sender for a new one.',
};

const changedFile: Problem = {
  title: 'The file is not the one of the link',
  text: 'The service returned a file that was changed, or another file. Nothing of it is shown.',
  advice: 'Inform the sender, and ask for the file in another way.',
};

const unreachable: Problem = {
  title: 'The service cannot be reached',
  text: 'The connection failed. If a part of the file had arrived, the service may have counted an access.',
  advice: 'Check your connection, then try again.',
  canRetry: true,
};

const broken: Problem = {
  title: 'The service has a problem',
  text: 'The file could not be fetched.',
  advice: 'Try again in a few minutes.',
  canRetry: true,
};

/** The file does not fit into memory, and the browser has no service worker to stream it. */
export function tooLarge(size: number, limit: number): Problem {
  return {
    title: 'The file is too large for this window',
    text: `It has ${sizeText(size)}. Without service workers, which your browser has switched off here, this page opens files of up to ${sizeText(limit)}.`,
    advice:
      'Open the link in a window that is not private, or in another browser. This attempt has counted as an access.',
  };
}

/** Describes an error of `openShare` to the recipient of a link. */
export function problemOf(error: unknown): Problem {
  if (error instanceof NotFoundError) return notFound;
  if (error instanceof UsageError) return incompleteLink;
  if (error instanceof DecryptionError) return error.reason === 'key' ? wrongKey : changedFile;
  if (error instanceof RateLimitError) return tooManyRequests(error);
  if (error instanceof ConnectionError || error instanceof TimeoutError) return unreachable;
  if (error instanceof ServerError) return broken;
  const text = error instanceof Error ? error.message : String(error);
  return { ...broken, title: 'The file could not be opened', text };
}

function tooManyRequests({ retryAfterMs = 60_000 }: RateLimitError): Problem {
  const seconds = Math.ceil(retryAfterMs / 1000);
  const wait = seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return {
    title: 'Too many requests',
    text: 'The service limits the requests from your network. This attempt does not count as an access.',
    advice: `Try again in ${wait}.`,
    canRetry: true,
  };
}
