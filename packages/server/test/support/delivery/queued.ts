import type { QueuedDelivery } from '../../../src/store/rows/webhooks/deliveries.ts';
import { secret } from './database.ts';

/** A delivery as passed to an attempt, with defaults. */
export function queuedDelivery(delivery: Partial<QueuedDelivery>): QueuedDelivery {
  return {
    id: 'dlv_1',
    webhookId: 'webhook',
    instanceId: 'instance',
    eventId: 'evt_1',
    eventType: 'vault.created',
    status: 'pending',
    attemptNumber: 0,
    test: false,
    retry: null,
    url: 'http://127.0.0.1:9/',
    secret,
    previousSecret: null,
    previousSecretExpiresAt: null,
    headers: {},
    body: '{"id":"evt_1"}',
    traceparent: null,
    tracestate: null,
    ...delivery,
  };
}
