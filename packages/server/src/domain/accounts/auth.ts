import { sessionEnded, wrongLogin } from '../../generated/rules/credentials.ts';
import { ServiceError } from '../../generated/rules/errors.ts';
import { requestValidators } from '../../generated/validators/index.js';
import { networkOf } from '../../lib/networks.ts';
import type { UserRecord } from '../../store/rows/accounts/users.ts';
import type { Repositories, Store } from '../../store/store.ts';
import {
  grantableScopes,
  invalidCredentials,
  refuseSuspended,
  requireLiveCredentials,
} from '../access.ts';
import type { Actor, Sender, Visitor } from '../actor.ts';
import type { AccessState } from '../oauth/live-access.ts';
import { type AdmittedToken, createOAuthTokens, isOfApp } from '../oauth/tokens.ts';
import { type Scope, type Shape, timestamp } from '../shapes.ts';
import type { ServiceOptions } from '../unit-of-work.ts';
import { type AccessTokenClaims, type AccessTokens, accessTokenLifetime } from './access-tokens.ts';
import type { CheckPassword } from './password-check.ts';
import { digest } from './secrets.ts';
import {
  type NewSession,
  pageSignInLifetime,
  type RefreshTokens,
  startSession,
  useOf,
} from './sessions.ts';

type TokenPair = Shape<'TokenPair'>;

export interface AuthOptions extends Omit<ServiceOptions, 'accountLimits'> {
  readonly checkPassword: CheckPassword;
  readonly accessTokens: AccessTokens;
  readonly refreshTokens: RefreshTokens;
  /** Returns the server's public address. */
  readonly issuer: () => string;
  readonly log: { error(facts: object, message: string): void };
}

interface SignIn<Result> {
  readonly user: UserRecord;
  readonly session: NewSession;
  readonly result: Result;
}

export type Auth = ReturnType<typeof createAuth>;

/** How often the last use of an API key or a session is written, in milliseconds. */
const touchInterval = 60_000;

export function createAuth(options: AuthOptions) {
  const { store, work, clock, ids, checkPassword, accessTokens, refreshTokens, log } = options;
  const oauthGrants = createAccessCache(store);
  const oauthTokens = createOAuthTokens({
    keys: accessTokens.keys,
    state: oauthGrants,
    clock,
    issuer: options.issuer,
  });
  const findKeyHolder = createCredentialCache(store, (key) =>
    store.apiKeys.findByHash(digest(key)),
  );
  const findSession = createCredentialCache(store, (id) => store.sessions.findHolder(id));
  const findKey = createCredentialCache(store, (keyId) => store.apiKeys.find(keyId));
  const current = {
    sessions: { findHolder: findSession },
    apiKeys: { find: findKey },
    oauthGrants,
  };

  /**
   * Checks a password and starts a session.
   *
   * @param start stores the session with what its client needs; runs inside the transaction
   * @throws ServiceError INVALID_TOKEN, ACCOUNT_SUSPENDED, RATE_LIMIT_EXCEEDED
   */
  async function signIn<Result>(
    visitor: Visitor,
    { email, password }: Shape<'LoginRequest'>,
    start: (tx: Repositories, session: NewSession) => Promise<Result>,
  ): Promise<SignIn<Result>> {
    requireLoginLengths({ email, password });
    const user = await store.users.findByEmail(email);
    const { passwordHash } = user ?? {};
    const { ipAddress } = visitor;
    const attempt = { email, userId: user?.id ?? null, passwordHash, ipAddress };
    const matches = await checkPassword(attempt, password);
    if (!user || !matches) throw wrongLogin();
    refuseSuspended(user);

    const session = { id: ids.resource(), userId: user.id };
    const result = await work({ ...visitor, userId: user.id }, async (tx, emit) => {
      // The account may be deleted, suspended or have another password by now.
      const current = await tx.users.find(user.id);
      if (current?.passwordHash !== user.passwordHash) throw wrongLogin();
      refuseSuspended(current);
      await tx.loginPlaces.note(user.id, networkOf(visitor.ipAddress), clock.now());
      const started = await start(tx, session);
      await emit({
        type: 'user.login',
        accountId: user.id,
        instanceId: user.instanceId,
        object: {
          userId: user.id,
          email: user.email,
          method: 'password',
          ipAddress: visitor.ipAddress,
          userAgent: visitor.userAgent,
          loggedInAt: timestamp(clock.now()),
        },
      });
      return started;
    });
    return { user, session, result };
  }

  async function login(visitor: Visitor, input: Shape<'LoginRequest'>): Promise<TokenPair> {
    const { user, session, result } = await signIn(visitor, input, (tx, started) =>
      refreshTokens.start(tx, started, visitor),
    );
    const accessToken = await accessTokens.issue(user, session.id);
    return { accessToken, refreshToken: result, expiresIn: accessTokenLifetime };
  }

  /** Starts a session of 8 hours without tokens, for the pages of OAuth. */
  async function signInToPages(
    visitor: Visitor,
    input: Shape<'LoginRequest'>,
  ): Promise<NewSession> {
    const { session } = await signIn(visitor, input, (tx, started) =>
      startSession(tx, started, { visitor, now: clock.now(), lifetime: pageSignInLifetime }),
    );
    return session;
  }

  /**
   * Checks the password of a signed-in user again. Attempts count in the login throttle.
   *
   * @throws ServiceError INVALID_TOKEN, RATE_LIMIT_EXCEEDED
   */
  async function confirmPassword(
    { userId, ipAddress }: Pick<Visitor, 'ipAddress'> & { readonly userId: string },
    password: string,
  ): Promise<void> {
    const user = await store.users.find(userId);
    if (!user) throw wrongLogin();
    const { email, passwordHash } = user;
    requireLoginLengths({ email, password });
    const attempt = { email, userId, passwordHash, ipAddress };
    if (!(await checkPassword(attempt, password))) throw wrongLogin();
  }

  async function refresh(visitor: Visitor, input: Shape<'RefreshRequest'>): Promise<TokenPair> {
    const rotation = await refreshTokens.rotate(visitor, input.refreshToken, refuseSuspended);
    return {
      accessToken: await accessTokens.issue(rotation.user, rotation.sessionId),
      refreshToken: rotation.token,
      expiresIn: accessTokenLifetime,
    };
  }

  function logout(input: Shape<'LogoutRequest'>): Promise<void> {
    return refreshTokens.revoke(input.refreshToken);
  }

  /** @throws ServiceError EXPIRED_TOKEN, INVALID_TOKEN */
  async function authenticateToken(visitor: Visitor, token: string): Promise<Actor & Visitor> {
    if (isOfApp(token)) return admitApp(visitor, await oauthTokens.admit(token));
    return admitSession(visitor, await accessTokens.verify(token));
  }

  async function admitSession(
    visitor: Visitor,
    { userId, sessionId, scopes }: AccessTokenClaims,
  ): Promise<Actor & Visitor> {
    const session = await findSession(sessionId);
    const now = clock.now();
    if (!session || session.userId !== userId) throw sessionEnded();
    if (session.endedAt !== null || session.expiresAt <= now) throw sessionEnded();
    const actor = actorOf(visitor, session, { scopes, keyId: null, sessionId });
    const unlessAfter = now - touchInterval;
    if (session.lastUsedAt <= unlessAfter) {
      const use = { now, unlessAfter, ...useOf(visitor) };
      await noteUse({ sessionId }, (tx) => tx.sessions.touch(sessionId, use));
    }
    return actor;
  }

  function admitApp(visitor: Visitor, { claims, holder, scopes }: AdmittedToken): Actor & Visitor {
    const { clientId, grantId, tokenHash, credentialsVersion } = claims;
    const actor = actorOf(visitor, holder, { scopes, keyId: null, sessionId: null });
    return { ...actor, oauth: { clientId, grantId, tokenHash, credentialsVersion, scopes } };
  }

  /** @throws ServiceError INVALID_API_KEY for every reason */
  async function authenticateKey(visitor: Visitor, key: string): Promise<Actor & Visitor> {
    const holder = await findKeyHolder(key);
    const now = clock.now();
    if (
      !holder ||
      holder.revokedAt !== null ||
      (holder.expiresAt !== null && holder.expiresAt <= now)
    ) {
      throw new ServiceError('INVALID_API_KEY');
    }
    const { keyId, scopes } = holder;
    const actor = actorOf(visitor, holder, { scopes, keyId, sessionId: null });
    const unlessAfter = now - touchInterval;
    if (holder.lastUsedAt === null || holder.lastUsedAt <= unlessAfter) {
      await noteUse({ keyId }, (tx) => tx.apiKeys.touch(keyId, now, unlessAfter));
    }
    return actor;
  }

  /** A store that rejects changes can still be read, so a failure is logged and not thrown. */
  async function noteUse(
    credential: { readonly keyId: string } | { readonly sessionId: string },
    touch: (tx: Repositories) => Promise<void>,
  ): Promise<void> {
    try {
      await store.transaction(touch);
    } catch (error) {
      log.error({ err: error, ...credential }, 'use of credentials not noted');
    }
  }

  /**
   * Rejects a request whose credentials or account changed since authentication. One without credentials passes.
   *
   * @throws ServiceError INVALID_TOKEN, INVALID_API_KEY, ACCOUNT_SUSPENDED, INSUFFICIENT_PERMISSIONS
   */
  function requireLive(sender: Sender): Promise<void> {
    return requireLiveCredentials(current, sender, clock.now());
  }

  /**
   * Returns the error of a failed request. When its account was deleted meanwhile, its credentials are the
   * reason.
   */
  async function explain(actor: Actor, error: unknown): Promise<unknown> {
    if (error instanceof ServiceError) return error;
    // The store may be the reason of the error, and fail again.
    const isDeleted = await store.users.find(actor.userId).then(
      (user) => user === undefined,
      () => false,
    );
    return isDeleted ? invalidCredentials(actor, error) : error;
  }

  return {
    login,
    signInToPages,
    confirmPassword,
    refresh,
    logout,
    authenticateToken,
    authenticateKey,
    requireLive,
    explain,
    /** The tokens of apps. */
    oauthTokens,
  };
}

/** The grants and clients that were read since the last commit. */
function createAccessCache(store: Store): AccessState {
  const findHolder = createCredentialCache(store, (id) => store.oauthGrants.findHolder(id));
  return {
    findHolder,
    findClientHolder: (clientId, tokenHash) =>
      store.oauthGrants.findClientHolder(clientId, tokenHash),
  };
}

/**
 * Applies the contract's limits to the forms of OAuth too. Normalising a text can take time in the square of its length,
 * and no account has longer values.
 *
 * @throws ServiceError INVALID_TOKEN
 */
function requireLoginLengths(login: Shape<'LoginRequest'>): void {
  if (!requestValidators.login.body?.(login)) throw wrongLogin();
}

type Account = Pick<UserRecord, 'email' | 'role' | 'tier' | 'status' | 'instanceId'> & {
  readonly userId: string;
};

/** The scopes of cached credentials, by the list that they were granted. Most requests repeat them. */
const knownScopes = new WeakMap<
  readonly string[],
  { readonly role: Account['role']; readonly scopes: ReadonlySet<Scope> }
>();

/** Returns the granted scopes, limited to those of the current role. */
function scopesOf(role: Account['role'], granted: readonly string[]): ReadonlySet<Scope> {
  const known = knownScopes.get(granted);
  if (known?.role === role) return known.scopes;
  const grantable: ReadonlySet<string> = grantableScopes[role];
  const scopes = new Set(granted.filter((scope): scope is Scope => grantable.has(scope)));
  knownScopes.set(granted, { role, scopes });
  return scopes;
}

/** Returns the actor for an account and its credentials. */
export function actorOf<From extends Sender>(
  sender: From,
  account: Account,
  credentials: {
    readonly scopes: readonly string[];
    readonly keyId: string | null;
    readonly sessionId: string | null;
  },
): From & Actor {
  return {
    ...sender,
    userId: account.userId,
    email: account.email,
    role: account.role,
    tier: account.tier,
    status: account.status,
    instanceId: account.instanceId,
    scopes: scopesOf(account.role, credentials.scopes),
    keyId: credentials.keyId,
    sessionId: credentials.sessionId,
  };
}

/** Maximum number of cached credentials. Each takes about a kilobyte. */
const limit = 10_000;

/**
 * API-key and session cache: remembers the holder of a credential until the next commit. While the
 * revision of the store stays the same, no session ends, no key is revoked and no account changes.
 *
 * @param find reads the holder from the store; undefined is not cached
 */
export function createCredentialCache<Holder>(
  store: Pick<Store, 'revision'>,
  find: (credential: string) => Promise<Holder | undefined>,
): (credential: string) => Promise<Holder | undefined> {
  const known = new Map<string, Promise<Holder | undefined>>();
  let knownAt: number | undefined;

  return (credential) => {
    const { revision } = store;
    if (revision !== knownAt) {
      known.clear();
      knownAt = revision;
    }
    const remembered = known.get(credential);
    if (remembered) return remembered;

    const looking = find(credential);
    if (revision === undefined || known.size >= limit) return looking;
    // Cached before it resolves, so that concurrent requests share one query.
    known.set(credential, looking);
    const forget = () => known.get(credential) === looking && known.delete(credential);
    // Unknown credentials are not cached, because a client can invent any number of them.
    looking.then((holder) => holder ?? forget(), forget);
    return looking;
  };
}
