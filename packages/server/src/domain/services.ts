import type { AccessTokens } from './accounts/access-tokens.ts';
import type { Accounts } from './accounts/accounts.ts';
import type { ApiKeys } from './accounts/api-keys.ts';
import type { Auth } from './accounts/auth.ts';
import type { Consents } from './accounts/consents.ts';
import type { CurrentUser } from './accounts/current-user.ts';
import type { Sessions } from './accounts/sessions.ts';
import type { Users } from './accounts/users.ts';
import type { DocumentContents } from './documents/content.ts';
import type { Documents } from './documents/documents.ts';
import type { Shares } from './documents/shares.ts';
import type { Uploads } from './documents/uploads.ts';
import type { Vaults } from './documents/vaults.ts';
import type { Health } from './instances/health.ts';
import type { History } from './instances/history.ts';
import type { Instances, Statistics } from './instances/instances.ts';
import type { OAuth } from './oauth/oauth.ts';
import type { OAuthClients } from './oauth/oauth-clients.ts';
import type { Deliveries } from './webhooks/deliveries.ts';
import type { EventLog } from './webhooks/event-log.ts';
import type { Webhooks } from './webhooks/webhooks.ts';

/** The domain as the front doors use it. */
export interface Services {
  readonly auth: Auth;
  readonly users: Users;
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly apiKeys: ApiKeys;
  readonly oauthClients: OAuthClients;
  readonly accessTokens: AccessTokens;
  readonly currentUser: CurrentUser;
  readonly vaults: Vaults;
  readonly documents: Documents;
  readonly documentContents: DocumentContents;
  readonly uploads: Uploads;
  readonly shares: Shares;
  readonly consents: Consents;
  readonly oauth: OAuth;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly eventLog: EventLog;
  readonly instances: Instances;
  readonly statistics: Statistics;
  readonly history: History;
  readonly health: Health;
}
