export type { RecordedDelivery, RecordedEvent } from '../app/features.ts';
export type { OperationId } from '../contract/contract.ts';
export type { Scope, Shape } from '../domain/shapes.ts';
export type * from '../faults/fault-kinds.ts';
export { TestFeatureError } from '../faults/fault-kinds.ts';
export type { NewTestAccount, NewTestDocument, TestAccount } from './accounts.ts';
export {
  startTestServer,
  type TestServer,
  type TestServerClock,
  type TestServerOptions,
} from './test-server.ts';
