import type { IncomingHttpHeaders } from 'node:http';
import type { OperationId } from '../contract/contract.ts';
import type { Actor, Visitor, WithCommitHook } from '../domain/actor.ts';
import { type Idempotency, ReplayedError } from '../domain/idempotency.ts';
import type { operations } from '../generated/openapi.ts';
import { ContentBody, contentReply } from './content-reply.ts';
import { CacheableBody, cacheableReply, type DocumentStream, Serialised } from './replies.ts';
import {
  type BodyBytes,
  type Context,
  type Guard,
  type Reply,
  type Route,
  routeOf,
} from './request.ts';

type Parameters<Id extends OperationId> = operations[Id]['parameters'];

/** Query parameters with a default in the contract, which validation fills in. */
type Defaulted = 'page' | 'pageSize' | 'sortBy' | 'content';

type WithDefaults<Query> = Query & Required<Pick<Query, Extract<keyof Query, Defaulted>>>;

type QueryOf<Id extends OperationId> = WithDefaults<NonNullable<Parameters<Id>['query']>>;

type PathOf<Id extends OperationId> = NonNullable<Parameters<Id>['path']>;

type BodyOf<Id extends OperationId> = operations[Id] extends {
  requestBody?: { content: { 'application/json': infer Body } };
}
  ? Body
  : undefined;

type SuccessOf<Responses> = Responses extends
  | { 200: { content: { 'application/json': infer Body } } }
  | { 201: { content: { 'application/json': infer Body } } }
  ? Body
  : Responses extends { 200: { content: { 'application/octet-stream': unknown } } }
    ? ContentBody
    : never;

/** The result of an operation; nothing for status 204. */
type ResultOf<Body> = [Body] extends [never]
  ? Promise<void>
  : [Body] extends [ContentBody]
    ? Promise<ContentBody>
    : Body | Serialised<Body> | CacheableBody<Body> | Promise<Body | Streamed<Body>>;

type Streamed<Body> = Body extends { encryptedData?: string | null } ? DocumentStream : never;

/** A request that passed every guard. */
export interface HandlerRequest<Id extends OperationId> {
  /** The sender, with or without account. */
  readonly visitor: Visitor;
  /**
   * The calling account.
   *
   * @throws Error in an operation that was called without credentials
   */
  readonly actor: WithCommitHook<Actor>;
  readonly path: PathOf<Id>;
  readonly query: QueryOf<Id>;
  readonly body: BodyOf<Id>;
  /** The request headers, with names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /**
   * The body of an operation that takes bytes.
   *
   * @throws Error in an operation that takes JSON
   */
  readonly bytes: BodyBytes;
  /** Keeps the request from counting towards the rate limit, where the contract allows it. */
  readonly doNotCount: () => void;
  /** The decoded `encryptedData` of a large body, which has a placeholder in its place. */
  readonly content: Buffer | undefined;
  /** Whether the method is HEAD: the request must have no effect, and the body is not written. */
  readonly isHead: boolean;
}

/** Returns the body of the response; the contract has the status. */
export type Handler<Id extends OperationId> = (
  request: HandlerRequest<Id>,
) => ResultOf<SuccessOf<operations[Id]['responses']>>;

export type Handlers = {
  readonly [Id in OperationId]: Handler<Id>;
};

/** Check the stored result of an operation before it is replayed for an Idempotency-Key of this caller. */
export type ReplayChecks = {
  readonly [Id in OperationId]?: (
    result: SuccessOf<operations[Id]['responses']>,
    actor: Actor,
    path: PathOf<Id>,
  ) => Promise<void>;
};

/** Calls the handler, at most once per Idempotency-Key, and returns its result with the contract's status. */
export function callHandler(idempotency: Idempotency): Guard {
  return async (ctx) => {
    const route = routeOf(ctx.state);
    const result = route.takesKey
      ? await callOnce(ctx, route, idempotency)
      : await route.handler(handlerRequest(ctx));
    return resultReply(ctx, result, route.operation.successStatus);
  };
}

function resultReply(ctx: Context, result: unknown, status: number): Reply | Promise<Reply> {
  if (result instanceof ContentBody) return contentReply(ctx, result);
  if (result instanceof CacheableBody) {
    return { status, body: result.body, cacheControl: `public, max-age=${result.maxAge}` };
  }
  if (!(result instanceof Serialised)) return { status, body: result };
  return cacheableReply(ctx, { body: result.text, etag: result.etag });
}

async function callOnce(
  ctx: Context,
  { operation, handler, checkReplay }: Route,
  idempotency: Idempotency,
): Promise<unknown> {
  const { req, state } = ctx;
  const { actor, bodyDigest } = state;
  const key = req.headers['idempotency-key'];
  if (!key || !actor) return handler(handlerRequest(ctx));
  try {
    const { result, replayed } = await idempotency.run(
      {
        actor,
        method: operation.method.toUpperCase(),
        path: canonicalPath(operation.path, state.path),
        key: String(key),
        bodyDigest,
        successStatus: operation.successStatus,
      },
      async (beforeCommit) => handler(handlerRequest(ctx, { ...actor, beforeCommit })),
    );
    if (replayed) {
      await checkReplay?.(result, actor, state.path);
      state.headers.push('Idempotency-Replayed', 'true');
    }
    return result;
  } catch (error) {
    if (error instanceof ReplayedError) state.headers.push('Idempotency-Replayed', 'true');
    throw error;
  }
}

/** The operation's path with the values of a request: the same for an alias and for another encoding. */
function canonicalPath(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{([^}]+)\}/g, (_, name) => encodeURIComponent(values[name] ?? ''));
}

/** Returns a request as its handler receives it. */
function handlerRequest(
  { req, state }: Context,
  actor: WithCommitHook<Actor> | undefined = state.actor,
) {
  const { path, query, body, content, bytes } = state;
  return {
    visitor: state.actor ?? state.visitor,
    path,
    query,
    body,
    content,
    headers: req.headers,
    isHead: req.method === 'HEAD',
    doNotCount() {
      state.isExempt = true;
    },
    get bytes() {
      if (!bytes) throw new Error('this operation takes no bytes');
      return bytes;
    },
    get actor() {
      if (!actor) throw new Error('this operation may be called without an account');
      return actor;
    },
  };
}
