import type { Clock } from '../../clock.ts';
import { timestamp } from '../../domain/shapes.ts';
import { ServiceError } from '../../errors.ts';
import { type Failure, GraphqlRefusal, type RefusedPart } from '../../graphql/refusal.ts';
import type { Context, Reply } from '../request.ts';
import { type MediaType, ProtocolError, wantedMediaType } from './media-types.ts';

/** A well-formed answer (https://spec.graphql.org/October2021/#sec-Response-Format). */
export interface GraphqlAnswer {
  readonly status: number;
  readonly failures: readonly RefusedPart[];
  /** As JSON. Undefined: nothing was run. */
  readonly data?: string;
  readonly extensions?: Readonly<Record<string, unknown>>;
}

export function responseOf(ctx: Context, answer: GraphqlAnswer, clock: Clock): Reply {
  const { status, failures, data, extensions } = answer;
  const mediaType = wantedMediaType(ctx) ?? 'application/json';
  const errors = failures.map((part) => toError(part, ctx, clock));
  const members = [
    ...(errors.length > 0 ? [`"errors":${JSON.stringify(errors)}`] : []),
    ...(data === undefined ? [] : [`"data":${data}`]),
    ...(extensions ? [`"extensions":${JSON.stringify(extensions)}`] : []),
  ];
  return { status, type: `${mediaType}; charset=utf-8`, body: `{${members.join(',')}}` };
}

function toError({ cause, locations, path }: RefusedPart, ctx: Context, clock: Clock) {
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

/** The response to a request of which nothing was executed. */
export function rejection(ctx: Context, error: ServiceError | GraphqlRefusal, clock: Clock): Reply {
  const failures = error instanceof GraphqlRefusal ? error.failures : [{ cause: error }];
  const [{ cause }] = failures as readonly [RefusedPart];
  const status = statusOf(error, wantedMediaType(ctx));
  const response = responseOf(ctx, { status, failures }, clock);
  if (cause.retryAfter === undefined) return response;
  return { ...response, headers: ['Retry-After', String(cause.retryAfter)] };
}

/**
 * The status of a refusal. A caller who reads `application/json` is told of a wrong document or wrong
 * variables with 200, as GraphQL over HTTP has it; whoever may not ask, or has asked too much, learns it
 * from the status in either media type, as does everything on the way that knows no GraphQL.
 */
function statusOf(error: ServiceError | GraphqlRefusal, mediaType: MediaType | undefined): number {
  if (error instanceof ProtocolError) return error.httpStatus;
  if (!(error instanceof GraphqlRefusal)) return error.status;
  const [{ cause }] = error.failures;
  return cause.code === 'VALIDATION_ERROR' && mediaType === 'application/json' ? 200 : cause.status;
}

/** A failure that the caller is told of; `hide` makes one of what is not for the caller. */
export async function toldOf(
  failures: readonly Failure[],
  hide: (failure: Failure) => Promise<ServiceError>,
): Promise<RefusedPart[]> {
  const told = failures.map(async (failure) => {
    const { cause } = failure;
    return { ...failure, cause: cause instanceof ServiceError ? cause : await hide(failure) };
  });
  return Promise.all(told);
}
