import type { AccessTokens } from '../../domain/accounts/access-tokens.ts';
import type { ApiKeys } from '../../domain/accounts/api-keys.ts';
import type { Auth } from '../../domain/accounts/auth.ts';
import type { Sessions } from '../../domain/accounts/sessions.ts';
import type { Users } from '../../domain/accounts/users.ts';
import type { Handlers } from '../handlers.ts';

export interface AuthServices {
  readonly auth: Auth;
  readonly users: Users;
  readonly sessions: Sessions;
  readonly apiKeys: ApiKeys;
  readonly accessTokens: AccessTokens;
}

export function authOperations({ auth, users, sessions, apiKeys, accessTokens }: AuthServices) {
  return {
    register: ({ visitor, body }) => users.register(visitor, body),
    login: ({ visitor, body }) => auth.login(visitor, body),
    refresh: ({ visitor, body }) => auth.refresh(visitor, body),
    logout: ({ body }) => auth.logout(body),
    listSessions: ({ actor, query }) => sessions.list(actor, query),
    endSession: ({ actor, path }) => sessions.end(actor, path.id),
    endOtherSessions: ({ actor }) => sessions.endOthers(actor),
    validateApiKey: ({ actor }) => apiKeys.validate(actor),
    getJwks: () => accessTokens.publicKeys(),
  } satisfies Partial<Handlers>;
}
