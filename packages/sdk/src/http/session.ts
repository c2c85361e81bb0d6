import { ApiError, SessionExpiredError, VaultError } from '../errors.ts';
import { type Clock, isHeaderSafe, type TokenStore, type Tokens } from '../options.ts';
import { type Authorization, type Credentials, createEra, type Era } from './credentials.ts';

/** A pair of tokens as the service issues it; `expiresIn` in seconds. */
export interface TokenPair {
  /** JWT for `Authorization: Bearer`. */
  accessToken: string;
  /** For one renewal. */
  refreshToken: string;
  /** Lifetime of the access token, in seconds. */
  expiresIn: number;
}

/** What a session needs from its client. */
export interface SessionConfig {
  store: TokenStore;
  clock: Clock;
  /** Exchanges a refresh token at the service. */
  refresh: (refreshToken: string) => Promise<TokenPair>;
  onExpired: () => void;
}

/** A renewal under way, and the access token it replaces. */
interface Renewal {
  readonly of: string;
  /** Never rejects by itself. */
  readonly done: Promise<Outcome>;
}

/** How a renewal ended. */
interface Outcome {
  readonly error?: unknown;
}

/** Tokens are renewed this long before they expire, or a tenth of their lifetime before. */
const maxMargin = 30_000;

/**
 * The session of one signed-in user: hands out the access token, renews it once for everybody who
 * needs it, and ends when the service says so.
 */
export class Session implements Credentials {
  era = createEra(false);
  readonly #config: SessionConfig;
  #renewal: Renewal | undefined;
  /** Resolves when the store has taken in the last login or logout; undefined when it has. */
  #changed: Promise<void> | undefined;
  /** The access token that the service last rejected as expired or invalid. */
  #refused: string | undefined;
  /** Server time minus local time; undefined until an answer, or what an earlier client stored, tells. */
  #skew: number | undefined;

  constructor(config: SessionConfig) {
    this.#config = config;
  }

  /** Begins a session with a pair of tokens from a login. */
  async start(pair: TokenPair): Promise<void> {
    const tokens = this.#tokensOf(pair);
    this.era = createEra(true);
    await this.#change(async () => this.#config.store.set(tokens));
  }

  /** Ends the session here and answers its last refresh token, for the service to revoke. */
  async end(): Promise<string | undefined> {
    const { store } = this.#config;
    this.era = createEra(false);
    return this.#change(async () => {
      const tokens = await store.get();
      await store.clear();
      return tokens?.refreshToken;
    });
  }

  /** Logins and logouts reach the store in turn; until then it holds what is somebody else's. */
  #change<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#changed ? this.#changed.then(work) : work();
    const forget = () => {
      if (this.#changed === changed) this.#changed = undefined;
    };
    const changed = done.then(forget, forget);
    this.#changed = changed;
    return done;
  }

  /** Renews the tokens now, together with whoever else does, and answers the new pair. */
  async renew(): Promise<TokenPair> {
    const era = this.era;
    const failed = await this.#tokens(era);
    await this.#renew(failed.accessToken, era);
    const { accessToken, refreshToken, expiresIn } = await this.#tokens(era);
    return { accessToken, refreshToken, expiresIn };
  }

  observe(response: Response): void {
    const date = Date.parse(response.headers.get('date') ?? '');
    if (date) this.#skew = date - this.#config.clock.now();
  }

  async authorize(begun: Era): Promise<Authorization | undefined> {
    const era = this.era;
    await this.#changed;
    let tokens = await this.#config.store.get();
    if (tokens) era.held = true;
    this.#skew ??= tokens?.skew;
    this.#check(begun);
    this.#check(era);
    // Another tab has logged out: nobody's call would be refused, and nobody told why.
    if (!tokens && era.held) throw this.#expire(era);
    if (tokens && this.#isDue(tokens)) {
      const works = this.#works(tokens);
      let renewed = this.#renew(tokens.accessToken, era);
      // Nobody minds its failure while the old token still works, nor waits for it where it can go on.
      if (works) renewed = renewed.catch(() => {});
      if (!works || workEndsWithRequest()) {
        await renewed;
        tokens = await this.#config.store.get();
        this.#check(era);
      }
    }
    return tokens && this.#bearer(tokens.accessToken, era);
  }

  async #bearer(token: unknown, era: Era): Promise<Authorization> {
    if (!isHeaderSafe(token)) {
      await this.#config.store.clear();
      throw this.#expire(era, new VaultError('The store holds no usable token'));
    }
    const renew = () => {
      this.#refused = token;
      return this.#renew(token, era);
    };
    return { header: 'authorization', value: `Bearer ${token}`, renew };
  }

  /** The tokens of a session that there has to be. */
  async #tokens(era: Era): Promise<Tokens> {
    await this.#changed;
    const tokens = await this.#config.store.get();
    if (!tokens) throw expired('There is no session');
    era.held = true;
    this.#check(era);
    return tokens;
  }

  /** A call of one user is never sent as another one. */
  #check(era: Era): void {
    if (era !== this.era && era.held) {
      throw expired('The session was replaced or ended during the call');
    }
  }

  /** One renewal per failed token, however many calls ask for it and however late. */
  async #renew(failed: string, era: Era): Promise<void> {
    let outcome: Outcome | undefined;
    while (!outcome) {
      if (this.#renewal && this.#renewal.of !== failed) {
        await this.#outcome(this.#renewal);
        continue;
      }
      if (era !== this.era) break;
      this.#renewal ??= { of: failed, done: this.#startRenewal(failed, era) };
      outcome = await this.#outcome(this.#renewal);
    }
    if (outcome?.error !== undefined) throw outcome.error;
    this.#check(era);
  }

  /** Undefined when the renewal died with the request that began it, as in workerd. */
  async #outcome(renewal: Renewal): Promise<Outcome | undefined> {
    try {
      return await renewal.done;
    } catch {
      if (this.#renewal === renewal) this.#renewal = undefined;
      return undefined;
    }
  }

  async #startRenewal(failed: string, era: Era): Promise<Outcome> {
    const { lockName } = this.#config.store;
    const locks = globalThis.navigator?.locks;
    try {
      if (lockName === undefined || !locks) await this.#replace(failed, era);
      else await locks.request(lockName, () => this.#replace(failed, era));
      return {};
    } catch (error) {
      return { error };
    } finally {
      this.#renewal = undefined;
    }
  }

  /** Reads the store first: another tab may have renewed, or logged out, while this one waited. */
  async #replace(failed: string, era: Era): Promise<void> {
    const { store, refresh } = this.#config;
    const tokens = await store.get();
    if (era !== this.era) return;
    if (!tokens) throw this.#expire(era);
    if (tokens.accessToken !== failed) return;
    const outcome = await refresh(tokens.refreshToken).catch(terminal);
    const current = await store.get();
    // Whoever logged in or out meanwhile has the last word.
    if (era !== this.era || current?.refreshToken !== tokens.refreshToken) return;
    if (outcome instanceof ApiError) {
      await store.clear();
      throw this.#expire(era, outcome);
    }
    await store.set(this.#tokensOf(outcome));
  }

  #tokensOf({ accessToken, refreshToken, expiresIn }: TokenPair): Tokens {
    const isPair = isHeaderSafe(accessToken) && typeof refreshToken === 'string';
    if (!isPair || typeof expiresIn !== 'number') {
      throw new VaultError('The service answered no pair of tokens');
    }
    const expiresAt = this.#now() + expiresIn * 1_000;
    return { accessToken, refreshToken, expiresIn, expiresAt, skew: this.#skew ?? 0 };
  }

  /** Tells once that the session has ended; a hook that throws does not hide that it has. */
  #expire(era: Era, cause?: unknown): SessionExpiredError {
    let reason = cause;
    if (era === this.era) {
      this.era = createEra(false);
      try {
        if (era.held) this.#config.onExpired();
      } catch (error) {
        reason = error;
      }
    }
    return expired('The session has ended', reason);
  }

  #isDue(tokens: Tokens): boolean {
    const margin = Math.min(maxMargin, tokens.expiresIn * 100);
    return !this.#works(tokens) || this.#remaining(tokens) <= margin;
  }

  #works(tokens: Tokens): boolean {
    return this.#refused !== tokens.accessToken && this.#remaining(tokens) > 0;
  }

  #remaining(tokens: Tokens): number {
    return tokens.expiresAt - this.#now();
  }

  #now(): number {
    return this.#config.clock.now() + (this.#skew ?? 0);
  }
}

/** In workerd, whatever a request has begun ends with it. */
function workEndsWithRequest(): boolean {
  return globalThis.navigator?.userAgent === 'Cloudflare-Workers';
}

/**
 * The service's own refusal, which ends the session; whatever else kept the renewal from happening
 * (a proxy's 403, a blocked address) is thrown.
 */
function terminal(error: unknown): ApiError {
  if (!(error instanceof ApiError) || error.status < 400 || error.status >= 500) throw error;
  const { code } = error;
  if (!code || code === 'IP_BLOCKED' || code === 'RATE_LIMIT_EXCEEDED') throw error;
  return error;
}

function expired(message: string, cause?: unknown): SessionExpiredError {
  return new SessionExpiredError(`${message}; log in again`, { cause });
}
