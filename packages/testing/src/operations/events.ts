import { rowsOf, sees } from '../actor.ts';
import { notFound } from '../generated/rules/errors.ts';
import { cursorExpired, eventRange, requireCursorAlone } from '../generated/rules/periods.ts';
import { hasScope, readScopeOf, requireReadScope } from '../generated/rules/scopes.ts';
import type { Handlers } from '../handler.ts';
import { toPage } from '../listing.ts';
import { type EventRecord, type State, toBase64Url } from '../state.ts';

/** How long events are listed, in milliseconds: 30 days. */
const retention = 30 * 24 * 60 * 60 * 1000;

export const eventHandlers = {
  listEvents({ state, actor, query }) {
    const { type, page, pageSize, after } = query;
    if (type) requireReadScope(actor, type);
    if (after !== undefined) requireCursorAlone(query);
    const { since, until } = eventRange(query);
    const isListed = rowsOf(actor, query);
    const own = [...state.tables.events.values()].filter(
      (event) => isListed(event) && isKept(state, event),
    );
    const found = own.filter(
      (event) =>
        hasScope(actor, readScopeOf(event.payload.type)) &&
        (type === undefined || event.payload.type === type) &&
        timeOf(event) >= since &&
        timeOf(event) <= until,
    );
    if (after !== undefined) {
      const position = positionOf(state, after);
      const next = found.filter(({ id }) => id > position);
      const data = next.slice(0, pageSize).map(({ payload }) => payload);
      const isFull = data.length === pageSize;
      const end = isFull ? data.at(-1)?.id : own.at(-1)?.id;
      const cursor = cursorAfter(state, end && end > position ? end : position);
      return { data, cursor, hasMore: next.length > pageSize };
    }
    const order = { page, pageSize, sortBy: 'id', sortOrder: 'desc' } as const;
    return {
      ...toPage(found, order, ({ payload }) => payload),
      cursor: cursorAfter(state, newestId(state)),
    };
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

/** The id of the newest event, which has the greatest one. */
function newestId({ tables }: State): string | undefined {
  return [...tables.events.keys()].at(-1);
}

/** Here, events are committed in the order of their ids: a cursor contains the last one before its page. */
function cursorAfter({ now }: State, id = ''): string {
  return `c1_${toBase64Url(`${now()} ${id}`)}`;
}

/** @throws ServiceError VALIDATION_ERROR for a cursor of another service, or an old one */
function positionOf(state: State, cursor: string): string {
  const [issuedAt, id = ''] = textOf(cursor).split(' ');
  const isKnown = id === '' || state.tables.events.has(id);
  if (!isKnown || !(Number(issuedAt) >= state.now() - retention)) throw cursorExpired();
  return id;
}

function textOf(cursor: string): string {
  try {
    return atob(cursor.slice('c1_'.length).replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return '';
  }
}

function isKept({ now }: State, event: EventRecord): boolean {
  return timeOf(event) >= now() - retention;
}

function timeOf({ payload }: EventRecord): number {
  return Date.parse(payload.timestamp);
}
