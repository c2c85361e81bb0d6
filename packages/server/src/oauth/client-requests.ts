import type { Auth } from '../domain/accounts/auth.ts';
import { ServiceError } from '../generated/rules/errors.ts';
import type { RequestLimiter } from '../http/guards.ts';
import { type Context, pathOf, type Reply } from '../http/request.ts';
import type { PresentedToken } from './adapter.ts';
import type { EngineExchange } from './engine-changes.ts';
import { fieldsOf } from './forms.ts';
import { deviceGrant, paths } from './paths.ts';

/**
 * Serves a request of an app, and counts it. One with valid credentials counts on the app: all of its users have the
 * address of its server. Any other one counts on the address, and before it has an effect. A device that asks in time
 * counts nowhere: waiting would use up the limit of its network.
 *
 * @throws ServiceError RATE_LIMIT_EXCEEDED
 */
export async function serveApp(
  ctx: Context,
  limiter: RequestLimiter,
  serve: (hooks: Pick<EngineExchange, 'admit' | 'onPoll'>) => Promise<Reply>,
): Promise<Reply> {
  const { state } = ctx;
  const fields = fieldsOf(ctx);
  const isPoll = pathOf(ctx.req) === paths.token && fields.get('grant_type') === deviceGrant;
  if (!isPoll && !hasCredentials(ctx, fields)) await limiter.admit(state);

  let excess: unknown;
  const reply = await serve({
    async admit(client) {
      state.client = client;
      if (isPoll || state.rateLimit !== undefined) return true;
      try {
        await limiter.admit(state);
        return true;
      } catch (error) {
        excess = error;
        return false;
      }
    },
    onPoll() {
      state.isExempt = true;
    },
  });
  if (excess !== undefined) throw excess;
  const isCounted = state.rateLimit !== undefined || state.isExempt;
  if (reply.status >= 400 && !isCounted) await limiter.admit(state);
  return reply;
}

/** Whether an app tries to prove who it is. The engine ignores empty fields. */
function hasCredentials({ req }: Context, fields: URLSearchParams): boolean {
  const names = ['client_secret', 'client_assertion'];
  return Boolean(req.headers.authorization) || names.some((name) => fields.get(name));
}

/** Returns the form of a request. */
export const bodyOf = ({ state: { body } }: Context) => (typeof body === 'string' ? body : '');

interface Revocation {
  readonly body: string;
  readonly presented: PresentedToken | undefined;
}

/**
 * Replaces a JWT that is to be revoked by its id, once its signature is verified: the engine knows only tokens that
 * it stores. Any other JWT becomes an unknown token, whose revocation succeeds too (RFC 7009, section 2.2).
 */
export async function readRevocation(ctx: Context, auth: Auth): Promise<Revocation> {
  const fields = fieldsOf(ctx);
  const [token = '', ...others] = fields.getAll('token');
  if (others.length > 0 || !token.includes('.')) return { body: bodyOf(ctx), presented: undefined };
  const presented = await verified(token, auth);
  fields.set('token', presented?.tokenId ?? 'unknown');
  return { body: fields.toString(), presented };
}

async function verified(token: string, auth: Auth): Promise<PresentedToken | undefined> {
  try {
    return await auth.oauthTokens.verify(token);
  } catch (error) {
    if (error instanceof ServiceError && error.status === 401) return undefined;
    throw error;
  }
}
