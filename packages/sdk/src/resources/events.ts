import type { ListEvents, WebhookEvent } from '../generated/types.ts';
import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/api-result.ts';
import type { CallOptions } from '../options.ts';
import type { List, ListOptions } from '../pages.ts';

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
  list(query?: ListEvents, options?: ListOptions): List<WebhookEvent>;

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
  return {
    list: api.list('/api/v1/events'),
    get: api.call('GET', '/api/v1/events/{id}'),
  };
}
