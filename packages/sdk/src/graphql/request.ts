import type { GraphqlAccess } from '../http/access.ts';
import { jsonObject } from '../http/answer.ts';
import { type ApiResult, apiPromise } from '../http/api-promise.ts';
import type { CallOptions } from '../options.ts';
import { failureOf } from './failures.ts';

/** What an operation cost, and what is left: points are counted by account and hour. */
export interface GraphqlCost {
  /** Points that the operation cost: one for every 100 objects that it may answer, at least 1. */
  points: number;
  /** Points per hour that the tier allows. */
  limit: number;
  /** Points left in the current hour. */
  remaining: number;
  /** When the current hour ends. */
  resetAt: Date;
}

/** A result and the answer it came in. */
export interface GraphqlResult<T> extends ApiResult<T> {
  /** Undefined when the answer does not say. */
  cost: GraphqlCost | undefined;
}

/** A promise of a result; `withResponse()` tells more about it, without another request. */
export interface GraphqlPromise<T> extends Promise<T> {
  withResponse(): Promise<GraphqlResult<T>>;
}

/** Options of one GraphQL call. */
export interface GraphqlCallOptions extends CallOptions {
  /** Which operation to run, of a document that has several. */
  operationName?: string | undefined;
}

/** A call to send. */
export interface Operation {
  query: string;
  variables: object | undefined;
  options: GraphqlCallOptions | undefined;
}

interface Data {
  readonly data: unknown;
  readonly cost: GraphqlCost | undefined;
}

/** The newer media type tells by the status what became of a request; a proxy may know the older. */
const headers = {
  accept: 'application/graphql-response+json, application/json;q=0.9',
  'content-type': 'application/json',
};

/**
 * Sends an operation through the client's door.
 *
 * @param pick - what of the answer's `data` is the result
 */
export function perform<T>(
  access: GraphqlAccess,
  operation: () => Operation,
  pick: (data: never) => T,
): GraphqlPromise<T> {
  const { method, path } = access;
  const whole = apiPromise(async () => send(access, operation()), { method, path });
  const picked = whole.then(({ data }) => pick(data as never));
  const withResponse = async () => {
    // Whoever asks for the whole result handles the failure there.
    picked.catch(() => {});
    const { data, ...answer } = await whole.withResponse();
    return { ...answer, data: pick(data.data as never), cost: data.cost };
  };
  return Object.assign(picked, { withResponse });
}

async function send(access: GraphqlAccess, { query, variables, options = {} }: Operation) {
  const { operationName, ...limits } = options;
  const body = JSON.stringify({ query, variables, operationName });
  const answer = await access.send({ ...limits, headers, body });
  const content = jsonObject(answer.text) ?? {};
  const { data, errors, extensions } = content;
  if (!answer.ok || errors !== undefined || typeof data !== 'object' || data === null) {
    throw failureOf(access, { answer, content, variables });
  }
  return { data: { data, cost: costOf(extensions) } satisfies Data, response: answer.response };
}

function costOf(extensions: unknown): GraphqlCost | undefined {
  const { cost } = (extensions ?? {}) as { cost?: Record<keyof GraphqlCost, unknown> };
  if (typeof cost?.points !== 'number') return undefined;
  const { points, limit, remaining, resetAt } = cost;
  return {
    points,
    limit: Number(limit),
    remaining: Number(remaining),
    resetAt: new Date(String(resetAt)),
  };
}
