export type { ReceivedEvent } from '../event.ts';
export { WebhookReceiverError, type WebhookReceiverErrorCode } from './errors.ts';
export {
  type Claim,
  type EventStore,
  type MemoryStoreOptions,
  memoryStore,
} from './event-store.ts';
export type { Delivery, EventHandlers } from './handlers.ts';
export type { FailedDelivery, ReceiverOptions } from './options.ts';
