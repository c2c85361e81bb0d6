import { UsageError } from '../errors.ts';
import { requireHeaderSafe, type Settings, type TokenStore, type Tokens } from '../options.ts';
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts';

/** The time in which a client acts for one account, or for none. A login or logout ends it. */
export interface SessionGeneration {
  /** Whether the client has had credentials since the generation began. */
  hasCredentials: boolean;
  /** The account, once a token has named it. */
  userId?: string;
  /** The account's rate limit. */
  readonly limiter: RateLimiter;
  /** The account's rate limit and its budget for GraphQL. */
  readonly graphqlLimiter: RateLimiter;
}

/** Starts a generation. */
export function createGeneration(hasCredentials: boolean): SessionGeneration {
  return { hasCredentials, limiter: createRateLimiter(), graphqlLimiter: createRateLimiter() };
}

/** The credentials of one attempt. */
export interface Authorization {
  /** Header name in lower case. */
  readonly header: string;
  readonly value: string;
  /**
   * Replaces a token that the service rejected. Resolves when the call can be repeated. Absent for
   * credentials that cannot be replaced.
   *
   * @throws SessionExpiredError, or the error that prevented the refresh
   */
  refresh?(): Promise<void>;
}

/** Credentials of a client. */
export interface Credentials {
  /** The current generation. */
  readonly generation: SessionGeneration;
  /**
   * Returns credentials for the next attempt; undefined when there are none.
   *
   * @param begun - the generation in which the call began
   * @throws SessionExpiredError when the attempt would be made as another user
   */
  authorize(
    begun: SessionGeneration,
  ): Authorization | undefined | Promise<Authorization | undefined>;
  /** Whether a user can log in. */
  readonly isSession?: boolean;
  /** Receives every response, to measure the server's clock. */
  observe?(response: Response): void;
}

/**
 * Credentials of an API key or of access tokens; undefined for a session.
 *
 * @throws UsageError when the options have none of them
 */
export function givenCredentials({
  apiKey,
  accessToken,
  session,
}: Settings): Credentials | undefined {
  const generation = createGeneration(true);
  const header = 'x-api-key';
  if (typeof apiKey === 'function') {
    const authorize = async () => ({ header, value: requireHeaderSafe('apiKey', await apiKey()) });
    return { generation, authorize };
  }
  if (apiKey !== undefined) {
    const authorization = { header, value: apiKey };
    return { generation, authorize: () => authorization };
  }
  if (accessToken) return { generation, authorize: tokenAuthorization(accessToken) };
  if (session) return undefined;
  throw new UsageError(
    'No credentials: pass apiKey (or set VAULT_API_KEY), accessToken, or session: {} to log in',
  );
}

/** Asks for a token once, and once more for all calls whose token the service rejected. */
function tokenAuthorization(ask: NonNullable<Settings['accessToken']>) {
  let current: Promise<Authorization> | undefined;
  return function authorize(): Promise<Authorization> {
    if (current) return current;
    const forget = () => {
      if (current === asked) current = undefined;
    };
    const obtain = async (): Promise<Authorization> => {
      const token = requireHeaderSafe('accessToken', await ask());
      const refresh = async () => {
        forget();
        await authorize();
      };
      return { header: 'authorization', value: `Bearer ${token}`, refresh };
    };
    const asked = obtain();
    current = asked;
    // The next call asks again.
    asked.catch(forget);
    return asked;
  };
}

/** Credentials of a client that has none. */
export function noCredentials(): Credentials {
  return { generation: createGeneration(false), authorize: () => undefined };
}

/**
 * Keeps the tokens in memory. The session ends with the page or process.
 *
 * @example
 * const store = memoryTokenStore();
 * const client = new DocumentVault({ baseUrl, session: { store } });
 */
export function memoryTokenStore(): TokenStore {
  let tokens: Tokens | undefined;
  return {
    get: () => tokens,
    set: (next) => {
      tokens = next;
    },
    clear: () => {
      tokens = undefined;
    },
  };
}
