import { contractOperation } from '../../contract/contract.ts';
import { createRequestValidator } from '../../contract/validation.ts';
import type { QueryBudget, QueryBudgets } from '../../domain/limits/query-budgets.ts';
import { timestamp } from '../../domain/shapes.ts';
import { ServiceError, violation } from '../../generated/rules/errors.ts';
import type { Graphql, GraphqlRequest, PreparedOperation } from '../../graphql/engine.ts';
import {
  GraphqlRequestError,
  type LocatedError,
  type LocatedServiceError,
  requestError,
} from '../../graphql/errors.ts';
import type { Caller } from '../../graphql/execution-context.ts';
import {
  authenticate,
  limitRate,
  type RequestLimiter,
  rejectBlockedAddress,
  rejectSuspendedAccount,
} from '../guards.ts';
import type { PipelineOptions } from '../pipeline.ts';
import { toServiceError } from '../replies.ts';
import type { Context, Endpoint, Guard, Reply } from '../request.ts';
import {
  graphqlReply,
  ProtocolError,
  requireJsonBody,
  requireMediaType,
  toErrorReply,
} from './responses.ts';

export interface GraphqlEndpointOptions
  extends Pick<
    PipelineOptions,
    'auth' | 'blocked' | 'bodies' | 'limiter' | 'clock' | 'log' | 'faultGuards'
  > {
  /** Loads GraphQL at the first request, which keeps the start of the server short. */
  readonly load: () => Promise<Graphql>;
  readonly budgets: QueryBudgets;
}

/** The credentials that most operations of the contract accept. */
const credentials = {
  schemes: new Map([
    ['apiKey', []],
    ['bearer', []],
    ['oauth2', []],
  ] as const),
  anonymous: false,
};

/** Logged characters of an operation's name. */
const maxLoggedName = 100;

/**
 * Creates the endpoint of GraphQL. Its guards have the order of REST's: method, credentials, account, rate limit, form of the
 * request, document and variables, scopes, arguments, cost. Nothing is executed before they have passed.
 */
export function createGraphqlEndpoint(options: GraphqlEndpointOptions): Endpoint {
  const { auth, blocked, clock, log, limiter } = options;
  return {
    guards: [
      rejectBlockedAddress(blocked),
      requirePost(limiter),
      authenticate({ auth, limiter, credentials }),
      rejectSuspendedAccount,
      limitRate(limiter),
      ...options.faultGuards,
      executeOperation(options),
    ],
    toReply(ctx, error) {
      const known = error instanceof GraphqlRequestError ? error : toServiceError(error, ctx, log);
      return toErrorReply(ctx, known, clock);
    },
  };
}

/**
 * Rejects other methods. Queries need POST too, because logs of proxies would contain the variables in a
 * URL. The rejected request counts for the address, like a request to an unknown path.
 */
function requirePost(limiter: RequestLimiter): Guard {
  return async ({ method, state }) => {
    if (method === 'POST') return;
    await limiter.admit(state);
    state.headers.push('Allow', 'POST');
    throw new ProtocolError(405, ['method', 'method', 'Send GraphQL requests by POST.']);
  };
}

function executeOperation(options: GraphqlEndpointOptions): (ctx: Context) => Promise<Reply> {
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
    const operation = graphql.prepare(request, callerOf(ctx));
    const { type, name, fields } = operation;
    ctx.state.graphql = {
      operation: { type, name: name?.slice(0, maxLoggedName) ?? null, fields },
    };
    const budget = await spend(ctx, operation, options);
    const { data, errors, replayed } = await operation.execute(keyOf(ctx, operation));
    if (replayed) ctx.state.headers.push('Idempotency-Replayed', 'true');
    const response = {
      status: 200,
      errors: await Promise.all(errors.map((error) => toPublicError(ctx, error, options))),
      data,
      extensions: { cost: costOf(operation, budget) },
    };
    return graphqlReply(ctx, response, clock);
  };
}

/** Returns the contract's validation of the header, which is the same for every operation. */
function idempotencyKeyRule(): (ctx: Context) => void {
  const { headers } = createRequestValidator(contractOperation('createVault'));
  return (ctx) => headers(ctx.headers);
}

function callerOf({ state: { actor } }: Context): Caller {
  if (!actor) throw new Error('GraphQL requires an account');
  return actor;
}

function keyOf({ state, headers }: Context, { type }: PreparedOperation) {
  const key = headers['idempotency-key'];
  if (type !== 'mutation' || typeof key !== 'string' || !state.bodyDigest) return undefined;
  return { key, bodyDigest: state.bodyDigest };
}

/** Takes the cost of an operation from the account's hourly budget. */
async function spend(
  ctx: Context,
  { points }: PreparedOperation,
  { budgets }: GraphqlEndpointOptions,
): Promise<QueryBudget> {
  const { userId, tier } = callerOf(ctx);
  const max = budgets.most(tier);
  if (points > max) {
    const message = `The operation costs ${points} points; the limit of the tier ${tier} is ${max} per hour. Request smaller pages.`;
    throw requestError('query', 'maxCost', message);
  }
  const budget = await budgets.spend(`user:${userId}`, tier, points);
  const { retryAfter, limit, remaining, queriesLeft } = budget;
  if (retryAfter === undefined) return budget;
  const message =
    queriesLeft > 0
      ? `The operation costs ${points} points; ${remaining} of ${limit} are left this hour.`
      : 'All GraphQL queries of this hour are used. Retry after the hour ends.';
  throw new ServiceError('RATE_LIMIT_EXCEEDED', {
    message,
    details: { points, limit, remaining },
    retryAfter,
  });
}

function costOf({ points }: PreparedOperation, { limit, remaining, resetAt }: QueryBudget) {
  return { points, limit, remaining, resetAt: timestamp(resetAt) };
}

/** Logs errors without a public message. The cause can be that the account was deleted meanwhile. */
async function toPublicError(
  ctx: Context,
  error: LocatedError,
  { auth, log }: GraphqlEndpointOptions,
): Promise<LocatedServiceError> {
  if (error.cause instanceof ServiceError) return { ...error, cause: error.cause };
  const cause = await auth.explain(callerOf(ctx), error.cause);
  return { ...error, cause: toServiceError(cause, ctx, log, { path: error.path }) };
}

/**
 * Reads the parameters of a request and ignores unknown ones.
 *
 * @throws ServiceError VALIDATION_ERROR
 * @see https://graphql.github.io/graphql-over-http/draft/#sec-Request-Parameters
 */
function readGraphqlRequest(body: unknown): GraphqlRequest {
  if (Array.isArray(body)) {
    throw violation('body', 'batch', 'Batches are not supported: send one operation per request.');
  }
  if (!isObject(body)) throw violation('body', 'type', 'The request body must be an object.');
  const { query, operationName = null, variables, extensions } = body;
  if (query === undefined) throw violation('query', 'required', 'query is required.');
  if (typeof query !== 'string') throw violation('query', 'type', 'query must be a string.');
  if (operationName !== null && typeof operationName !== 'string') {
    throw violation('operationName', 'type', 'operationName must be a string.');
  }
  optionalObject('extensions', extensions);
  return { query, operationName, variables: optionalObject('variables', variables) };
}

function optionalObject(name: string, value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (isObject(value)) return value;
  throw violation(name, 'type', `${name} must be an object.`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
