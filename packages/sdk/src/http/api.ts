import type { paths } from '../generated/openapi.ts';
import type { PageQuery } from '../generated/types.ts';
import type { CallOptions } from '../options.ts';
import { type List, type ListOptions, listOf } from '../pages.ts';
import { ApiPromise } from './api-result.ts';
import { factsOf } from './operation-facts.ts';
import { fillPath, queryString, type TransportInit } from './request.ts';
import { dataOf } from './responses.ts';
import type { Transport } from './transport.ts';

type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';

/** The paths of the contract with an operation of a method. */
type PathsWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<Lowercase<M>, object> ? P : never;
}[keyof paths];

/** One operation of the contract. */
type Operation<M extends Method, P extends PathsWith<M>> =
  paths[P] extends Record<Lowercase<M>, infer O> ? O : never;

/** The values of a path template, in its order. */
type Values<P> = P extends `${string}{${string}}${infer Rest}` ? [id: string, ...Values<Rest>] : [];

type Body<O> = O extends { requestBody: { content: { 'application/json': infer T } } }
  ? [body: T]
  : O extends { requestBody?: { content: { 'application/json': infer T } } }
    ? [body?: T | undefined]
    : never;

/** What an operation takes beside the values of its path: a body or a query. */
type Sent<O> = [Body<O>] extends [never] ? Query<O> : Body<O>;

/** A parameter without a value is not sent. */
type Parameters<T> = { [K in keyof T]: T[K] | undefined };

type Query<O> = O extends { parameters: { query: infer T extends object } }
  ? [query: Parameters<T>]
  : O extends { parameters: { query?: infer T extends object } }
    ? [query?: Parameters<T> | undefined]
    : never;

/** The result of an operation. */
type Output<O> = O extends {
  responses: { 200: { content: { 'application/json': infer T } } };
}
  ? T
  : O extends { responses: { 201: { content: { 'application/json': infer T } } } }
    ? T
    : undefined;

/** The item of a list in the contract. */
type Item<P extends PathsWith<'GET'>> =
  Output<Operation<'GET', P>> extends { data: (infer T)[] } ? T : never;

/** What is checked of a response. */
interface Check {
  /** It must have the id of the path. */
  readonly sameId?: boolean;
  /** It must be a page. */
  readonly isPage?: boolean;
}

/** Options of a call that did other work before it is sent. */
export type StartedCall = CallOptions & Pick<TransportInit, 'generation' | 'fetch'>;

/**
 * Makes the methods of the client from the operations of the contract. Method and path determine the
 * types of arguments and result. The arguments are the values of the path in its order, then the body
 * or the query, then the options.
 */
export interface Api {
  readonly transport: Transport;
  /**
   * Makes the method of an operation without a body.
   *
   * @param check - what the response must have
   */
  call<M extends Method, P extends PathsWith<M>>(
    method: M,
    path: P,
    check?: Check,
  ): (...input: [...Values<P>, options?: StartedCall]) => ApiPromise<Output<Operation<M, P>>>;
  /**
   * Makes the method of an operation with a body, or with a query.
   *
   * @param check - what the response must have
   */
  send<M extends Method, P extends PathsWith<M>>(
    method: M,
    path: P,
    check?: Check,
  ): (
    ...input: [...Values<P>, ...Sent<Operation<M, P>>, options?: StartedCall]
  ) => ApiPromise<Output<Operation<M, P>>>;
  /**
   * Makes the method of a list.
   *
   * @param id - the property that identifies an item. Default: `id`
   */
  list<P extends PathsWith<'GET'>>(
    path: P,
    id?: keyof Item<P>,
  ): (
    ...input: [...Values<P>, ...Query<Operation<'GET', P>>, options?: ListOptions]
  ) => List<Item<P>>;
}

type AnyMethod = (...given: unknown[]) => ApiPromise<never>;

/** Creates the {@link Api} over a transport. */
export function createApi(transport: Transport): Api {
  const bind = (method: string, path: string, hasInput: boolean, check: Check = {}): AnyMethod => {
    const operation = { method, path };
    const { query } = factsOf(method, path);
    const index = countOf(path);
    return (...given) =>
      new ApiPromise(async () => {
        const input = hasInput ? given[index] : undefined;
        const options = given[index + Number(hasInput)] as StartedCall | undefined;
        const init: TransportInit = { ...options, method, path };
        let url = transport.baseUrl + fillPath(path, given);
        if (query) url += queryString(input ?? {}, query);
        else if (hasInput) init.body = JSON.stringify(input);
        const received = await transport.send(url, init);
        // The service reads ids in any case.
        const id = check.sameId ? String(given[0]).toLowerCase() : undefined;
        const data = dataOf(received, operation, check.isPage, id) as never;
        return { data, response: received.response, text: received.text };
      }, operation);
  };
  const list = (path: string, id = 'id') => {
    const load = bind('GET', path, true, { isPage: true });
    const index = countOf(path);
    return (...given: unknown[]) => {
      const values = given.slice(0, index);
      const [query = {}, options = {}] = given.slice(index) as [PageQuery?, ListOptions?];
      return listOf<Record<string, unknown>>({
        query,
        options,
        load: (query, given = options) => load(...values, query, given),
        id: (item) => item[id],
      });
    };
  };
  const api = {
    transport,
    call: (method: string, path: string, check?: Check) => bind(method, path, false, check),
    send: (method: string, path: string, check?: Check) => bind(method, path, true, check),
    list,
  };
  // The overloads above are checked against the contract; these take any path.
  return api as unknown as Api;
}

/** Returns the number of values in a path template. */
function countOf(path: string): number {
  return path.split('{').length - 1;
}
