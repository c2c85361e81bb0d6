import type { paths } from '../generated/openapi.ts';
import type { CallOptions } from '../options.ts';
import type { Generation } from './credentials.ts';
import { fillPath, queryString, type TransportInit } from './request.ts';
import { type ApiPromise, apiPromise, dataOf, type RawResult } from './responses.ts';
import type { Transport } from './transport.ts';

type Method = 'get' | 'put' | 'post' | 'delete';

/** The paths of the contract with an operation of a method. */
export type PathsWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, object> ? P : never;
}[keyof paths];

/** One operation of the contract. */
export type Operation<M extends Method, P extends PathsWith<M>> =
  paths[P] extends Record<M, infer O> ? O : never;

type PathInput<O> = O extends { parameters: { path: infer T extends object } }
  ? { path: T }
  : object;

type QueryInput<O> = O extends { parameters: { query: infer T extends object } }
  ? { query: T }
  : O extends { parameters: { query?: infer T extends object } }
    ? { query?: T | undefined }
    : object;

type BodyInput<O> = O extends { requestBody: { content: { 'application/json': infer T } } }
  ? { body: T }
  : O extends { requestBody?: { content: { 'application/json': infer T } } }
    ? { body?: T | undefined }
    : object;

/** The input of an operation. */
export type Input<O> = PathInput<O> & QueryInput<O> & BodyInput<O>;

/** The result of an operation. */
export type Output<O> = O extends {
  responses: { 200: { content: { 'application/json': infer T } } };
}
  ? T
  : O extends { responses: { 201: { content: { 'application/json': infer T } } } }
    ? T
    : undefined;

/** An operation's input, untyped. */
interface AnyInput {
  path?: Record<string, unknown>;
  query?: Record<string, unknown> | undefined;
  body?: unknown;
}

/** Options of a call that did other work before it is sent. */
type BegunOptions = CallOptions & { generation?: Generation };

const noValues = {};

/** Calls the operations of the contract. */
export class Api {
  readonly baseUrl: string;
  readonly transport: Transport;

  constructor(transport: Transport, baseUrl: string) {
    this.transport = transport;
    this.baseUrl = baseUrl;
  }

  /** Calls one operation. Method and path determine the types of input and result. */
  call<M extends Method, P extends PathsWith<M>>(
    method: M,
    path: P,
    input: Input<Operation<M, P>>,
    options?: BegunOptions,
  ): ApiPromise<Output<Operation<M, P>>>;
  call(method: string, path: string, input: AnyInput, options?: BegunOptions): ApiPromise<unknown> {
    const operation = { method: method.toUpperCase(), path };
    return apiPromise(() => this.#perform(operation, input, options), operation);
  }

  async #perform(
    operation: { method: string; path: string },
    { path: values = noValues, query, body }: AnyInput,
    options: BegunOptions | undefined,
  ): Promise<RawResult<unknown>> {
    const { method, path } = operation;
    const search = query ? queryString(query) : '';
    const url = this.baseUrl + fillPath(path, values) + search;
    // One spread only: V8 copies a single spread fast.
    const init: TransportInit = { ...options, method, path };
    if (body !== undefined) init.body = JSON.stringify(body);
    const received = await this.transport.send(url, init);
    return { data: dataOf(received, operation), response: received.response };
  }
}
