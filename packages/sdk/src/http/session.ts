import { ApiError, SessionExpiredError } from '../errors.ts';
import { type Clock, isHeaderSafe, type TokenStore, type Tokens } from '../options.ts';
import type { Authorization, Credentials } from './credentials.ts';

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
  readonly done: Promise<void>;
}

/** Tokens are renewed this long before they expire, or a tenth of their lifetime before. */
const maxMargin = 30_000;

/**
 * The session of one signed-in user: hands out the access token, renews it once for everybody who
 * needs it, and ends when the service says so.
 */
export class Session implements Credentials {
  readonly #config: SessionConfig;
  #renewal: Renewal | undefined;
  /** Counts logins and logouts: a call of an earlier user is never replayed as a later one. */
  #era = 0;
  #alive = false;
  /** Server time minus local time. */
  #skew = 0;

  constructor(config: SessionConfig) {
    this.#config = config;
  }

  /** Begins a session with a pair of tokens from a login. */
  async start(pair: TokenPair): Promise<void> {
    this.#era++;
    this.#alive = true;
    await this.#keep(pair);
  }

  /** Ends the session here and answers its last refresh token, for the service to revoke. */
  async end(): Promise<string | undefined> {
    this.#era++;
    this.#alive = false;
    const tokens = await this.#config.store.get();
    await this.#config.store.clear();
    return tokens?.refreshToken;
  }

  observe(response: Response): void {
    const date = Date.parse(response.headers.get('date') ?? '');
    if (!Number.isNaN(date)) this.#skew = date - this.#config.clock.now();
  }

  async authorize(): Promise<Authorization | undefined> {
    const era = this.#era;
    let tokens = await this.#config.store.get();
    if (!tokens) return undefined;
    this.#alive = true;
    if (this.#isDue(tokens)) {
      await this.#renewEarly(tokens, era);
      tokens = await this.#config.store.get();
    }
    const token = tokens?.accessToken;
    if (!isHeaderSafe(token)) throw expired('The token store holds no usable token');
    return {
      header: 'authorization',
      value: `Bearer ${token}`,
      renew: () => this.#renew(token, era),
    };
  }

  /** A failure short of the session's end is no failure while the old token still works. */
  async #renewEarly(tokens: Tokens, era: number): Promise<void> {
    try {
      await this.#renew(tokens.accessToken, era);
    } catch (error) {
      if (error instanceof SessionExpiredError || this.#remaining(tokens) <= 0) throw error;
    }
  }

  /** One renewal per failed token, however many calls ask for it and however late. */
  async #renew(failed: string, era: number): Promise<void> {
    while (this.#renewal && this.#renewal.of !== failed) {
      await this.#renewal.done.catch(() => {});
    }
    if (era === this.#era) {
      this.#renewal ??= { of: failed, done: this.#startRenewal(failed) };
      await this.#renewal.done;
    }
    if (era !== this.#era) throw expired('The session was replaced or ended during the call');
  }

  async #startRenewal(failed: string): Promise<void> {
    const { lockName } = this.#config.store;
    const locks = globalThis.navigator?.locks;
    try {
      if (lockName === undefined || !locks) await this.#replace(failed);
      else await locks.request(lockName, () => this.#replace(failed));
    } finally {
      this.#renewal = undefined;
    }
  }

  /** Reads the store first: another tab may have renewed, or logged out, while this one waited. */
  async #replace(failed: string): Promise<void> {
    const { store, refresh } = this.#config;
    const tokens = await store.get();
    if (!tokens) throw this.#expire();
    if (tokens.accessToken !== failed) return;
    const outcome = await refresh(tokens.refreshToken).catch(terminal);
    const current = await store.get();
    // Whoever logged in or out meanwhile has the last word.
    if (current?.refreshToken !== tokens.refreshToken) return;
    if (outcome instanceof ApiError) {
      await store.clear();
      throw this.#expire(outcome);
    }
    await this.#keep(outcome);
  }

  async #keep({ accessToken, refreshToken, expiresIn }: TokenPair): Promise<void> {
    const expiresAt = this.#now() + expiresIn * 1_000;
    await this.#config.store.set({ accessToken, refreshToken, expiresIn, expiresAt });
  }

  #expire(cause?: ApiError): SessionExpiredError {
    const wasAlive = this.#alive;
    this.#alive = false;
    if (wasAlive) this.#config.onExpired();
    return expired('The session has ended', cause);
  }

  #isDue(tokens: Tokens): boolean {
    const margin = Math.min(maxMargin, tokens.expiresIn * 100);
    return this.#renewal?.of === tokens.accessToken || this.#remaining(tokens) <= margin;
  }

  #remaining(tokens: Tokens): number {
    return tokens.expiresAt - this.#now();
  }

  #now(): number {
    return this.#config.clock.now() + this.#skew;
  }
}

/** An answer that ends the session; whatever else kept the renewal from happening is thrown. */
function terminal(error: unknown): ApiError {
  const status = error instanceof ApiError ? error.status : 0;
  if (error instanceof ApiError && status >= 400 && status < 500) {
    if (status !== 408 && status !== 429) return error;
  }
  throw error;
}

function expired(message: string, cause?: ApiError): SessionExpiredError {
  return new SessionExpiredError(`${message}; log in again`, { cause });
}
