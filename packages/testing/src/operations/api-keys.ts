import type { ApiKey } from '@document-vault/sdk';
import type { Actor } from '../actor.ts';
import type { Shape } from '../contract.ts';
import { ServiceError, violation } from '../generated/rules/errors.ts';
import { hasScope, type Scope } from '../generated/rules/scopes.ts';
import type { Handlers } from '../handler.ts';
import { resource } from '../resource.ts';
import { type ApiKeyRecord, isPast, randomSecret, type State, timestamp } from '../state.ts';
import { refuseExcess } from './limits.ts';

const apiKeys = resource({
  name: 'API key',
  idName: 'keyId',
  table: (tables) => tables.apiKeys,
  present: presentApiKey,
});

export const apiKeyHandlers = {
  listApiKeys: apiKeys.list,

  createApiKey({ state, actor, body }) {
    refuseScopes(actor, body.scopes);
    return issueApiKey(state, actor.user.id, body);
  },

  revokeApiKey({ state, actor, path: { keyId } }) {
    state.tables.apiKeys.delete(apiKeys.find(state, actor, keyId).keyId);
  },

  validateApiKey({ state, actor }) {
    const key = state.tables.apiKeys.get(actor.keyId ?? '');
    if (!key) throw new ServiceError('INVALID_API_KEY');
    const { keyId, name, scopes, expiresAt } = key;
    return { valid: true, keyId, name, scopes, expiresAt };
  },
} satisfies Partial<Handlers>;

/** @throws ServiceError VALIDATION_ERROR when the expiry is not in the future */
export function issueApiKey(
  state: State,
  userId: string,
  { name, scopes, expiresAt = null }: Shape<'CreateApiKey'>,
): Shape<'CreatedApiKey'> {
  if (expiresAt !== null && isPast(expiresAt, state)) {
    throw violation('expiresAt', 'future', 'expiresAt must be in the future.');
  }
  refuseExcess(state, userId, 'keys');
  const key = randomSecret('service_sk_');
  const record: ApiKeyRecord = {
    keyId: state.ids.prefixed('key'),
    userId,
    key,
    name,
    scopes,
    prefix: key.slice(0, 15),
    createdAt: timestamp(state.now()),
    lastUsedAt: null,
    expiresAt: expiresAt && timestamp(Date.parse(expiresAt)),
  };
  state.tables.apiKeys.set(record.keyId, record);
  return { ...presentApiKey(record), key };
}

/**
 * Checks a key before its creation is replayed.
 *
 * @throws ServiceError VALIDATION_ERROR when the key was revoked or has expired
 */
export function requireUsableKey(state: State, { keyId }: Pick<ApiKey, 'keyId'>): void {
  const key = state.tables.apiKeys.get(keyId);
  const isExpired = key?.expiresAt != null && isPast(key.expiresAt, state);
  if (key && !isExpired) return;
  const reason = isExpired ? 'has expired' : 'was revoked';
  throw violation(
    'Idempotency-Key',
    'usable',
    `The API key that this Idempotency-Key created ${reason}. Create another one with a new Idempotency-Key.`,
  );
}

/** @throws ServiceError VALIDATION_ERROR for a scope that the actor does not have */
export function refuseScopes(actor: Actor, scopes: readonly Scope[]): void {
  const index = scopes.findIndex((scope) => !hasScope(actor, scope));
  if (index === -1) return;
  throw violation(
    `scopes.${index}`,
    'grantable',
    `You cannot grant ${scopes[index]}: your own credentials do not have it.`,
  );
}

/** A key without its secret. */
function presentApiKey({ key: _, userId: __, ...apiKey }: ApiKeyRecord): ApiKey {
  return apiKey;
}
