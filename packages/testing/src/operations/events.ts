import { rowsOf, sees } from '../actor.ts';
import { notFound } from '../generated/rules/errors.ts';
import { eventRange } from '../generated/rules/periods.ts';
import { hasScope, readScopeOf, requireReadScope } from '../generated/rules/scopes.ts';
import type { Handlers } from '../handler.ts';
import { toPage } from '../listing.ts';
import type { EventRecord, State } from '../state.ts';

/** How long events are listed, in milliseconds: 30 days. */
const retention = 30 * 24 * 60 * 60 * 1000;

export const eventHandlers = {
  listEvents({ state, actor, query }) {
    const { type, page, pageSize } = query;
    if (type) requireReadScope(actor, type);
    const { since, until } = eventRange(query);
    const isListed = rowsOf(actor, query);
    const found = [...state.tables.events.values()].filter(
      (event) =>
        isListed(event) &&
        isKept(state, event) &&
        hasScope(actor, readScopeOf(event.payload.type)) &&
        (type === undefined || event.payload.type === type) &&
        timeOf(event) >= since &&
        timeOf(event) <= until,
    );
    const order = { page, pageSize, sortBy: 'id', sortOrder: 'desc' } as const;
    return toPage(found, order, ({ payload }) => payload);
  },

  getEvent({ state, actor, path }) {
    const event = state.tables.events.get(path.id);
    if (!event || !sees(actor, event) || !isKept(state, event)) {
      throw notFound('event', { eventId: path.id });
    }
    requireReadScope(actor, event.payload.type);
    return event.payload;
  },
} satisfies Partial<Handlers>;

function isKept({ now }: State, event: EventRecord): boolean {
  return timeOf(event) >= now() - retention;
}

function timeOf({ payload }: EventRecord): number {
  return Date.parse(payload.timestamp);
}
