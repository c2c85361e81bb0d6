import type { DefaultContext, Middleware, ParameterizedContext } from 'koa';
import type { Operation } from '../contract/contract.ts';
import type { Actor, Visitor } from '../domain/actor.ts';
import type { RateLimitState } from '../domain/limits/rate-limits.ts';
import type { Base64Answer } from './base64-answer.ts';
import type { Reservation } from './bodies/admission.ts';
import type { IncomingBody } from './bodies/incoming-body.ts';

/** What the steps of a request learn about it, in the order in which they learn it. */
export interface RequestState {
  visitor: Visitor;
  operation?: Operation;
  actor?: Actor & Visitor;
  rateLimit?: RateLimitState;
  /** Undefined for a request without a body. */
  incoming?: IncomingBody;
  /** The memory that the body may use until the response is ready. */
  reservation?: Reservation;
  /** The bytes of a large body, of which `content` is a part. Freed when the response is ready. */
  largeBody?: Buffer;
  /** SHA-256 of the body, for a request with an Idempotency-Key. */
  bodyDigest?: Buffer;
  /** There for a request to GraphQL; with its operation, once that is known. */
  graphql?: { readonly operation?: GraphqlOperation };
  query?: Record<string, unknown>;
  body?: unknown;
  /** What a large `encryptedData` of the body stands for; the body has a placeholder in its place. */
  content?: Buffer;
  /** What the stream stands for that is the body of the answer. */
  inPieces?: Base64Answer;
}

/** What is noted of a GraphQL operation: nothing of its values. */
export interface GraphqlOperation {
  readonly type: 'query' | 'mutation';
  readonly name: string | null;
  /** Of Query or Mutation. */
  readonly fields: readonly string[];
}

export type Context = ParameterizedContext<RequestState, DefaultContext, unknown>;

/** One named step around the rest of a request's way. */
export type Step = Middleware<RequestState, DefaultContext, unknown>;

/** One named step that a request passes or is refused at: it throws what is answered then. */
export type Gate = (ctx: Context) => void | Promise<void>;
