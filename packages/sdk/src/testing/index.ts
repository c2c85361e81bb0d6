export type { OperationId } from '../generated/operation-id.ts';
export type { NewTestAccount, NewTestDocument, TestAccount } from './account.ts';
export type { SentRequest } from './handlers.ts';
export type {
  ErrorOptions,
  ExpireTokensOptions,
  RateLimitOptions,
  Switch,
  SwitchOptions,
} from './switches.ts';
export { createTestVault, type TestVault, type TestVaultOptions } from './test-vault.ts';
