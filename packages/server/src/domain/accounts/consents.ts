import { diffOf } from '../../generated/rules/changes.ts';
import { asOf, moved, transitionEvent } from '../../generated/rules/consents.ts';
import { violation } from '../../generated/rules/errors.ts';
import { requireConsentingOwner } from '../../generated/rules/owners.ts';
import { futureEnd } from '../../generated/rules/periods.ts';
import type { ConsentRecord } from '../../store/rows/accounts/consents.ts';
import type { Repositories } from '../../store/store.ts';
import { type OfAccount, ownerOfRows, refuseApp, requireVisible } from '../access.ts';
import { type Actor, serverItself, type WithCommitHook } from '../actor.ts';
import type { AccountLimits } from '../limits/account-limits.ts';
import { inOrder, type ListQuery, type Page, toPage } from '../pages.ts';
import { optionalTimestamp, type Shape, timestamp } from '../shapes.ts';
import type { Emit, ServiceOptions } from '../unit-of-work.ts';

export type Consent = Shape<'Consent'>;

export type Consents = ReturnType<typeof createConsents>;

/** The fields that a call can change, without derived times. */
const changeable = [
  'status',
  'expiresAt',
  'description',
  'metadata',
] as const satisfies (keyof ConsentRecord)[];

export function createConsents({ store, work, clock, ids, accountLimits }: ServiceOptions) {
  async function list(
    actor: Actor,
    query: ListQuery<'createdAt' | 'updatedAt'> & OfAccount,
  ): Promise<Page<Consent>> {
    const rows = await store.consents.list({
      ...inOrder(query),
      userId: ownerOfRows(actor, query),
    });
    const now = clock.now();
    return toPage(rows, query, (consent) => presentConsent(asOf(consent, now)));
  }

  function create(actor: WithCommitHook<Actor>, input: Shape<'CreateConsent'>): Promise<Consent> {
    const now = clock.now();
    const consent: ConsentRecord = {
      id: ids.resource(),
      userId: actor.userId,
      purpose: input.purpose,
      description: input.description ?? null,
      grantedTo: input.grantedTo,
      scopes: input.scopes ?? null,
      status: 'granted',
      grantedAt: now,
      expiresAt: futureEnd(input.expiresAt, now),
      revokedAt: null,
      revocationReason: null,
      metadata: input.metadata ?? null,
      clientId: null,
      createdAt: now,
      updatedAt: now,
    };
    return work(actor, async (tx, emit) => {
      await insertConsent({ tx, emit, accountLimits }, consent, actor.instanceId);
      return presentConsent(consent);
    });
  }

  function update(
    actor: WithCommitHook<Actor>,
    id: string,
    input: Shape<'UpdateConsent'>,
  ): Promise<Consent> {
    return work(actor, async (tx, emit) => {
      const now = clock.now();
      const found = requireVisible(actor, await tx.consents.find(id), 'consent', { consentId: id });
      const before = asOf(found, now);
      const after = described(moved(before, input, now), input);
      if (!diffOf(before, after, changeable)) return presentConsent(before);
      refuseRenewal(actor, before, after);
      refuseDescription(actor, before, after);
      if (transitionEvent(before, after) === 'consent.renewed') accountLimits.refuseFullDisk();

      // Emits the expiry first if the sweeper has not done so yet.
      if (before.status !== found.status) await endExpired(tx, emit, before);
      const saved = { ...after, updatedAt: now };
      const save = () => tx.consents.save(saved);
      // Revoking must not fail when the account is full, although the reason takes storage.
      const describes = input.description !== undefined || input.metadata !== undefined;
      await (describes ? accountLimits.refuseGrowth(tx, saved.userId, save) : save());
      await emitMove({ tx, emit, before, after: saved });
      if (saved.status === 'revoked') await endAccess(tx, saved, now);
      return presentConsent(saved);
    });
  }

  /**
   * Marks consents past their end as expired and emits an event for each. A step of the sweeper.
   *
   * @param limit maximum number per transaction
   * @returns the number of expired consents; less than `limit` when none are left
   */
  function expire(limit: number): Promise<number> {
    return work(serverItself, async (tx, emit) => {
      const now = clock.now();
      const lapsed = await tx.consents.lapsed(now, limit);
      for (const consent of lapsed) {
        const expired = asOf(consent, now);
        await tx.consents.save(expired);
        await endExpired(tx, emit, expired);
      }
      return lapsed.length;
    });
  }

  return { list, create, update, expire };
}

interface Insertion {
  readonly tx: Repositories;
  readonly emit: Emit;
  readonly accountLimits: AccountLimits;
}

/**
 * Stores a granted consent with its event.
 *
 * @throws ServiceError VALIDATION_ERROR when the account is full
 */
export async function insertConsent(
  { tx, emit, accountLimits }: Insertion,
  consent: ConsentRecord,
  instanceId: string,
): Promise<void> {
  await tx.consents.insert(consent);
  await accountLimits.refuseExcess(tx, consent.userId, 'consents');
  await emit({
    type: 'consent.granted',
    accountId: consent.userId,
    instanceId,
    object: presentConsent(consent),
  });
}

/**
 * An app asks its user again. Prolonging a consent in force is left to its user.
 *
 * @throws ServiceError VALIDATION_ERROR; INSUFFICIENT_PERMISSIONS for another account and for an app
 */
function refuseRenewal(actor: Actor, before: ConsentRecord, after: ConsentRecord): void {
  if (transitionEvent(before, after) !== 'consent.renewed') return;
  requireConsentingOwner(before, actor.userId);
  if (before.clientId === null) return;
  refuseApp(actor);
  if (before.status === 'granted') return;
  throw violation(
    'status',
    'transition',
    'This consent gave an app access and has ended. The app must ask for access again.',
  );
}

/** An app does not describe the access of apps: the user reads it before revoking the consent. */
function refuseDescription(actor: Actor, before: ConsentRecord, after: ConsentRecord): void {
  if (before.clientId !== null && diffOf(before, after, ['description', 'metadata'])) {
    refuseApp(actor);
  }
}

function described(consent: ConsentRecord, input: Shape<'UpdateConsent'>): ConsentRecord {
  const { description, metadata } = input;
  return {
    ...consent,
    ...(description !== undefined && { description }),
    ...(metadata !== undefined && { metadata }),
  };
}

/** Revokes a consent that is stored as granted, with its event. */
export async function revokeConsent(
  { tx, emit }: Pick<Insertion, 'tx' | 'emit'>,
  before: ConsentRecord,
  { reason, now }: { readonly reason: string; readonly now: number },
): Promise<void> {
  const after = { ...moved(before, { status: 'revoked', reason }, now), updatedAt: now };
  await tx.consents.save(after);
  await emitMove({ tx, emit, before, after });
  await endAccess(tx, after, now);
}

/** Gives a consent in force a later end, with its event. Leaves one that has this end. */
export async function prolongConsent(
  { tx, emit }: Pick<Insertion, 'tx' | 'emit'>,
  before: ConsentRecord,
  { expiresAt, now }: { readonly expiresAt: number; readonly now: number },
): Promise<void> {
  if (before.expiresAt === expiresAt) return;
  const after: ConsentRecord = { ...before, grantedAt: now, expiresAt, updatedAt: now };
  await tx.consents.save(after);
  await emitMove({ tx, emit, before, after });
}

/** Ends the grants under a consent that gave an app access. The sweeper ends what was made under them. */
async function endAccess(
  { oauthGrants }: Repositories,
  { id, clientId }: ConsentRecord,
  now: number,
): Promise<void> {
  if (clientId !== null) await oauthGrants.revokeUnder(id, now);
}

interface Move {
  readonly tx: Repositories;
  readonly emit: Emit;
  readonly before: ConsentRecord;
  readonly after: ConsentRecord;
}

/** Emits an event for a revocation or a renewal. Other changes emit nothing. */
async function emitMove({ tx, emit, before, after }: Move): Promise<void> {
  const type = transitionEvent(before, after);
  if (type === undefined) return;
  const account = await accountOfConsent(tx, after);
  if (type === 'consent.revoked') {
    await emit({ type, ...account, object: { id: after.id, reason: after.revocationReason } });
  } else await emit({ type, ...account, object: presentConsent(after) });
}

/** Emits the expiry of a consent, and ends what apps made under it. */
async function endExpired(tx: Repositories, emit: Emit, consent: ConsentRecord): Promise<void> {
  const account = await accountOfConsent(tx, consent);
  await endAccess(tx, consent, consent.expiresAt ?? consent.updatedAt);
  await emit({ type: 'consent.expired', ...account, object: presentConsent(consent) });
}

async function accountOfConsent(tx: Repositories, { id, userId }: ConsentRecord) {
  const user = await tx.users.find(userId);
  if (!user) throw new Error(`consent ${id} has no account`);
  return { accountId: userId, instanceId: user.instanceId };
}

function presentConsent(consent: ConsentRecord): Consent {
  return {
    id: consent.id,
    userId: consent.userId,
    purpose: consent.purpose,
    description: consent.description,
    grantedTo: consent.grantedTo,
    scopes: consent.scopes && [...consent.scopes],
    status: consent.status,
    grantedAt: timestamp(consent.grantedAt),
    expiresAt: optionalTimestamp(consent.expiresAt),
    revokedAt: optionalTimestamp(consent.revokedAt),
    revocationReason: consent.revocationReason,
    metadata: consent.metadata && { ...consent.metadata },
    clientId: consent.clientId,
    createdAt: timestamp(consent.createdAt),
    updatedAt: timestamp(consent.updatedAt),
  };
}
