import { ApiError, SessionExpiredError, VaultError } from '../errors.ts';
import type { TokenPair } from '../generated/types.ts';
import { type Clock, isHeaderSafe, type TokenStore, type Tokens } from '../options.ts';
import {
  type Authorization,
  type Credentials,
  createGeneration,
  type Generation,
} from './credentials.ts';

/** Options of a session. */
export interface SessionConfig {
  store: TokenStore;
  clock: Clock;
  /** Exchanges a refresh token at the service. */
  refresh: (refreshToken: string) => Promise<TokenPair>;
  onExpired: () => void;
}

/** The access token of one attempt. */
interface SessionAuthorization extends Authorization {
  readonly token: string;
  readonly generation: Generation;
}

/** A refresh in progress. */
interface Refresh {
  /** The access token that it replaces. */
  readonly replaces: string;
  /** Rejects only when the refresh could not run to its end. */
  readonly done: Promise<RefreshOutcome>;
}

interface RefreshOutcome {
  readonly error?: unknown;
}

/** Tokens are refreshed this long before they expire, or a tenth of their lifetime before. */
const maxMargin = 30_000;

/**
 * The session of one user: provides the access token, refreshes it once for all calls that need it,
 * and expires when the service ends it.
 */
export class SessionCredentials implements Credentials<SessionAuthorization> {
  generation = createGeneration(false);
  readonly #config: SessionConfig;
  #refreshing: Refresh | undefined;
  /** Resolves when the store holds the result of the last login or logout; undefined afterwards. */
  #changed: Promise<void> | undefined;
  /** The access token that the service rejected last. */
  #rejected: string | undefined;
  /** Server time minus local time; undefined before the first response and without stored tokens. */
  #skew: number | undefined;

  constructor(config: SessionConfig) {
    this.#config = config;
  }

  /** Starts a session with the tokens of a login. */
  async start(pair: TokenPair): Promise<void> {
    const tokens = this.#tokensOf(pair);
    this.generation = createGeneration(true);
    await this.#change(async () => this.#config.store.set(tokens));
  }

  /** Ends the session on this side and returns its last refresh token, for the service to revoke. */
  async end(): Promise<string | undefined> {
    const { store } = this.#config;
    this.generation = createGeneration(false);
    return this.#change(async () => {
      const tokens = await store.get();
      await store.clear();
      return tokens?.refreshToken;
    });
  }

  /** Writes logins and logouts to the store in order. Reads wait: the store may hold old tokens. */
  #change<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#changed ? this.#changed.then(work) : work();
    const forget = () => {
      if (this.#changed === changed) this.#changed = undefined;
    };
    const changed = done.then(forget, forget);
    this.#changed = changed;
    return done;
  }

  /** Refreshes the tokens now, or joins a refresh in progress, and returns the new pair. */
  async refreshNow(): Promise<TokenPair> {
    const { generation } = this;
    const { accessToken: token } = await this.#requireTokens(generation);
    await this.#refresh({ token, generation });
    const { accessToken, refreshToken, expiresIn } = await this.#requireTokens(generation);
    return { accessToken, refreshToken, expiresIn };
  }

  observe(response: Response): void {
    const date = Date.parse(response.headers.get('date') ?? '');
    if (date) this.#skew = date - this.#config.clock.now();
  }

  async authorize(begun: Generation): Promise<SessionAuthorization | undefined> {
    const { generation } = this;
    await this.#changed;
    let tokens = await this.#config.store.get();
    if (tokens) generation.hasCredentials = true;
    this.#skew ??= tokens?.skew;
    this.#requireCurrent(begun);
    this.#requireCurrent(generation);
    // Another tab has logged out.
    if (!tokens && generation.hasCredentials) throw this.#expire(generation);
    if (tokens && this.#isDue(tokens)) {
      const valid = this.#isValid(tokens);
      let refreshed = this.#refresh({ token: tokens.accessToken, generation });
      // A failed background refresh is ignored while the current token is valid.
      if (valid) refreshed = refreshed.catch(() => {});
      if (!valid || workEndsWithRequest()) {
        await refreshed;
        tokens = await this.#config.store.get();
        this.#requireCurrent(generation);
      }
    }
    return tokens && this.#bearer(tokens.accessToken, generation);
  }

  async refresh({ token, generation }: SessionAuthorization): Promise<void> {
    this.#rejected = token;
    await this.#refresh({ token, generation });
  }

  async #bearer(token: unknown, generation: Generation): Promise<SessionAuthorization> {
    if (!isHeaderSafe(token)) {
      await this.#config.store.clear();
      throw this.#expire(generation, new VaultError('The token store returned no valid token'));
    }
    return { header: 'authorization', value: `Bearer ${token}`, token, generation };
  }

  /** @throws SessionExpiredError without tokens */
  async #requireTokens(generation: Generation): Promise<Tokens> {
    await this.#changed;
    const tokens = await this.#config.store.get();
    if (!tokens) throw expired('There is no session');
    generation.hasCredentials = true;
    this.#requireCurrent(generation);
    return tokens;
  }

  /** A call that began as one user must not be sent as another. */
  #requireCurrent(generation: Generation): void {
    if (generation !== this.generation && generation.hasCredentials) {
      throw expired('The session was replaced or ended during the call');
    }
  }

  /** Refreshes a token once, however many calls ask for it, and however late. */
  async #refresh({
    token,
    generation,
  }: Pick<SessionAuthorization, 'token' | 'generation'>): Promise<void> {
    let outcome: RefreshOutcome | undefined;
    while (!outcome) {
      if (this.#refreshing && this.#refreshing.replaces !== token) {
        await this.#outcome(this.#refreshing);
        continue;
      }
      if (generation !== this.generation) break;
      this.#refreshing ??= { replaces: token, done: this.#startRefresh(token, generation) };
      outcome = await this.#outcome(this.#refreshing);
    }
    if (outcome?.error !== undefined) throw outcome.error;
    this.#requireCurrent(generation);
  }

  /** Undefined when the refresh ended with the request that started it, as in workerd. */
  async #outcome(refresh: Refresh): Promise<RefreshOutcome | undefined> {
    try {
      return await refresh.done;
    } catch {
      if (this.#refreshing === refresh) this.#refreshing = undefined;
      return undefined;
    }
  }

  async #startRefresh(token: string, generation: Generation): Promise<RefreshOutcome> {
    const { lockName } = this.#config.store;
    const locks = globalThis.navigator?.locks;
    try {
      if (lockName === undefined || !locks) await this.#replace(token, generation);
      else await locks.request(lockName, () => this.#replace(token, generation));
      return {};
    } catch (error) {
      return { error };
    } finally {
      this.#refreshing = undefined;
    }
  }

  /** Reads the store first: another tab may have refreshed or logged out in the meantime. */
  async #replace(token: string, generation: Generation): Promise<void> {
    const { store, refresh } = this.#config;
    const tokens = await store.get();
    if (generation !== this.generation) return;
    if (!tokens) throw this.#expire(generation);
    if (tokens.accessToken !== token) return;
    const outcome = await refresh(tokens.refreshToken).catch(finalRefusal);
    const current = await store.get();
    // A login or logout in the meantime wins.
    if (generation !== this.generation || current?.refreshToken !== tokens.refreshToken) return;
    if (outcome instanceof ApiError) {
      await store.clear();
      throw this.#expire(generation, outcome);
    }
    await store.set(this.#tokensOf(outcome));
  }

  #tokensOf({ accessToken, refreshToken, expiresIn }: TokenPair): Tokens {
    const isPair = isHeaderSafe(accessToken) && typeof refreshToken === 'string';
    if (!isPair || typeof expiresIn !== 'number') {
      throw new VaultError('The service returned no valid tokens');
    }
    const expiresAt = this.#now() + expiresIn * 1_000;
    return { accessToken, refreshToken, expiresIn, expiresAt, skew: this.#skew ?? 0 };
  }

  /** Calls `onExpired` once. An error that it throws becomes the cause. */
  #expire(generation: Generation, cause?: unknown): SessionExpiredError {
    let reason = cause;
    if (generation === this.generation) {
      this.generation = createGeneration(false);
      try {
        if (generation.hasCredentials) this.#config.onExpired();
      } catch (error) {
        reason = error;
      }
    }
    return expired('The session has ended', reason);
  }

  #isDue(tokens: Tokens): boolean {
    const margin = Math.min(maxMargin, tokens.expiresIn * 100);
    return !this.#isValid(tokens) || this.#remaining(tokens) <= margin;
  }

  #isValid(tokens: Tokens): boolean {
    return this.#rejected !== tokens.accessToken && this.#remaining(tokens) > 0;
  }

  #remaining(tokens: Tokens): number {
    return tokens.expiresAt - this.#now();
  }

  #now(): number {
    return this.#config.clock.now() + (this.#skew ?? 0);
  }
}

/** workerd stops the work of a request when the request ends. */
function workEndsWithRequest(): boolean {
  return globalThis.navigator?.userAgent === 'Cloudflare-Workers';
}

/**
 * Returns the service's refusal of a refresh token, which ends the session. Other errors, such as a
 * proxy's 403 or a blocked address, are thrown: the session may still be valid.
 */
function finalRefusal(error: unknown): ApiError {
  if (!(error instanceof ApiError) || error.status < 400 || error.status >= 500) throw error;
  const { code } = error;
  if (!code || code === 'IP_BLOCKED' || code === 'RATE_LIMIT_EXCEEDED') throw error;
  return error;
}

function expired(message: string, cause?: unknown): SessionExpiredError {
  return new SessionExpiredError(`${message}; log in again`, { cause });
}
