import type { WebhookVerificationErrorCode } from '../errors.ts';
import { WebhookReceiverError } from './errors.ts';

/** How a request is to be answered. */
export interface Answer {
  readonly status: 200 | 400 | 401 | 405 | 500;
  readonly headers: Readonly<Record<string, string>>;
  /** The body: a sentence that gives nothing away. */
  readonly message: string;
}

function answer(status: Answer['status'], message: string, headers = {}): Answer {
  return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers }, message };
}

export const done = answer(200, 'OK');

/** The answer to a request that did not come as far as a handler. */
export function answerToRefused(error: Error): Answer {
  if (error instanceof WebhookReceiverError) {
    if (error.code === 'method_not_allowed') return answer(405, error.message, { Allow: 'POST' });
    return answer(error.code === 'overloaded' ? 500 : 400, error.message);
  }
  if (error.name !== 'WebhookVerificationError') return answer(500, 'Verifying failed.');
  const { code } = error as Error & { code: WebhookVerificationErrorCode };
  if (code === 'body_not_raw') return answer(500, error.message);
  if (code === 'invalid_event') return answer(400, error.message);
  return answer(401, 'Unauthorized');
}

/** The answer to a verified event that is not known to be handled: the sender tries again. */
export function answerToUnhandled(error: Error): Answer {
  return answer(500, error instanceof WebhookReceiverError ? error.message : 'The handler failed.');
}
