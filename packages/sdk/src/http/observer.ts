import type { RequestEvent, ResponseEvent, RetryEvent, Settings } from '../options.ts';

/** Is told what the door does. Nothing secret reaches it. */
export interface Observer {
  request(event: RequestEvent): void;
  response(event: ResponseEvent): void;
  retry(event: RetryEvent): void;
}

/** Tells the client's hooks and logger; undefined when it has neither. */
export function createObserver(settings: Settings): Observer | undefined {
  const { logger, onRequest, onResponse, onRetry } = settings;
  if (!(logger || onRequest || onResponse || onRetry)) return undefined;
  return {
    request(event) {
      const { method, path, attempt } = event;
      logger?.debug('request', { method, path, attempt });
      onRequest?.(event);
    },
    response(event) {
      logger?.debug('response', event);
      onResponse?.(event);
    },
    retry(event) {
      logger?.warn('retry', event);
      onRetry?.(event);
    },
  };
}
