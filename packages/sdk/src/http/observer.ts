/** Hooks and logger of a client. */
import type { VaultError } from '../errors.ts';
import {
  type AttemptEvent,
  type FailureEvent,
  type RetryEvent,
  runHook,
  type Settings,
} from '../options.ts';
import { type Call, randomKey } from './request.ts';
import type { ApiResponse } from './responses.ts';
import type { Outcome } from './retry.ts';

/** Reports attempts to hooks and logger, without credentials and content. */
export interface Observer {
  /** Resolves to the headers of the call with those that `onRequest` has added, unless it failed. */
  request(call: Call): Promise<Readonly<Record<string, string>>>;
  response(call: Call, received: ApiResponse, startedAt: number): void;
  failure(call: Call, error: VaultError): void;
  retry(call: Call, outcome: Outcome, delayMs: number): void;
}

/** Creates the observer of a client. */
export function createObserver(settings: Settings): Observer {
  const { logger, onRequest } = settings;
  /** No call waits for these hooks. */
  const emit = (name: 'onResponse' | 'onFailure' | 'onRetry', event: AttemptEvent) => {
    const hook = settings[name] as ((event: AttemptEvent) => unknown) | undefined;
    void runHook(settings, name, () => hook?.(event));
  };
  const describe = (call: Call): AttemptEvent => {
    const { method, path, attempts: attempt } = call.context;
    call.id ??= randomKey();
    return { callId: call.id, operation: `${method} ${path}`, method, path, attempt };
  };
  return {
    async request(call) {
      const attempt = describe(call);
      let { headers } = call;
      await runHook(settings, 'logger', () => logger?.debug(attempt, 'request'));
      await runHook(settings, 'onRequest', async () => {
        const added = { ...headers };
        await onRequest?.({ ...attempt, headers: added });
        headers = added;
      });
      return headers;
    },
    response(call, { status, response, receivedAt }, startedAt) {
      const requestId = response.headers.get('x-request-id') ?? undefined;
      const durationMs = receivedAt - startedAt;
      const event = { ...describe(call), status, requestId, durationMs };
      void runHook(settings, 'logger', () => logger?.debug(event, 'response'));
      emit('onResponse', event);
    },
    failure(call, error) {
      emit('onFailure', { ...describe(call), error } as FailureEvent);
    },
    retry(call, outcome, delayMs) {
      const { status } = outcome;
      const event = { ...describe(call), reason: reasonOf(outcome), status, delayMs };
      void runHook(settings, 'logger', () => logger?.warn(event, 'retry'));
      emit('onRetry', event);
    },
  };
}

/** The `reason` of a retry event. */
function reasonOf(outcome: Outcome): RetryEvent['reason'] {
  if (outcome.status === undefined) return outcome.failure === 'timeout' ? 'timeout' : 'network';
  return outcome.status === 401 ? 'expired-token' : 'status';
}
