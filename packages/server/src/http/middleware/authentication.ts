import type { Operation } from '../../contract/contract.ts';
import { hasScope, requireAdministrator } from '../../domain/access.ts';
import { type Auth, refuseSuspended } from '../../domain/accounts/auth.ts';
import type { Actor, Visitor } from '../../domain/actor.ts';
import type { Scope } from '../../domain/shapes.ts';
import { ServiceError } from '../../errors.ts';
import type { Context, Gate } from '../state.ts';
import { limitRate, type RateLimitOptions } from './rate-limit.ts';

/** Which credentials are taken, and whether there may be none. */
type Credentials = Pick<Operation, 'schemes' | 'anonymous'>;

/**
 * Identifies the account that calls. Credentials that are sent are checked, also where none are needed;
 * an API key goes before an access token. Invalid and missing credentials count on the address, and
 * above its limit the error is RATE_LIMIT_EXCEEDED. Valid ones count on their account alone.
 */
export function authenticate(
  operation: Credentials,
  auth: Auth,
  rateLimit: RateLimitOptions,
): Gate {
  const limitAddress = limitRate(rateLimit);
  return async (ctx) => {
    try {
      const actor = await identify(ctx, operation, auth);
      if (actor) ctx.state.actor = actor;
      else if (!operation.anonymous) throw missingAuth(operation);
    } catch (error) {
      if (error instanceof ServiceError) await limitAddress(ctx);
      throw error;
    }
  };
}

function missingAuth({ schemes }: Credentials): ServiceError {
  if (schemes.has('apiKey')) return new ServiceError('MISSING_AUTH');
  return new ServiceError('MISSING_AUTH', {
    message: 'Send an access token in Authorization: Bearer. This operation takes no API key.',
  });
}

async function identify(
  ctx: Context,
  { schemes }: Credentials,
  auth: Auth,
): Promise<(Actor & Visitor) | undefined> {
  const apiKey = ctx.get('x-api-key');
  if (apiKey !== '' && schemes.has('apiKey')) {
    return auth.authenticateKey(ctx.state.visitor, apiKey);
  }
  const authorization = ctx.get('authorization');
  if (authorization !== '' && schemes.has('bearer')) {
    return auth.authenticateToken(ctx.state.visitor, bearerToken(authorization));
  }
  return undefined;
}

function bearerToken(authorization: string): string {
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token === undefined) throw new ServiceError('INVALID_TOKEN');
  return token;
}

export const refuseSuspendedAccounts: Gate = (ctx) => {
  if (ctx.state.actor) refuseSuspended(ctx.state.actor);
};

/** Refuses credentials without a scope that the operation needs. */
export function requireScopes(operation: Operation): Gate {
  return ({ state: { actor } }) => {
    if (!actor) return;
    const scopes = operation.schemes.get(actor.keyId === null ? 'bearer' : 'apiKey') ?? [];
    const missing = scopes.filter((scope) => !hasScope(actor, scope as Scope));
    if (missing.length > 0) {
      throw new ServiceError('INSUFFICIENT_PERMISSIONS', { details: { requiredScopes: missing } });
    }
  };
}

/** Refuses whoever is no administrator, where only they may; the scope of the operation is not enough. */
export function requireRole({ administrators }: Operation): Gate {
  return ({ state: { actor } }) => {
    if (administrators && actor) requireAdministrator(actor);
  };
}
