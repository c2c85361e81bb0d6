import type { Operation } from '../../contract/contract.ts';
import type { Actor, Visitor } from '../../domain/actor.ts';
import { type Idempotency, ReplayedError } from '../../domain/idempotency.ts';
import { Base64Answer } from '../base64-answer.ts';
import { hasVersion } from '../entity-tags.ts';
import { Serialised } from '../serialised.ts';
import type { Context, Gate } from '../state.ts';

/** A handler as the router sees it: what its request and result are is between it and the contract. */
export type AnyHandler = (request: unknown) => unknown;

/** Throws when a stored result must not be replayed any more. */
export type AnyReplayCheck = (result: unknown) => Promise<void>;

/** Calls the handler, at most once per Idempotency-Key where the operation takes one. */
export function callHandler(operation: Operation, calling: Calling): Gate {
  const { handler } = calling;
  const takesKey = operation.parameters.some(({ name }) => name === 'Idempotency-Key');
  return async (ctx) => {
    const result = takesKey
      ? await callOnce(ctx, operation, calling)
      : await handler(new ApprovedRequest(ctx));
    ctx.status = operation.successStatus;
    if (result instanceof Serialised) answerSerialised(ctx, result);
    else if (result instanceof Base64Answer) answerInPieces(ctx, result);
    else if (operation.successStatus !== 204) ctx.body = result;
  };
}

/** Or tells the caller that what it has is still true (RFC 9110, section 13.1.2). */
function answerSerialised(ctx: Context, { text, etag }: Serialised<unknown>): void {
  ctx.set('ETag', etag);
  ctx.set('Cache-Control', 'no-cache');
  if (hasVersion(ctx, etag)) {
    ctx.status = 304;
  } else {
    ctx.type = 'application/json';
    ctx.body = text;
  }
}

function answerInPieces(ctx: Context, answer: Base64Answer): void {
  ctx.state.inPieces = answer;
  ctx.type = 'application/json';
  ctx.body = answer.stream();
  ctx.length = answer.length;
}

export interface Calling {
  readonly handler: AnyHandler;
  readonly idempotency: Idempotency;
  /** Undefined: every stored result is replayed. */
  readonly checkReplay: AnyReplayCheck | undefined;
}

async function callOnce(
  ctx: Context,
  operation: Operation,
  { handler, idempotency, checkReplay }: Calling,
): Promise<unknown> {
  const key = ctx.get('idempotency-key');
  const { actor, bodyDigest } = ctx.state;
  if (key === '' || !actor) return handler(new ApprovedRequest(ctx));
  try {
    const { result, replayed } = await idempotency.run(
      {
        userId: actor.userId,
        method: ctx.method,
        path: canonicalPath(ctx, operation),
        key,
        bodyDigest,
        successStatus: operation.successStatus,
      },
      async (settle) => handler(new ApprovedRequest(ctx, { ...actor, settle })),
    );
    if (replayed) {
      await checkReplay?.(result);
      ctx.set('Idempotency-Replayed', 'true');
    }
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

/** A class, since an accessor in a literal is made anew with every object. */
class ApprovedRequest {
  readonly visitor: Visitor;
  readonly path: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  readonly content: Uint8Array | undefined;
  readonly #actor: Actor | undefined;

  constructor({ state, params }: Context, actor = state.actor) {
    this.visitor = actor ?? state.visitor;
    this.path = params;
    this.query = state.query;
    this.body = state.body;
    this.content = state.content;
    this.#actor = actor;
  }

  get actor(): Actor {
    if (!this.#actor) throw new Error('this operation may be called without an account');
    return this.#actor;
  }
}
