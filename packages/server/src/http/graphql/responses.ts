import { timestamp } from '../../domain/shapes.ts';
import { ServiceError, violation } from '../../generated/rules/errors.ts';
import { GraphqlRequestError, type LocatedServiceError } from '../../graphql/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Context, declaresUtf8, type Reply } from '../request.ts';

/** The media types of responses (https://graphql.github.io/graphql-over-http/draft/#sec-Media-Types). */
const json = 'application/json';
const graphqlJson = 'application/graphql-response+json';

type MediaType = typeof json | typeof graphqlJson;

const charset = 'charset=utf-8';

/** An error whose status GraphQL over HTTP defines and REST does not use. */
export class ProtocolError extends ServiceError {
  readonly httpStatus: 405 | 406 | 415;

  constructor(httpStatus: 405 | 406 | 415, [field, constraint, message]: [string, string, string]) {
    const { details } = violation(field, constraint, message);
    super('VALIDATION_ERROR', { message, details });
    this.httpStatus = httpStatus;
  }
}

/** Returns the accepted media type with the highest quality; undefined when Accept excludes both. */
function acceptedMediaType(ctx: Context): MediaType | undefined {
  // A client without Accept, or with */*, may know application/json alone.
  const offers = [json, graphqlJson, `${json}; ${charset}`, `${graphqlJson}; ${charset}`];
  const accepted = ctx.accepts(...offers);
  if (accepted === false) return undefined;
  return String(accepted).startsWith(json) ? json : graphqlJson;
}

/** @throws ProtocolError 406 */
export function requireMediaType(ctx: Context): void {
  if (acceptedMediaType(ctx) !== undefined) return;
  const message = `Accept must allow ${graphqlJson} or ${json}.`;
  throw new ProtocolError(406, ['Accept', 'mediaType', message]);
}

/** @throws ProtocolError 415 for a body that is not JSON in UTF-8 */
export function requireJsonBody(ctx: Context): void {
  if (ctx.request.type.trim().toLowerCase() === json && declaresUtf8(ctx)) return;
  const message = `Content-Type must be ${json}, in UTF-8.`;
  throw new ProtocolError(415, ['Content-Type', 'contentType', message]);
}

/** A response (https://spec.graphql.org/October2021/#sec-Response-Format). */
export interface GraphqlResponse {
  readonly status: number;
  readonly errors: readonly LocatedServiceError[];
  /** Undefined: nothing was executed. */
  readonly data?: unknown;
  readonly extensions?: Readonly<Record<string, unknown>>;
}

export function graphqlReply(ctx: Context, response: GraphqlResponse, clock: Clock): Reply {
  const { status, data, extensions } = response;
  const mediaType = acceptedMediaType(ctx) ?? json;
  const errors = response.errors.map((error) => toResponseError(error, ctx, clock));
  const text = JSON.stringify({ ...(errors.length > 0 && { errors }), data, extensions });
  // The text of a large result would be encoded once for its length and once more to be sent.
  return { status, type: `${mediaType}; charset=utf-8`, body: Buffer.from(text) };
}

function toResponseError(
  { cause, locations, path }: LocatedServiceError,
  ctx: Context,
  clock: Clock,
) {
  const { code, message, details, retryAfter } = cause;
  return {
    message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: {
      code,
      details,
      requestId: ctx.state.visitor.requestId,
      timestamp: timestamp(clock.now()),
      ...(retryAfter !== undefined && { retryAfter }),
    },
  };
}

/** Converts the error of a request of which nothing was executed. */
export function toErrorReply(
  ctx: Context,
  error: ServiceError | GraphqlRequestError,
  clock: Clock,
): Reply {
  const errors = error instanceof GraphqlRequestError ? error.errors : [{ cause: error }];
  const [{ cause }] = errors as readonly [LocatedServiceError];
  const status = statusOf(error, acceptedMediaType(ctx));
  const reply = graphqlReply(ctx, { status, errors }, clock);
  if (cause.retryAfter === undefined) return reply;
  return { ...reply, headers: ['Retry-After', String(cause.retryAfter)] };
}

/**
 * Returns the status of an error response. GraphQL over HTTP responds to a wrong document or wrong variables
 * with 200 in `application/json`. Missing permissions and exceeded limits have their status in both media
 * types, so that proxies and clients without GraphQL see them.
 */
function statusOf(
  error: ServiceError | GraphqlRequestError,
  mediaType: MediaType | undefined,
): number {
  if (error instanceof ProtocolError) return error.httpStatus;
  if (!(error instanceof GraphqlRequestError)) return error.status;
  const [{ cause }] = error.errors;
  return cause.code === 'VALIDATION_ERROR' && mediaType === json ? 200 : cause.status;
}
