import type { ApiKey } from '../../generated/types.ts';
import { type Actor, hasScope, sees, visible } from '../actor.ts';
import type { Scope, Shape } from '../contract.ts';
import { Failure, violation } from '../failure.ts';
import type { Handlers } from '../handler.ts';
import { randomApiKey } from '../ids.ts';
import { toPage } from '../listing.ts';
import { type ApiKeyRecord, isPast, timestamp, type World } from '../world.ts';
import { refuseExcess } from './account-limits.ts';

export const apiKeyHandlers = {
  listApiKeys: ({ world, actor, query }) =>
    toPage(
      [...world.tables.apiKeys.values()].filter((key) => sees(actor, key)),
      query,
      presentApiKey,
    ),

  createApiKey({ world, actor, body }) {
    refuseScopes(actor, body.scopes);
    return issueApiKey(world, actor.user.id, body);
  },

  revokeApiKey({ world, actor, path: { keyId } }) {
    visible(actor, world.tables.apiKeys.get(keyId), 'API key', { keyId });
    world.tables.apiKeys.delete(keyId);
  },

  validateApiKey({ world, actor }) {
    const key = world.tables.apiKeys.get(actor.keyId ?? '');
    if (!key) throw new Failure('INVALID_API_KEY');
    const { keyId, name, scopes, expiresAt } = key;
    return { valid: true, keyId, name, scopes, expiresAt };
  },
} satisfies Partial<Handlers>;

/** @throws Failure VALIDATION_ERROR for an end that is not ahead */
export function issueApiKey(
  world: World,
  userId: string,
  { name, scopes, expiresAt = null }: Shape<'CreateApiKey'>,
): Shape<'CreatedApiKey'> {
  if (expiresAt !== null && isPast(expiresAt, world)) {
    throw violation('expiresAt', 'future', 'expiresAt must be in the future.');
  }
  refuseExcess(world, userId, 'keys');
  const key = randomApiKey();
  const record: ApiKeyRecord = {
    keyId: world.ids.prefixed('key'),
    userId,
    key,
    name,
    scopes,
    prefix: key.slice(0, 15),
    createdAt: timestamp(world.now()),
    lastUsedAt: null,
    expiresAt: expiresAt && timestamp(Date.parse(expiresAt)),
  };
  world.tables.apiKeys.set(record.keyId, record);
  return { ...presentApiKey(record), key };
}

/**
 * Checks a key before its creation is replayed.
 *
 * @throws Failure VALIDATION_ERROR when the key was revoked or has expired
 */
export function requireUsableKey(world: World, { keyId }: Pick<ApiKey, 'keyId'>): void {
  const key = world.tables.apiKeys.get(keyId);
  const isExpired = key?.expiresAt != null && isPast(key.expiresAt, world);
  if (key && !isExpired) return;
  const reason = isExpired ? 'has expired' : 'was revoked';
  throw violation(
    'Idempotency-Key',
    'usable',
    `The API key that this Idempotency-Key created ${reason}. Create another one with a new Idempotency-Key.`,
  );
}

function refuseScopes(actor: Actor, scopes: readonly Scope[]): void {
  const index = scopes.findIndex((scope) => !hasScope(actor, scope));
  if (index === -1) return;
  throw violation(
    `scopes.${index}`,
    'grantable',
    `You cannot grant ${scopes[index]}: your own credentials do not have it.`,
  );
}

/** A key as lists show it, without its value. */
function presentApiKey({ key: _, userId: __, ...apiKey }: ApiKeyRecord): ApiKey {
  return apiKey;
}
