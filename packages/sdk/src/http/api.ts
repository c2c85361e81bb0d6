import type { paths } from '../generated/openapi.ts';
import type { CallOptions } from '../options.ts';
import { dataOf } from './answer.ts';
import { type ApiPromise, apiPromise, type RawResult } from './api-promise.ts';
import type { DoorInit } from './call.ts';
import type { Era } from './credentials.ts';
import type { Door } from './door.ts';
import { fillPath, queryString } from './path.ts';

type Method = 'get' | 'put' | 'post' | 'delete';

/** The paths of the contract that know a method. */
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

/** What an operation takes, by the contract. */
export type Input<O> = PathInput<O> & QueryInput<O> & BodyInput<O>;

/** What an operation answers, by the contract. */
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

/** The options of a call that began before it is sent, in its era. */
type BegunOptions = CallOptions & { era?: Era };

const noValues = {};

/** Calls the operations of the contract through the door. */
export class Api {
  readonly baseUrl: string;
  /** It knows the era that a call begins in. */
  readonly door: Door;

  constructor(door: Door, baseUrl: string) {
    this.door = door;
    this.baseUrl = baseUrl;
  }

  /** Calls one operation; what it takes and answers follows from method and path. */
  call<M extends Method, P extends PathsWith<M>>(
    method: M,
    path: P,
    input: Input<Operation<M, P>>,
    options?: BegunOptions,
  ): ApiPromise<Output<Operation<M, P>>>;
  call(method: string, path: string, input: AnyInput, options?: BegunOptions): ApiPromise<unknown> {
    const facts = { method: method.toUpperCase(), path };
    return apiPromise(() => this.#perform(facts, input, options), facts);
  }

  async #perform(
    facts: { method: string; path: string },
    { path: values = noValues, query, body }: AnyInput,
    options: BegunOptions | undefined,
  ): Promise<RawResult<unknown>> {
    const { method, path } = facts;
    const search = query ? queryString(query) : '';
    const url = this.baseUrl + fillPath(path, values) + search;
    // Property by property: an engine copies the first of several spreads only at once.
    const init: DoorInit = { ...options, method, path };
    if (body !== undefined) init.body = JSON.stringify(body);
    const answer = await this.door.send(url, init);
    const data = dataOf(answer, facts);
    return { data, response: answer.response };
  }
}
