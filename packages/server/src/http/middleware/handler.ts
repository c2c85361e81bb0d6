import { type Idempotency, ReplayedError } from '../../domain/idempotency.ts';
import type { Operation } from '../contract.ts';
import type { Context, Gate } from '../state.ts';

/** A handler as the router sees it: what its request and result are is between it and the contract. */
export type AnyHandler = (request: unknown) => unknown;

const noBody = Buffer.alloc(0);

/** Calls the handler, at most once per Idempotency-Key where the operation takes one. */
export function callHandler(
  operation: Operation,
  handler: AnyHandler,
  idempotency: Idempotency,
): Gate {
  const takesKey = operation.parameters.some(({ name }) => name === 'Idempotency-Key');
  return async (ctx) => {
    const result = takesKey
      ? await callOnce(ctx, { operation, handler, idempotency })
      : await handler(toRequest(ctx));
    ctx.status = operation.successStatus;
    if (operation.successStatus !== 204) ctx.body = result;
  };
}

interface Call {
  readonly operation: Operation;
  readonly handler: AnyHandler;
  readonly idempotency: Idempotency;
}

async function callOnce(ctx: Context, { operation, handler, idempotency }: Call): Promise<unknown> {
  const key = ctx.get('idempotency-key');
  const { actor, rawBody } = ctx.state;
  if (key === '' || !actor) return handler(toRequest(ctx));
  try {
    const { result, replayed } = await idempotency.run(
      {
        userId: actor.userId,
        method: ctx.method,
        path: canonicalPath(ctx, operation),
        key,
        body: rawBody ?? noBody,
        successStatus: operation.successStatus,
      },
      async (settle) => handler(toRequest(ctx, { ...actor, settle })),
    );
    if (replayed) ctx.set('Idempotency-Replayed', 'true');
    return result;
  } catch (error) {
    if (error instanceof ReplayedError) ctx.set('Idempotency-Replayed', 'true');
    throw error;
  }
}

/** The operation's own path with the request's values: an alias, or another spelling, is the same call. */
function canonicalPath(ctx: Context, { path }: Operation): string {
  const values = ctx.params as Readonly<Record<string, string>>;
  return path.replaceAll(/\{([^}]+)\}/g, (_, name) => encodeURIComponent(values[name] ?? ''));
}

function toRequest(ctx: Context, actor = ctx.state.actor) {
  return {
    visitor: actor ?? ctx.state.visitor,
    get actor() {
      if (!actor) throw new Error('this operation may be called without an account');
      return actor;
    },
    path: ctx.params as Readonly<Record<string, string>>,
    query: ctx.state.query,
    body: ctx.state.body,
  };
}
