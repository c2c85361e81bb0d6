import type { ApiKey } from '@document-vault/sdk';
import type { Shape } from '../contract.ts';
import { ServiceError } from '../generated/rules/errors.ts';
import { futureEnd } from '../generated/rules/periods.ts';
import { endedApiKey } from '../generated/rules/replays.ts';
import { requireGrantable } from '../generated/rules/scopes.ts';
import type { Handlers } from '../handler.ts';
import { resource } from '../resource.ts';
import {
  type ApiKeyRecord,
  isPast,
  optionalTimestamp,
  randomSecret,
  type State,
  timestamp,
} from '../state.ts';
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
    requireGrantable(actor, body.scopes);
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
  { name, scopes, expiresAt }: Shape<'CreateApiKey'>,
): Shape<'CreatedApiKey'> {
  const end = futureEnd(expiresAt, state.now());
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
    expiresAt: optionalTimestamp(end),
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
  throw endedApiKey(isExpired);
}

/** A key without its secret. */
function presentApiKey({ key: _, userId: __, ...apiKey }: ApiKeyRecord): ApiKey {
  return apiKey;
}
