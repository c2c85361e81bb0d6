import type { components } from '../generated/openapi.ts';
import type { PageQuery } from '../pages.ts';

// `| never` gives these types their names: an indexed access alone goes by what it is made of.

/** What a webhook can be told of. */
export type EventType = WebhookEvent['type'] | never;

/** An event as it is sent to webhooks; `type` tells the 22 kinds apart. */
export type WebhookEvent = components['schemas']['Event'] | never;

/** A webhook: a URL that is told of events. Its secret is never among the answers. */
export interface Webhook {
  /** Webhook id (UUIDv7). */
  id: string;
  /**
   * Where events are sent, by HTTP POST. `https` only; `http` and private or loopback addresses
   * only where the service is configured to allow them (development).
   */
  url: string;
  /** The event types to be told of. */
  events: EventType[];
  /** Free text; `null` when there is none. */
  description: string | null;
  /** Headers added to each delivery. Without the scope `webhooks:write` each value is `***`. */
  headers: { [name: string]: string } | null;
  /** A webhook switched off keeps its queue. */
  active: boolean;
  /**
   * Free-form data of the caller, at most 50 properties and 16 KiB as JSON in UTF-8; `null` when
   * there is none.
   */
  metadata: { [name: string]: unknown } | null;
  /** When the webhook was registered (ISO 8601). */
  createdAt: string;
  /** When the webhook was last changed (ISO 8601); equal to `createdAt` until then. */
  updatedAt: string;
  /** How its deliveries have gone. */
  stats: WebhookStats;
}

/** How a webhook's deliveries have gone. */
export interface WebhookStats {
  /** Number of deliveries. */
  totalDeliveries: number;
  /** Number of deliveries that were given up. One that is retried counts again when that fails. */
  failedDeliveries: number;
  /** 0 to 1. */
  failureRate: number;
  /** Number of events that were not queued, because the queue was full. They are not delivered. */
  droppedDeliveries: number;
  /** When the latest event was dropped (ISO 8601); `null` when none was. */
  lastDroppedAt: string | null;
  /** Error of the latest failed attempt; `null` when none has failed. */
  lastError: string | null;
  /** When the latest attempt started (ISO 8601); `null` before the first. */
  lastDeliveryAt: string | null;
}

/** What a new webhook says. */
export interface CreateWebhook {
  /** `https`; others only where the service allows them, as in development. */
  url: string;
  /** The event types to be told of: 1 to 22. */
  events: EventType[];
  /** Key of the signature, 32 to 256 characters. */
  secret: string;
  /** Free text; `null` when there is none. At most 2,000 characters. */
  description?: string | null;
  /** At most 20 headers added to each delivery. */
  headers?: { [name: string]: string } | null;
  /** @default true */
  active?: boolean;
  /**
   * Free-form data of the caller, at most 50 properties and 16 KiB as JSON in UTF-8; `null` when
   * there is none.
   */
  metadata?: { [name: string]: unknown } | null;
}

/** What can change about a webhook; what is left out stays. */
export interface UpdateWebhook {
  /**
   * Where events are sent, by HTTP POST. `https` only; `http` and private or loopback addresses
   * only where the service is configured to allow them (development). At most 2,048 characters.
   */
  url?: string;
  /** The event types to be told of: 1 to 22. */
  events?: EventType[];
  /**
   * Key of the signature, 32 to 256 characters without white space at either end. It is never
   * returned.
   */
  secret?: string;
  /** Free text; `null` when there is none. At most 2,000 characters. */
  description?: string | null;
  /**
   * Headers added to each delivery, at most 20 and 16 KiB as JSON in UTF-8; `null` when there are
   * none. Names are HTTP tokens; values are visible Latin-1 characters, spaces and tabs.
   * `X-Service-*`, `Host`, `Content-Length`, `Content-Type`, `Accept-Encoding`, `Expect` and
   * hop-by-hop headers are reserved and refused in any letter case.
   */
  headers?: { [name: string]: string } | null;
  /** `false` pauses the webhook, `true` resumes it. */
  active?: boolean;
  /**
   * Free-form data of the caller, at most 50 properties and 16 KiB as JSON in UTF-8; `null` when
   * there is none.
   */
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
  /** Delivery id (`dlv_…`). */
  id: string;
  /** Id of the webhook. */
  webhookId: string;
  /** Id of the event. */
  eventId: string;
  /** Type of the event. */
  eventType: EventType;
  /** Where the delivery stands. */
  status: DeliveryStatus;
  /** Of the last attempt; null without an answer. */
  statusCode: number | null;
  /** How long the latest attempt took, in milliseconds; `null` before the first. */
  durationMs: number | null;
  /** Number of the latest attempt: 1 for the first, 0 before it. */
  attemptNumber: number;
  /** Why the latest attempt failed; `null` when it did not. */
  error: string | null;
  /** When the next attempt is due (ISO 8601); `null` when none is. */
  nextAttemptAt: string | null;
  /** When the event happened that is delivered (ISO 8601). */
  createdAt: string;
  /** When the delivery succeeded or was given up (ISO 8601); `null` until then. */
  completedAt: string | null;
  /** Whether it was asked for as a test. */
  test: boolean;
}

/** A delivery with what was sent and how each attempt went. */
export interface DeliveryDetail extends Delivery {
  /** The event as it is sent. */
  payload: WebhookEvent;
  /** The latest 10 attempts, oldest first. */
  attempts: DeliveryAttempt[];
}

/** One attempt of a delivery. */
export interface DeliveryAttempt {
  /** Number of the attempt, from 1. */
  attemptNumber: number;
  /** When the attempt started (ISO 8601). */
  startedAt: string;
  /** Status that the receiver answered; `null` when it did not answer. */
  statusCode: number | null;
  /** How long the attempt took, in milliseconds; `null` while it runs. */
  durationMs: number | null;
  /** Why the attempt failed; `null` when it did not. */
  error: string | null;
  /** The first 2 KiB. */
  responseBody: string | null;
  /** Whether somebody asked for it. */
  manual: boolean;
}

/** How many deliveries were started again. */
export interface RetryResult {
  /** Number of deliveries that were started again. */
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
  /** Only deliveries in this state. */
  status?: DeliveryStatus;
  /** Only deliveries of this event type. */
  eventType?: EventType;
}
