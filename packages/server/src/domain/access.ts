import type { Operation } from '../contract/contract.ts';
import { sessionEnded } from '../generated/rules/credentials.ts';
import { notFound, ServiceError, violation } from '../generated/rules/errors.ts';
import { hasScope, missingScopes, requireAdministrator } from '../generated/rules/scopes.ts';
import type { ApiKeyHolder } from '../store/rows/accounts/api-keys.ts';
import type { SessionHolder } from '../store/rows/accounts/sessions.ts';
import type { Repositories } from '../store/store.ts';
import type { Actor, Sender } from './actor.ts';
import { type AccessState, requireLiveAccess } from './oauth/live-access.ts';
import type { Scope } from './shapes.ts';

export {
  grantableScopes,
  hasScope,
  readScopeOf,
  requireAdministrator,
  requireReadScope,
  userScopes,
} from '../generated/rules/scopes.ts';

/** The choice of a list: `all` accounts, or the id of one. Default: the caller's. */
export interface OfAccount {
  readonly account?: string | undefined;
}

/**
 * Returns the account whose rows a list contains; null for all accounts.
 *
 * @throws ServiceError INSUFFICIENT_PERMISSIONS for rows of others without `admin:*`
 */
export function ownerOfRows(actor: Actor, { account }: OfAccount): string | null {
  const chosen = account ?? actor.userId;
  if (chosen === actor.userId) return actor.userId;
  if (!seesAll(actor)) throw missingScopes(['admin:*']);
  return chosen === 'all' ? null : chosen;
}

/** Whether the actor reaches resources of every account by their ids. */
function seesAll({ scopes }: Actor): boolean {
  return scopes.has('admin:*');
}

/** Whether the actor may read a resource of this account by its id. */
export function isVisible(actor: Actor, { userId }: { readonly userId: string | null }): boolean {
  return userId === actor.userId || seesAll(actor);
}

/** Maximum number of rows of all accounts that a list sorts. It takes about 100 ms. */
const maxSortedRows = 100_000;

/**
 * Rejects an order that no index has over all accounts, when they hold too many rows to sort.
 *
 * @throws ServiceError VALIDATION_ERROR, `sortableRows`
 */
export async function requireSortable(
  owner: string | null,
  { usage }: Pick<Repositories, 'usage'>,
  list: {
    readonly rows: 'vaults' | 'documents';
    readonly sortBy: string;
    readonly indexed: string;
  },
): Promise<void> {
  const { rows, sortBy, indexed } = list;
  if (owner !== null || sortBy === indexed) return;
  const count = (await usage.ofAll())[rows];
  if (count <= maxSortedRows) return;
  const message =
    `All accounts together have ${count} ${rows}. An order by ${sortBy} takes at most ` +
    `${maxSortedRows} of them. Sort by ${indexed}.`;
  throw violation('sortBy', 'sortableRows', message);
}

/**
 * Returns the resource. A resource of another account counts as missing.
 *
 * @throws ServiceError NOT_FOUND
 */
export function requireVisible<Resource extends { readonly userId: string }>(
  actor: Actor,
  resource: Resource | undefined,
  kind: string,
  details: Record<string, string>,
): Resource {
  if (!resource || !isVisible(actor, resource)) throw notFound(kind, details);
  return resource;
}

/** Returns those of the resources that the actor may see. */
export function visibleOf<Resource extends { readonly userId: string }>(
  actor: Actor,
  resources: readonly Resource[],
): Resource[] {
  return resources.filter((resource) => isVisible(actor, resource));
}

/**
 * Rejects credentials without a scope that an operation needs, and apps where it does not take them.
 *
 * @throws ServiceError INSUFFICIENT_PERMISSIONS
 */
export function requireScopes(actor: Actor, { schemes }: Pick<Operation, 'schemes'>): void {
  const { keyId, oauth = null } = actor;
  const token = oauth === null ? 'bearer' : 'oauth2';
  const scopes = schemes.get(keyId === null ? token : 'apiKey');
  if (!scopes) refuseApp(actor);
  const missing = (scopes ?? []).filter((scope) => !hasScope(actor, scope as Scope));
  if (missing.length > 0) throw missingScopes(missing as Scope[]);
}

/**
 * Rejects an app. Its user decides about credentials and the account itself.
 *
 * @throws ServiceError INSUFFICIENT_PERMISSIONS
 */
export function refuseApp({ oauth = null }: Pick<Sender, 'oauth'>): void {
  if (oauth === null) return;
  throw new ServiceError('INSUFFICIENT_PERMISSIONS', {
    message: 'An app cannot do this. Its user can, after signing in to the vault.',
  });
}

/** Returns the only instance that the actor may see; null for all instances. */
export function visibleInstance(actor: Actor): string | null {
  return seesAll(actor) ? null : actor.instanceId;
}

/** The error for credentials that became invalid while their request ran. */
export function invalidCredentials(
  { keyId = null }: Pick<Sender, 'keyId'>,
  cause?: unknown,
): ServiceError {
  return keyId === null ? sessionEnded(cause) : new ServiceError('INVALID_API_KEY', { cause });
}

/** @throws ServiceError ACCOUNT_SUSPENDED */
export function refuseSuspended({ status }: Pick<Actor, 'status'>): void {
  if (status === 'suspended') throw new ServiceError('ACCOUNT_SUSPENDED');
}

/** The current sessions and API keys: the repositories, or caches that end with the next commit. */
export interface CredentialState {
  readonly sessions: { findHolder(id: string): Promise<SessionHolder | undefined> };
  readonly apiKeys: { find(keyId: string): Promise<ApiKeyHolder | undefined> };
  readonly oauthGrants: AccessState;
}

/**
 * Rejects a request whose session, API key or OAuth access became invalid after authentication, whose app lost a
 * scope, or whose account was suspended or lost its role. A client can delay the last byte of a body for a long time.
 *
 * @throws ServiceError INVALID_TOKEN, INVALID_API_KEY, ACCOUNT_SUSPENDED, INSUFFICIENT_PERMISSIONS
 */
export async function requireLiveCredentials(
  { sessions, apiKeys, oauthGrants }: CredentialState,
  sender: Pick<Sender, 'sessionId' | 'keyId' | 'oauth' | 'role'>,
  now: number,
): Promise<void> {
  const { sessionId = null, keyId = null, oauth = null } = sender;
  if (sessionId !== null) {
    const session = await sessions.findHolder(sessionId);
    if (!session || session.endedAt !== null) throw invalidCredentials(sender);
    requireStanding(sender, session);
  } else if (keyId !== null) {
    const key = await apiKeys.find(keyId);
    const isOver = key?.expiresAt != null && key.expiresAt <= now;
    if (!key || key.revokedAt !== null || isOver) throw invalidCredentials(sender);
    requireStanding(sender, key);
  } else if (oauth !== null) {
    requireStanding(sender, await requireLiveAccess(oauthGrants, oauth, now));
  }
}

/** Rejects a request whose account was suspended or lost the role that it was authenticated with. */
function requireStanding(
  { role }: Pick<Sender, 'role'>,
  account: Pick<Actor, 'role' | 'status'>,
): void {
  refuseSuspended(account);
  if (role === 'admin') requireAdministrator(account);
}
