import type { IncomingMessage } from 'node:http';
import type { DefaultContext, ParameterizedContext } from 'koa';
import type { Operation } from '../contract/contract.ts';
import type { RequestValidator } from '../contract/validation.ts';
import type { Actor, Visitor } from '../domain/actor.ts';
import type { RateLimitState } from '../domain/limits/rate-limits.ts';
import type { Tier } from '../domain/shapes.ts';
import type { MemoryGrant } from './bodies/admission.ts';
import type { IncomingBody } from './bodies/incoming-body.ts';

/** A body of bytes, which is read while it is stored. */
export interface BodyBytes {
  /** Content-Length; undefined for a chunked body. */
  readonly declared: number | undefined;
  /** Asks for the bytes, once there is memory to read them. */
  read(): AsyncIterable<Uint8Array>;
}

/** Header names and values in turn, as `ServerResponse.writeHead` takes them. */
export type FlatHeaders = readonly string[];

/** A response before it is written. */
export interface Reply {
  readonly status: number;
  /** Text and bytes are written as they are, other values as JSON. Undefined: no body. */
  readonly body?: unknown;
  /** Content-Type; default JSON. */
  readonly type?: string;
  /** Default: `no-store`. */
  readonly cacheControl?: string;
  /** Further headers. */
  readonly headers?: FlatHeaders;
  /** Replace the default security headers, for pages. */
  readonly securityHeaders?: FlatHeaders;
}

/** A handler of any operation. Validation ensures that the request fits it. */
export type AnyHandler = (request: unknown) => unknown;

/** Throws when a stored result must not be replayed. */
export type AnyReplayCheck = (result: unknown, actor: Actor, path: unknown) => Promise<void>;

/** An operation of the contract with its handler and validators. */
export interface Route {
  readonly operation: Operation;
  readonly handler: AnyHandler;
  /** Undefined: every stored result is replayed. */
  readonly checkReplay: AnyReplayCheck | undefined;
  readonly validator: RequestValidator;
  readonly takesHeaders: boolean;
  /** Whether it accepts an Idempotency-Key. */
  readonly takesKey: boolean;
}

/** The state of one request. Each guard adds its result. */
export class RequestState {
  /** The sender, with or without account. */
  readonly visitor: Visitor;
  /** Undefined for a request without a body. */
  readonly incoming: IncomingBody | undefined;
  route: Route | undefined = undefined;
  /** The decoded path parameters, by name. */
  path: Readonly<Record<string, string>> = {};
  actor: (Actor & Visitor) | undefined = undefined;
  /** The app that has authenticated at an endpoint of OAuth. Its requests count on it. */
  client: { readonly id: string; readonly ownerTier: Tier } | undefined = undefined;
  rateLimit: RateLimitState | undefined = undefined;
  /** Whether the request counts in no window of the rate limit. */
  isExempt = false;
  /** The memory that the body may use until the response is ready. */
  memoryGrant: MemoryGrant | undefined = undefined;
  /** The bytes of a large body, of which `content` is a part. Freed when the response is ready. */
  largeBody: Buffer | undefined = undefined;
  /** SHA-256 of the body, for a request with an Idempotency-Key. */
  bodyDigest: Buffer | undefined = undefined;
  /** Set for a request to GraphQL; has the operation once that is known. */
  graphql: { readonly operation?: GraphqlOperation } | undefined = undefined;
  /** Whether an endpoint of OAuth serves the request. */
  isOfOAuth = false;
  /** Whether a page of the server is the response, which is neither counted nor logged. */
  isOfPage = false;
  /** When the request was served: at its arrival, or after the responses before it on its connection. */
  startedAt = performance.now();
  query: Record<string, unknown> = {};
  body: unknown = undefined;
  /** The body of an operation that takes bytes. */
  bytes: BodyBytes | undefined = undefined;
  /** The decoded `encryptedData` of a large body, which has a placeholder in its place. */
  content: Buffer | undefined = undefined;
  /** Response headers of this request alone: names and values in turn. */
  readonly headers: string[] = [];

  constructor(visitor: Visitor, incoming: IncomingBody | undefined) {
    this.visitor = visitor;
    this.incoming = incoming;
  }
}

/**
 * Returns the route of a request.
 *
 * @throws Error before the guard that finds it
 */
export function routeOf({ route }: RequestState): Route {
  if (!route) throw new Error('the request has no route yet');
  return route;
}

/** The logged facts of a GraphQL operation, without its values. */
export interface GraphqlOperation {
  readonly type: 'query' | 'mutation';
  readonly name: string | null;
  /** Fields of Query or Mutation. */
  readonly fields: readonly string[];
}

export type Context = ParameterizedContext<RequestState, DefaultContext, unknown>;

/**
 * One check or step of a request. It throws to reject the request, returns a reply to end it, and returns
 * nothing to let it pass. A promise is awaited; a guard that needs none returns none.
 */
export type Guard = (ctx: Context) => void | Reply | Promise<void> | Promise<Reply | undefined>;

/** The guards of a request after its CORS preflight, and the form of its errors. */
export interface Endpoint {
  /** The last one returns a reply. */
  readonly guards: readonly Guard[];
  toReply(ctx: Context, error: unknown): Reply | Promise<Reply>;
}

/**
 * Rewrites a target in absolute form, which clients send to proxies, to its path and query. Its authority replaces Host.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2
 */
export function useOriginForm(request: IncomingMessage): void {
  const { url = '' } = request;
  const [prefix, authority] = /^https?:\/\/([^/?#]+)/i.exec(url) ?? [];
  if (prefix === undefined) return;
  const rest = url.slice(prefix.length);
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  request.headers.host = authority;
}

/** Characters of an Accept header that is read. Browsers send about 150. */
const maxAccept = 1_000;

/**
 * Removes a longer Accept header, so that the request accepts every media type. Koa and the engine of OAuth read the
 * header in quadratic time.
 */
export function ignoreLongAccept({ headers }: IncomingMessage): void {
  if ((headers.accept?.length ?? 0) > maxAccept) delete headers.accept;
}

/** Returns the path of a request as it was sent. A target that is not a path (RFC 9112, section 3.2.1) matches none. */
export function pathOf({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

/** Returns the query string of a request, without its question mark. */
export function queryOf({ url = '' }: IncomingMessage): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}

/** Whether the Content-Type declares UTF-8, which is also the default. */
export function declaresUtf8(ctx: Context): boolean {
  return /^(utf-?8)?$/i.test(ctx.request.charset);
}
