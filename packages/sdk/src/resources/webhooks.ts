import type {
  CreatedWebhook,
  CreateWebhook,
  Delivery,
  DeliveryDetail,
  ListDeliveries,
  ListWebhooks,
  RetryResult,
  RotatedWebhookSecret,
  RotateWebhookSecret,
  TestWebhook,
  UpdateWebhook,
  Webhook,
} from '../generated/types.ts';
import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/api-result.ts';
import type { CallOptions } from '../options.ts';
import type { List, ListOptions } from '../pages.ts';

/** The webhooks of the account: URLs that receive events. */
export interface Webhooks {
  /** The deliveries of a webhook. */
  readonly deliveries: Deliveries;
  /**
   * Lists the webhooks of the account without their secrets, newest first by default. Needs the scope
   * `webhooks:read`.
   *
   * @throws {@link ValidationError} when the query is invalid
   * @example
   * for await (const { url, health } of client.webhooks.list()) console.log(url, health);
   */
  list(query?: ListWebhooks, options?: ListOptions): List<Webhook>;

  /**
   * Registers a URL that receives events of the account; a webhook of an administrator receives those
   * of every account. The tier limits the number of webhooks. Needs the scope `webhooks:write`.
   *
   * Without a `secret`, the service generates one. The returned webhook then has it: keep it for the receiver, it is
   * not returned again.
   *
   * @throws {@link ValidationError} when a property is invalid, the service may not connect to the
   * address (field `url`, constraint `allowedTarget`), a header is reserved (constraint
   * `allowedHeader`), or the account has the maximum number (constraint `accountRows`)
   * @example
   * const webhook = await client.webhooks.create({
   *   url: 'https://app.example.com/hooks/vault',
   *   events: ['document.uploaded'],
   * });
   * console.log(`WEBHOOK_SECRET=${webhook.secret}`);
   */
  create(webhook: CreateWebhook, options?: CallOptions): ApiPromise<CreatedWebhook>;

  /**
   * Returns a webhook without its secret. Needs the scope `webhooks:read`.
   *
   * @throws {@link NotFoundError} when the account has no webhook with this id
   * @example
   * const { active, stats } = await client.webhooks.get(webhook.id);
   */
  get(id: string, options?: CallOptions): ApiPromise<Webhook>;

  /**
   * Changes the given fields. `events`, `headers` and `metadata` are replaced as a whole. The next
   * attempt of each pending delivery uses the new `url`, `headers` and `secret`. After a new `secret`, attempts are
   * signed with the previous one too, as {@link Webhooks.rotateSecret} describes. Needs the scope `webhooks:write`.
   *
   * @throws {@link NotFoundError} when the account has no webhook with this id
   * @throws {@link ValidationError} as {@link Webhooks.create} does
   * @example
   * await client.webhooks.update(webhook.id, { active: false });
   */
  update(id: string, changes: UpdateWebhook, options?: CallOptions): ApiPromise<Webhook>;

  /**
   * Replaces the secret of a webhook by a generated one, or by yours. Attempts are signed with the previous secret too
   * for 24 hours, or until `previousSecretExpiresAt` (at most 7 days away; `null`: not at all), so that the receiver can
   * be changed meanwhile. A secret before it ends at once. Needs the scope `webhooks:write`.
   *
   * @returns the generated secret, which is not returned again, and the end of the previous one
   * @throws {@link NotFoundError} when the account has no webhook with this id
   * @throws {@link ValidationError} when the secret or the time is invalid
   * @example
   * const { secret, previousSecretExpiresAt } = await client.webhooks.rotateSecret(webhook.id);
   */
  rotateSecret(
    id: string,
    rotation?: RotateWebhookSecret,
    options?: CallOptions,
  ): ApiPromise<RotatedWebhookSecret>;

  /**
   * Deletes a webhook with its pending deliveries and its log. This cannot be undone. Needs the scope
   * `webhooks:write`.
   *
   * @throws {@link NotFoundError} when the account has no webhook with this id
   * @example
   * await client.webhooks.delete(webhook.id);
   */
  delete(id: string, options?: CallOptions): ApiPromise<void>;

  /**
   * Sends an example event to the webhook and returns its delivery. The event is signed and logged
   * like any other, and marked with `context.test` and the header `X-Service-Test: true`. It is
   * attempted once and not counted in `stats`. Needs the scope `webhooks:write`.
   *
   * @throws {@link NotFoundError} when the account has no webhook with this id
   * @throws {@link ValidationError} when a property is invalid, or `eventType` is a type that the
   *   webhook does not subscribe to, unless `allowUnsubscribed` is `true`
   * @example
   * const delivery = await client.webhooks.test(webhook.id, { eventType: 'vault.created' });
   */
  test(id: string, test?: TestWebhook, options?: CallOptions): ApiPromise<Delivery>;
}

/** The deliveries of webhooks: one for each event and webhook. */
export interface Deliveries {
  /**
   * Lists the deliveries of a webhook, newest first by default. Completed deliveries are kept for 30
   * days. Needs the scope `webhooks:read`.
   *
   * @throws {@link NotFoundError} when the account has no webhook with this id
   * @throws {@link ValidationError} when the query is invalid
   * @example
   * for await (const { id, error } of client.webhooks.deliveries.list(webhook.id, {
   *   status: 'failed',
   * })) {
   *   console.log(id, error);
   * }
   */
  list(webhookId: string, query?: ListDeliveries, options?: ListOptions): List<Delivery>;

  /**
   * Returns a delivery with its event and every attempt. Needs the scope `webhooks:read` and, except
   * for test events, the scope that reads the resource of the event.
   *
   * @throws {@link NotFoundError} when the account has no such webhook, or the webhook no such
   * delivery
   * @example
   * const { attempts } = await client.webhooks.deliveries.get(webhook.id, delivery.id);
   */
  get(webhookId: string, deliveryId: string, options?: CallOptions): ApiPromise<DeliveryDetail>;

  /**
   * Starts one new attempt at once, with the same bytes. A completed delivery gets this one attempt;
   * for a pending delivery, it replaces the next one. While the webhook is inactive, the attempt
   * waits. Needs the scope `webhooks:write`.
   *
   * @throws {@link NotFoundError} when the account has no such webhook, or the webhook no such
   * delivery
   * @throws {@link ValidationError} for a test event (field `deliveryId`, constraint `retryable`), and
   * during an attempt (constraint `inProgress`)
   * @example
   * await client.webhooks.deliveries.retry(webhook.id, delivery.id);
   */
  retry(webhookId: string, deliveryId: string, options?: CallOptions): ApiPromise<Delivery>;

  /**
   * Starts one new attempt of every failed delivery of the webhook, except test events, and returns
   * their number. A delivery has failed after its last attempt: one that is still `retrying` is not
   * counted, and continues by its schedule. Needs the scope `webhooks:write`.
   *
   * @throws {@link NotFoundError} when the account has no webhook with this id
   * @throws {@link ValidationError} while deliveries of an earlier call are pending (field `id`,
   * constraint `inProgress`)
   * @example
   * const { retried } = await client.webhooks.deliveries.retryFailed(webhook.id);
   */
  retryFailed(webhookId: string, options?: CallOptions): ApiPromise<RetryResult>;
}

/** Creates the resource. */
export function createWebhooks(api: Api): Webhooks {
  return {
    list: api.list('/api/v1/webhooks'),
    create: api.send('POST', '/api/v1/webhooks'),
    get: api.call('GET', '/api/v1/webhooks/{id}'),
    update: api.send('PUT', '/api/v1/webhooks/{id}'),
    rotateSecret: api.send('POST', '/api/v1/webhooks/{id}/secret'),
    delete: api.call('DELETE', '/api/v1/webhooks/{id}'),
    test: api.send('POST', '/api/v1/webhooks/{id}/test'),
    deliveries: {
      list: api.list('/api/v1/webhooks/{id}/deliveries'),
      get: api.call('GET', '/api/v1/webhooks/{id}/deliveries/{deliveryId}'),
      retry: api.call('POST', '/api/v1/webhooks/{id}/deliveries/{deliveryId}/retry'),
      retryFailed: api.call('POST', '/api/v1/webhooks/{id}/deliveries/retry-failed'),
    },
  };
}
