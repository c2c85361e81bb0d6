import type { AccessTokens } from '../../domain/access-tokens.ts';
import type { ApiKeys } from '../../domain/api-keys.ts';
import type { Auth } from '../../domain/auth.ts';
import type { Users } from '../../domain/users.ts';
import type { Handlers } from '../handlers.ts';

export interface AuthServices {
  readonly auth: Auth;
  readonly users: Users;
  readonly apiKeys: ApiKeys;
  readonly accessTokens: AccessTokens;
}

export function authOperations({ auth, users, apiKeys, accessTokens }: AuthServices) {
  return {
    register: ({ visitor, body }) => users.register(visitor, body),
    login: ({ visitor, body }) => auth.login(visitor, body),
    refresh: ({ body }) => auth.refresh(body),
    logout: ({ body }) => auth.logout(body),
    validateApiKey: ({ actor }) => apiKeys.validate(actor),
    getJwks: () => accessTokens.publicKeys(),
  } satisfies Partial<Handlers>;
}
