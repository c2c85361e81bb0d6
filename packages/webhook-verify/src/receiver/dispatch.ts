import type { ReceivedEvent } from '../event.ts';
import { type EventStore, runOnce } from './event-store.ts';
import { callHandler, checkHandlers, type EventHandlers, handlerOf } from './handlers.ts';
import { checkStore } from './options.ts';
import { writeToConsole } from './receiver.ts';

/** Options of {@link dispatch}. */
export interface DispatchOptions {
  /** The store of the receiver. Without one, the handler runs at every call. */
  readonly store?: EventStore | undefined;
  /** The `signal` that the handler receives. @default one that never aborts */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs the handler of an event that came another way than by a webhook, for example from
 * `client.events.after(cursor)`. With the store of a receiver, an event that came both ways is handled once.
 *
 * @param handlers the handlers of the receiver
 * @param event an event of the service
 * @returns `false` when there is no handler for the type, else `true` once the event is handled
 * @throws the error of the handler, or {@link WebhookReceiverError}: `store_failed`, or `event_in_progress` while
 * another receiver or call handles the event, also in this process. Errors of the store after the handler go to
 * `console.error`.
 * @throws TypeError that names the invalid handler or option
 * @example
 * ```ts
 * for (const event of events) await dispatch(handlers, event, { store });
 * ```
 */
export async function dispatch(
  handlers: EventHandlers,
  event: ReceivedEvent,
  { store, signal = new AbortController().signal }: DispatchOptions = {},
): Promise<boolean> {
  checkHandlers(handlers);
  if (store !== undefined) checkStore(store);
  const handler = handlerOf(handlers, event);
  if (handler === undefined) return false;
  const unsigned = { event, secretIndex: -1, sentAt: undefined };
  const run = () => callHandler(handler, { ...unsigned, signal, onLateError: writeToConsole });
  if (store === undefined) await run();
  else await runOnce(store)({ id: event.id, run, onStoreError: writeToConsole });
  return true;
}
