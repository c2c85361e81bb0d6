import { UsageError } from '@document-vault/sdk';
import type { Actor, Visitor } from './actor.ts';
import { authenticate, refuseSuspended, refuseUnauthorized } from './admission.ts';
import type { Operation, OperationId } from './contract.ts';
import { damaged } from './faults.ts';
import { ServiceError, shownName } from './generated/rules/errors.ts';
import type { Damage } from './generated/rules/faults.ts';
import { reusedKey } from './generated/rules/replays.ts';
import { userScopes } from './generated/rules/scopes.ts';
import type { Call } from './handler.ts';
import { requireUsableKey } from './operations/api-keys.ts';
import { operationHandlers } from './operations/index.ts';
import { requireUsableSecret } from './operations/oauth-clients.ts';
import { requireUsableShare } from './operations/shares.ts';
import {
  type CountedWindows,
  countRequest,
  failed,
  Reply,
  type ResponseContext,
  success,
} from './responses.ts';
import type { State } from './state.ts';
import {
  readBody,
  type SentBody,
  validateBody,
  validateHeaders,
  validateQuery,
} from './validation.ts';

/** How long an outcome is replayed, in milliseconds. */
const retention = 24 * 60 * 60 * 1_000;

export interface IdempotentRequest {
  readonly actor: Actor;
  readonly method: string;
  /** The operation's own path, with the values of the request. */
  readonly path: string;
  /** The caller's `Idempotency-Key`. */
  readonly key: string;
  /** The body as it was sent. */
  readonly body: string;
}

/** A result or an error, and whether it is replayed. */
export interface Settled {
  readonly result: { readonly success: unknown } | { readonly error: ServiceError };
  readonly replayed: boolean;
}

/** Runs a call once per account, method, path and key. A repetition gets the first outcome. */
export function runOnce(state: State, request: IdempotentRequest, run: () => unknown): Settled {
  const { outcomes } = state.tables;
  const { actor, method, path, key, body } = request;
  const name = JSON.stringify([actor.user.id, method, path, key]);
  const stored = outcomes.get(name);
  if (stored && stored.at > state.now() - retention) {
    return stored.body === body && stored.role === actor.user.role
      ? { result: stored.result, replayed: true }
      : { result: { error: reusedKey() }, replayed: false };
  }
  const result = settle(run);
  outcomes.set(name, {
    body,
    role: actor.user.role,
    at: state.now(),
    result: structuredCloneOf(result),
  });
  return { result, replayed: false };
}

/** Returns the outcome of a call. Bugs of the kit are thrown. */
export function settle(run: () => unknown): Settled['result'] {
  try {
    return { success: run() };
  } catch (error) {
    return rejectionOf(error);
  }
}

/** Returns the outcome of a call that may return a promise. */
async function settleLater(run: () => unknown): Promise<Settled['result']> {
  try {
    return { success: await run() };
  } catch (error) {
    return rejectionOf(error);
  }
}

function rejectionOf(error: unknown): Settled['result'] {
  if (!(error instanceof ServiceError)) throw error;
  return { error };
}

/** Errors are immutable, and would lose their class when cloned. */
function structuredCloneOf(result: Settled['result']): Settled['result'] {
  return 'error' in result ? result : structuredClone(result);
}

/** A request whose body has been read. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: SentBody;
  readonly requestId: string;
  /** Undefined for an unknown path. */
  readonly operation: Operation | undefined;
  /** Values of the path parameters. */
  readonly path: Readonly<Record<string, string>>;
}

/**
 * Responds to a request as the service does, with checks in the same order: path, credentials,
 * suspended account, scope, validation, and those of the operation.
 *
 * @param applyFault - throws the ServiceError of an injected fault, or returns what it does to the connection
 */
export async function handleRequest(
  state: State,
  received: ReceivedRequest,
  applyFault: (actor: Actor | undefined) => Promise<Damage | undefined>,
): Promise<Response> {
  const { requestId, headers } = received;
  const principal = { requestId, userAgent: headers.get('user-agent') };
  let actor: Actor | undefined;
  let isAdmitted = false;
  let damage: Damage | undefined;
  try {
    const operation = requireOperation(received);
    actor = authenticate(state, operation, { ...principal, headers });
    refuseSuspended(actor);
    isAdmitted = true;
    damage = await applyFault(actor);
    if (damage === 'disconnect') return Response.error();
    if (actor) refuseUnauthorized(operation, actor);
    const isHead = received.method === 'HEAD';
    const validated = validate(operation, received);
    const call = { ...validated, state, isHead, principal: actor ?? principal };
    const { result, replayed } = await run(operation, received, { ...call, actor });
    const context = contextOf(state, received, { actor, isAdmitted, result });
    const response =
      'error' in result
        ? failed(state, context, { error: result.error, replayed })
        : success(state, context, { status: operation.status, body: result.success, replayed });
    return damaged(response, damage);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return damaged(
      failed(state, contextOf(state, received, { actor, isAdmitted }), { error }),
      damage,
    );
  }
}

interface Handled {
  readonly actor: Actor | undefined;
  /** Whether its credentials were accepted. Rejected ones count in every window. */
  readonly isAdmitted: boolean;
  /** Undefined for a request that did not reach its operation. */
  readonly result?: Settled['result'];
}

function contextOf(
  state: State,
  { requestId, operation }: ReceivedRequest,
  handled: Handled,
): ResponseContext {
  const windows = countedWindows(operation, handled);
  return { requestId, rateLimit: countRequest(state, handled.actor?.user, windows) };
}

function countedWindows(
  operation: Operation | undefined,
  { isAdmitted, result }: Handled,
): CountedWindows {
  const success = result && 'success' in result ? result.success : undefined;
  if (success instanceof Reply && !success.isCounted) return [];
  return isAdmitted && operation?.rateLimit === 'hour' ? ['hour'] : ['hour', 'minute'];
}

function requireOperation({
  operation,
  method,
  url: { pathname: path },
}: ReceivedRequest): Operation {
  if (operation) return operation;
  if (!path.endsWith('/graphql')) {
    const shownPath = shownName(path);
    const message = `There is no operation at ${method} ${shownPath}.`;
    throw new ServiceError('NOT_FOUND', { message, details: { method, path: shownPath } });
  }
  throw new ServiceError('NOT_FOUND', {
    message: 'The test kit has no GraphQL: handle /graphql with a handler of your own.',
  });
}

/** Validates a request by the contract. */
function validate(operation: Operation, { url, headers, body: sent, path }: ReceivedRequest) {
  const body = readBody(operation, sent, headers.get('content-type') ?? '');
  validateHeaders(operation, headers);
  const query = validateQuery(operation, url.search);
  return { path, query, headers, body: validateBody(operation.id, body) };
}

interface ValidatedCall {
  readonly state: State;
  readonly isHead: boolean;
  readonly principal: Visitor;
  readonly actor: Actor | undefined;
  readonly path: Readonly<Record<string, string>>;
  readonly query: object;
  readonly headers: Headers;
  readonly body: unknown;
}

async function run(
  operation: Operation,
  { method, headers, body }: ReceivedRequest,
  call: ValidatedCall,
): Promise<Settled> {
  const { actor, path, state } = call;
  const key = headers.get('idempotency-key');
  const takesKey = operation.parameters.some(({ name }) => name === 'Idempotency-Key');
  const work = () => handle(operation.id, call);
  if (!takesKey || key === null || !actor || typeof body !== 'string') {
    return { result: await settleLater(work), replayed: false };
  }
  const own = operation.paths[0].replaceAll(/\{(\w+)\}/g, (_, name) => path[name] ?? '');
  const settled = runOnce(state, { actor, method, path: own, key, body }, work);
  return settled.replayed ? checkedReplay(state, operation.id, settled) : settled;
}

/** Checks the secrets of outcomes before they are replayed. */
const replayChecks: { readonly [Id in OperationId]?: (state: State, result: never) => void } = {
  createApiKey: requireUsableKey,
  createOAuthClient: requireUsableSecret,
  rotateOAuthClientSecret: requireUsableSecret,
  shareDocument: requireUsableShare,
};

/** Replays an outcome, unless it has a secret that is no longer valid. */
function checkedReplay(state: State, id: OperationId, settled: Settled): Settled {
  const { result } = settled;
  if (!('success' in result)) return settled;
  const check = settle(() => replayChecks[id]?.(state, result.success as never));
  return 'error' in check ? { result: check, replayed: false } : settled;
}

/** Calls the handler of an operation. The request is validated, so it has the handler's types. */
function handle(id: OperationId, { actor, ...call }: ValidatedCall): unknown {
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
  state: State,
  call: { readonly userId: string } & Pick<Call<Id>, 'body'>,
): unknown {
  const user = state.tables.users.get(call.userId);
  if (!user) throw new UsageError('This account was deleted');
  const requestId = state.ids.prefixed('req');
  const principal = { requestId, userAgent: null };
  const actor = { ...principal, user, scopes: new Set(userScopes), keyId: null, sessionId: null };
  const headers = new Headers();
  const none = { path: {}, query: {}, headers, isHead: false };
  return handle(id, { state, principal, actor, ...none, body: call.body });
}
