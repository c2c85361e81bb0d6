import type { RequestEvent, ResponseEvent, RetryEvent, Settings } from '../options.ts';

/** Tells the hooks and the logger what the door does. Nothing secret reaches either. */
export class Observer {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  request(event: RequestEvent): void {
    const { method, path, attempt } = event;
    this.#settings.logger?.debug('request', { method, path, attempt });
    this.#settings.onRequest?.(event);
  }

  response(event: ResponseEvent): void {
    this.#settings.logger?.debug('response', event);
    this.#settings.onResponse?.(event);
  }

  retry(event: RetryEvent): void {
    this.#settings.logger?.warn('retry', event);
    this.#settings.onRetry?.(event);
  }
}
