import contract from '../../generated/contract.json' with { type: 'json' };
import { notFound } from '../../generated/rules/errors.ts';
import { eventRange } from '../../generated/rules/periods.ts';
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
import { type Page, toPage } from '../pages.ts';
import type { EventType, Shape } from '../shapes.ts';
import type { ServiceOptions } from '../unit-of-work.ts';

export type Event = Shape<'Event'>;

export interface EventQuery extends PageRequest, OfAccount {
  readonly type?: EventType | undefined;
  /** ISO 8601. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** The events of an account as webhooks receive them, with or without a webhook. */
export type EventLog = ReturnType<typeof createEventLog>;

/** Milliseconds after which no transaction that records an earlier event is running. */
const settlingMs = 60_000;

const eventTypes = contract.components.schemas.EventType.enum as readonly EventType[];

export function createEventLog({ store, clock }: Pick<ServiceOptions, 'store' | 'clock'>) {
  const oldest = () => clock.now() - eventRetention;

  /** Lists events, the newest first, without those whose resource the caller may not read. */
  async function list(actor: Actor, query: EventQuery): Promise<Page<Event>> {
    if (query.type) requireReadScope(actor, query.type);
    const { since, until } = eventRange(query);
    const rows = await store.events.list({
      page: query.page,
      pageSize: query.pageSize,
      userId: ownerOfRows(actor, query),
      types: query.type ? [query.type] : readableTypes(actor),
      from: leastIdAt('evt', Math.max(since, oldest())),
      before: leastIdAt('evt', until + 1),
      settledBefore: leastIdAt('evt', clock.now() - settlingMs),
    });
    return toPage(rows, query, present);
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
