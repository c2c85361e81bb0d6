import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import { ServiceError } from '../../errors.ts';
import { GraphqlRefusal } from '../../graphql/refusal.ts';
import type { Context, Step } from '../state.ts';
import { writeRefusal } from './answers.ts';

/** Where GraphQL is served. */
export const graphqlPath = '/graphql';

/** Marks requests to GraphQL, and answers their failures in its form, those of every later step. */
export function renderGraphqlErrors(clock: Clock, log: Logger): Step {
  return async (ctx, next) => {
    if (!leadsToGraphql(ctx)) return next();
    ctx.state.graphql = {};
    try {
      await next();
    } catch (error) {
      const isKnown = error instanceof ServiceError || error instanceof GraphqlRefusal;
      writeRefusal(ctx, isKnown ? error : hiddenError(ctx, log, { err: error }), clock);
    }
  };
}

function leadsToGraphql({ req: { url = '' } }: Context): boolean {
  return url === graphqlPath || url.startsWith(`${graphqlPath}?`);
}

/** Writes a failure to the log that the caller is not told of. */
export function hiddenError(ctx: Context, log: Logger, facts: { err: unknown }): ServiceError {
  const { requestId } = ctx.state.visitor;
  log.error({ requestId, operation: 'graphql', ...facts }, 'request failed');
  return new ServiceError('INTERNAL_ERROR', { cause: facts.err });
}
