import { ApiError, isVaultError, SessionExpiredError, UsageError, VaultError } from '../errors.ts';
import type { LoginRequest, TokenPair } from '../generated/types.ts';
import {
  type CallOptions,
  isHeaderSafe,
  runHook,
  type Settings,
  type SignedIn,
  type TokenSource,
  type Tokens,
} from '../options.ts';
import type { Api } from './api.ts';
import type { RawResult } from './api-result.ts';
import {
  type Authorization,
  type Credentials,
  createGeneration,
  memoryTokenStore,
  type SessionGeneration,
} from './credentials.ts';
import { apiError } from './responses.ts';

/**
 * The session of one user: provides the access token, refreshes it once for all calls that need it,
 * and expires when the service ends it.
 */
export interface Session extends Required<Credentials> {
  /** Logs in and starts a session with the tokens. */
  login(credentials: LoginRequest, options?: CallOptions): Promise<LoginResult>;
  /** Starts a session with tokens that were obtained in another way than by password. */
  startSession(grant: () => Promise<LoginResult>): Promise<LoginResult>;
  /** Refreshes the tokens now, or joins a refresh in progress, and returns the new pair. */
  refresh(): Promise<TokenPair>;
  /** Ends the session on this side, then at the service. */
  logout(options?: CallOptions): Promise<void>;
  /** Returns who is signed in, from the store. */
  signedIn(): Promise<SignedIn | undefined>;
}

type LoginResult = RawResult<TokenPair>;

/** An access token as credentials. */
interface Bearer extends Authorization {
  readonly token: string;
  readonly current: SessionGeneration;
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

/**
 * A used refresh token returns the same successor for 10 seconds. When a response is lost, the retry
 * has to arrive within that time, so a refresh times out early, in milliseconds.
 */
const refreshTimeout = 4_000;

/** Tokens are refreshed this long before they expire, or a tenth of their lifetime before. */
const maxMargin = 30_000;

/** The logins of the service. */
function serviceTokens({ send }: Api): TokenSource {
  const refresh = send('POST', '/auth/refresh');
  const logout = send('POST', '/auth/logout');
  return {
    refresh: ({ refreshToken }, _, options) => refresh({ refreshToken }, options),
    logout: ({ refreshToken }, _, options) => logout({ refreshToken }, options),
  };
}

/**
 * Creates the session of a client. It reads the store at the first call.
 *
 * @param api - called at the first login, refresh or logout: the client's transport needs the session first
 */
export function createSession(settings: Settings, api: () => Api): Session {
  const { session = {}, clock, timeout } = settings;
  const { store = memoryTokenStore(), onExpired, onChange } = session;
  const source = () => session.source ?? serviceTokens(api());
  /** What another source, such as OAuth, sends with. Its errors are of the client's own classes. */
  const access = () => ({ ...api().transport, error: apiError });
  let generation = createGeneration(false);
  let refreshing: Refresh | undefined;
  /** Resolves when the store holds the result of the last login or logout; undefined afterwards. */
  let changed: Promise<void> | undefined;
  /** The credentials of the last attempt: most attempts have the same. */
  let last: Bearer | undefined;
  /** The access token that the service rejected last. */
  let rejected: string | undefined;
  /** The last `Date` of the service. */
  let lastDate: string | null = null;
  /** Server time minus local time; undefined before the first response and without stored tokens. */
  let skew: number | undefined;

  const now = () => clock.now() + (skew ?? 0);
  const remaining = ({ expiresAt }: Tokens) => expiresAt - now();
  const isValid = (tokens: Tokens) => rejected !== tokens.accessToken && remaining(tokens) > 0;
  const isDue = (tokens: Tokens) =>
    !isValid(tokens) || remaining(tokens) <= Math.min(maxMargin, tokens.expiresIn * 100);

  const tokensOf = ({ accessToken, refreshToken, expiresIn }: TokenPair): Tokens => {
    const isPair = isHeaderSafe(accessToken) && typeof refreshToken === 'string';
    if (!isPair || typeof expiresIn !== 'number') {
      throw new VaultError('The service returned no accessToken, refreshToken and expiresIn');
    }
    const expiresAt = now() + expiresIn * 1_000;
    return { accessToken, refreshToken, expiresIn, expiresAt, skew: skew ?? 0 };
  };

  /** Writes logins and logouts to the store in order. Reads wait: the store may hold old tokens. */
  const change = <T>(work: () => Promise<T>): Promise<T> => {
    const done = changed ? changed.then(work) : work();
    const forget = () => {
      if (changed === mine) changed = undefined;
    };
    const mine = done.then(forget, forget);
    changed = mine;
    return done;
  };

  /** A call that began as one user must not be sent as another. */
  const requireCurrent = (begun: SessionGeneration) => {
    if (begun !== generation && begun.hasCredentials) {
      throw expired('The session was replaced or ended during the call');
    }
  };

  let recognized: string | undefined;
  /** Begins a generation when another tab has logged in as another user. */
  const recognize = (tokens: Tokens, current: SessionGeneration) => {
    // A token is read once.
    if (tokens.accessToken === recognized || current !== generation) return;
    recognized = tokens.accessToken;
    const userId = userOf(tokens)?.userId;
    if (userId === undefined) return;
    if (current.userId !== undefined && current.userId !== userId) {
      generation = createGeneration(true);
    }
    generation.userId = userId;
  };

  /** The session that `onChange` received last; null before the first one. */
  let reported: string | undefined | null = null;
  const report = (signedIn: SignedIn | undefined) => {
    if (reported === signedIn?.sessionId) return;
    reported = signedIn?.sessionId;
    void runHook(settings, 'onChange', () => onChange?.(signedIn));
  };

  const signedIn = async () => {
    await changed;
    const tokens = await store.get();
    // Calls that begin from now on are those of the user that the app knows of.
    if (tokens) recognize(tokens, generation);
    return tokens && userOf(tokens);
  };

  if (onChange) {
    store.subscribe?.(() => runHook(settings, 'onChange', async () => report(await signedIn())));
  }

  /** Calls `onExpired` once. */
  const expire = (current: SessionGeneration, cause?: unknown): SessionExpiredError => {
    if (current === generation) {
      generation = createGeneration(false);
      if (current.hasCredentials) void runHook(settings, 'onExpired', () => onExpired?.());
      report(undefined);
    }
    return expired('The session has ended', cause);
  };

  /** Reads the store first: another tab may have refreshed or logged out in the meantime. */
  const replace = async (token: string, current: SessionGeneration): Promise<void> => {
    const tokens = await store.get();
    if (current !== generation) return;
    if (!tokens) throw expire(current);
    if (tokens.accessToken !== token) return;
    const { refreshToken } = tokens;
    const outcome = await source()
      .refresh(tokens, access(), { timeout: Math.min(timeout, refreshTimeout) })
      .catch(finalRefusal);
    const stored = await store.get();
    // A login or logout in the meantime wins.
    if (current !== generation || stored?.refreshToken !== refreshToken) return;
    if (isVaultError(outcome)) {
      await store.clear();
      throw expire(current, outcome);
    }
    await store.set(tokensOf(outcome));
  };

  const startRefresh = async (
    token: string,
    current: SessionGeneration,
  ): Promise<RefreshOutcome> => {
    const { lockName } = store;
    const locks = globalThis.navigator?.locks;
    try {
      if (lockName === undefined || !locks) await replace(token, current);
      else await locks.request(lockName, () => replace(token, current));
      return {};
    } catch (error) {
      return { error };
    } finally {
      refreshing = undefined;
    }
  };

  /** Undefined when the refresh ended with the request that started it, as in workerd. */
  const outcomeOf = async (one: Refresh): Promise<RefreshOutcome | undefined> => {
    try {
      return await one.done;
    } catch {
      if (refreshing === one) refreshing = undefined;
      return undefined;
    }
  };

  /** Refreshes a token once, however many calls ask for it, and however late. */
  const refreshOnce = async (token: string, current: SessionGeneration): Promise<void> => {
    let outcome: RefreshOutcome | undefined;
    while (!outcome) {
      if (refreshing && refreshing.replaces !== token) {
        await outcomeOf(refreshing);
        continue;
      }
      if (current !== generation) break;
      refreshing ??= { replaces: token, done: startRefresh(token, current) };
      outcome = await outcomeOf(refreshing);
    }
    if (outcome?.error !== undefined) throw outcome.error;
    requireCurrent(current);
  };

  const refuseToken = async (current: SessionGeneration): Promise<never> => {
    await store.clear();
    throw expire(current, new VaultError('The token store returned no valid token'));
  };

  const bearer = (token: unknown, current: SessionGeneration): Authorization | Promise<never> => {
    if (last && last.token === token && last.current === current) return last;
    if (!isHeaderSafe(token)) return refuseToken(current);
    const made: Bearer = {
      token,
      current,
      header: 'authorization',
      value: `Bearer ${token}`,
      refresh() {
        rejected = token;
        return refreshOnce(token, current);
      },
    };
    last = made;
    return made;
  };

  const refreshDue = async (tokens: Tokens, current: SessionGeneration) => {
    const valid = isValid(tokens);
    const refreshed = refreshOnce(tokens.accessToken, current);
    // A failed background refresh is ignored while the current token is valid.
    const settled = valid ? refreshed.catch(() => {}) : refreshed;
    if (valid && !workEndsWithRequest()) return bearer(tokens.accessToken, current);
    await settled;
    const replaced = await store.get();
    requireCurrent(current);
    return replaced && bearer(replaced.accessToken, current);
  };

  /** Returns no promise when the tokens can be used as they are. */
  const authorize = (
    tokens: Tokens | undefined,
    begun: SessionGeneration,
    current: SessionGeneration,
  ) => {
    if (tokens) current.hasCredentials = true;
    skew ??= tokens?.skew;
    if (tokens) recognize(tokens, current);
    requireCurrent(begun);
    requireCurrent(current);
    // Another tab has logged out.
    if (!tokens && current.hasCredentials) throw expire(current);
    if (tokens && isDue(tokens)) return refreshDue(tokens, current);
    return tokens && bearer(tokens.accessToken, current);
  };

  /** @throws SessionExpiredError without tokens */
  const requireTokens = async (current: SessionGeneration): Promise<Tokens> => {
    await changed;
    const tokens = await store.get();
    if (!tokens) throw expired('There is no session');
    current.hasCredentials = true;
    requireCurrent(current);
    return tokens;
  };

  const startSession = async (grant: () => Promise<LoginResult>): Promise<LoginResult> => {
    const result = await grant();
    const tokens = tokensOf(result.data);
    generation = createGeneration(true);
    recognize(tokens, generation);
    await change(async () => store.set(tokens));
    report(userOf(tokens));
    return result;
  };

  return {
    isSession: true,
    get generation() {
      return generation;
    },
    async login(credentials, options) {
      if (session.source) {
        throw new UsageError('An app cannot log in by password: use finishAuthorization of /oauth');
      }
      const login = api().send('POST', '/auth/login');
      return startSession(() => login(credentials, options).withResponse());
    },
    startSession,
    async refresh() {
      const current = generation;
      await refreshOnce((await requireTokens(current)).accessToken, current);
      const { accessToken, refreshToken, expiresIn } = await requireTokens(current);
      return { accessToken, refreshToken, expiresIn };
    },
    async logout(options) {
      generation = createGeneration(false);
      let ended: Tokens | undefined;
      try {
        await change(async () => {
          ended = await store.get();
          await store.clear();
        });
        report(undefined);
      } finally {
        // Tokens that the store fails to remove are then useless.
        if (ended) await source().logout(ended, access(), options);
      }
    },
    signedIn,
    observe(response) {
      const text = response.headers.get('date');
      // Once a second is enough.
      if (text === lastDate) return;
      lastDate = text;
      const date = Date.parse(text ?? '');
      if (date) skew = date - clock.now();
    },
    authorize(begun) {
      const current = generation;
      const stored = changed ? changed.then(() => store.get()) : store.get();
      // A store in memory needs no waiting.
      return stored && 'then' in stored
        ? Promise.resolve(stored).then((tokens) => authorize(tokens, begun, current))
        : authorize(stored, begun, current);
    },
  };
}

/** Reads the payload of an access token (RFC 7519); undefined when it has none. */
function userOf({ accessToken }: Tokens): SignedIn | undefined {
  try {
    const encoded = accessToken.split('.')[1] ?? '';
    const payload = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(payload, (character) => character.charCodeAt(0));
    const { sub, email, sid, scopes } = JSON.parse(new TextDecoder().decode(bytes));
    // The token of an app names neither.
    return sid && { userId: sub, email, sessionId: sid, scopes };
  } catch {
    return undefined;
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
function finalRefusal(error: unknown): VaultError {
  // A token source threw it, perhaps with another copy of the class.
  if (isVaultError(error) && error.name === 'SessionExpiredError') return error;
  if (!(error instanceof ApiError) || error.status < 400 || error.status >= 500) throw error;
  const { code } = error;
  if (!code || code === 'IP_BLOCKED' || code === 'RATE_LIMIT_EXCEEDED') throw error;
  return error;
}

function expired(message: string, cause?: unknown): SessionExpiredError {
  return new SessionExpiredError(`${message}; log in again`, { cause });
}
