import type { ApiKeys } from '../../domain/accounts/api-keys.ts';
import type { Handlers } from '../handlers.ts';

export function apiKeyOperations(apiKeys: ApiKeys) {
  return {
    listApiKeys: ({ actor, query }) => apiKeys.list(actor, query),
    createApiKey: ({ actor, body }) => apiKeys.create(actor, body),
    revokeApiKey: ({ actor, path }) => apiKeys.revoke(actor, path.keyId),
  } satisfies Partial<Handlers>;
}
