import type { ReceivedEvent } from '../event.ts';
import type { EventStore } from './event-store.ts';
import { memoryStore } from './memory-store.ts';
import { wholeNumber } from './whole-number.ts';

/** What a failure was about. */
export interface FailedDelivery {
  /** How the request was answered: 200 when its handler failed after it had acknowledged the event. */
  readonly status: number;
  /** The event; `undefined` when none was verified. */
  readonly event: ReceivedEvent | undefined;
}

/** The options of every adapter. */
export interface ReceiverOptions {
  /** The largest body that is read, in bytes; from 1. @default 1_048_576 (1 MiB) */
  readonly maxBodySize?: number | undefined;
  /**
   * How long a request may take before it is answered 500, in milliseconds, from its arrival; from 1
   * to 2_147_483_647. The service waits for 10 seconds, connecting and both ways on the network
   * included. @default 9_000
   */
  readonly timeout?: number | undefined;
  /**
   * Where handled events are remembered. @default a `memoryStore()` of this receiver's own
   */
  readonly store?: EventStore | undefined;
  /**
   * Told why a request was not answered 200, and of handlers that failed after their request was
   * answered. It cannot change the answer. @default the framework's own log: the app's `error` event
   * in Koa, `request.log` in Fastify, `console.error` elsewhere
   */
  readonly onError?: ((error: Error, delivery: FailedDelivery) => unknown) | undefined;
}

/** Options with their defaults, checked. */
export interface CheckedOptions extends Pick<ReceiverOptions, 'onError'> {
  readonly maxBodySize: number;
  readonly timeout: number;
  readonly store: EventStore;
}

/**
 * @throws RangeError or TypeError that names the option which cannot be used
 */
export function checkOptions(options: ReceiverOptions): CheckedOptions {
  const { maxBodySize = 1_048_576, timeout = 9_000, store = memoryStore(), onError } = options;
  for (const method of ['claim', 'complete', 'release'] as const) {
    if (typeof store?.[method] !== 'function') {
      throw new TypeError(`The option store must have a method ${method}.`);
    }
  }
  if (onError !== undefined && typeof onError !== 'function') {
    throw new TypeError('The option onError must be a function.');
  }
  return {
    maxBodySize: wholeNumber('maxBodySize', maxBodySize, { unit: 'bytes' }),
    // Timers of a longer time end at once.
    timeout: wholeNumber('timeout', timeout, { unit: 'milliseconds', max: 2_147_483_647 }),
    store,
    onError,
  };
}
