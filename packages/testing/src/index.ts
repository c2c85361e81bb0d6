export type { NewTestAccount, NewTestDocument, TestAccount } from './account.ts';
export type { TestClock } from './clock.ts';
export type { OperationId } from './contract.ts';
export type * from './fault-kinds.ts';
export type { SentRequest } from './handlers.ts';
export { createTestVault, type TestVault, type TestVaultOptions } from './test-vault.ts';
