import type { Made, Operation } from './operations.ts';

/** What was done on behalf of all clients, and what has to be told of it. */
export interface Journal {
  /** Changes that were answered with their success. */
  confirmed: number;
  /** Changes without an answer that were found done, and not done. */
  foundDone: number;
  foundUndone: number;
  /** Answers that were given again for a repeated key. */
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
