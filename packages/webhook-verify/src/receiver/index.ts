export type { ReceivedEvent } from '../event.ts';
export { WebhookReceiverError, type WebhookReceiverErrorCode } from './errors.ts';
export type { Claim, EventStore } from './event-store.ts';
export type { Delivery, EventHandlers } from './handlers.ts';
export { type MemoryStoreOptions, memoryStore } from './memory-store.ts';
export type { FailedDelivery, ReceiverOptions } from './options.ts';
