import { asVaultError, SessionExpiredError } from '../errors.ts';
import { runHook, type Settings } from '../options.ts';
import type { Authorization, Credentials, SessionGeneration } from './credentials.ts';
import { abortError, withDeadline, withinCall } from './deadline.ts';
import { createObserver } from './observer.ts';
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts';
import { type Call, startCall, type TransportInit } from './request.ts';
import { type ApiResponse, errorBody, readText, requestedWait } from './responses.ts';
import {
  backoff,
  decide,
  isUnreachable,
  redirectError,
  type TransportError,
  transportError,
} from './retry.ts';

/** Sends every request of a client, with credentials, token refresh, retries and timeouts. */
export interface Transport {
  readonly baseUrl: string;
  readonly settings: Settings;
  /** The current generation, for calls that do other work before they are sent. */
  readonly generation: SessionGeneration;
  /**
   * Sends a request until it succeeds or no attempt is left. Resolves to a response of any status.
   *
   * @throws VaultError when there is no response, or the rate limit stays exceeded for too long
   */
  send(url: string, init: TransportInit): Promise<ApiResponse>;
}

/** The longest window of the service: a broken proxy must not stop the client for longer. */
const maxClosingMs = 3_600_000;

/** A server restarts within this time. An iteration that fails would lose its position. */
const reconnectMs = 30_000;

/** Longer waits are reported: otherwise an app would hang without a word. */
const silentWaitMs = 2_000;

/** Browsers hide a redirect behind the status 0. */
const redirectStatus = /^(0|30[12378])$/;

/** Creates the transport of a client. */
export function createTransport(settings: Settings, credentials: Credentials): Transport {
  const { baseUrl, clock, random } = settings;
  const { logger, onRequest, onResponse, onFailure, onRetry } = settings;
  const isObserved = logger || onRequest || onResponse || onFailure || onRetry;
  const observer = isObserved ? createObserver(settings) : undefined;
  const anonymousLimiter = createRateLimiter();
  const signInLimiter = createRateLimiter();
  /** The end of the last reported wait. Calls that wait for the same moment are one report. */
  let reportedUntil = 0;

  /** A throttled login must not delay the refresh of a session, or a logout. */
  const limiterOf = (call: Call, { limiter, graphqlLimiter }: SessionGeneration) => {
    if (call.anonymous) return call.idempotent ? anonymousLimiter : signInLimiter;
    return call.init.budget ? graphqlLimiter : limiter;
  };

  const reportWait = ({ context }: Call, delayMs: number) => {
    const until = clock.now() + delayMs;
    if (delayMs <= silentWaitMs || until <= reportedUntil + silentWaitMs) return;
    reportedUntil = until;
    void runHook(settings, 'logger', () =>
      (logger ?? console).warn(
        { ...context, delayMs },
        `Waiting ${Math.round(delayMs)} ms for the rate limit: see maxRetryAfter`,
      ),
    );
  };

  /**
   * Sends a call once and reads the response, except the body of a streamed success. Redirects are
   * refused: credentials must not go elsewhere, and browsers hide where a redirect leads.
   *
   * @throws ConnectionError for a redirect
   */
  const fetchOnce = async (
    call: Call,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<ApiResponse> => {
    // Looked up at each attempt: instrumentation may replace it later.
    const { url, init, fetch: send = fetch, context } = call;
    const { body, streamed } = init;
    const { method, attempts } = context;
    const response = await send(url, {
      method,
      headers,
      body: body ?? null,
      redirect: 'manual',
      signal,
    });
    // Before the body is read, which may take long.
    credentials.observe?.(response);
    const { status, ok } = response;
    const text = streamed && ok ? '' : await readText(response, context);
    if (redirectStatus.test(String(status))) {
      throw redirectError(response, call);
    }
    const error = ok ? {} : errorBody(text);
    return { response, status, ok, text, error, attempts, receivedAt: clock.now() };
  };

  const exchange = async (
    call: Call,
    authorization: Authorization | undefined,
  ): Promise<ApiResponse | TransportError> => {
    const { signal, timeout, context } = call;
    context.attempts++;
    // A hook may keep its object, and `fetch` may change its own: neither is shared.
    const observed = observer && (await withinCall(call, () => observer.request(call)));
    const headers = { ...(observed ?? call.headers) };
    if (authorization) headers[authorization.header] = authorization.value;
    const startedAt = clock.now();
    const timeoutMs = Math.min(timeout, call.endsAt - startedAt);
    const outcome = await withDeadline({ signal, timeoutMs, context }, (ended) =>
      fetchOnce(call, headers, ended),
    )
      .catch((error) => transportError(error, call))
      .catch((error) => {
        observer?.failure(call, error);
        throw error;
      });
    if (outcome.response) observer?.response(call, outcome, startedAt);
    else observer?.failure(call, outcome.error);
    return outcome;
  };

  /** Makes one attempt. Returns undefined when another one is to follow. */
  const attempt = async (call: Call): Promise<ApiResponse | undefined> => {
    const { generation } = credentials;
    const limiter = limiterOf(call, generation);
    reportWait(call, limiter.closedMs(call));
    // Always waits: calls that begin together begin in the same generation.
    const release = await limiter.acquire(call);
    let result: ApiResponse | TransportError | undefined;
    let authorization: Authorization | undefined;
    let wait: number | undefined;
    let delayMs = 0;
    let closed: readonly RateLimiter[] = [];
    try {
      const granted = call.anonymous ? undefined : credentials.authorize(call.generation);
      // An API key needs no waiting.
      authorization = granted instanceof Promise ? await withinCall(call, () => granted) : granted;
      result = await exchange(call, authorization);
      if (result.ok) return result;
      wait = result.response && requestedWait(result);
      delayMs = wait || backoff(call.retries, random());
      if (!call.init.iterated || !isUnreachable(result)) call.reconnectUntil = undefined;
      else call.reconnectUntil ??= clock.now() + reconnectMs;
      // Before `release` lets the next call go.
      if (result.status === 429) closed = closedBy(call, result, { limiter, generation });
      for (const one of closed) one.close(clock.now() + Math.min(delayMs, maxClosingMs));
    } finally {
      release?.(result !== undefined);
    }
    const next = decide({
      outcome: result,
      call,
      refreshable: Boolean(authorization?.refresh && !call.refreshed),
      delayMs,
      requested: Boolean(wait),
    });
    if (next === 'fail') {
      if (!result.response) throw result.error;
      if (result.error.code === 'MISSING_AUTH' && credentials.isSession && !authorization) {
        throw new SessionExpiredError(
          'Not logged in: call auth.login, or set apiKey',
          call.context,
        );
      }
      return result;
    }
    if (next === 'refresh') {
      call.refreshed = true;
      await withinCall(call, async () => authorization?.refresh?.());
      observer?.retry(call, result, 0);
      return undefined;
    }
    call.retries++;
    observer?.retry(call, result, delayMs);
    if (wait) reportWait(call, delayMs);
    // A closed limiter makes this call wait with the others.
    if (!closed.includes(limiterOf(call, credentials.generation))) {
      await withinCall(call, (signal) => clock.sleep(delayMs, signal));
    }
    return undefined;
  };

  return {
    baseUrl,
    settings,
    get generation() {
      return credentials.generation;
    },
    async send(url, init) {
      const call = startCall(url, init, settings, credentials.generation);
      try {
        if (call.signal?.aborted) throw abortError(call);
        for (;;) {
          const result = await attempt(call);
          if (result) return result;
        }
      } catch (error) {
        throw asVaultError(error, call.context);
      }
    },
  };
}

/** Returns the limiters that a 429 closes. The rate limit counts all calls of the account, including GraphQL. */
function closedBy(
  { anonymous, init: { budget } }: Call,
  received: ApiResponse,
  { limiter, generation }: { limiter: RateLimiter; generation: SessionGeneration },
): readonly RateLimiter[] {
  if (anonymous) return [limiter];
  return budget?.(received, generation) ?? [generation.limiter, generation.graphqlLimiter];
}
