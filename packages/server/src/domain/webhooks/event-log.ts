import contract from '../../generated/contract.json' with { type: 'json' };
import { notFound } from '../../generated/rules/errors.ts';
import { eventRange, requireCursorAlone } from '../../generated/rules/periods.ts';
import { leastIdAt, timeOf } from '../../lib/ids.ts';
import type { PageRequest } from '../../store/lists/listing.ts';
import {
  hasScope,
  isVisible,
  type OfAccount,
  ownerOfRows,
  readScopeOf,
  requireReadScope,
} from '../access.ts';
import type { Actor } from '../actor.ts';
import { eventRetention } from '../events.ts';
import { toPage } from '../pages.ts';
import type { EventType, Shape } from '../shapes.ts';
import type { ServiceOptions } from '../unit-of-work.ts';
import { createEventCursors } from './event-cursors.ts';

export type Event = Shape<'Event'>;

export interface EventQuery extends PageRequest, OfAccount {
  readonly type?: EventType | undefined;
  /** ISO 8601. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** A cursor. */
  readonly after?: string | undefined;
}

export type EventPage = Shape<'EventPage'>;

/** The events of an account as webhooks receive them, with or without a webhook. */
export type EventLog = ReturnType<typeof createEventLog>;

/** Milliseconds after which no transaction that records an earlier event is running. */
const settlingMs = 60_000;

const eventTypes = contract.components.schemas.EventType.enum as readonly EventType[];

export function createEventLog({ store, clock }: Pick<ServiceOptions, 'store' | 'clock'>) {
  const cursors = createEventCursors({ store, clock });
  const oldest = () => clock.now() - eventRetention;

  /**
   * Lists events, without those whose resource the caller may not read: the newest first, or those after a cursor in
   * the order of their commits.
   */
  async function list(actor: Actor, query: EventQuery): Promise<EventPage> {
    if (query.type) requireReadScope(actor, query.type);
    const chosen = {
      pageSize: query.pageSize,
      userId: ownerOfRows(actor, query),
      types: query.type ? [query.type] : readableTypes(actor),
    };
    if (query.after !== undefined) requireCursorAlone(query);
    const { since, until } = eventRange(query);
    // Before the page is read: what is committed meanwhile follows the cursor.
    const end = await store.events.end();
    if (query.after !== undefined) {
      const after = await cursors.positionOf(query.after, end);
      const { rows, position, hasMore } = await store.events.committed({ ...chosen, after });
      // The events that follow are as old as before.
      const cursor = await cursors.issue(position, end, hasMore ? after.readAt : undefined);
      return { data: rows.map(present), cursor, hasMore };
    }
    const rows = await store.events.list({
      ...chosen,
      page: query.page,
      from: leastIdAt('evt', Math.max(since, oldest())),
      before: leastIdAt('evt', until + 1),
      settledBefore: leastIdAt('evt', clock.now() - settlingMs),
    });
    return { ...toPage(rows, query, present), cursor: await cursors.issue(end, end) };
  }

  /** @throws ServiceError NOT_FOUND, INSUFFICIENT_PERMISSIONS */
  async function get(actor: Actor, eventId: string): Promise<Event> {
    const event = await store.events.find(eventId);
    const isListed = event && !event.test && timeOf(event.id) >= oldest();
    if (!isListed || !isVisible(actor, event)) {
      throw notFound('event', { eventId });
    }
    requireReadScope(actor, event.type as EventType);
    return present(event);
  }

  return { list, get };
}

/** Returns undefined when the actor may read all types. */
function readableTypes(actor: Actor): readonly EventType[] | undefined {
  const readable = eventTypes.filter((type) => hasScope(actor, readScopeOf(type)));
  return readable.length === eventTypes.length ? undefined : readable;
}

function present({ body }: { readonly body: string }): Event {
  return JSON.parse(body);
}
