import type { Logger } from 'pino';
import type { Operation } from '../contract/contract.ts';
import { refuseSuspended, requireAdministrator, requireScopes } from '../domain/access.ts';
import type { Auth } from '../domain/accounts/auth.ts';
import type { Actor, Visitor } from '../domain/actor.ts';
import type { CountedWindows, RateLimitState, RateLimits } from '../domain/limits/rate-limits.ts';
import { addressPrefix } from '../domain/limits/windows.ts';
import type { Tier } from '../domain/shapes.ts';
import { checkedKey, checkedToken, missingAuth } from '../generated/rules/credentials.ts';
import { ServiceError, shownName } from '../generated/rules/errors.ts';
import { readParameters, refuseUnknown } from '../generated/rules/parameters.ts';
import { networkOf } from '../lib/networks.ts';
import type { Networks } from './addresses.ts';
import type { OperatorPages } from './operator/operator.ts';
import {
  type Context,
  type Guard,
  pathOf,
  queryOf,
  type RequestState,
  routeOf,
} from './request.ts';
import type { Router } from './router.ts';

export function rejectBlockedAddress(blocked: Networks): Guard {
  return ({ state }) => {
    if (blocked.includes(state.visitor.ipAddress)) throw new ServiceError('IP_BLOCKED');
  };
}

/**
 * Finds the operation of a request. Unknown paths and methods count on the address; above its limit they return 429.
 * The error of a known path names its methods in `Allow`.
 */
export function findRoute(router: Router, limiter: RequestLimiter, pages: OperatorPages): Guard {
  return (ctx) => {
    const match = router.match(ctx);
    if (!match) {
      const path = pathOf(ctx.req);
      const methods = [...router.methodsOf(path), ...pages.methodsOf(path)];
      if (methods.length > 0 && !methods.includes(ctx.method)) {
        ctx.state.headers.push('Allow', methods.join(', '));
      }
      return rejectUnknownPath(ctx, limiter);
    }
    ctx.state.route = match.route;
    ctx.state.path = match.path;
  };
}

async function rejectUnknownPath(ctx: Context, limiter: RequestLimiter): Promise<never> {
  await limiter.admit(ctx.state);
  const { method } = ctx;
  const path = shownName(pathOf(ctx.req));
  throw new ServiceError('NOT_FOUND', {
    message: `There is no operation at ${method} ${path}.`,
    details: { method, path },
  });
}

/** The accepted credentials, and whether they are optional. */
type Credentials = Pick<Operation, 'schemes' | 'anonymous'>;

export interface AuthenticationOptions {
  readonly auth: Auth;
  readonly limiter: RequestLimiter;
  /** Default: those of the operation. */
  readonly credentials?: Credentials;
}

/**
 * Identifies the calling account. Credentials that are sent are checked even where they are optional; an
 * API key takes precedence over an access token. Invalid and missing credentials count on the address, and
 * above its limit the error is RATE_LIMIT_EXCEEDED. Valid ones count on their account alone.
 */
export function authenticate({ auth, limiter, credentials }: AuthenticationOptions): Guard {
  return async ({ req, state }) => {
    const accepted = credentials ?? routeOf(state).operation;
    try {
      state.actor = await identify(req.headers, state.visitor, { accepted, auth });
      if (!state.actor && !accepted.anonymous) {
        const { schemes } = accepted;
        throw missingAuth({ key: schemes.has('apiKey'), token: schemes.has('bearer') });
      }
    } catch (error) {
      if (error instanceof ServiceError) await limiter.admit(state);
      throw error;
    }
  };
}

async function identify(
  { 'x-api-key': apiKey, authorization }: Context['req']['headers'],
  visitor: Visitor,
  { accepted: { schemes }, auth }: { readonly accepted: Credentials; readonly auth: Auth },
): Promise<(Actor & Visitor) | undefined> {
  if (apiKey && schemes.has('apiKey')) {
    return auth.authenticateKey(visitor, checkedKey(String(apiKey)));
  }
  if (authorization && (schemes.has('bearer') || schemes.has('oauth2'))) {
    return auth.authenticateToken(visitor, checkedToken(authorization));
  }
  return undefined;
}

export const rejectSuspendedAccount: Guard = ({ state: { actor } }) => {
  if (actor) refuseSuspended(actor);
};

export type RequestLimiter = ReturnType<typeof createRequestLimiter>;

/** Maximum number of accounts that are remembered as over their limit. */
const maxOverLimit = 10_000;

/**
 * Counts requests by account, by app at the endpoints of OAuth, or by address without valid credentials.
 *
 * @param addressTier the tier of an address without valid credentials
 */
export function createRequestLimiter(
  rateLimits: RateLimits,
  addressTier: Tier,
  log: Pick<Logger, 'warn'>,
) {
  const holderOf = ({ actor, client, visitor }: RequestState): [key: string, tier: Tier] => {
    if (actor) return [`account:${actor.userId}`, actor.tier];
    if (client) return [`client:${client.id}`, client.ownerTier];
    return [`${addressPrefix}${networkOf(visitor.ipAddress)}`, addressTier];
  };
  /** Accounts whose requests were counted above their limit after their outcome was known. */
  const overLimit = new Set<string>();
  const noteOverLimit = (userId: string) => {
    if (overLimit.size >= maxOverLimit) overLimit.clear();
    overLimit.add(userId);
  };
  return {
    /**
     * Counts a request.
     *
     * @param windows default: the hour and the minute
     * @throws ServiceError RATE_LIMIT_EXCEEDED when the hour or the minute is used up
     */
    async admit(state: RequestState, windows?: CountedWindows): Promise<void> {
      rejectExcess(state, await rateLimits.count(...holderOf(state), windows));
    },
    /**
     * Admits a request that is counted when its outcome is known, unless it counts in no window. Rejects an account
     * that such counts have put above its limit, until there is room.
     *
     * @throws ServiceError RATE_LIMIT_EXCEEDED
     */
    async admitAndCountLater(state: RequestState): Promise<void> {
      const holder = holderOf(state);
      if (!overLimit.has(holder[0])) return;
      const limit = await rateLimits.inspect(...holder);
      if (limit.retryAfter === undefined) overLimit.delete(holder[0]);
      else rejectExcess(state, limit);
    },
    /**
     * Returns the state for the headers of a response. A request that was rejected before its limit is counted
     * here, except CORS preflights. Never rejects: a response stays as it is when its request cannot be counted.
     */
    async stateOf({ req, state }: Context): Promise<RateLimitState> {
      const holder = holderOf(state);
      try {
        if (req.method === 'OPTIONS' || state.isExempt) {
          return await rateLimits.inspect(...holder);
        }
        const limit = await rateLimits.count(...holder);
        if (state.actor && limit.retryAfter !== undefined) noteOverLimit(holder[0]);
        return limit;
      } catch (err) {
        log.warn({ requestId: state.visitor.requestId, err }, 'a request was not counted');
        return rateLimits.known(...holder);
      }
    },
    /** Returns the state by what this process knows, without the counters that processes share. */
    knownOf: (state: RequestState) => rateLimits.known(...holderOf(state)),
  };
}

/** Notes the limit for the headers of the response, and rejects a request beyond it. */
function rejectExcess(state: RequestState, limit: RateLimitState): void {
  state.rateLimit = limit;
  const { retryAfter, remaining, minute } = limit;
  if (retryAfter === undefined) return;
  const reached =
    remaining === 0 ? `${limit.limit} requests an hour` : `${minute.limit} requests a minute`;
  const message = `The limit of ${reached} is reached. Try again in ${durationText(retryAfter)}.`;
  throw new ServiceError('RATE_LIMIT_EXCEEDED', { message, retryAfter });
}

/** @param seconds whole seconds; two minutes and more are rounded up to whole minutes */
function durationText(seconds: number): string {
  if (seconds >= 120) return `${Math.ceil(seconds / 60)} minutes`;
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}

/**
 * Applies the windows of the operation. A large document is read by many requests, which count in the hour
 * alone. Whether a part of an upload counts is known after its handler.
 */
export function limitRate(limiter: RequestLimiter): Guard {
  return ({ state }) => {
    const windows = state.route?.operation.rateLimit;
    if (windows === 'countAfterwards') return limiter.admitAndCountLater(state);
    return limiter.admit(state, windows);
  };
}

export const rejectMissingScopes: Guard = ({ state }) => {
  if (state.actor) requireScopes(state.actor, routeOf(state).operation);
};

/** Rejects accounts that are no administrators. The scope alone does not allow an administrator's operation. */
export const requireRole: Guard = ({ state }) => {
  if (state.actor && routeOf(state).operation.administrators) requireAdministrator(state.actor);
};

/** Validates headers, query and body against the contract, and fills in its defaults. */
export const validateRequest: Guard = (ctx) => {
  const { state } = ctx;
  const { operation, validator, takesHeaders } = routeOf(state);
  if (takesHeaders) validator.headers(ctx.req.headers);
  // Koa's `ctx.query` takes quadratic time for a name that is repeated.
  const query = readParameters(queryOf(ctx.req), 'query');
  refuseUnknown(query, validator.queryNames);
  state.query = validator.query(query);
  if (operation.body !== 'none') state.body = validator.body(state.body);
};
