import type { Ids } from '../../ids.ts';
import { clientAddress, type Networks } from '../client-address.ts';
import type { Step } from '../state.ts';

/** Gives the request its id and notes who sends it. */
export function identifyVisitor(ids: Ids, trustedProxies: Networks): Step {
  return async (ctx, next) => {
    const requestId = ids.prefixed('req');
    ctx.state.visitor = {
      userId: null,
      requestId,
      ipAddress: clientAddress(ctx.req, trustedProxies),
      userAgent: ctx.get('user-agent') || null,
    };
    ctx.res.setHeader('X-Request-Id', requestId);
    await next();
  };
}
