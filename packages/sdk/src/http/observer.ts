/** Hooks and logger of a client, which the main entry loads at the first call of a client that has them. */
import type { RetryEvent, Settings } from '../options.ts';
import type { Call } from './request.ts';
import type { ApiResponse } from './responses.ts';
import type { Outcome } from './retry.ts';

/** Reports attempts to hooks and logger, without credentials and content. */
export interface Observer {
  /** Returns the headers of the call with those that hooks have added. */
  request(call: Call): Record<string, string>;
  response(call: Call, received: ApiResponse, startedAt: number): void;
  retry(call: Call, outcome: Outcome, delayMs: number): void;
}

/** Creates the observer of a client. */
export function createObserver({ logger, onRequest, onResponse, onRetry }: Settings): Observer {
  const describe = ({ context: { method, path, attempts: attempt } }: Call) => ({
    method,
    path,
    attempt,
  });
  return {
    request(call) {
      const attempt = describe(call);
      const headers = { ...call.headers };
      logger?.debug('request', attempt);
      onRequest?.({ ...attempt, headers });
      return headers;
    },
    response(call, { status, response, receivedAt }, startedAt) {
      const requestId = response.headers.get('x-request-id') ?? undefined;
      const durationMs = receivedAt - startedAt;
      const event = { ...describe(call), status, requestId, durationMs };
      logger?.debug('response', event);
      onResponse?.(event);
    },
    retry(call, outcome, delayMs) {
      const { status } = outcome;
      const event = { ...describe(call), reason: reasonOf(outcome), status, delayMs };
      logger?.warn('retry', event);
      onRetry?.(event);
    },
  };
}

/** The `reason` of a retry event. */
function reasonOf(outcome: Outcome): RetryEvent['reason'] {
  if (outcome.status === undefined) return outcome.failure === 'timeout' ? 'timeout' : 'network';
  return outcome.status === 401 ? 'expired-token' : 'status';
}
