export type { RecordedDelivery, RecordedEvent } from '../app/features.ts';
export type { OperationId } from '../contract/contract.ts';
export type { Scope, Shape } from '../domain/shapes.ts';
export {
  type DelayOptions,
  type ErrorOptions,
  type ExpireTokensOptions,
  type Fault,
  type FaultKinds,
  type FaultOperation,
  type FaultOptions,
  type NetworkErrorOptions,
  type RateLimitOptions,
  TestFeatureError,
} from '../faults/fault-kinds.ts';
export type { NewTestAccount, NewTestDocument, TestAccount } from './accounts.ts';
export {
  startTestServer,
  type TestServer,
  type TestServerClock,
  type TestServerOptions,
} from './test-server.ts';
