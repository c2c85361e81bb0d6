import type { OperationId } from './contract.ts';

/**
 * Operations of the contract that this server does not have yet: they answer 404. The list only ever
 * shrinks.
 */
export const notYetBuilt = [] as const satisfies readonly OperationId[];

export type NotYetBuilt = (typeof notYetBuilt)[number];
