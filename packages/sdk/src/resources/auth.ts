import { rethrow, UsageError } from '../errors.ts';
import type {
  JsonWebKeySet,
  ListSessions,
  LoginRequest,
  RegisterRequest,
  Session,
  TokenPair,
  User,
} from '../generated/types.ts';
import type { Api } from '../http/api.ts';
import { ApiPromise } from '../http/api-result.ts';
import { withDeadline } from '../http/deadline.ts';
import type { Session as UserSession } from '../http/session.ts';
import type { CallOptions, SignedIn } from '../options.ts';
import type { List, ListOptions } from '../pages.ts';

/** Accounts and logins. The client refreshes the tokens of its session by itself. */
export interface Auth {
  /** The sessions of the account, on all devices. */
  readonly sessions: Sessions;

  /**
   * Registers an account of the free tier (in development: of the enterprise tier). It does not log
   * in. The request is not repeated when its response is lost: call again, and `unique` shows that
   * the first attempt succeeded.
   *
   * @throws {@link PermissionError} when registration is closed
   * @throws {@link ValidationError} when a property is invalid, or the address belongs to an account
   * (field `email`, constraint `unique`)
   * @example
   * await client.auth.register({ email, password, name: 'Ada Lovelace' });
   */
  register(account: RegisterRequest, options?: CallOptions): ApiPromise<User>;

  /**
   * Logs a user in and stores the tokens. The client's later calls are made as this user. The session
   * ends 30 days after its last refresh.
   *
   * @throws {@link AuthenticationError} when the address is unknown or the password is wrong; the
   * response does not show which
   * @throws {@link PermissionError} when the account is suspended
   * @throws {@link RateLimitError} after 10 wrong passwords for an account, or 50 from an address
   * @throws {@link UsageError} when the client has an API key
   * @example
   * await client.auth.login({ email, password });
   */
  login(credentials: LoginRequest, options?: CallOptions): ApiPromise<TokenPair>;

  /**
   * Refreshes the tokens of the session now and returns them. Calls do this by themselves before a
   * token expires, and share one refresh. Of the options, only `signal` has an effect: it ends the
   * wait, not the refresh.
   *
   * @throws {@link SessionExpiredError} when there is no session, or the service has ended it
   * @throws {@link UsageError} when the client has an API key
   * @example
   * const { accessToken } = await client.auth.refresh();
   */
  refresh(options?: CallOptions): Promise<TokenPair>;

  /**
   * Logs out: clears the token store, then ends the session at the service. Without a session it does
   * nothing.
   *
   * @throws {@link ConnectionError} when the service cannot be reached; the store is empty then
   * @example
   * await client.auth.logout();
   */
  logout(options?: CallOptions): Promise<void>;

  /**
   * Returns who is signed in, or undefined. Sends no request: it reads the access token in the store,
   * without verifying it, so the service may have ended the session meanwhile. Undefined for a client
   * with an API key.
   *
   * @example
   * const user = await client.auth.session();
   * console.log(user ? `Signed in as ${user.email}` : 'Signed out');
   */
  session(): Promise<SignedIn | undefined>;

  /**
   * Returns the public keys (RFC 7517) that verify access tokens: the current key and, during a key
   * rotation, its predecessor or successor. Needs no credentials.
   *
   * @example
   * const { keys } = await client.auth.jwks();
   */
  jwks(options?: CallOptions): ApiPromise<JsonWebKeySet>;
}

/** The sessions of the account. A client with an API key cannot call these. */
export interface Sessions {
  /**
   * Lists the sessions of the account that have neither ended nor expired, newest first.
   *
   * @throws {@link AuthenticationError} when the client has an API key
   * @throws {@link ValidationError} when the query is invalid
   * @example
   * for await (const { userAgent, current } of client.auth.sessions.list()) {
   *   console.log(userAgent, current);
   * }
   */
  list(query?: ListSessions, options?: ListOptions): List<Session>;

  /**
   * Ends a session at once, with its access and refresh tokens. Use {@link Auth.logout} for the
   * client's own session: it also clears the token store.
   *
   * @throws {@link AuthenticationError} when the client has an API key
   * @throws {@link NotFoundError} when the account has no such session, or it has ended
   * @example
   * await client.auth.sessions.delete(session.id);
   */
  delete(id: string, options?: CallOptions): ApiPromise<void>;

  /**
   * Ends every session of the account except the client's own. API keys stay valid.
   *
   * @throws {@link AuthenticationError} when the client has an API key
   * @example
   * await client.auth.sessions.deleteOthers();
   */
  deleteOthers(options?: CallOptions): ApiPromise<void>;
}

/** Creates the resource. `session` is undefined for a client with `apiKey` or `accessToken`. */
export function createAuth(api: Api, session: UserSession | undefined): Auth {
  const requireSession = () => {
    if (session) return session;
    throw new UsageError(
      'A client with apiKey or accessToken has no session: pass session: {} to log in',
    );
  };
  return {
    sessions: {
      list: api.list('/api/v1/auth/sessions'),
      delete: api.call('DELETE', '/api/v1/auth/sessions/{id}'),
      deleteOthers: api.call('DELETE', '/api/v1/auth/sessions'),
    },
    register: api.send('POST', '/auth/register'),
    login: (credentials, options) =>
      new ApiPromise(async () => requireSession().login(credentials, options)),
    refresh({ signal } = {}) {
      const context = { method: 'POST', path: '/auth/refresh' };
      const refreshed = async () => requireSession().refresh();
      return withDeadline({ signal, context }, refreshed).catch(rethrow(context));
    },
    logout: async (options) => session?.logout(options).catch(rethrow()),
    session: async () => session?.signedIn().catch(rethrow()),
    jwks: api.call('GET', '/.well-known/jwks.json'),
  };
}
