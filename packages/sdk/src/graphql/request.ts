import { GraphQLClient } from 'graphql-request';
import type { ApiError } from '../errors.ts';
import type { ClientAccess } from '../http/access.ts';
import { jsonObject } from '../http/answer.ts';
import { type ApiResult, apiPromise } from '../http/api-promise.ts';
import { graphqlPath } from '../http/door.ts';
import type { Answer } from '../http/exchange.ts';
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
  /**
   * The result with its response, cost, request id and rate limit; rejects as the promise itself
   * does.
   */
  withResponse(): Promise<GraphqlResult<T>>;
}

/** Options of one GraphQL call. */
export interface GraphqlCallOptions extends CallOptions {
  /** Which operation to run, of a document that has several. */
  operationName?: string | undefined;
}

/** A request for GraphQL, with the options of the call. */
interface GraphqlPost extends CallOptions {
  body: string;
}

/** What GraphQL uses of a client. */
export interface GraphqlAccess {
  readonly url: string;
  readonly method: 'POST';
  readonly path: string;
  /** Sends through the client's transport. */
  send(post: GraphqlPost): Promise<Answer>;
  /** Makes the error of a response, by the client's own classes. */
  error(answer: Answer): ApiError;
}

/** Narrows a client's access to its GraphQL endpoint. */
export function graphqlAccess({ baseUrl, send, error }: ClientAccess): GraphqlAccess {
  const operation = { method: 'POST', path: graphqlPath } as const;
  const url = baseUrl + graphqlPath;
  return {
    url,
    ...operation,
    send: (post) => send(url, { ...post, ...operation }),
    error: (answer) => error(answer, operation),
  };
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
  const received: Received = {};
  let problem: unknown;
  const client = createClient(access, options, received);
  const result = await client.rawRequest(query, variables).catch((error: unknown) => {
    problem = error;
    return undefined;
  });
  const { answer } = received;
  // The door's error, or variables that are no JSON.
  if (!answer) throw problem;
  // What graphql-request throws for an answer quotes the variables: it is not even a cause here.
  if (!result?.data || result.errors !== undefined)
    throw failureOf(access.error, answer, variables);
  const { data, extensions } = result;
  return { data: { data, cost: costOf(extensions) } satisfies Data, response: answer.response };
}

/** What came of a call. */
interface Received {
  answer?: Answer;
}

/** Makes the client of one call: its `fetch` is the door, with the options of the call. */
function createClient(
  access: GraphqlAccess,
  { operationName, ...limits }: GraphqlCallOptions,
  received: Received,
): GraphQLClient {
  return new GraphQLClient(access.url, {
    fetch: async (_, init) => {
      const headers = { ...Object.fromEntries(new Headers(init?.headers)), ...limits.headers };
      received.answer = await access.send({ ...limits, headers, body: String(init?.body) });
      return jsonResponse(received.answer);
    },
    // An empty list of errors is no success either: the default hides it.
    errorPolicy: 'all',
    // To find a name that nobody asked for, graphql-request would parse the document.
    excludeOperationName: true,
    jsonSerializer: {
      stringify: (body: object) => JSON.stringify({ ...body, operationName }),
      parse: executionResult,
    },
  });
}

/** An answer for graphql-request, which takes for JSON only what is called so. */
function jsonResponse({ status, text }: Answer): Response {
  return new Response(text, { status, headers: { 'content-type': 'application/json' } });
}

/** A body for graphql-request, which refuses extensions that are no object, such as `null`. */
function executionResult(text: string): object {
  const { extensions, ...content } = jsonObject(text) ?? {};
  return { ...content, extensions: { ...(extensions as object) } };
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
