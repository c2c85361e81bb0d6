import type { Clock } from '../../clock.ts';
import { ServiceError } from '../../errors.ts';
import type { Ids } from '../../ids.ts';
import type { ConsentRecord } from '../../store/repositories/consents.ts';
import type { OAuthClientRecord } from '../../store/repositories/oauth-clients.ts';
import type { OAuthGrantHolder } from '../../store/repositories/oauth-grants.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { grantableScopes, sessionEnded } from '../access.ts';
import { insertConsent } from '../accounts/consents.ts';
import type { Visitor } from '../actor.ts';
import type { AccountLimits } from '../limits/account-limits.ts';
import type { Emit, UnitOfWork } from '../unit-of-work.ts';
import { isLiveGrant } from './live-access.ts';
import { inForce } from './tokens.ts';

const day = 24 * 60 * 60 * 1000;

/** How long a user's approval of an app lasts, in milliseconds. */
export const consentLifetime = 365 * day;

/** How long a grant lasts after its last use, in milliseconds: the lifetime of refresh tokens. */
export const grantLifetime = 30 * day;

/** A signed-in user in a browser. */
export interface SignedIn extends Visitor {
  readonly userId: string;
  readonly sessionId: string;
}

export interface Approval {
  readonly clientId: string;
  readonly scopes: readonly string[];
}

export interface GrantsOptions {
  readonly store: Store;
  readonly work: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly accountLimits: AccountLimits;
}

export type Grants = ReturnType<typeof createGrants>;

/** The access that users gave to apps. A grant exists under a consent and ends with it. */
export function createGrants({ store, work, clock, ids, accountLimits }: GrantsOptions) {
  /** Returns a grant that is in force. */
  async function find(id: string): Promise<OAuthGrantHolder | undefined> {
    const holder = await store.oauthGrants.findHolder(id);
    const isLive = holder?.status === 'active' && isLiveGrant(holder, clock.now());
    return isLive ? holder : undefined;
  }

  /** Returns the scopes that this user can give to this client. */
  async function grantable(
    userId: string,
    client: Pick<OAuthClientRecord, 'scopes'>,
    requested: readonly string[],
  ): Promise<readonly string[]> {
    const user = await store.users.find(userId);
    return user ? inForce(requested, client.scopes, [...grantableScopes[user.role]]) : [];
  }

  /** Whether the user has agreed to these scopes before, so that the app needs no further consent. */
  async function isApproved(userId: string, approval: Approval): Promise<boolean> {
    return (await consentFor(store, userId, approval)) !== undefined;
  }

  async function consentFor(
    repositories: Repositories,
    userId: string,
    { clientId, scopes }: Approval,
  ): Promise<ConsentRecord | undefined> {
    const consents = await repositories.consents.liveOfClient({
      userId,
      clientId,
      now: clock.now(),
    });
    return consents.find((consent) => scopes.every((scope) => consent.scopes?.includes(scope)));
  }

  /**
   * Gives an app access: inserts the grant, and the consent unless one in force covers the scopes.
   *
   * @returns the id of the grant
   * @throws ServiceError INVALID_TOKEN when the sign-in has ended; VALIDATION_ERROR when the account is full
   */
  function approve(user: SignedIn, approval: Approval): Promise<string> {
    return work(user, async (tx, emit) => {
      const now = clock.now();
      const client = await tx.oauthClients.find(approval.clientId);
      if (!client || client.disabled) throw new ServiceError('NOT_FOUND');
      const consent =
        (await consentFor(tx, user.userId, approval)) ??
        (await insertNewConsent(tx, emit, { user, approval, client }));
      const id = ids.resource();
      await tx.oauthGrants.insert({
        id,
        clientId: client.id,
        userId: user.userId,
        consentId: consent.id,
        scopes: approval.scopes,
        createdAt: now,
        expiresAt: now + grantLifetime,
        revokedAt: null,
      });
      return id;
    });
  }

  async function insertNewConsent(
    tx: Repositories,
    emit: Emit,
    { user, approval, client }: { user: SignedIn; approval: Approval; client: OAuthClientRecord },
  ): Promise<ConsentRecord> {
    const now = clock.now();
    const account = await tx.users.find(user.userId);
    if (!account) throw sessionEnded();
    const consent: ConsentRecord = {
      id: ids.resource(),
      userId: user.userId,
      purpose: 'Access by an app',
      description: null,
      grantedTo: client.name,
      scopes: approval.scopes,
      status: 'granted',
      grantedAt: now,
      expiresAt: now + consentLifetime,
      revokedAt: null,
      revocationReason: null,
      metadata: null,
      clientId: client.id,
      createdAt: now,
      updatedAt: now,
    };
    const owner = { userId: user.userId, instanceId: account.instanceId };
    await insertConsent({ tx, emit, accountLimits }, consent, owner);
    return consent;
  }

  /** Ends a grant with all its tokens. */
  async function revoke(id: string): Promise<void> {
    await store.transaction((tx) => tx.oauthGrants.revoke(id, clock.now()));
  }

  return { find, grantable, isApproved, approve, revoke };
}
