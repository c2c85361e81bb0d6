import { sessionEnded } from '../../generated/rules/credentials.ts';
import { ServiceError } from '../../generated/rules/errors.ts';
import type { ConsentRecord } from '../../store/rows/accounts/consents.ts';
import type { OAuthClientRecord } from '../../store/rows/oauth/clients.ts';
import type { OAuthGrantHolder } from '../../store/rows/oauth/grants.ts';
import type { Repositories } from '../../store/store.ts';
import { grantableScopes } from '../access.ts';
import { insertConsent, prolongConsent } from '../accounts/consents.ts';
import type { Visitor } from '../actor.ts';
import type { Scope } from '../shapes.ts';
import type { Emit, ServiceOptions } from '../unit-of-work.ts';
import { inForce, isLiveGrant } from './live-access.ts';

const day = 24 * 60 * 60 * 1000;

/** How long a user's approval of an app lasts, in milliseconds. */
export const consentLifetime = 365 * day;

/** How long a grant lasts after its last use, in milliseconds: the lifetime of refresh tokens. */
export const grantLifetime = 30 * day;

/** A signed-in user in a browser. */
export interface PageSession extends Visitor {
  readonly userId: string;
  readonly sessionId: string;
}

export interface Approval {
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** An approval, and whether its user has seen a page. */
export interface Decision extends Approval {
  /** The `identityChangedAt` of the app that the page described; null when the user was not asked. */
  readonly identity: number | null;
}

/** A user and the app that asks for access. */
interface UserAndApp {
  readonly userId: string;
  readonly client: OAuthClientRecord;
}

export type Grants = ReturnType<typeof createGrants>;

/** The access that users gave to apps. A grant exists under a consent and ends with it. */
export function createGrants({ store, work, clock, ids, accountLimits }: ServiceOptions) {
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
  ): Promise<readonly Scope[]> {
    const user = await store.users.find(userId);
    if (!user) return [];
    const ofRole: ReadonlySet<string> = grantableScopes[user.role];
    return inForce(requested, client.scopes).filter((scope): scope is Scope => ofRole.has(scope));
  }

  /** Whether the user's last decision about the app covers these scopes, so that the app needs no further consent. */
  async function isApproved(userId: string, approval: Approval): Promise<boolean> {
    const client = await store.oauthClients.findUsable(approval.clientId);
    return (
      client !== undefined &&
      (await coveringConsent(store, { userId, client, approval })) !== undefined
    );
  }

  /**
   * Returns the consent of the user's last decision about the app. None when the app has another name or address by
   * now, or when several were made in the same millisecond.
   */
  async function lastConsent(
    repositories: Repositories,
    { userId, client }: UserAndApp,
  ): Promise<ConsentRecord | undefined> {
    const live = { userId, clientId: client.id, now: clock.now() };
    const [last, before] = await repositories.consents.liveOfClient(live);
    if (!last || last.createdAt < client.identityChangedAt) return undefined;
    return before?.createdAt === last.createdAt ? undefined : last;
  }

  /** A decision for fewer scopes than an earlier one counts: the app does not get more than that without a page. */
  async function coveringConsent(
    repositories: Repositories,
    decision: UserAndApp & { readonly approval: Approval },
  ): Promise<ConsentRecord | undefined> {
    const last = await lastConsent(repositories, decision);
    const { scopes } = decision.approval;
    return scopes.every((scope) => last?.scopes?.includes(scope)) ? last : undefined;
  }

  /** Returns the end of a consent that a user gives now, in epoch milliseconds. */
  function endOfApproval(): number {
    return clock.now() + consentLifetime;
  }

  /**
   * Gives an app access: inserts the grant, and the consent unless the last one has the same scopes.
   *
   * @returns the id of the grant
   * @throws ServiceError INVALID_TOKEN when the sign-in has ended; VALIDATION_ERROR when the account is full
   */
  function approve(user: PageSession, { identity, ...approval }: Decision): Promise<string> {
    return work(user, async (tx, emit) => {
      const now = clock.now();
      const client = await tx.oauthClients.findUsable(approval.clientId);
      if (!client) throw new ServiceError('NOT_FOUND');
      const isAsked = identity !== null;
      // The page has shown another name, or other addresses.
      if (isAsked && identity !== client.identityChangedAt) throw new ServiceError('NOT_FOUND');
      const decision = { userId: user.userId, client, approval };
      const consent = isAsked
        ? ((await renewConsent(tx, emit, decision)) ??
          (await insertNewConsent(tx, emit, { user, approval, client })))
        : await coveringConsent(tx, decision);
      // Revoked, or decided anew in another tab, since the page was left out.
      if (!consent) throw new ServiceError('NOT_FOUND');
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

  /**
   * Returns the last consent with a new end, when the user has agreed to the same scopes again. A consent that ends
   * later than the page says stays as it is.
   */
  async function renewConsent(
    tx: Repositories,
    emit: Emit,
    decision: UserAndApp & { readonly approval: Approval },
  ): Promise<ConsentRecord | undefined> {
    const last = await coveringConsent(tx, decision);
    const expiresAt = endOfApproval();
    const isSame = last?.scopes?.length === new Set(decision.approval.scopes).size;
    if (!last || !isSame || last.expiresAt === null || last.expiresAt > expiresAt) return undefined;
    await prolongConsent({ tx, emit }, last, { expiresAt, now: clock.now() });
    return last;
  }

  async function insertNewConsent(
    tx: Repositories,
    emit: Emit,
    {
      user,
      approval,
      client,
    }: { user: PageSession; approval: Approval; client: OAuthClientRecord },
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
      expiresAt: endOfApproval(),
      revokedAt: null,
      revocationReason: null,
      metadata: null,
      clientId: client.id,
      createdAt: now,
      updatedAt: now,
    };
    await insertConsent({ tx, emit, accountLimits }, consent, account.instanceId);
    return consent;
  }

  /** Ends a grant with all its tokens. */
  async function revoke(id: string): Promise<void> {
    await store.transaction((tx) => tx.oauthGrants.revoke(id, clock.now()));
  }

  return { find, grantable, isApproved, endOfApproval, approve, revoke };
}
