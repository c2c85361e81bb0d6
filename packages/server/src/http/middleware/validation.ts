import type { Operation } from '../../contract/contract.ts';
import { createRequestValidator } from '../../contract/validation.ts';
import type { Gate } from '../state.ts';

/** Refuses what the contract does not allow. */
export function validateRequest(operation: Operation): Gate {
  const validator = createRequestValidator(operation);
  const takes = (place: string) => operation.parameters.some((parameter) => parameter.in === place);
  const takesHeaders = takes('header');
  const takesQuery = takes('query');
  return (ctx) => {
    if (takesHeaders) validator.headers(ctx.headers);
    ctx.state.query = takesQuery ? validator.query(ctx.query) : {};
    if (operation.body !== 'none') ctx.state.body = validator.body(ctx.state.body);
  };
}
