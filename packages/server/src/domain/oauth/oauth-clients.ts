import { diffOf } from '../../generated/rules/changes.ts';
import { ServiceError } from '../../generated/rules/errors.ts';
import {
  type ClientRegistration,
  defaultAuthMethod,
  hasSecret,
  refuseRegistration,
  refuseRotation,
  requireClientOwner,
} from '../../generated/rules/oauth-clients.ts';
import { endedSecret } from '../../generated/rules/replays.ts';
import { requireGrantable } from '../../generated/rules/scopes.ts';
import type { OAuthClientRecord } from '../../store/rows/oauth/clients.ts';
import type { Repositories } from '../../store/store.ts';
import { type OfAccount, ownerOfRows, requireAdministrator, requireVisible } from '../access.ts';
import { revokeConsent } from '../accounts/consents.ts';
import { digest, randomClientSecret } from '../accounts/secrets.ts';
import { type Actor, serverItself, type WithCommitHook } from '../actor.ts';
import { inOrder, type ListQuery, type Page, toPage } from '../pages.ts';
import { optionalTimestamp, type Scope, type Shape, timestamp } from '../shapes.ts';
import type { Emit, ServiceOptions } from '../unit-of-work.ts';

export type OAuthClient = Shape<'OAuthClient'>;

export type OAuthClients = ReturnType<typeof createOAuthClients>;

/** How long a secret is valid after its rotation, in milliseconds. */
const overlap = 24 * 60 * 60 * 1000;

/** Consents that end in the transaction that deletes their client. */
const erasureStep = 100;

/** The fields that an owner can change. */
const changeable = [
  'name',
  'redirectUris',
  'scopes',
  'grantTypes',
  'jwks',
  'requirePar',
  'disabled',
  'verified',
] as const satisfies (keyof OAuthClientRecord)[];

export function createOAuthClients(options: ServiceOptions) {
  const { store, work, clock, ids, accountLimits } = options;

  async function list(
    actor: Actor,
    query: ListQuery<'createdAt' | 'name'> & OfAccount,
  ): Promise<Page<OAuthClient>> {
    const rows = await store.oauthClients.list({
      ...inOrder(query),
      userId: ownerOfRows(actor, query),
    });
    return toPage(rows, query, present);
  }

  async function create(
    actor: WithCommitHook<Actor>,
    input: Shape<'CreateOAuthClient'>,
  ): Promise<Shape<'CreatedOAuthClient'>> {
    requireGrantable(actor, input.scopes);
    const { type, tokenEndpointAuthMethod = defaultAuthMethod(type) } = input;
    const clientSecret = hasSecret(tokenEndpointAuthMethod) ? randomClientSecret() : null;
    const now = clock.now();
    const client: OAuthClientRecord = {
      ...input,
      id: ids.resource(),
      userId: actor.userId,
      verified: false,
      tokenEndpointAuthMethod,
      jwks: input.jwks ?? null,
      disabled: false,
      secretHash: clientSecret === null ? null : digest(clientSecret),
      previousSecretHash: null,
      previousSecretUntil: null,
      locked: false,
      credentialsVersion: 0,
      identityChangedAt: now,
      createdAt: now,
      updatedAt: now,
    };
    refuseRegistration(registrationOf(client));
    return work(actor, async (tx) => {
      await tx.oauthClients.insert(client);
      await accountLimits.refuseExcess(tx, client.userId, 'clients');
      return { ...present(client), clientSecret };
    });
  }

  async function get(actor: Actor, clientId: string): Promise<OAuthClient> {
    return present(await findClient(store, actor, clientId));
  }

  async function update(
    actor: WithCommitHook<Actor>,
    clientId: string,
    input: Shape<'UpdateOAuthClient'>,
  ): Promise<OAuthClient> {
    if (input.verified !== undefined) requireAdministrator(actor);
    if (input.scopes) requireGrantable(actor, input.scopes);
    return work(actor, async (tx) => {
      const before = await findClient(tx, actor, clientId);
      requireClientOwner(before, actor.userId, Object.keys(input));
      const after = changedClient(actor, before, { ...before, ...input, updatedAt: clock.now() });
      refuseRegistration(registrationOf(after));
      if (!diffOf(before, after, changeable)) return present(before);
      await accountLimits.refuseGrowth(tx, after.userId, () => tx.oauthClients.save(after));
      return present(after);
    });
  }

  /** Deletes a client. Its access ends at once; its consents end with an event each, the first ones at once too. */
  function remove(actor: WithCommitHook<Actor>, clientId: string): Promise<void> {
    return work(actor, async (tx, emit) => {
      await findClient(tx, actor, clientId);
      await tx.oauthClients.delete(clientId);
      await endConsents(tx, emit, { clientId, limit: erasureStep });
    });
  }

  /**
   * Ends consents, grants and shares of deleted clients. A step of the sweeper.
   *
   * @param limit maximum number per transaction
   * @returns `limit` when there may be more
   */
  function erase(limit: number): Promise<number> {
    return work(serverItself, async (tx, emit) => {
      const clientId = await tx.oauthClients.firstErasure();
      if (clientId === undefined) return 0;
      if ((await endConsents(tx, emit, { clientId, limit })) >= limit) return limit;
      const grants = { clientId, now: clock.now(), limit };
      if ((await tx.oauthGrants.revokeOfClient(grants)) >= limit) return limit;
      if ((await tx.oauthClients.endShares({ clientId, limit })) >= limit) return limit;
      await tx.oauthClients.endErasure(clientId);
      return limit;
    });
  }

  /** Revokes consents for a deleted client. Returns their number; less than `limit` when none are left. */
  async function endConsents(
    tx: Repositories,
    emit: Emit,
    { clientId, limit }: { readonly clientId: string; readonly limit: number },
  ): Promise<number> {
    const consents = await tx.consents.ofClient(clientId, limit);
    for (const consent of consents) {
      await revokeConsent({ tx, emit }, consent, {
        reason: 'The app was deleted.',
        now: clock.now(),
      });
    }
    return consents.length;
  }

  function rotateSecret(
    actor: WithCommitHook<Actor>,
    clientId: string,
  ): Promise<Shape<'RotatedClientSecret'>> {
    const clientSecret = randomClientSecret();
    return work(actor, async (tx) => {
      const client = await findClient(tx, actor, clientId);
      requireClientOwner(client, actor.userId, ['clientSecret']);
      refuseRotation(client.tokenEndpointAuthMethod);
      const now = clock.now();
      // A password change ends the secrets of an account.
      const previousSecretUntil = client.secretHash === null ? null : now + overlap;
      await tx.oauthClients.save({
        ...client,
        secretHash: digest(clientSecret),
        previousSecretHash: client.secretHash,
        previousSecretUntil,
        updatedAt: now,
      });
      const previousSecretExpiresAt = optionalTimestamp(previousSecretUntil);
      return { clientId, clientSecret, previousSecretExpiresAt };
    });
  }

  /**
   * Checks a secret before its creation is replayed: the stored outcome still holds it.
   *
   * @throws ServiceError VALIDATION_ERROR when the secret is no longer valid
   */
  async function requireUsable(
    created: Pick<Shape<'CreatedOAuthClient'>, 'clientId' | 'clientSecret'>,
  ): Promise<void> {
    const { clientId, clientSecret } = created;
    const client = await store.oauthClients.find(clientId);
    const isUsable =
      client !== undefined &&
      (clientSecret === null || isSecretOf(client, clientSecret, clock.now()));
    if (isUsable) return;
    throw endedSecret('client', client !== undefined);
  }

  function present(client: OAuthClientRecord): OAuthClient {
    return presentClient(client, clock.now());
  }

  return { list, create, get, update, remove, erase, rotateSecret, requireUsable };
}

/**
 * Whether a secret is the client's current one, or the one before it within 24 hours of the rotation.
 *
 * The digests of random secrets can be compared in any time: a guess learns nothing about its preimage.
 */
function isSecretOf(client: OAuthClientRecord, secret: string, now: number): boolean {
  const hash = digest(secret);
  if (client.secretHash !== null && hash.equals(client.secretHash)) return true;
  const { previousSecretHash, previousSecretUntil } = client;
  const isPrevious = previousSecretHash !== null && hash.equals(previousSecretHash);
  return isPrevious && previousSecretUntil !== null && now < previousSecretUntil;
}

/**
 * Returns a client with what follows from a change of it. With a new name or address it is another one for its users:
 * they are asked again, and an administrator must confirm its owner again. With more scopes, an administrator must
 * confirm its owner again.
 *
 * @throws ServiceError INSUFFICIENT_PERMISSIONS when an account enables what an administrator has disabled
 */
function changedClient(
  actor: Actor,
  before: OAuthClientRecord,
  after: OAuthClientRecord,
): OAuthClientRecord {
  const isOther = diffOf(before, after, ['name', 'redirectUris']) !== undefined;
  const hasMore = after.scopes.some((scope) => !before.scopes.includes(scope));
  const isAdministrator = actor.role === 'admin';
  if (before.locked && !after.disabled && !isAdministrator) {
    throw new ServiceError('INSUFFICIENT_PERMISSIONS', {
      message: 'An administrator has disabled this client. Only an administrator can enable it.',
    });
  }
  const isNewlyLocked = isAdministrator && after.disabled && !before.disabled;
  return {
    ...after,
    locked: after.disabled && (before.locked || isNewlyLocked),
    verified: after.verified && (isAdministrator || !(isOther || hasMore)),
    identityChangedAt: isOther ? after.updatedAt : before.identityChangedAt,
  };
}

async function findClient(
  repositories: Repositories,
  actor: Actor,
  clientId: string,
): Promise<OAuthClientRecord> {
  const client = await repositories.oauthClients.find(clientId);
  return requireVisible(actor, client, 'OAuth client', { clientId });
}

/** The columns contain only what the contract admits. */
function registrationOf(client: OAuthClientRecord): ClientRegistration {
  return client as OAuthClientRecord & ClientRegistration;
}

/** A client without the digests of its secrets. */
export function presentClient(client: OAuthClientRecord, now: number): OAuthClient {
  const { id, userId, name, type, verified, disabled, requirePar, previousSecretUntil } = client;
  const isOverlapping = previousSecretUntil !== null && now < previousSecretUntil;
  return {
    clientId: id,
    userId,
    name,
    type,
    verified,
    disabled,
    requirePar,
    tokenEndpointAuthMethod: client.tokenEndpointAuthMethod,
    redirectUris: [...client.redirectUris],
    scopes: client.scopes as Scope[],
    grantTypes: client.grantTypes as OAuthClient['grantTypes'],
    jwks: client.jwks as OAuthClient['jwks'],
    previousSecretExpiresAt: optionalTimestamp(isOverlapping ? previousSecretUntil : null),
    createdAt: timestamp(client.createdAt),
    updatedAt: timestamp(client.updatedAt),
  };
}
