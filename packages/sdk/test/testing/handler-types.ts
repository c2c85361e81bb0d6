/** There is nothing to run: the type check of this folder fails where an operation can lack a handler. */

import type { operations } from '../../src/generated/openapi.ts';
import type { OperationId } from '../../src/generated/operation-id.ts';
import type { Handlers } from '../../src/testing/handler.ts';

declare const complete: Handlers;
complete satisfies Handlers;

const { createVault: _, ...incomplete } = complete;
// @ts-expect-error an operation has no handler
incomplete satisfies Handlers;

// @ts-expect-error the answer is not the operation's
({ ...complete, getVault: () => ({ id: '1' }) }) satisfies Handlers;

/** The names of the operations are those of the contract. */
type Own = Exclude<keyof operations, `on${string}`>;
null as unknown as Own satisfies OperationId;
null as unknown as OperationId satisfies Own;
