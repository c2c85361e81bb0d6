import { asVaultError, UsageError } from '../errors.ts';
import type { Api } from '../http/api.ts';
import { type ApiPromise, apiPromise } from '../http/api-promise.ts';
import { bounded } from '../http/limits.ts';
import type { Session, TokenPair } from '../http/session.ts';
import type { CallOptions } from '../options.ts';
import type { Scope } from './api-keys.ts';
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

/** The facts of an API key. */
export interface ApiKeyValidation {
  /** Always `true`: a key that is not valid is answered 401. */
  valid: true;
  /** API key id (`key_…`). Not a secret. */
  keyId: string;
  /** Name to recognise the key by. */
  name: string;
  /** What the key may do. */
  scopes: Scope[];
  /** When the key ends (ISO 8601); `null` when it does not. */
  expiresAt: string | null;
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
  readonly #api: Api;
  readonly #session: Session | undefined;

  /** @internal */
  constructor(api: Api, session: Session | undefined) {
    this.#api = api;
    this.#session = session;
  }

  /** Makes an account; log in afterwards. */
  register(account: RegisterRequest, options?: CallOptions): ApiPromise<User> {
    return this.#api.call('post', '/auth/register', { body: account }, options);
  }

  /**
   * Begins a session; the client's calls are the user's from here on.
   *
   * @throws UsageError when the client has an API key, AuthenticationError for wrong credentials
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
   * Renews the session's tokens now, and answers them. Nobody has to: every call renews what is about
   * to expire. Together with such calls it causes one renewal; `signal` ends the waiting for it.
   *
   * @throws SessionExpiredError when there is no session or it cannot be renewed, UsageError when the
   * client has an API key
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
   * Ends the session: here at once, at the service by revoking its refresh token. Without a session
   * nothing happens.
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

  /** Answers the facts of the client's API key. */
  validate(options?: CallOptions): ApiPromise<ApiKeyValidation> {
    return this.#api.call('get', '/api/v1/auth/validate', {}, options);
  }

  /** Answers the public keys that access tokens are verified with. */
  jwks(options?: CallOptions): ApiPromise<JsonWebKeySet> {
    return this.#api.call('get', '/.well-known/jwks.json', {}, options);
  }

  #sessionOf(purpose: string): Session {
    if (this.#session) return this.#session;
    throw new UsageError(`A client with an API key has no session to ${purpose}`);
  }
}
