import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import { contractOperations } from '../../contract/contract.ts';
import { createRequestValidator } from '../../contract/validation.ts';
import type { Auth } from '../../domain/accounts/auth.ts';
import type { QueryBudget, QueryBudgets } from '../../domain/limits/query-budgets.ts';
import { timestamp } from '../../domain/shapes.ts';
import { ServiceError, violation } from '../../errors.ts';
import type { FaultBook } from '../../fault-injection.ts';
import type { Approved, Graphql, Outcome } from '../../graphql/engine.ts';
import { GraphqlRefusal } from '../../graphql/refusal.ts';
import type { Caller } from '../../graphql/services.ts';
import type { Bodies } from '../bodies/bodies.ts';
import {
  authenticate,
  injectFault,
  limitRate,
  type RateLimit,
  rejectBlockedAddress,
  rejectSuspendedAccount,
} from '../guards.ts';
import { toServiceError } from '../replies.ts';
import type { Context, Endpoint, Guard, Networks, Reply } from '../request.ts';
import { rejection, responseOf, toldOf } from './answers.ts';
import { longJson } from './long-json.ts';
import { ProtocolError, requireJsonBody, requireMediaType } from './media-types.ts';
import { readGraphqlRequest } from './request.ts';

export interface GraphqlEndpointOptions {
  /** Read and wired when somebody asks for the first time: a server that nobody asks starts without. */
  readonly load: () => Promise<Graphql>;
  readonly auth: Auth;
  readonly blocked: Networks;
  readonly bodies: Bodies;
  readonly rateLimit: RateLimit;
  readonly budgets: QueryBudgets;
  readonly clock: Clock;
  readonly log: Logger;
  /** Undefined: none can be ordered. */
  readonly faults: FaultBook | undefined;
}

/** As every operation of the contract takes them. */
const credentials = {
  schemes: new Map([
    ['apiKey', []],
    ['bearer', []],
  ] as const),
  anonymous: false,
};

/** Characters of an operation's name that are noted of it. */
const longestNoted = 100;

/**
 * Serves GraphQL. Its guards have the order of REST's: method, credentials, account, rate limit, form of the
 * request, document and variables, scopes, arguments, cost. Nothing is executed before they have passed.
 */
export function createGraphqlEndpoint(options: GraphqlEndpointOptions): Endpoint {
  const { auth, blocked, clock, faults, log, rateLimit } = options;
  return {
    guards: [
      rejectBlockedAddress(blocked),
      requirePost(rateLimit),
      authenticate({ auth, rateLimit, credentials }),
      rejectSuspendedAccount,
      limitRate(rateLimit),
      ...(faults ? [injectFault(faults)] : []),
      answerOperation(options),
    ],
    toReply(ctx, error) {
      const known = error instanceof GraphqlRefusal ? error : toServiceError(error, ctx, log);
      return rejection(ctx, known, clock);
    },
  };
}

/**
 * Queries too are sent by POST: a URL would carry their variables into logs on the way. Other methods
 * count on the address, as an unknown path does.
 */
function requirePost(rateLimit: RateLimit): Guard {
  const refuse = async ({ state }: Context) => {
    await rateLimit.admit(state);
    state.headers.push('Allow', 'POST');
    throw new ProtocolError(405, ['method', 'method', 'Send GraphQL requests by POST.']);
  };
  return (ctx) => (ctx.method === 'POST' ? undefined : refuse(ctx));
}

function answerOperation(options: GraphqlEndpointOptions): (ctx: Context) => Promise<Reply> {
  const { clock } = options;
  const readBody = options.bodies.readJson({ body: 'required', anonymous: false });
  const requireValidKey = idempotencyKeyRule();
  return async (ctx) => {
    requireMediaType(ctx);
    requireJsonBody(ctx);
    requireValidKey(ctx);
    await readBody(ctx);
    await options.auth.requireLive(callerOf(ctx));
    const request = readGraphqlRequest(ctx.state.body);
    const graphql = await options.load();
    const approved = graphql.approve(request, callerOf(ctx));
    const { type, name, fields } = approved;
    ctx.state.graphql = {
      operation: { type, name: name?.slice(0, longestNoted) ?? null, fields },
    };
    const budget = await spend(ctx, approved, options);
    const outcome = await approved.run(keyOf(ctx, approved));
    if (outcome.replayed) ctx.state.headers.push('Idempotency-Replayed', 'true');
    const failures = await toldOf(outcome.failures, (failure) => explain(ctx, failure, options));
    const extensions = { cost: costOf(approved, budget) };
    const data = outcome.isLong ? await longJson(outcome.data) : JSON.stringify(outcome.data);
    return responseOf(ctx, { status: 200, failures, data, extensions }, clock);
  };
}

/** The contract's rule for the header is that of every operation that takes it. */
function idempotencyKeyRule(): (ctx: Context) => void {
  const operation = contractOperations.find(({ id }) => id === 'createVault');
  if (!operation) throw new Error('the contract has no operation createVault');
  const { headers } = createRequestValidator(operation);
  return (ctx) => headers(ctx.headers);
}

function callerOf({ state: { actor } }: Context): Caller {
  if (!actor) throw new Error('GraphQL is not for callers without an account');
  return actor;
}

function keyOf({ state, headers }: Context, { type }: Approved) {
  const key = headers['idempotency-key'];
  if (type !== 'mutation' || typeof key !== 'string' || !state.bodyDigest) return undefined;
  return { key, bodyDigest: state.bodyDigest };
}

/** Takes what the operation costs from the account's hour. */
async function spend(
  ctx: Context,
  { points }: Approved,
  { budgets }: GraphqlEndpointOptions,
): Promise<QueryBudget> {
  const { userId, tier } = callerOf(ctx);
  const most = budgets.most(tier);
  if (points > most) {
    const message = `This operation costs ${points} points; the tier ${tier} has ${most} an hour.`;
    throw new GraphqlRefusal([{ cause: violation('query', 'maxCost', message) }]);
  }
  const budget = await budgets.spend(`user:${userId}`, tier, points);
  const { retryAfter, limit, remaining, queriesLeft } = budget;
  if (retryAfter === undefined) return budget;
  const message =
    queriesLeft > 0
      ? `The GraphQL budget of this hour is used up: this operation costs ${points} points.`
      : 'The GraphQL queries of this hour are used up.';
  throw new ServiceError('RATE_LIMIT_EXCEEDED', {
    message,
    details: { points, limit, remaining },
    retryAfter,
  });
}

function costOf({ points }: Approved, { limit, remaining, resetAt }: QueryBudget) {
  return { points, limit, remaining, resetAt: timestamp(resetAt) };
}

/** What made a field fail that no ServiceError tells of: the account may have been deleted meanwhile. */
async function explain(
  ctx: Context,
  { cause: failure, path }: Outcome['failures'][number],
  { auth, log }: GraphqlEndpointOptions,
): Promise<ServiceError> {
  const cause = await auth.explain(callerOf(ctx), failure);
  return toServiceError(cause, ctx, log, { path });
}
