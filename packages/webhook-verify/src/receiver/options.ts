import type { ReceivedEvent } from '../event.ts';
import { wholeNumber } from './errors.ts';
import { type EventStore, memoryStore } from './event-store.ts';

/** The delivery of a reported error. */
export interface FailedDelivery {
  /** Status of the response: 200 when the handler failed after it acknowledged the event. */
  readonly status: number;
  /** The event; `undefined` when no event was verified. */
  readonly event: ReceivedEvent | undefined;
}

/** The options of every receiver. */
export interface ReceiverOptions {
  /** The largest accepted body, in bytes; at least 1. @default 1_048_576 (1 MiB) */
  readonly maxBodySize?: number | undefined;
  /**
   * Time from the arrival of a request until the receiver responds with 500, in milliseconds, from 1
   * to 2_147_483_647. The service waits 10 seconds for the response, network time included.
   * @default 9_000
   */
  readonly timeout?: number | undefined;
  /** Stores the handled events. @default a `memoryStore()` for this receiver only */
  readonly store?: EventStore | undefined;
  /**
   * Receives the reason of every response other than 200, and the errors of handlers that failed
   * after their response. It cannot change the response. @default the framework's log: the app's
   * `error` event in Koa, `request.log` in Fastify, `console.error` elsewhere
   */
  readonly onError?: ((error: Error, delivery: FailedDelivery) => unknown) | undefined;
}

/** Checked options with their defaults. */
export interface CheckedOptions extends Pick<ReceiverOptions, 'onError'> {
  readonly maxBodySize: number;
  readonly timeout: number;
  readonly store: EventStore;
}

/**
 * @throws RangeError or TypeError that names the invalid option
 */
export function checkOptions(options: ReceiverOptions): CheckedOptions {
  const { maxBodySize = 1_048_576, timeout = 9_000, store = memoryStore(), onError } = options;
  checkStore(store);
  if (onError !== undefined && typeof onError !== 'function') {
    throw new TypeError('The option onError must be a function.');
  }
  return {
    maxBodySize: wholeNumber('maxBodySize', maxBodySize, { unit: 'bytes' }),
    // A longer timer would fire at once.
    timeout: wholeNumber('timeout', timeout, { unit: 'milliseconds', max: 2_147_483_647 }),
    store,
    onError,
  };
}

/** @throws TypeError that names the missing method */
export function checkStore(store: EventStore): void {
  for (const method of ['claim', 'complete', 'release'] as const) {
    if (typeof store?.[method] !== 'function') {
      throw new TypeError(`The option store must have a method ${method}.`);
    }
  }
}
