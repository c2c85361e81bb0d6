// The store knows nothing of the contract, which the test kit shares.

export { fold } from '../generated/rules/lists.ts';
