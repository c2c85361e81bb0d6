import { type ASTNode, print } from 'graphql';
import { GraphQLClient } from 'graphql-request';
import type { ClientAccess } from '../http/access.ts';
import { ApiPromise, type ApiResult } from '../http/api-result.ts';
import { budget, graphqlPath } from '../http/graphql-budget.ts';
import { type ApiResponse, jsonObject } from '../http/responses.ts';
import type { CallOptions } from '../options.ts';
import type { Page } from '../page-iteration.ts';
import type { List } from '../pages.ts';
import { failureOf } from './errors.ts';

/** The cost of an operation in points, which are counted by account and hour. */
export interface GraphqlCost {
  /** Points of the operation: one for every 100 objects that it can return, at least 1. */
  points: number;
  /** Points per hour that the tier allows. */
  limit: number;
  /** Points left in the current hour. */
  remaining: number;
  /** When the current hour ends. */
  resetAt: Date;
}

/** A result with its response and cost. */
export interface GraphqlResult<T> extends ApiResult<T> {
  /** Undefined when the response does not say. */
  cost: GraphqlCost | undefined;
}

/** The promise of a result. */
export interface GraphqlPromise<T> extends ApiPromise<T> {
  /**
   * Resolves to the result with its response, cost, request id and rate limit; sends no other
   * request.
   *
   * @example
   * const { data, cost } = await gql.me().withResponse();
   */
  withResponse(): Promise<GraphqlResult<T>>;
}

/** Options of one GraphQL call. */
export interface GraphqlCallOptions extends CallOptions {
  /** The operation to run, for a document with several. */
  operationName?: string | undefined;
}

/** The operation of the contract that sends GraphQL. */
const operation = { method: 'POST', path: graphqlPath } as const;

/** A call to send. */
export interface GraphqlOperation {
  query: string;
  variables: object | undefined;
  options: GraphqlCallOptions | undefined;
}

/**
 * Sends an operation through the client's transport.
 *
 * @param pick - picks the result from `data`
 */
export function perform<T>(
  access: ClientAccess,
  call: () => GraphqlOperation,
  pick: (data: never) => T,
): GraphqlPromise<T> {
  const work = async () => {
    const result = await send(access, call());
    return { ...result, data: pick(result.data as never) };
  };
  // Its `withResponse` also returns the cost.
  return new ApiPromise(work, operation) as GraphqlPromise<T>;
}

async function send(access: ClientAccess, { query, variables, options = {} }: GraphqlOperation) {
  const received: Received = {};
  let problem: unknown;
  const client = createClient(access, options, received);
  const result = await client.rawRequest(query, variables).catch((error: unknown) => {
    problem = error;
    return undefined;
  });
  const { response } = received;
  // An error of the transport, or of variables that are not JSON.
  if (!response) throw problem;
  // The error of graphql-request quotes the variables, so it is not used as a cause.
  if (!result?.data || result.errors !== undefined)
    throw failureOf((received) => access.error(received, operation), response, variables);
  const { data, extensions } = result;
  return { data, cost: costOf(extensions), response: response.response };
}

/** The response of a call. */
interface Received {
  response?: ApiResponse;
}

/** Makes the client of one call. Its `fetch` is the transport, with the options of the call. */
function createClient(
  { baseUrl, send }: ClientAccess,
  { operationName, ...limits }: GraphqlCallOptions,
  received: Received,
): GraphQLClient {
  const url = baseUrl + graphqlPath;
  return new GraphQLClient(url, {
    fetch: async (_, init) => {
      const headers = { ...Object.fromEntries(new Headers(init?.headers)), ...limits.headers };
      const body = String(init?.body);
      received.response = await send(url, { ...limits, headers, body, ...operation, budget });
      return jsonResponse(received.response);
    },
    // The default treats an empty list of errors as a success.
    errorPolicy: 'all',
    // graphql-request would parse the document to find the name.
    excludeOperationName: true,
    jsonSerializer: {
      stringify: (body: object) => JSON.stringify({ ...body, operationName }),
      parse: executionResult,
    },
  });
}

/** graphql-request parses JSON only if the content type says so. */
function jsonResponse({ status, text }: ApiResponse): Response {
  return new Response(text, { status, headers: { 'content-type': 'application/json' } });
}

/** Parses a body. graphql-request rejects extensions that are not an object, such as `null`. */
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

/**
 * A document with the types of its variables and its result, as GraphQL Code Generator writes it:
 * `TypedDocumentString` (`documentMode: 'string'`) or `TypedDocumentNode`.
 */
export interface TypedDocument<Result, Variables> {
  /** Only for the compiler: the property does not exist. */
  __apiType?: (variables: Variables) => Result;
}

/** Returns the text of a document: a string, a string object or a syntax tree. */
export function documentText(document: unknown): string {
  const isTree = typeof document === 'object' && document !== null && 'definitions' in document;
  return isTree ? print(document as unknown as ASTNode) : String(document);
}

/** A list. The response of a page also has its cost. */
export interface GraphqlList<T> extends List<T> {
  /** Resolves to the page with its response, cost, request id and rate limit. */
  withResponse(): Promise<GraphqlResult<Page<T>>>;
}
