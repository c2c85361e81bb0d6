import { asVaultError, ConnectionError } from '../errors.ts';
import { isBrowser, type Settings, validateHeaders } from '../options.ts';
import type { Authorization, Credentials, Generation } from './credentials.ts';
import { abortError, timeLeft, withDeadline, withinCall } from './deadline.ts';
import { RateLimiter } from './rate-limiter.ts';
import { type Call, startCall, type TransportInit } from './request.ts';
import { type ApiResponse, errorBody, requestedWait } from './responses.ts';
import {
  backoff,
  decide,
  type Outcome,
  reasonOf,
  type TransportError,
  transportError,
} from './retry.ts';

/** Path of the GraphQL endpoint. */
export const graphqlPath = '/graphql';

/** An attempt that has ended. */
interface Attempt {
  readonly result: ApiResponse | TransportError;
  readonly authorization: Authorization | undefined;
  /** Whether the service asked for `delayMs`. */
  readonly requested: boolean;
  /** The wait before another attempt, in milliseconds. */
  readonly delayMs: number;
  /** The limiters that a 429 has closed. */
  readonly closed: readonly RateLimiter[];
}

/** The version of this package; set by the build. */
declare const SDK_VERSION: string | undefined;

const signInPath = /^\/auth\/(login|register)$/;

/** Sends every request of a client, with credentials, token refresh, retries and timeouts. */
export class Transport {
  readonly #settings: Settings;
  readonly #credentials: Credentials;
  readonly #observer: Observer | undefined;
  readonly #anonymousLimiter = new RateLimiter();
  readonly #signInLimiter = new RateLimiter();
  /** Headers of every request, by names in lower case. */
  readonly #defaults: Record<string, string>;

  constructor(settings: Settings, credentials: Credentials) {
    this.#settings = settings;
    this.#credentials = credentials;
    this.#observer = createObserver(settings);
    const version = typeof SDK_VERSION === 'string' ? SDK_VERSION : 'source';
    this.#defaults = {
      accept: 'application/json',
      // Browsers send their own.
      ...(!isBrowser() && { 'user-agent': `document-vault-sdk/${version}` }),
      ...validateHeaders(settings.headers),
    };
  }

  /** The current generation, for calls that do other work before they are sent. */
  get generation(): Generation {
    return this.#credentials.generation;
  }

  /**
   * Sends a request until it succeeds or no attempt is left. Resolves to a response of any status.
   *
   * @throws VaultError when there is no response, or the rate limit stays exceeded for too long
   */
  async send(url: string, init: TransportInit): Promise<ApiResponse> {
    const call = startCall(url, init, {
      settings: this.#settings,
      defaults: this.#defaults,
      generation: this.generation,
    });
    try {
      if (call.signal?.aborted) throw abortError(call);
      for (;;) {
        const attempt = await this.#attempt(call);
        const { result } = attempt;
        if (!result.ok && (await this.#prepareNext(call, attempt))) continue;
        if (!result.response) throw result.error;
        return result;
      }
    } catch (error) {
      throw asVaultError(error, call.context);
    }
  }

  async #attempt(call: Call): Promise<Attempt> {
    const { generation } = this.#credentials;
    const { clock, random } = this.#settings;
    const limiter = this.#limiterOf(call, generation);
    const release = limiter.isOpen() ? undefined : await limiter.acquire(call);
    let completed = false;
    try {
      const granted = call.anonymous ? undefined : this.#credentials.authorize(call.generation);
      // An API key needs no waiting.
      const authorization =
        granted instanceof Promise ? await withinCall(call, () => granted) : granted;
      const result = await this.#exchange(call, authorization);
      completed = true;
      const wait = result.response && !result.ok ? requestedWait(result) : undefined;
      const delayMs = result.ok ? 0 : wait || backoff(call.retries, random());
      // Before `release` lets the next call go.
      const closed = result.status === 429 ? closedBy(result, limiter, generation) : [];
      for (const one of closed) one.close(clock.now() + delayMs);
      return { result, authorization, requested: Boolean(wait), delayMs, closed };
    } finally {
      release?.(completed);
    }
  }

  /** A throttled login must not delay the refresh of a session, or a logout. */
  #limiterOf({ anonymous, context }: Call, generation: Generation): RateLimiter {
    if (!anonymous) {
      return context.path === graphqlPath ? generation.graphqlLimiter : generation.limiter;
    }
    return signInPath.test(context.path) ? this.#signInLimiter : this.#anonymousLimiter;
  }

  async #exchange(
    call: Call,
    authorization: Authorization | undefined,
  ): Promise<ApiResponse | TransportError> {
    const { signal, timeout, clock, context } = call;
    context.attempts++;
    let headers = { ...call.headers };
    if (this.#observer) {
      this.#observer.request(call, headers);
      // A hook may keep its object: credentials must not be added to it.
      headers = { ...headers };
    }
    if (authorization) headers[authorization.header] = authorization.value;
    const startedAt = clock.now();
    const timeoutMs = Math.min(timeout, call.endsAt - startedAt);
    let received: ApiResponse;
    try {
      received = await withDeadline({ signal, timeoutMs, context }, (ended) =>
        exchange(call, { headers, signal: ended }, this.#settings.fetch, this.#credentials),
      );
    } catch (error) {
      return transportError(error, call);
    }
    this.#observer?.response(call, received, startedAt);
    return received;
  }

  /** Prepares another attempt: refreshes the token or waits. Returns false when there is none. */
  async #prepareNext(call: Call, attempt: Attempt): Promise<boolean> {
    const { result, authorization, requested, delayMs, closed } = attempt;
    const credentials = this.#credentials;
    const outcome: Outcome = result.response
      ? { status: result.status, code: result.error.code }
      : result;
    const next = decide({
      outcome,
      call,
      refreshable: Boolean(credentials.refresh && authorization && !call.refreshed),
      delayMs,
      requested,
      timeLeftMs: timeLeft(call),
    });
    if (next === 'fail') return false;
    if (next === 'refresh') {
      call.refreshed = true;
      await withinCall(call, async () => authorization && credentials.refresh?.(authorization));
      this.#observer?.retry(call, outcome, 0);
      return true;
    }
    call.retries++;
    this.#observer?.retry(call, outcome, delayMs);
    // A closed limiter makes this call wait with the others.
    if (!closed.includes(this.#limiterOf(call, credentials.generation))) {
      await withinCall(call, (signal) => this.#settings.clock.sleep(delayMs, signal));
    }
    return true;
  }
}

/** Details of a 429 for the GraphQL budget. */
interface GraphqlBudget {
  readonly points: number;
  readonly remaining: number;
}

/**
 * Returns the limiters that a 429 closes. The rate limit counts all calls of the account, including
 * GraphQL. The details of a 429 for the GraphQL budget hold its points.
 */
function closedBy(
  { error }: ApiResponse,
  limiter: RateLimiter,
  generation: Generation,
): RateLimiter[] {
  const { limiter: shared, graphqlLimiter } = generation;
  if (limiter !== shared && limiter !== graphqlLimiter) return [limiter];
  const { points, remaining = 0 } = (error.details ?? {}) as Partial<GraphqlBudget>;
  if (points === undefined) return [shared, graphqlLimiter];
  // A cheaper operation may still fit, unless the number of operations is used up.
  return remaining > 0 && remaining < points ? [] : [graphqlLimiter];
}

/** Browsers hide a redirect behind the status 0. */
const redirectStatus = /^(0|30[12378])$/;

/**
 * Sends a call once and reads the whole response. Redirects are refused: credentials must not go
 * elsewhere, and browsers hide where a redirect leads.
 *
 * @throws ConnectionError for a redirect
 */
async function exchange(
  call: Call,
  { headers, signal }: { headers: Record<string, string>; signal: AbortSignal },
  fetch: Settings['fetch'],
  credentials: Credentials,
): Promise<ApiResponse> {
  const { url, body, context, clock } = call;
  const { method, attempts } = context;
  const response = await fetch(url, { method, headers, body, redirect: 'manual', signal });
  // Before the body is read, which may take long.
  credentials.observe?.(response);
  const text = await response.text();
  const { status, ok } = response;
  if (redirectStatus.test(String(status))) {
    throw new ConnectionError('A redirect was refused', context);
  }
  const error = ok ? {} : errorBody(text);
  return { response, status, ok, text, error, attempts, receivedAt: clock.now() };
}

/** Reports attempts to hooks and logger, without credentials and content. */
interface Observer {
  /** Hooks may add to `headers`. */
  request(call: Call, headers: Record<string, string>): void;
  response(call: Call, received: ApiResponse, startedAt: number): void;
  retry(call: Call, outcome: Outcome, delayMs: number): void;
}

/** Undefined when the client has neither hooks nor logger. */
function createObserver(settings: Settings): Observer | undefined {
  const { logger, onRequest, onResponse, onRetry } = settings;
  if (!(logger || onRequest || onResponse || onRetry)) return undefined;
  const describe = ({ context: { method, path, attempts } }: Call) => ({
    method,
    path,
    attempt: attempts,
  });
  return {
    request(call, headers) {
      const attempt = describe(call);
      logger?.debug('request', attempt);
      onRequest?.({ ...attempt, headers });
    },
    response(call, { status, response, receivedAt }, startedAt) {
      const requestId = response.headers.get('x-request-id') ?? undefined;
      const durationMs = receivedAt - startedAt;
      const event = { ...describe(call), status, requestId, durationMs };
      logger?.debug('response', event);
      onResponse?.(event);
    },
    retry(call, outcome, delayMs) {
      const { status } = outcome;
      const event = { ...describe(call), reason: reasonOf(outcome), status, delayMs };
      logger?.warn('retry', event);
      onRetry?.(event);
    },
  };
}
