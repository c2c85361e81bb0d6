import type { components } from '../generated/openapi.ts';
import type { PageQuery } from '../pages.ts';

/** What a webhook can be told of. */
export type EventType = WebhookEvent['type'];

/** An event as it is sent to webhooks; `type` tells the 22 kinds apart. */
export type WebhookEvent = components['schemas']['Event'];

/** A webhook: a URL that is told of events. Its secret is never among the answers. */
export interface Webhook {
  id: string;
  url: string;
  events: EventType[];
  description: string | null;
  /** Headers added to each delivery. */
  headers: { [name: string]: string } | null;
  /** A webhook switched off keeps its queue. */
  active: boolean;
  metadata: { [name: string]: unknown } | null;
  createdAt: string;
  updatedAt: string;
  stats: WebhookStats;
}

/** How a webhook's deliveries have gone. */
export interface WebhookStats {
  totalDeliveries: number;
  failedDeliveries: number;
  /** 0 to 1. */
  failureRate: number;
  lastError: string | null;
  lastDeliveryAt: string | null;
}

/** What a new webhook says. */
export interface CreateWebhook {
  /** `https`; others only where the service allows them, as in development. */
  url: string;
  events: EventType[];
  /** Key of the signature, 32 to 256 characters. */
  secret: string;
  description?: string | null;
  /** At most 20 headers added to each delivery. */
  headers?: { [name: string]: string } | null;
  /** @default true */
  active?: boolean;
  metadata?: { [name: string]: unknown } | null;
}

/** What can change about a webhook; what is left out stays. */
export interface UpdateWebhook {
  url?: string;
  events?: EventType[];
  secret?: string;
  description?: string | null;
  headers?: { [name: string]: string } | null;
  active?: boolean;
  metadata?: { [name: string]: unknown } | null;
}

/** Which event a test sends. */
export interface TestWebhook {
  /** @default the first type that the webhook is told of */
  eventType?: EventType;
}

/** Where a delivery stands; `failed` means that no attempt is left. */
export type DeliveryStatus = 'pending' | 'retrying' | 'succeeded' | 'failed';

/** An event on its way to a webhook. */
export interface Delivery {
  id: string;
  webhookId: string;
  eventId: string;
  eventType: EventType;
  status: DeliveryStatus;
  /** Of the last attempt; null without an answer. */
  statusCode: number | null;
  durationMs: number | null;
  attemptNumber: number;
  error: string | null;
  nextAttemptAt: string | null;
  createdAt: string;
  completedAt: string | null;
  /** Whether it was asked for as a test. */
  test: boolean;
}

/** A delivery with what was sent and how each attempt went. */
export interface DeliveryDetail extends Delivery {
  payload: WebhookEvent;
  attempts: DeliveryAttempt[];
}

/** One attempt of a delivery. */
export interface DeliveryAttempt {
  attemptNumber: number;
  startedAt: string;
  statusCode: number | null;
  durationMs: number | null;
  error: string | null;
  /** The first 2 KiB. */
  responseBody: string | null;
  /** Whether somebody asked for it. */
  manual: boolean;
}

/** How many deliveries were started again. */
export interface RetryResult {
  retried: number;
}

/** The order of a list of webhooks. */
export interface ListWebhooks extends PageQuery {
  /** @default createdAt */
  sortBy?: 'createdAt' | 'updatedAt';
  /** @default desc for times, asc for the rest */
  sortOrder?: 'asc' | 'desc';
}

/** Which deliveries a list holds, and in which order. */
export interface ListDeliveries extends PageQuery {
  /** @default createdAt */
  sortBy?: 'createdAt';
  /** @default desc for times, asc for the rest */
  sortOrder?: 'asc' | 'desc';
  status?: DeliveryStatus;
  eventType?: EventType;
}
