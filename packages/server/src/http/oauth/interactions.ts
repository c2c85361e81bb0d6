import type { InteractionResults } from 'oidc-provider';
import type { Auth } from '../../domain/accounts/auth.ts';
import type { NewSession } from '../../domain/accounts/sessions.ts';
import type { Decision, SignedIn } from '../../domain/oauth/grants.ts';
import type { OAuth, UsableClient } from '../../domain/oauth/oauth.ts';
import type { Scope } from '../../domain/shapes.ts';
import { ServiceError } from '../../errors.ts';
import type { Context, Reply } from '../request.ts';
import type { Engine, Exchange } from './engine.ts';
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
  readonly exchange: Exchange;
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
    return agree(waiting, fields);
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
      return await finish(waiting, { login: { accountId: userId, acr } });
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

  /** An app in a browser that the user has agreed to before gets its grant at once. Native apps always ask. */
  async function askOrApprove(waiting: Waiting): Promise<Reply> {
    const { ctx, details, client, requested } = waiting;
    const user = userOf(waiting);
    if (!user) return views.error(ctx, 'expired');
    const scopes = await oauth.grants.grantable(user.userId, client, requested);
    if (scopes.length === 0) return finish(waiting, { error: 'invalid_scope' });
    const wantsPage = String(details.params.prompt ?? '').includes('consent');
    const approval = { clientId: client.id, scopes };
    if (!wantsPage && isWebApp(details) && (await oauth.grants.isApproved(user.userId, approval))) {
      return approve(waiting, user, { scopes, identity: null });
    }
    const owner = await oauth.findUser(client.userId);
    const account = await oauth.findUser(user.userId);
    return views.consent(ctx, {
      ...formOf(waiting),
      clientName: client.name,
      identity: { name: identityField, value: String(client.identityChangedAt) },
      ownerName: owner?.name ?? '',
      isVerified: client.verified,
      scopes: scopes as readonly Scope[],
      endsAt: oauth.grants.endOfApproval(),
      email: account?.email ?? '',
    });
  }

  async function agree(waiting: Waiting, fields: Fields): Promise<Reply> {
    const { ctx, client, requested } = waiting;
    const user = userOf(waiting);
    if (!user) return views.error(ctx, 'expired');
    const grantable = await oauth.grants.grantable(user.userId, client, requested);
    const chosen = fields.getAll('scope');
    const scopes = grantable.filter((scope) => chosen.includes(scope));
    if (scopes.length === 0) return finish(waiting, { error: 'access_denied' });
    return approve(waiting, user, { scopes, identity: Number(fields.get(identityField)) });
  }

  async function approve(
    waiting: Waiting,
    user: SignedIn,
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
function userOf({ ctx, details }: Waiting): SignedIn | undefined {
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

/** Whether the response goes to a web site. Any app on a machine can take the redirects of another one. */
function isWebApp(details: Details): boolean {
  return redirectOf(details)?.startsWith('https:') === true;
}
