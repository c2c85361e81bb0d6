export type { OperationId } from '../generated/operation-id.ts';
export type { NewTestAccount, NewTestDocument, TestAccount } from './account.ts';
export type {
  ErrorOptions,
  ExpireTokensOptions,
  Fault,
  FaultKinds,
  FaultOptions,
  RateLimitOptions,
} from './faults.ts';
export type { SentRequest } from './handlers.ts';
export {
  createTestVault,
  type TestClock,
  type TestVault,
  type TestVaultOptions,
} from './test-vault.ts';
