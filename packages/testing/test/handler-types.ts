/** There is nothing to run: the type check of this folder fails where an operation can lack a handler. */

import type { Handlers } from '../src/handler.ts';

declare const complete: Handlers;
complete satisfies Handlers;

const { createVault: _, ...incomplete } = complete;
// @ts-expect-error an operation has no handler
incomplete satisfies Handlers;

// @ts-expect-error the answer is not the operation's
({ ...complete, getVault: () => ({ id: '1' }) }) satisfies Handlers;
