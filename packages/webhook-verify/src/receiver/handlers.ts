import type { ReceivedEvent } from '../event.ts';
import type { EventType, WebhookEventMap } from '../generated/events.ts';
import type { VerifiedBody } from '../verifier.ts';
import { toError } from './errors.ts';

/** What a handler is given beside the event. */
export interface Delivery extends Pick<VerifiedBody, 'secretIndex'> {
  /**
   * Says that the event is safe, for instance in a queue: it is answered 200 at once and never
   * handled again, and if the handler fails later, that is reported and no more.
   */
  readonly acknowledge: () => void;
  /**
   * Aborts when the deadline is over: the service was told to try again. A handler may go on all the
   * same, and if it succeeds, the next attempt is answered 200 without running it again. Never
   * aborts once the event is acknowledged.
   */
  readonly signal: AbortSignal;
}

/**
 * A function for each event type that the receiver acts on; `default` gets every event that has no
 * function of its own, of unknown types too. Without it, such events are acknowledged and dropped.
 * Promises are awaited; what a function returns is not used.
 */
export type EventHandlers = {
  readonly [Type in EventType]?:
    | ((event: WebhookEventMap[Type], delivery: Delivery) => unknown)
    | undefined;
} & {
  readonly default?: ((event: ReceivedEvent, delivery: Delivery) => unknown) | undefined;
};

/** A handler for the event that it was found for. */
export type EventHandler = NonNullable<EventHandlers['default']>;

/**
 * Refuses what is no handler, which would make every event of that type fail.
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

/** Own properties alone are handlers: a type called `constructor` finds nothing. */
export function handlerOf(handlers: EventHandlers, event: ReceivedEvent): EventHandler | undefined {
  const own = Object.hasOwn(handlers, event.type)
    ? (handlers[event.type as EventType] as EventHandler | undefined)
    : undefined;
  return own ?? handlers.default;
}

interface Call extends Pick<Delivery, 'secretIndex' | 'signal'> {
  readonly event: ReceivedEvent;
  /** Told of a failure that came after the event was answered. */
  onLateError(error: Error): void;
}

/** Resolves once the event is safe: handled, or acknowledged by its handler. */
export function callHandler(handler: EventHandler, call: Call): Promise<void> {
  const { event, secretIndex, signal, onLateError } = call;
  return new Promise((resolve, reject) => {
    let acknowledged = false;
    const acknowledge = () => {
      acknowledged = true;
      resolve();
    };
    const run = async () => {
      signal.throwIfAborted();
      await handler(event, { secretIndex, signal, acknowledge });
    };
    run().then(resolve, (thrown) => {
      const error = toError(thrown);
      if (acknowledged || (signal.aborted && error !== signal.reason)) onLateError(error);
      reject(error);
    });
  });
}
