import type { Step } from '../state.ts';

/** Ends each connection with its answer once the server is closing, so that nobody waits for another. */
export function endConnections(isClosing: () => boolean): Step {
  return async (ctx, next) => {
    await next();
    if (isClosing()) ctx.set('Connection', 'close');
  };
}
