import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import Provider from 'oidc-provider';
import { loadedOnce } from '../lib/clock.ts';
import { ownMetadata } from './adapter.ts';
import { changeEngine, type EngineExchange } from './engine-changes.ts';
import {
  configurationOf,
  type EngineContext,
  type EngineOptions,
  type EnginePages,
  prefill,
} from './engine-configuration.ts';

/** The OAuth engine with the keys of this moment. */
export interface Engine {
  readonly provider: Provider;
  /** Signs cookies and forms, and derives the successors of refresh tokens. */
  readonly secret: Uint8Array;
  /** Returns the context after the engine has served a request. Nothing is written to its response. */
  serve(exchange: EngineExchange): Promise<EngineContext>;
}

/** Creates the engine, anew after its signing key has changed: the engine cannot replace keys. */
export function createEngines(options: EngineOptions): () => Promise<Engine> {
  let current: { readonly kid: string; readonly issuer: string; readonly engine: Engine };
  const loadSecret = loadedOnce(() => options.oauth.secret());
  return async () => {
    const { kid } = options.keys.signer();
    const issuer = options.issuer();
    if (current?.kid !== kid || current.issuer !== issuer) {
      current = { kid, issuer, engine: createEngine(options, await loadSecret()) };
    }
    return current.engine;
  };
}

function createEngine(options: EngineOptions, secret: Uint8Array): Engine {
  const issuer = options.issuer();
  const exchanges = new WeakMap<IncomingMessage, EngineExchange>();
  const served = new WeakMap<IncomingMessage, EngineContext>();
  const failures = new WeakMap<EngineContext, string>();
  const running = () => {
    const ctx = Provider.ctx;
    return ctx && exchanges.get(ctx.req);
  };
  const provider = new QueryProvider(issuer, configurationOf(options, { secret, running }));
  provider.on('server_error', (_ctx, error) => options.onFailure(error));
  provider.on('authorization.error', (ctx, { error }) => failures.set(ctx, error));
  // Without a listener, Koa prints what escapes the engine's own handlers.
  (provider as EventEmitter).on('error', options.onFailure);
  changeEngine(provider, { oauth: options.oauth, secret, running });
  const { protocol, host, pathname } = new URL(issuer);

  provider.use(async (ctx, next) => {
    // Responses have addresses of the issuer. The Host of a request is not trusted.
    Object.defineProperties(ctx.request, {
      protocol: { value: protocol.slice(0, -1) },
      host: { value: host },
    });
    ctx.mountPath = pathname.replace(/\/$/, '');
    ctx.respond = false;
    prefill(ctx);
    served.set(ctx.req, ctx as EngineContext);
    await next();
    refuseOtherAccount(ctx as EngineContext, options.pages);
    refuseUnseenRedirect(ctx as EngineContext, failures.get(ctx as EngineContext), options.pages);
  });
  const handle = provider.callback();

  return {
    provider,
    secret,
    async serve(exchange) {
      const { req, res } = exchange;
      exchanges.set(req, exchange);
      await handle(req, res);
      const ctx = served.get(req);
      if (!ctx) throw new Error('the engine did not serve the request');
      return ctx;
    },
  };
}

/** Responses are queries of redirects alone. The form that the engine can send needs a script. */
class QueryProvider extends Provider {
  override registerResponseMode(...mode: Parameters<Provider['registerResponseMode']>): void {
    if (mode[0] !== 'form_post') super.registerResponseMode(...mode);
  }
}

/**
 * Replaces the page with which the engine would end the sign-in of another account by a script. It asks for that when
 * another tab has signed in meanwhile.
 */
function refuseOtherAccount(ctx: EngineContext, pages: EnginePages): void {
  const { postLogoutRedirectUri } = (ctx.oidc?.session?.state ?? {}) as Record<string, unknown>;
  if (postLogoutRedirectUri === undefined) return;
  ctx.status = 400;
  pages.error(ctx, { error: 'expired' });
}

/**
 * Shows an error in the place of its redirect to an unverified app, while the user has seen no page. Anyone can
 * register an app, and would have a link to their own site that begins with the address of this server (RFC 9700,
 * section 4.11.2).
 */
function refuseUnseenRedirect(
  ctx: EngineContext,
  error: string | undefined,
  pages: EnginePages,
): void {
  const isRedirect = ctx.status >= 300 && ctx.status < 400;
  if (error === undefined || !isRedirect || ctx.oidc.route !== 'authorization') return;
  if (ctx.oidc.client?.[ownMetadata.verified] === true) return;
  ctx.remove('Location');
  ctx.status = 400;
  pages.error(ctx, { error });
}
