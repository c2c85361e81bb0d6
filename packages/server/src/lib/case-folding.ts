// The folding of names is a rule of the contract, which the test kit shares. The store may import nothing else of it.

export { fold } from '../generated/rules/lists.ts';
