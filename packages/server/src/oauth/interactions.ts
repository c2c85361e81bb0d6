import type { InteractionResults } from 'oidc-provider';
import type { Auth } from '../domain/accounts/auth.ts';
import type { NewSession } from '../domain/accounts/sessions.ts';
import type { Decision, PageSession } from '../domain/oauth/grants.ts';
import type { OAuth, UsableClient } from '../domain/oauth/oauth.ts';
import type { Scope } from '../domain/shapes.ts';
import { ServiceError } from '../generated/rules/errors.ts';
import { isWebRedirect } from '../generated/rules/oauth-clients.ts';
import type { Context, Reply } from '../http/request.ts';
import type { Engine } from './engine.ts';
import type { EngineExchange } from './engine-changes.ts';
import { detachedExchange } from './exchange.ts';
import { csrfField, csrfToken, type Fields, fieldsOf, hasToken, isFromOwnPage } from './forms.ts';
import { pagePaths } from './paths.ts';
import type { Views } from './views.ts';

export interface InteractionsOptions {
  readonly oauth: OAuth;
  readonly auth: Auth;
  /** Returns the server's public address. */
  readonly issuer: () => string;
  readonly views: Views;
}

/** The field with the identity that a page of consent shows. */
const identityField = 'identity';

type Details = Awaited<ReturnType<Engine['provider']['interactionDetails']>>;

/** A request of an app that waits for its user. */
interface Waiting {
  readonly ctx: Context;
  readonly engine: Engine;
  readonly exchange: EngineExchange;
  readonly details: Details;
  readonly client: UsableClient;
  /** The scopes that the app asked for. */
  readonly requested: readonly string[];
}

/** The pages on which a user signs in and agrees. */
export function createInteractions({ oauth, auth, issuer, views }: InteractionsOptions) {
  async function serve(ctx: Context, engine: Engine, id: string): Promise<Reply> {
    const waiting = await find(ctx, engine, id);
    if (!waiting) return views.error(ctx, 'expired');
    const { details } = waiting;
    if (ctx.method === 'POST') return submit(waiting);
    if (details.prompt.name === 'login') return signInPage(waiting, null);
    return askOrApprove(waiting);
  }

  /** Finds the request by its cookie. Its id is in the path too, so that two tabs cannot be confused. */
  async function find(ctx: Context, engine: Engine, id: string): Promise<Waiting | undefined> {
    const exchange = detachedExchange(ctx, '');
    const { provider } = engine;
    const details = await provider.interactionDetails(exchange.req, exchange.res).catch(isMissing);
    if (details?.uid !== id) return undefined;
    const client = await oauth.findClient(String(details.params.client_id));
    if (!client || !(await hasRedirect(engine, details))) return undefined;
    const scope = typeof details.params.scope === 'string' ? details.params.scope : '';
    const requested = scope.split(' ').filter(Boolean);
    return { ctx, engine, exchange, details, client, requested };
  }

  async function submit(waiting: Waiting): Promise<Reply> {
    const { ctx, engine, details } = waiting;
    const fields = fieldsOf(ctx);
    const isOwn = isFromOwnPage(ctx, new URL(issuer()).origin);
    if (!isOwn || !hasToken(fields, csrfToken(engine.secret, details.uid))) {
      return views.error(ctx, 'forged');
    }
    if (fields.has('cancel')) return finish(waiting, { error: 'access_denied' });
    if (details.prompt.name === 'login') return signIn(waiting, fields);
    return fields.has('sign-out') ? signOut(waiting) : agree(waiting, fields);
  }

  async function signIn(waiting: Waiting, fields: Fields): Promise<Reply> {
    const { ctx } = waiting;
    const [email = '', password = ''] = [fields.get('email'), fields.get('password')].map(
      (value) => value ?? '',
    );
    try {
      const { id, userId } = await auth.signInToPages(ctx.state.visitor, { email, password });
      // No ID token shows `acr`: it names the session, whose end is the end of this sign-in.
      const acr = await replaceSignIn(waiting, { id, userId });
      // Not remembered: the cookie ends with the browser.
      return await finish(waiting, { login: { accountId: userId, acr, remember: false } });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status >= 500) throw error;
      return signInPage(waiting, error, email);
    }
  }

  /**
   * Replaces the sign-in that the browser has by now, perhaps from another tab. One of the same account stays, so that
   * the requests of both tabs continue; one of another account ends.
   *
   * @returns the id of the session that the browser is signed in with
   */
  async function replaceSignIn(
    { details, engine, exchange }: Waiting,
    { id, userId }: NewSession,
  ): Promise<string> {
    const context = engine.provider.createContext(exchange.req, exchange.res);
    const { accountId, acr } = await engine.provider.Session.get(context);
    if (acr !== undefined && accountId === userId) {
      await oauth.endSession(id);
      return acr;
    }
    if (acr !== undefined) await oauth.endSession(acr);
    if (details.session) {
      delete details.session;
      await details.persist();
    }
    return id;
  }

  /** Ends the sign-in of the browser, and asks for another one for the same request. */
  async function signOut(waiting: Waiting): Promise<Reply> {
    const { ctx, details } = waiting;
    const user = userOf(waiting);
    if (!user) return views.error(ctx, 'expired');
    await oauth.endSession(user.sessionId);
    delete details.session;
    delete details.lastSubmission;
    details.prompt = { name: 'login', reasons: [], details: {} };
    await details.persist();
    return signInPage(waiting, null);
  }

  /** An app in a browser that the user has agreed to before gets its grant at once. Native apps always ask. */
  async function askOrApprove(waiting: Waiting): Promise<Reply> {
    const { ctx, details, client, requested } = waiting;
    const user = userOf(waiting);
    if (!user) return views.error(ctx, 'expired');
    const scopes = await oauth.grants.grantable(user.userId, client, requested);
    if (scopes.length === 0) {
      // An unverified app gets no redirect while the user has seen no page.
      const isSeen = client.verified || hasJustSignedIn(details);
      return isSeen
        ? finish(waiting, { error: 'invalid_scope' })
        : views.error(ctx, 'invalid_scope');
    }
    const wantsPage = String(details.params.prompt ?? '').includes('consent');
    const approval = { clientId: client.id, scopes };
    if (!wantsPage && isWebApp(details) && (await oauth.grants.isApproved(user.userId, approval))) {
      return approve(waiting, user, { scopes, identity: null });
    }
    return consentPage(waiting, user, { scopes });
  }

  async function consentPage(
    waiting: Waiting,
    user: PageSession,
    page: {
      readonly scopes: readonly Scope[];
      readonly chosen?: readonly Scope[];
      readonly problem?: ServiceError;
    },
  ): Promise<Reply> {
    const { ctx, client } = waiting;
    const owner = await oauth.findUser(client.userId);
    const account = await oauth.findUser(user.userId);
    return views.consent(ctx, {
      ...formOf(waiting),
      clientName: client.name,
      identity: { name: identityField, value: String(client.identityChangedAt) },
      ownerName: owner?.name ?? '',
      isVerified: client.verified,
      needsPassword: await needsPassword(waiting, user, page.scopes),
      problem: null,
      endsAt: oauth.grants.endOfApproval(),
      email: account?.email ?? '',
      ...page,
    });
  }

  /**
   * Whether the password is asked for again: for the first approval of an unverified app, and for more scopes. A
   * browser that its user has left open must not give an app of a stranger access.
   */
  async function needsPassword(
    { client, details }: Waiting,
    { userId }: PageSession,
    scopes: readonly string[],
  ): Promise<boolean> {
    if (client.verified || hasJustSignedIn(details)) return false;
    return !(await oauth.grants.isApproved(userId, { clientId: client.id, scopes }));
  }

  async function agree(waiting: Waiting, fields: Fields): Promise<Reply> {
    const { ctx, client, requested } = waiting;
    const user = userOf(waiting);
    if (!user) return views.error(ctx, 'expired');
    const grantable = await oauth.grants.grantable(user.userId, client, requested);
    const chosen = fields.getAll('scope');
    const scopes = grantable.filter((scope) => chosen.includes(scope));
    if (scopes.length === 0) return finish(waiting, { error: 'access_denied' });
    if (await needsPassword(waiting, user, grantable)) {
      try {
        await auth.confirmPassword(user, fields.get('password') ?? '');
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status >= 500) throw error;
        return consentPage(waiting, user, { scopes: grantable, chosen: scopes, problem: error });
      }
    }
    return approve(waiting, user, { scopes, identity: Number(fields.get(identityField)) });
  }

  async function approve(
    waiting: Waiting,
    user: PageSession,
    decision: Omit<Decision, 'clientId'>,
  ): Promise<Reply> {
    const { client } = waiting;
    try {
      const grantId = await oauth.grants.approve(user, { clientId: client.id, ...decision });
      return await finish(waiting, { consent: { grantId } });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status >= 500) throw error;
      return views.error(waiting.ctx, error.code === 'VALIDATION_ERROR' ? 'full' : 'expired');
    }
  }

  /** Lets the engine continue with the result. */
  async function finish({ engine, exchange }: Waiting, result: InteractionResults): Promise<Reply> {
    const location = await engine.provider.interactionResult(exchange.req, exchange.res, result, {
      mergeWithLastSubmission: !('error' in result),
    });
    return { status: 303, headers: ['Location', location] };
  }

  function signInPage(waiting: Waiting, problem: ServiceError | null, email = ''): Reply {
    const { ctx, client } = waiting;
    return views.signIn(ctx, { ...formOf(waiting), clientName: client.name, email, problem });
  }

  function formOf({ engine, details }: Waiting) {
    return {
      action: `${issuer()}${pagePaths.interaction}/${details.uid}`,
      csrf: { name: csrfField, value: csrfToken(engine.secret, details.uid) },
      redirectUri: redirectOf(details),
    };
  }

  return { serve };
}

/** @throws the error unless it says that the browser has no such request */
function isMissing(error: unknown): undefined {
  if ((error as { error?: unknown }).error === 'invalid_request') return undefined;
  throw error;
}

/** The signed-in user of a request. The engine has compared the browser's session with it. */
function userOf({ ctx, details }: Waiting): PageSession | undefined {
  const { accountId, acr } = details.session ?? {};
  if (accountId === undefined || acr === undefined) return undefined;
  return { ...ctx.state.visitor, userId: accountId, sessionId: acr };
}

/** Undefined for a device, which has no redirect. */
function redirectOf({ params }: Details): string | undefined {
  return typeof params.redirect_uri === 'string' ? params.redirect_uri : undefined;
}

/** Whether the app still has the address of its request. The engine compares it only when the request begins. */
async function hasRedirect({ provider }: Engine, details: Details): Promise<boolean> {
  const redirectUri = redirectOf(details);
  if (redirectUri === undefined) return true;
  const client = await provider.Client.find(String(details.params.client_id));
  return client?.redirectUriAllowed(redirectUri) === true;
}

/** Whether the response goes to a web site. */
function isWebApp(details: Details): boolean {
  const redirectUri = redirectOf(details);
  return redirectUri !== undefined && isWebRedirect(redirectUri);
}

/** Whether the user has entered the password for this request, which waits for at most 15 minutes. */
function hasJustSignedIn({ lastSubmission, session }: Details): boolean {
  const accountId = lastSubmission?.login?.accountId;
  return accountId !== undefined && accountId === session?.accountId;
}
