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

  list(query: ListWebhooks = {}, options: ListOptions = {}): List<Webhook> {
    return createList(this.#api, '/api/v1/webhooks', { query, options });
  }

  create(webhook: CreateWebhook, options?: CallOptions): ApiPromise<Webhook> {
    return this.#api.call('post', '/api/v1/webhooks', { body: webhook }, options);
  }

  get(id: string, options?: CallOptions): ApiPromise<Webhook> {
    return this.#api.call('get', '/api/v1/webhooks/{id}', { path: { id } }, options);
  }

  update(id: string, changes: UpdateWebhook, options?: CallOptions): ApiPromise<Webhook> {
    const input = { path: { id }, body: changes };
    return this.#api.call('put', '/api/v1/webhooks/{id}', input, options);
  }

  /** Deletes the webhook and drops what was queued for it. */
  delete(id: string, options?: CallOptions): ApiPromise<void> {
    return this.#api.call('delete', '/api/v1/webhooks/{id}', { path: { id } }, options);
  }

  /** Sends a test event to the webhook and answers its delivery. */
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

  list(webhookId: string, query: ListDeliveries = {}, options: ListOptions = {}): List<Delivery> {
    const path = { id: webhookId };
    return createList(this.#api, '/api/v1/webhooks/{id}/deliveries', { path, query, options });
  }

  get(webhookId: string, deliveryId: string, options?: CallOptions): ApiPromise<DeliveryDetail> {
    const input = { path: { id: webhookId, deliveryId } };
    const path = '/api/v1/webhooks/{id}/deliveries/{deliveryId}';
    return this.#api.call('get', path, input, options);
  }

  /** Starts one more attempt of a finished delivery. */
  retry(webhookId: string, deliveryId: string, options?: CallOptions): ApiPromise<Delivery> {
    const input = { path: { id: webhookId, deliveryId } };
    const path = '/api/v1/webhooks/{id}/deliveries/{deliveryId}/retry';
    return this.#api.call('post', path, input, options);
  }

  /** Starts one more attempt of every failed delivery of the webhook. */
  retryFailed(webhookId: string, options?: CallOptions): ApiPromise<RetryResult> {
    const input = { path: { id: webhookId } };
    return this.#api.call('post', '/api/v1/webhooks/{id}/deliveries/retry-failed', input, options);
  }
}
