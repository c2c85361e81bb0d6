import { ServiceError } from '../../errors.ts';
import type { Networks } from '../client-address.ts';
import type { Step } from '../state.ts';

export function refuseBlockedAddresses(blocked: Networks): Step {
  return async (ctx, next) => {
    if (blocked.includes(ctx.state.visitor.ipAddress)) throw new ServiceError('IP_BLOCKED');
    await next();
  };
}
