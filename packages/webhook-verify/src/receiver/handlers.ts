import type { ReceivedEvent } from '../event.ts';
import type { EventType, WebhookEventMap } from '../generated/events.ts';
import type { Verified } from '../verifier.ts';
import { toError } from './errors.ts';

/** The second argument of a handler. */
export interface Delivery {
  /** Index in `secrets` of the secret that matched; -1 for an event that was dispatched. */
  readonly secretIndex: number;
  /** When the attempt began; `undefined` with `X-Service-Signature` alone and when it was dispatched. */
  readonly sentAt: Date | undefined;
  /**
   * Declares that the event is safe, for example in a queue. The receiver responds with 200 at once
   * and never handles the event again. If the handler fails later, the error is only reported.
   */
  readonly acknowledge: () => void;
  /**
   * Aborts after the `timeout`, when the receiver has responded with 500. The handler may continue.
   * If it succeeds, the next attempt gets 200 and does not run it again. Never aborts after
   * `acknowledge`.
   */
  readonly signal: AbortSignal;
}

/**
 * A handler for each event type. `default` receives every event without a handler of its own, also of
 * unknown types. Without `default`, such events get 200 and are dropped. The receiver awaits promises
 * and ignores return values.
 */
export type EventHandlers = {
  readonly [Type in EventType]?:
    | ((event: WebhookEventMap[Type], delivery: Delivery) => unknown)
    | undefined;
} & {
  readonly default?: ((event: ReceivedEvent, delivery: Delivery) => unknown) | undefined;
};

/** A handler, together with which only events of its type are used. */
export type EventHandler = NonNullable<EventHandlers['default']>;

/**
 * Checks the handlers once, so that a mistake does not fail every event of a type later.
 *
 * @throws TypeError that names the handler
 */
export function checkHandlers(handlers: EventHandlers): void {
  for (const [type, handler] of Object.entries(handlers)) {
    if (handler !== undefined && typeof handler !== 'function') {
      throw new TypeError(`The handler of ${type} must be a function.`);
    }
  }
}

/** Finds own properties only, because the type of an event may be `constructor`. */
export function handlerOf(handlers: EventHandlers, event: ReceivedEvent): EventHandler | undefined {
  const own = Object.hasOwn(handlers, event.type)
    ? (handlers[event.type as EventType] as EventHandler | undefined)
    : undefined;
  return own ?? handlers.default;
}

interface Call extends Verified, Pick<Delivery, 'signal'> {
  /** Reports an error that the handler threw after the response. */
  onLateError(error: Error): void;
}

/** Resolves when the handler has finished or acknowledged the event. */
export function callHandler(handler: EventHandler, call: Call): Promise<void> {
  const { event, secretIndex, sentAt, signal, onLateError } = call;
  return new Promise((resolve, reject) => {
    let acknowledged = false;
    const acknowledge = () => {
      acknowledged = true;
      resolve();
    };
    const run = async () => {
      signal.throwIfAborted();
      await handler(event, { secretIndex, sentAt, signal, acknowledge });
    };
    run().then(resolve, (thrown) => {
      const error = toError(thrown);
      if (acknowledged || (signal.aborted && error !== signal.reason)) onLateError(error);
      reject(error);
    });
  });
}
