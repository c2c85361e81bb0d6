import type { Made, Operation } from './operations.ts';

/** The changes of all clients, and the events that must report them. */
export interface Journal {
  /** Changes whose response was a success. */
  confirmed: number;
  /** Changes without a response that were found done, and not done. */
  foundDone: number;
  foundUndone: number;
  /** Stored responses that a repeated key returned. */
  replayed: number;
  /** The requests of confirmed changes with an event. */
  readonly requestIds: Set<string>;
  /** How many events of each type are about each resource. */
  readonly events: Map<string, number>;
}

export function createJournal(): Journal {
  return {
    confirmed: 0,
    foundDone: 0,
    foundUndone: 0,
    replayed: 0,
    requestIds: new Set(),
    events: new Map(),
  };
}

/** Notes the event of a change that was done; `requestId` when it is known. */
export function expectEvent(
  { events, requestIds }: Journal,
  { event, subject }: Operation,
  made: Made,
  requestId?: string,
): void {
  if (event === undefined) return;
  const key = `${event} ${subject ?? made.id}`;
  events.set(key, (events.get(key) ?? 0) + 1);
  if (requestId !== undefined) requestIds.add(requestId);
}
