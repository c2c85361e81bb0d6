import type { Recorder } from '../../metrics/metrics.ts';
import type { Step } from '../state.ts';

/** Counts and times every request under its operation. */
export function recordRequests(recorder: Recorder): Step {
  return async (ctx, next) => {
    const start = performance.now();
    await next();
    const { graphql, operation: contractOperation } = ctx.state;
    const operation = graphql ? 'graphql' : (contractOperation?.id ?? 'none');
    recorder.request(operation, ctx.res.statusCode, performance.now() - start);
  };
}
