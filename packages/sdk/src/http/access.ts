import { type ApiError, rethrow, UsageError } from '../errors.ts';
import type { CallOptions, Settings } from '../options.ts';
import type { Api } from './api.ts';
import type { TransportInit } from './request.ts';
import { type ApiResponse, apiError, dataOf, type Operation } from './responses.ts';
import type { Session } from './session.ts';

/** Where a client keeps its {@link ClientAccess}: the same symbol in every copy of the package. */
const accessKey: unique symbol = Symbol.for('@document-vault/sdk/access');

/**
 * What other entries of the package use of a client. In CommonJS each entry has copies of the
 * error classes, so errors of the service are made here, by the client's own.
 */
export interface ClientAccess {
  readonly baseUrl: string;
  /** The options of the client. */
  readonly settings: Settings;
  /** Makes methods of operations. */
  readonly api: Api;
  /** Sends through the client's transport. */
  send(url: string, init: TransportInit): Promise<ApiResponse>;
  /** Starts a session with the tokens of a grant. Only clients with an API key lack it. */
  readonly startSession?: Session['startSession'] | undefined;
  /** Makes the error that a response stands for. */
  error(received: ApiResponse, operation: Operation): ApiError;
  /**
   * Reads the body of a response.
   *
   * @throws ApiError when the response is an error, or not the service's
   */
  data(received: ApiResponse, operation: Operation): unknown;
}

/** Gives the other entries of the package access to a client's transport. */
export function grantAccess(client: object, api: Api, session: Session | undefined): void {
  // A function, so that a printed client shows no credentials. Not enumerable: it is no part of the public surface.
  const startSession: ClientAccess['startSession'] =
    session && ((grant) => session.startSession(grant).catch(rethrow()));
  const common = { api, error: apiError, data: dataOf, startSession };
  const value = (): ClientAccess => ({ ...api.transport, ...common });
  Object.defineProperty(client, accessKey, { value });
}

/**
 * Returns the access that a client has granted.
 *
 * @throws UsageError when `client` is not a `DocumentVault`
 */
export function accessOf(client: object): ClientAccess {
  const access = (client as { [accessKey]?: () => ClientAccess } | undefined)?.[accessKey];
  if (!access) throw new UsageError('client must be a DocumentVault');
  return access();
}

/** Options of {@link ClientFetch}: those of a call, and of `fetch` only `method` and `body`. */
export interface FetchInit extends Omit<CallOptions, 'headers' | 'signal'> {
  /** HTTP method. @default GET */
  method?: string | undefined;
  /** Headers to add to those of the client. `Authorization` and `X-API-Key` are refused. */
  headers?: Headers | Record<string, string> | [name: string, value: string][] | undefined;
  /** Text to send. Streams and binary bodies are refused: a retry could not send them again. */
  body?: unknown;
  /** Aborts the call in any phase. */
  signal?: AbortSignal | null | undefined;
}

/**
 * A `fetch` with the client's credentials, session refresh, retries and timeouts. It resolves to a
 * response of any status, whose body has been received completely, except content of documents.
 */
export type ClientFetch = (input: string | URL | Request, init?: FetchInit) => Promise<Response>;
