import type { ListEvents, Pagination, WebhookEvent } from '../generated/types.ts';
import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/api-result.ts';
import type { CallOptions } from '../options.ts';
import type { List, ListOptions } from '../pages.ts';

/** What {@link Events.after} selects. */
export type EventsAfter = Omit<ListEvents, 'after' | 'page' | 'since' | 'until'>;

/** A page of events with a cursor. */
export interface EventPage {
  /** The events of the page. */
  data: WebhookEvent[];
  /** Position of the page in the list. Absent after a cursor. */
  pagination?: Pagination;
  /** Where the next page begins. */
  cursor: string;
  /** Whether further events follow at once. Only after a cursor. */
  hasMore?: boolean;
}

/** The events of the account, as webhooks receive them, with or without a webhook. Kept for 30 days. */
export interface Events {
  /**
   * Lists the events of the account, newest first. With `admin:*`, `account: 'all'` lists those of all
   * accounts. Omits test events and events whose resource the credentials may not read. Needs the scope
   * `webhooks:read`, and the scope that reads the resource of an event (`documents:share` for events
   * of shares).
   *
   * @throws {@link PermissionError} when the scope for `type` is missing
   * @throws {@link ValidationError} when the query is invalid, or `until` is earlier than `since`
   * @example
   * for await (const event of client.events.list({ type: 'document.uploaded' })) {
   *   console.log(event.timestamp, event.id);
   * }
   */
  list(query?: Omit<ListEvents, 'after'>, options?: ListOptions): List<WebhookEvent>;

  /**
   * Returns the events that were committed after a cursor was issued: the oldest first, each once. Store the `cursor` of
   * every page, of an empty one too. A cursor is valid for 30 days. Needs the scopes of {@link Events.list}.
   *
   * @param cursor - of an earlier page. Without one, the newest page, newest first, whose cursor is the present
   * @throws {@link ValidationError} with the constraint `cursorExpired` when events could be missing: the cursor is
   * older than 30 days, or the service was restored, or has changed its database server, since. Begin again without one
   * @example
   * let page = await client.events.after(await readCursor());
   * for (;;) {
   *   for (const event of page.data) await apply(event);
   *   await writeCursor(page.cursor);
   *   if (!page.hasMore) break;
   *   page = await client.events.after(page.cursor);
   * }
   */
  after(
    cursor: string | undefined,
    query?: EventsAfter,
    options?: CallOptions,
  ): ApiPromise<EventPage>;

  /**
   * Returns an event. Needs the scope `webhooks:read` and the scope that reads the resource of the
   * event.
   *
   * @throws {@link NotFoundError} when the account has no event with this id, the event is older than
   * 30 days, or it is a test event
   * @example
   * const { type, data } = await client.events.get(eventId);
   */
  get(id: string, options?: CallOptions): ApiPromise<WebhookEvent>;
}

/** Creates the resource. */
export function createEvents(api: Api): Events {
  const page = api.send('GET', '/api/v1/events');
  return {
    list: api.list('/api/v1/events'),
    after: (cursor, query, options) => page({ ...query, after: cursor }, options),
    get: api.call('GET', '/api/v1/events/{id}'),
  };
}
