import type { Settings } from '../options.ts';
import type { Call } from './call.ts';
import type { Answer } from './exchange.ts';
import { type Ending, reasonOf } from './retry.ts';

/** Is told what the door does. Nothing secret reaches it. */
export interface Observer {
  /** What is added to `headers` is sent. */
  request(call: Call, headers: Record<string, string>): void;
  response(call: Call, answer: Answer, startedAt: number): void;
  retry(call: Call, ending: Ending, delayMs: number): void;
}

/** Tells the client's hooks and logger; undefined when it has neither. */
export function createObserver(settings: Settings): Observer | undefined {
  const { logger, onRequest, onResponse, onRetry } = settings;
  if (!(logger || onRequest || onResponse || onRetry)) return undefined;
  return {
    request({ facts }, headers) {
      const attempt = attemptOf(facts);
      logger?.debug('request', attempt);
      onRequest?.({ ...attempt, headers });
    },
    response({ facts }, { status, response, receivedAt }, startedAt) {
      const requestId = response.headers.get('x-request-id') ?? undefined;
      const durationMs = receivedAt - startedAt;
      const event = { ...attemptOf(facts), status, requestId, durationMs };
      logger?.debug('response', event);
      onResponse?.(event);
    },
    retry({ facts }, ending, delayMs) {
      const { status } = ending;
      const event = { ...attemptOf(facts), reason: reasonOf(ending), status, delayMs };
      logger?.warn('retry', event);
      onRetry?.(event);
    },
  };
}

function attemptOf({ method, path, attempts }: Call['facts']) {
  return { method, path, attempt: attempts };
}
