import type { Operation } from '../contract.ts';
import type { Step } from '../state.ts';
import { createRequestValidator } from '../validation.ts';

/** Refuses what the contract does not allow. */
export function validateRequest(operation: Operation): Step {
  const validator = createRequestValidator(operation);
  return async (ctx, next) => {
    validator.headers(ctx.headers);
    ctx.state.query = validator.query(ctx.query);
    if (operation.body !== 'none') ctx.state.body = validator.body(ctx.state.body);
    await next();
  };
}
