import { asVaultError } from '../errors.ts';
import { checkHeaders, isBrowser, type Settings } from '../options.ts';
import { errorBody, waitOf } from './answer.ts';
import { type Call, type DoorInit, openCall } from './call.ts';
import type { Authorization, Credentials, Era } from './credentials.ts';
import { type Answer, exchange } from './exchange.ts';
import { type NoReply, noReply } from './failures.ts';
import { aborted, accepts, bounded, fits, within } from './limits.ts';
import { createObserver, type Observer } from './observer.ts';
import { RateGate } from './rate-gate.ts';
import { backoff, isRetried } from './retry.ts';

/** Where GraphQL is served. */
export const graphqlPath = '/graphql';

/** How an attempt ended. */
interface Attempt {
  readonly result: Answer | NoReply;
  readonly authorization: Authorization | undefined;
  /** How long the answer asks to wait, in milliseconds. */
  readonly asked: number | undefined;
  /** How long to wait before another attempt, in milliseconds. */
  readonly delayMs: number;
  /** The gates that a refusal by the rate limit has closed. */
  readonly closed: readonly RateGate[];
}

/** The version of this package; set by the build. */
declare const SDK_VERSION: string | undefined;

const signInPath = /^\/auth\/(login|register)$/;

/** The one way out: every request gets its credentials, retries and time limits here. */
export class Door {
  readonly #settings: Settings;
  readonly #credentials: Credentials;
  readonly #observer: Observer | undefined;
  readonly #anonymousGate = new RateGate();
  readonly #signInGate = new RateGate();
  /** Headers of every request, by names in lower case. */
  readonly #common: Record<string, string>;

  constructor(settings: Settings, credentials: Credentials) {
    this.#settings = settings;
    this.#credentials = credentials;
    this.#observer = createObserver(settings);
    const version = typeof SDK_VERSION === 'string' ? SDK_VERSION : 'source';
    this.#common = {
      accept: 'application/json',
      // Browsers send their own.
      ...(!isBrowser() && { 'user-agent': `document-vault-sdk/${version}` }),
      ...checkHeaders(settings.headers),
    };
  }

  /** The present era, for calls that do something else before they are sent. */
  get era(): Era {
    return this.#credentials.era;
  }

  /**
   * `fetch` with credentials, renewal of the session, retries and time limits. An answer of any
   * status is an answer here; whoever calls decides what an error is.
   *
   * @throws VaultError when there is no answer, or the rate limit is closed for too long
   */
  async send(url: string, init: DoorInit): Promise<Answer> {
    const { era } = this.#credentials;
    const call = openCall(url, init, { settings: this.#settings, common: this.#common, era });
    try {
      if (call.signal?.aborted) throw aborted(call);
      for (;;) {
        const attempt = await this.#attempt(call);
        const { result } = attempt;
        if (!result.ok && (await this.#comesAgain(call, attempt))) continue;
        if (!result.response) throw result.error;
        return result;
      }
    } catch (error) {
      throw asVaultError(error, call.facts);
    }
  }

  async #attempt(call: Call): Promise<Attempt> {
    const { era } = this.#credentials;
    const { clock, random } = this.#settings;
    const gate = this.#gateOf(call, era);
    const leave = gate.isOpen() ? undefined : await gate.enter(call);
    let returned = false;
    try {
      const granted = call.anonymous ? undefined : this.#credentials.authorize(call.era);
      // An API key is there at once, and waits for nothing.
      const authorization =
        granted instanceof Promise ? await within(call, () => granted) : granted;
      const result = await this.#exchange(call, authorization);
      returned = true;
      const asked = result.response && !result.ok ? waitOf(result) : undefined;
      const delayMs = result.ok ? 0 : asked || backoff(call.retries, random());
      // Before the next one in the queue may go.
      const closed = result.status === 429 ? closedBy(result, gate, era) : [];
      for (const one of closed) one.close(clock.now() + delayMs);
      return { result, authorization, asked, delayMs, closed };
    } finally {
      leave?.(returned);
    }
  }

  /** A login that is throttled must hold up neither the renewal of a session nor a logout. */
  #gateOf({ anonymous, facts }: Call, era: Era): RateGate {
    if (!anonymous) return facts.path === graphqlPath ? era.graphqlGate : era.gate;
    return signInPath.test(facts.path) ? this.#signInGate : this.#anonymousGate;
  }

  async #exchange(call: Call, authorization: Authorization | undefined): Promise<Answer | NoReply> {
    const { signal, timeout, endsAt, clock, facts } = call;
    facts.attempts++;
    let headers = { ...call.headers };
    if (this.#observer) {
      this.#observer.request(call, headers);
      // Whoever keeps what it was told must not find credentials in it later.
      headers = { ...headers };
    }
    if (authorization) headers[authorization.header] = authorization.value;
    const startedAt = clock.now();
    const timeoutMs = Math.min(timeout, endsAt - startedAt);
    let answer: Answer;
    try {
      answer = await bounded({ signal, timeoutMs, facts }, (ended) =>
        exchange(call, this.#settings, { headers, signal: ended, credentials: this.#credentials }),
      );
    } catch (error) {
      return noReply(error, call);
    }
    this.#observer?.response(call, answer, startedAt);
    return answer;
  }

  /** Decides whether there is another attempt, and waits until it is due. */
  async #comesAgain(call: Call, attempt: Attempt): Promise<boolean> {
    if (await this.#isRenewed(call, attempt)) return true;
    const { result, asked, delayMs, closed } = attempt;
    if (call.retries >= call.maxRetries || !isRetried(result, call.repeatable)) return false;
    const limited = result.status === 429;
    const accepted = asked || limited ? accepts(call, delayMs) : fits(call, delayMs);
    if (!accepted) return false;
    call.retries++;
    this.#observer?.retry(call, result, delayMs);
    // At a gate that is closed everybody waits for the rate limit, this call too.
    if (closed.includes(this.#gateOf(call, this.#credentials.era))) return true;
    await within(call, (ended) => this.#settings.clock.sleep(delayMs, ended));
    return true;
  }

  /** Renews a session whose access token was rejected, and replays the call once. */
  async #isRenewed(call: Call, { result, authorization }: Attempt): Promise<boolean> {
    const renew = authorization?.renew;
    if (!renew || call.replayed || result.status !== 401) return false;
    // INVALID_TOKEN: the service has ended the session. The renewal then fails and ends it here too.
    if (!/^(EXPIRED|INVALID)_TOKEN$/.test(errorBody(result.text).code ?? '')) return false;
    call.replayed = true;
    await within(call, renew);
    this.#observer?.retry(call, result, 0);
    return true;
  }
}

/**
 * The gates that a 429 closes. The rate limit is that of all calls of the account, GraphQL's among
 * them; the budget for GraphQL is told by its points.
 */
function closedBy({ text }: Answer, gate: RateGate, era: Era): RateGate[] {
  if (gate !== era.gate && gate !== era.graphqlGate) return [gate];
  const { points, remaining } = errorBody(text).details ?? {};
  if (typeof points !== 'number' || typeof remaining !== 'number') {
    return [era.gate, era.graphqlGate];
  }
  // What costs less may still fit; where the number of queries is used up, nothing does.
  return remaining > 0 && remaining < points ? [] : [era.graphqlGate];
}
