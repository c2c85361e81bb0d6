import type { Actor } from './actor.ts';
import { Failure, violation } from './failure.ts';
import type { World } from './world.ts';

/** How long an outcome is replayed. */
const retention = 24 * 60 * 60 * 1_000;

export interface IdempotentRequest {
  readonly actor: Actor;
  readonly method: string;
  /** The operation's own path, with the values of the request. */
  readonly path: string;
  /** The caller's `Idempotency-Key`. */
  readonly key: string;
  /** The request body as it was sent. */
  readonly body: string;
}

/** A result, or a failure, and whether it is that of an earlier call. */
export interface Settled {
  readonly result: { readonly success: unknown } | { readonly failure: unknown };
  readonly replayed: boolean;
}

/** Runs a call once per account, method, path and key; who repeats it gets the first outcome. */
export function runOnce(world: World, request: IdempotentRequest, run: () => unknown): Settled {
  const { outcomes } = world.tables;
  const { actor, method, path, key, body } = request;
  const name = JSON.stringify([actor.user.id, method, path, key]);
  const stored = outcomes.get(name);
  if (stored && stored.at > world.now() - retention) {
    return stored.body === body
      ? { result: stored.result, replayed: true }
      : { result: { failure: reused() }, replayed: false };
  }
  const result = settle(run);
  outcomes.set(name, { body, at: world.now(), result: structuredCloneOf(result) });
  return { result, replayed: false };
}

/** What a call came to; a mistake of the kit itself is thrown. */
export function settle(run: () => unknown): Settled['result'] {
  try {
    return { success: run() };
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    return { failure };
  }
}

/** Failures hold nothing that changes, and lose their class when they are cloned. */
function structuredCloneOf(result: Settled['result']): Settled['result'] {
  return 'failure' in result ? result : structuredClone(result);
}

function reused(): Failure {
  return violation(
    'Idempotency-Key',
    'reuse',
    'This Idempotency-Key was used with another request body.',
  );
}
