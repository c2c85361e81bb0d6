import { UsageError } from '../errors.ts';
import type { OperationId } from '../generated/operation-id.ts';
import { type Actor, userScopes, type Visitor } from './actor.ts';
import { authenticate, refuseSuspended, refuseUnauthorized } from './admission.ts';
import { type AnswerFacts, failed, success } from './answers.ts';
import type { Operation, Shape } from './contract.ts';
import { Failure, notFound } from './failure.ts';
import type { Call } from './handler.ts';
import { runOnce, type Settled, settle } from './idempotency.ts';
import { requireUsableKey } from './operations/api-keys.ts';
import { operationHandlers } from './operations/index.ts';
import { countRequest } from './rate-limit.ts';
import { approveBody, approveHeaders, approveQuery, readBody } from './validation.ts';
import type { World } from './world.ts';

/** A request that has arrived, its body read. */
export interface Arrival {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  /** As it was sent. */
  readonly text: string;
  readonly requestId: string;
  /** Undefined: the contract has no such path. */
  readonly operation: Operation | undefined;
  /** The values in the path. */
  readonly path: Readonly<Record<string, string>>;
}

/**
 * Answers a request as the service does, in the same order: path, credentials, suspended account,
 * scope, validation, and what the operation itself says.
 *
 * @param interfere - what goes wrong on purpose, thrown as a Failure
 */
export async function answer(
  world: World,
  arrival: Arrival,
  interfere: () => Promise<'answer' | 'drop'>,
): Promise<Response> {
  const { requestId, headers } = arrival;
  const visitor = { requestId, userAgent: headers.get('user-agent') };
  let actor: Actor | undefined;
  try {
    if ((await interfere()) === 'drop') return Response.error();
    const operation = known(arrival);
    actor = authenticate(world, operation, { ...visitor, headers });
    refuseSuspended(actor);
    if (actor) refuseUnauthorized(operation, actor);
    const call = { ...approve(operation, arrival), world, visitor: actor ?? visitor };
    const { result, replayed } = run(operation, arrival, { ...call, actor });
    const facts = factsOf(world, requestId, actor);
    if ('failure' in result && result.failure instanceof Failure) {
      return failed(world, facts, { failure: result.failure, replayed });
    }
    const body = 'success' in result ? result.success : undefined;
    return success(world, facts, { status: operation.status, body, replayed });
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    return failed(world, factsOf(world, requestId, actor), { failure });
  }
}

function factsOf(world: World, requestId: string, actor: Actor | undefined): AnswerFacts {
  return { requestId, rateLimit: countRequest(world, actor) };
}

function known({ operation, url }: Arrival): Operation {
  if (operation) return operation;
  if (!url.pathname.endsWith('/graphql')) throw notFound('path');
  throw new Failure('NOT_FOUND', {
    message: 'The test kit has no GraphQL: answer /graphql with a handler of your own.',
  });
}

/** What the contract has approved of a request. */
function approve(operation: Operation, { url, headers, text, path }: Arrival) {
  const body = readBody(operation, text, headers.get('content-type') ?? '');
  approveHeaders(operation, headers);
  const query = approveQuery(operation, url.searchParams);
  return { path, query, body: approveBody(operation, body) };
}

interface Approved {
  readonly world: World;
  readonly visitor: Visitor;
  readonly actor: Actor | undefined;
  readonly path: Readonly<Record<string, string>>;
  readonly query: object;
  readonly body: unknown;
}

function run(operation: Operation, { method, headers, text }: Arrival, call: Approved): Settled {
  const { actor, path, world } = call;
  const key = headers.get('idempotency-key');
  const takesKey = operation.parameters.some(({ name }) => name === 'Idempotency-Key');
  const work = () => handle(operation.id, call);
  if (!takesKey || key === null || !actor) return { result: settle(work), replayed: false };
  const own = operation.paths[0].replaceAll(/\{(\w+)\}/g, (_, name) => path[name] ?? '');
  const settled = runOnce(world, { actor, method, path: own, key, body: text }, work);
  if (operation.id !== 'createApiKey' || !settled.replayed) return settled;
  return checkedReplay(world, settled);
}

/** The outcome of an earlier `createApiKey`, unless its key is not usable any more. */
function checkedReplay(world: World, settled: Settled): Settled {
  const { result } = settled;
  if (!('success' in result)) return settled;
  const check = settle(() => requireUsableKey(world, result.success as Shape<'CreatedApiKey'>));
  return 'failure' in check ? { result: check, replayed: false } : settled;
}

/** The contract has approved the request, so that it is what the handler takes. */
function handle(id: OperationId, { actor, ...call }: Approved): unknown {
  const handler = operationHandlers[id] as (call: unknown) => unknown;
  return handler({
    ...call,
    isSignedIn: actor !== undefined,
    get actor(): Actor {
      if (!actor) throw new Error(`${id} may be called without an account`);
      return actor;
    },
  });
}

/** Calls an operation as an account with all its scopes, without a request. */
export function perform<Id extends OperationId>(
  id: Id,
  world: World,
  call: { readonly userId: string } & Pick<Call<Id>, 'body'>,
): unknown {
  const user = world.tables.users.get(call.userId);
  if (!user) throw new UsageError('This account is not there any more');
  const requestId = world.ids.prefixed('req');
  const visitor = { requestId, userAgent: null };
  const actor = { ...visitor, user, scopes: new Set(userScopes), keyId: null, sessionId: null };
  return handle(id, { world, visitor, actor, path: {}, query: {}, body: call.body });
}
