import type { WebhookEvent } from '@document-vault/sdk';
import type { Actor, Visitor } from './actor.ts';
import type { EventType } from './contract.ts';
import { type State, timestamp, type WebhookRecord } from './state.ts';

/** An event of an operation. */
export interface EmittedEvent {
  readonly type: EventType;
  /** Owner of the resource. Its webhooks receive the event, and those of administrators with `accounts: 'all'`. */
  readonly userId: string;
  /** The sender of the request, with the user who triggered the event, if there is one. */
  readonly principal: Visitor & Partial<Pick<Actor, 'user'>>;
  readonly object: unknown;
  readonly changes?: readonly string[] | undefined;
  readonly previous?: unknown;
}

/** Records an event and queues a delivery for each webhook that receives it, also for inactive ones. Sends nothing. */
export function emit(state: State, event: EmittedEvent): void {
  const payload = envelope(state, event, false);
  state.tables.events.set(payload.id, { id: payload.id, userId: event.userId, payload });
  for (const webhook of state.tables.webhooks.values()) {
    if (receives(state, webhook, event.userId) && webhook.events.includes(event.type)) {
      queue(state, webhook, payload, false);
    }
  }
}

/** Whether a webhook receives the events of an account now. */
export function receives(
  { tables }: Pick<State, 'tables'>,
  { accounts, userId }: WebhookRecord,
  ownerId: string,
): boolean {
  if (userId === ownerId) return true;
  return accounts === 'all' && tables.users.get(userId)?.role === 'admin';
}

/** Queues one delivery and returns its id. */
export function queue(
  state: State,
  webhook: WebhookRecord,
  payload: WebhookEvent,
  test: boolean,
): string {
  const { tables, ids } = state;
  const id = ids.prefixed('dlv');
  tables.deliveries.set(id, {
    id,
    webhookId: webhook.id,
    eventId: payload.id,
    eventType: payload.type,
    status: 'pending',
    statusCode: null,
    durationMs: null,
    attemptNumber: 0,
    error: null,
    nextAttemptAt: payload.timestamp,
    createdAt: payload.timestamp,
    completedAt: null,
    test,
    payload,
    attempts: [],
  });
  return id;
}

/** Creates the event as webhooks receive it. */
export function envelope(
  { tables, ids, now }: State,
  { type, userId, principal, ...data }: EmittedEvent,
  test: boolean,
): WebhookEvent {
  const payload = {
    id: ids.prefixed('evt'),
    type,
    timestamp: timestamp(now()),
    apiVersion: 'v1',
    data: structuredClone(data),
    context: {
      userId: principal.user?.id ?? null,
      instanceId: tables.users.get(userId)?.instanceId ?? '',
      requestId: principal.requestId,
      ipAddress: '127.0.0.1',
      ...(test && { test }),
    },
  };
  // The operations guarantee that the object fits the type.
  return payload as unknown as WebhookEvent;
}
