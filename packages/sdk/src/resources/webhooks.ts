import type { Api } from '../http/api.ts';
import type { ApiPromise } from '../http/api-promise.ts';
import type { CallOptions } from '../options.ts';
import { createList, type List, type ListOptions } from '../pages.ts';
import type {
  CreateWebhook,
  Delivery,
  DeliveryDetail,
  ListDeliveries,
  ListWebhooks,
  RetryResult,
  TestWebhook,
  UpdateWebhook,
  Webhook,
} from './webhook.ts';

/** The account's webhooks. */
export class Webhooks {
  /** What was sent to them. */
  readonly deliveries: Deliveries;
  readonly #api: Api;

  /** @internal */
  constructor(api: Api) {
    this.#api = api;
    this.deliveries = new Deliveries(api);
  }

  /**
   * Lists the webhooks of the account, newest first unless sorted otherwise. Secrets are not among
   * the answers. Needs the scope `webhooks:read`.
   *
   * @throws ValidationError when the query is not as described
   */
  list(query: ListWebhooks = {}, options: ListOptions = {}): List<Webhook> {
    return createList(this.#api, '/api/v1/webhooks', { query, options });
  }

  /**
   * Registers a URL that receives events from now on: those of the account, for an administrator
   * those of every account. The tier of the account limits the number of webhooks. Needs the scope
   * `webhooks:write`.
   *
   * @throws ValidationError when a property is not as described, the service may not connect to the
   * address (field `url`, constraint `allowedTarget`), a header is reserved (constraint
   * `allowedHeader`), or the account has as many as its tier allows (constraint
   * `accountRows`)
   */
  create(webhook: CreateWebhook, options?: CallOptions): ApiPromise<Webhook> {
    return this.#api.call('post', '/api/v1/webhooks', { body: webhook }, options);
  }

  /**
   * Answers one webhook without its secret. Needs the scope `webhooks:read`.
   *
   * @throws NotFoundError when the account has none of this id
   */
  get(id: string, options?: CallOptions): ApiPromise<Webhook> {
    return this.#api.call('get', '/api/v1/webhooks/{id}', { path: { id } }, options);
  }

  /**
   * Changes the properties that are given and leaves the rest; `events`, `headers` and `metadata`
   * are replaced as a whole. Every attempt from then on uses the new `url`, `headers` and `secret`,
   * those of waiting deliveries too. Needs the scope `webhooks:write`.
   *
   * @throws NotFoundError when the account has none of this id
   * @throws ValidationError as {@link Webhooks.create} does
   */
  update(id: string, changes: UpdateWebhook, options?: CallOptions): ApiPromise<Webhook> {
    const input = { path: { id }, body: changes };
    return this.#api.call('put', '/api/v1/webhooks/{id}', input, options);
  }

  /**
   * Deletes the webhook with its waiting deliveries and its log, for good. Needs the scope
   * `webhooks:write`.
   *
   * @throws NotFoundError when the account has none of this id
   */
  delete(id: string, options?: CallOptions): ApiPromise<void> {
    return this.#api.call('delete', '/api/v1/webhooks/{id}', { path: { id } }, options);
  }

  /**
   * Sends an example event to the webhook, signed and logged like any other, and answers its
   * delivery. It is attempted once and does not count in `stats`. Needs the scope `webhooks:write`.
   *
   * @throws NotFoundError when the account has none of this id
   * @throws ValidationError when a property is not as described
   */
  test(id: string, test?: TestWebhook, options?: CallOptions): ApiPromise<Delivery> {
    const input = { path: { id }, body: test };
    return this.#api.call('post', '/api/v1/webhooks/{id}/test', input, options);
  }
}

/** The deliveries of a webhook. */
export class Deliveries {
  readonly #api: Api;

  /** @internal */
  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Lists the deliveries of a webhook, newest first unless sorted otherwise. Finished ones are kept
   * for 30 days. Needs the scope `webhooks:read`.
   *
   * @throws NotFoundError when the account has no such webhook
   * @throws ValidationError when the query is not as described
   */
  list(webhookId: string, query: ListDeliveries = {}, options: ListOptions = {}): List<Delivery> {
    const path = { id: webhookId };
    return createList(this.#api, '/api/v1/webhooks/{id}/deliveries', { path, query, options });
  }

  /**
   * Returns one delivery with its event and every attempt. Needs the scope `webhooks:read` and, except
   * for tests, the scope that reads the resource of the event.
   *
   * @throws NotFoundError when the account has no such webhook, or the webhook no such delivery
   */
  get(webhookId: string, deliveryId: string, options?: CallOptions): ApiPromise<DeliveryDetail> {
    const input = { path: { id: webhookId, deliveryId } };
    const path = '/api/v1/webhooks/{id}/deliveries/{deliveryId}';
    return this.#api.call('get', path, input, options);
  }

  /**
   * Starts one new attempt at once, with the same bytes. A finished delivery is opened again for
   * that attempt alone; that of a waiting one replaces its next. While the webhook is switched off,
   * the attempt waits. Needs the scope `webhooks:write`.
   *
   * @throws NotFoundError when the account has no such webhook, or the webhook no such delivery
   * @throws ValidationError for a test (field `deliveryId`, constraint `retryable`), and while an
   * attempt is under way (constraint `inProgress`)
   */
  retry(webhookId: string, deliveryId: string, options?: CallOptions): ApiPromise<Delivery> {
    const input = { path: { id: webhookId, deliveryId } };
    const path = '/api/v1/webhooks/{id}/deliveries/{deliveryId}/retry';
    return this.#api.call('post', path, input, options);
  }

  /**
   * Starts one new attempt of every failed delivery of the webhook, tests left out, and answers how
   * many. Needs the scope `webhooks:write`.
   *
   * @throws NotFoundError when the account has no such webhook
   * @throws ValidationError while deliveries of an earlier call wait (field `id`, constraint
   * `inProgress`)
   */
  retryFailed(webhookId: string, options?: CallOptions): ApiPromise<RetryResult> {
    const input = { path: { id: webhookId } };
    return this.#api.call('post', '/api/v1/webhooks/{id}/deliveries/retry-failed', input, options);
  }
}
