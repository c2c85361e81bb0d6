import type { Logger } from 'pino';
import { deletedMeanwhile } from '../domain/documents/documents.ts';

/** Ways in which a connection ends that are the client's, or the fate of networks. */
const lostConnection = new Set([
  deletedMeanwhile,
  'ECONNRESET',
  'EPIPE',
  'ERR_HTTP_REQUEST_TIMEOUT',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/** Notes that nobody got the answer that was meant for a request. */
export function logUnsentAnswer(log: Logger, error: Error & { readonly code?: string }): void {
  const { code = '', message } = error;
  if (lostConnection.has(code) || code.startsWith('HPE_')) {
    // What could not be read as HTTP hangs on its error, credentials and all: it is not for the log.
    log.info({ code, reason: message }, 'answer was not sent');
  } else {
    log.error({ err: error }, 'answer was not sent');
  }
}
