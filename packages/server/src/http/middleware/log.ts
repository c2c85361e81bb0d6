import type { Logger } from 'pino';
import type { Step } from '../state.ts';

/** One line per request, without anything that a caller would want kept secret. */
export function logRequests(log: Logger): Step {
  return async (ctx, next) => {
    const start = performance.now();
    await next();
    const { visitor, actor, operation, graphql } = ctx.state;
    log.info(
      {
        requestId: visitor.requestId,
        method: ctx.method,
        operation: graphql ? 'graphql' : (operation?.id ?? null),
        ...(graphql?.operation && { graphql: graphql.operation }),
        status: ctx.status,
        durationMs: Math.round((performance.now() - start) * 1000) / 1000,
        userId: actor?.userId ?? null,
        ipAddress: visitor.ipAddress,
      },
      'request',
    );
  };
}
