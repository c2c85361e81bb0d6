import { asVaultError, UsageError } from '../errors.ts';
import type { Api } from '../http/api.ts';
import { type ApiPromise, apiPromise } from '../http/api-promise.ts';
import { bounded } from '../http/limits.ts';
import type { Session, TokenPair } from '../http/session.ts';
import type { CallOptions } from '../options.ts';
import { Sessions } from './sessions.ts';
import type { User } from './users.ts';

/** A new account. */
export interface RegisterRequest {
  /** E-mail address. It must not belong to another account. At most 254 characters. */
  email: string;
  /** At least 12 characters. */
  password: string;
  /** Name of the person. 1 to 120 characters after trimming. */
  name: string;
}

/** Who logs in. */
export interface LoginRequest {
  /** E-mail address of the account, without regard to case. 1 to 254 characters. */
  email: string;
  /** Password of the account. 1 to 1,024 characters. */
  password: string;
}

/** The public keys of the service's access tokens (RFC 7517). */
export interface JsonWebKeySet {
  /** The current key and, while a rotation overlaps, the one before or after it. */
  keys: JsonWebKey[];
}

/** One RSA key. */
export interface JsonWebKey {
  /** Key type. */
  kty: 'RSA';
  /** Use of the key: signatures. */
  use: 'sig';
  /** Algorithm of the key. */
  alg: 'RS256';
  /** Key id; the `kid` in the header of an access token names it. */
  kid: string;
  /** Modulus, base64url. */
  n: string;
  /** Exponent, base64url. */
  e: string;
}

/** Accounts and sessions. The session's tokens are renewed without being asked. */
export class Auth {
  /** Where the account is logged in. */
  readonly sessions: Sessions;
  readonly #api: Api;
  readonly #session: Session | undefined;

  /** @internal */
  constructor(api: Api, session: Session | undefined) {
    this.sessions = new Sessions(api);
    this.#api = api;
    this.#session = session;
  }

  /**
   * Makes an account of the free tier (of the enterprise tier in development); log in afterwards.
   * Needs no credentials. Sent once: where its answer is lost, a second attempt says whether it
   * came about.
   *
   * @throws PermissionError when registration is closed
   * @throws ValidationError when a property is not as described, or the address has an account
   * already (field `email`, constraint `unique`)
   */
  register(account: RegisterRequest, options?: CallOptions): ApiPromise<User> {
    return this.#api.call('post', '/auth/register', { body: account }, options);
  }

  /**
   * Begins a session; the client's calls are the user's from here on. The access token lasts an hour
   * and is renewed by itself; the session ends 30 days after its last renewal.
   *
   * @throws AuthenticationError when the address is unknown or the password wrong: both are
   * answered alike
   * @throws PermissionError when the account is suspended
   * @throws RateLimitError after 10 wrong passwords for an account, or 50 from an address
   * @throws UsageError when the client has an API key
   */
  login(credentials: LoginRequest, options?: CallOptions): ApiPromise<TokenPair> {
    return apiPromise(async () => {
      const session = this.#sessionOf('log in to');
      const login = this.#api.call('post', '/auth/login', { body: credentials }, options);
      const result = await login.withResponse();
      await session.start(result.data);
      return result;
    });
  }

  /**
   * Renews the session's tokens now, and answers them. Nobody has to: every call renews what is
   * about to expire. Together with such calls it causes one renewal; `signal` ends the waiting for
   * it, and no other option has an effect.
   *
   * @throws SessionExpiredError when there is no session, or it cannot be renewed
   * @throws UsageError when the client has an API key
   */
  async refresh({ signal }: CallOptions = {}): Promise<TokenPair> {
    const facts = { method: 'POST', path: '/auth/refresh' };
    try {
      const session = this.#sessionOf('renew');
      return await bounded({ signal, timeoutMs: Infinity, facts }, () => session.renew());
    } catch (error) {
      throw asVaultError(error, facts);
    }
  }

  /**
   * Ends the session: it clears the token store, then the service ends the session with all its
   * tokens. Without a session it does nothing.
   */
  async logout(options?: CallOptions): Promise<void> {
    try {
      const refreshToken = await this.#session?.end();
      if (refreshToken === undefined) return;
      await this.#api.call('post', '/auth/logout', { body: { refreshToken } }, options);
    } catch (error) {
      throw asVaultError(error);
    }
  }

  /**
   * Answers the public keys (RFC 7517) that access tokens are verified with: the current one and,
   * while keys rotate, the one before or after it. Needs no credentials.
   */
  jwks(options?: CallOptions): ApiPromise<JsonWebKeySet> {
    return this.#api.call('get', '/.well-known/jwks.json', {}, options);
  }

  #sessionOf(purpose: string): Session {
    if (this.#session) return this.#session;
    throw new UsageError(`An API key has no session to ${purpose}`);
  }
}
