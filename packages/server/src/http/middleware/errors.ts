import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import { timestamp } from '../../domain/shapes.ts';
import { ServiceError } from '../../errors.ts';
import type { Context, Step } from '../state.ts';

/**
 * Answers failures. It writes the answer itself: Koa's own way would drop the headers that are set
 * already, the rate limit's among them.
 */
export function renderErrors(clock: Clock, log: Logger): Step {
  return async (ctx, next) => {
    try {
      await next();
    } catch (cause) {
      renderError(ctx, toServiceError(cause, ctx, log), clock);
    }
  };
}

/** Refuses a request target that is not a path (RFC 9112, section 3.2.1), as an unknown path is. */
export function refuseMalformedTarget(refuse: Step): Step {
  return (ctx, next) => (ctx.req.url?.startsWith('/') ? next() : refuse(ctx, next));
}

/** Writes the error body of the contract. */
export function renderError(ctx: Context, error: ServiceError, clock: Clock): void {
  const { code, message, details, retryAfter } = error;
  ctx.status = error.status;
  if (retryAfter !== undefined) ctx.set('Retry-After', String(retryAfter));
  ctx.body = {
    error: {
      code,
      message,
      details,
      requestId: ctx.state.visitor.requestId,
      timestamp: timestamp(clock.now()),
      ...(retryAfter !== undefined && { retryAfter }),
    },
  };
}

function toServiceError(error: unknown, ctx: Context, log: Logger): ServiceError {
  if (error instanceof ServiceError) return error;
  const { requestId } = ctx.state.visitor;
  log.error(
    { requestId, operation: ctx.state.operation?.id ?? null, err: error },
    'request failed',
  );
  return new ServiceError('INTERNAL_ERROR', { cause: error });
}
