export { fetchReceiver } from './adapters/fetch.ts';
export { type NodeRequest, type NodeResponse, nodeReceiver } from './adapters/node.ts';
export {
  type ServerlessEvent,
  type ServerlessResponse,
  serverlessReceiver,
} from './adapters/serverless.ts';
export type { RawBody } from './body.ts';
export { WebhookVerificationError, type WebhookVerificationErrorCode } from './errors.ts';
export type { ReceivedEvent, UnknownEvent } from './event.ts';
export type * from './generated/events.ts';
export { eventTypes } from './generated/events.ts';
export type { HeaderSource } from './headers.ts';
export { type DispatchOptions, dispatch } from './receiver/dispatch.ts';
export { WebhookReceiverError, type WebhookReceiverErrorCode } from './receiver/errors.ts';
export {
  type Claim,
  type EventStore,
  type MemoryStoreOptions,
  memoryStore,
} from './receiver/event-store.ts';
export type { Delivery, EventHandlers } from './receiver/handlers.ts';
export type { FailedDelivery, ReceiverOptions } from './receiver/options.ts';
export type { Secrets } from './secrets.ts';
export { createVerifier, type Verified, type Verifier, type VerifierOptions } from './verifier.ts';
