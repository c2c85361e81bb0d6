import type { Clock } from '../../clock.ts';
import { violation } from '../../errors.ts';
import type { Ids } from '../../ids.ts';
import type { ConsentRecord } from '../../store/repositories/consents.ts';
import type { Repositories, Store } from '../../store/store.ts';
import { visible, visibleOwner } from '../access.ts';
import { type Actor, serverOrigin, type WithCommitHook } from '../actor.ts';
import { diffOf } from '../events.ts';
import type { AccountLimits } from '../limits/account-limits.ts';
import { inOrder, type ListQuery, type Page, toPage } from '../pages.ts';
import { optionalTimestamp, type Shape, timestamp } from '../shapes.ts';
import type { Emit, UnitOfWork } from '../unit-of-work.ts';

export type Consent = Shape<'Consent'>;

export interface ConsentsOptions {
  readonly store: Store;
  readonly work: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly accountLimits: AccountLimits;
}

export type Consents = ReturnType<typeof createConsents>;

/** The fields that a call can change, without derived times. */
const changeable = [
  'status',
  'expiresAt',
  'description',
  'metadata',
] as const satisfies (keyof ConsentRecord)[];

export function createConsents({ store, work, clock, ids, accountLimits }: ConsentsOptions) {
  async function list(
    actor: Actor,
    query: ListQuery<'createdAt' | 'updatedAt'>,
  ): Promise<Page<Consent>> {
    const rows = await store.consents.list({ ...inOrder(query), userId: visibleOwner(actor) });
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
      createdAt: now,
      updatedAt: now,
    };
    return work(actor, async (tx, emit) => {
      await tx.consents.insert(consent);
      await accountLimits.refuseExcess(tx, consent.userId, 'consents');
      const object = presentConsent(consent);
      await emit({ type: 'consent.granted', owner: actor, object });
      return object;
    });
  }

  function update(
    actor: WithCommitHook<Actor>,
    id: string,
    input: Shape<'UpdateConsent'>,
  ): Promise<Consent> {
    return work(actor, async (tx, emit) => {
      const now = clock.now();
      const found = visible(actor, await tx.consents.find(id), 'consent', { consentId: id });
      const before = asOf(found, now);
      const after = described(moved(before, input, now), input);
      if (!diffOf(before, after, changeable)) return presentConsent(before);

      // Emits the expiry first if the sweeper has not done so yet.
      if (before.status !== found.status) await emitExpiry(tx, emit, before);
      const saved = { ...after, updatedAt: now };
      const save = () => tx.consents.save(saved);
      // Revoking must not fail when the account is full, although the reason takes storage.
      const describes = input.description !== undefined || input.metadata !== undefined;
      await (describes ? accountLimits.refuseGrowth(tx, saved.userId, save) : save());
      await emitMove({ tx, emit, before, after: saved });
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
    return work(serverOrigin, async (tx, emit) => {
      const now = clock.now();
      const lapsed = await tx.consents.lapsed(now, limit);
      for (const consent of lapsed) {
        const expired = asOf(consent, now);
        await tx.consents.save(expired);
        await emitExpiry(tx, emit, expired);
      }
      return lapsed.length;
    });
  }

  return { list, create, update, expire };
}

/** Returns the consent after the requested transition. */
function moved(consent: ConsentRecord, input: Shape<'UpdateConsent'>, now: number): ConsentRecord {
  if (input.status === 'revoked') return revoked(consent, input.reason ?? null, now);
  if (input.status === undefined && input.expiresAt === undefined) return consent;
  const end = input.expiresAt === undefined ? undefined : Date.parse(input.expiresAt);
  return renewed(consent, end, now);
}

function described(consent: ConsentRecord, input: Shape<'UpdateConsent'>): ConsentRecord {
  const { description, metadata } = input;
  return {
    ...consent,
    ...(description !== undefined && { description }),
    ...(metadata !== undefined && { metadata }),
  };
}

interface Move {
  readonly tx: Repositories;
  readonly emit: Emit;
  readonly before: ConsentRecord;
  readonly after: ConsentRecord;
}

/** Emits an event for a revocation or a renewal. Other changes emit nothing. */
async function emitMove({ tx, emit, before, after }: Move): Promise<void> {
  if (after.status === before.status && after.expiresAt === before.expiresAt) return;
  const owner = await ownerOf(tx, after);
  if (after.status === 'revoked') {
    const object = { id: after.id, reason: after.revocationReason };
    await emit({ type: 'consent.revoked', owner, object });
  } else {
    const object = presentConsent(after);
    await emit({ type: 'consent.renewed', owner, object });
  }
}

async function emitExpiry(tx: Repositories, emit: Emit, consent: ConsentRecord): Promise<void> {
  const owner = await ownerOf(tx, consent);
  await emit({ type: 'consent.expired', owner, object: presentConsent(consent) });
}

async function ownerOf(tx: Repositories, { id, userId }: ConsentRecord) {
  const user = await tx.users.find(userId);
  if (!user) throw new Error(`consent ${id} has no account`);
  return { userId, instanceId: user.instanceId };
}

function futureEnd(expiresAt: string | null | undefined, now: number): number | null {
  if (expiresAt === null || expiresAt === undefined) return null;
  const moment = Date.parse(expiresAt);
  if (moment <= now) throw violation('expiresAt', 'future', 'expiresAt must be in the future.');
  return moment;
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
    createdAt: timestamp(consent.createdAt),
    updatedAt: timestamp(consent.updatedAt),
  };
}

// State transitions of a consent: pure functions from the current consent to the next.

/** Returns the consent at `now`: past its end it is expired, even if that is not stored yet. */
export function asOf(consent: ConsentRecord, now: number): ConsentRecord {
  const { status, expiresAt } = consent;
  const hasLapsed = status === 'granted' && expiresAt !== null && expiresAt <= now;
  return hasLapsed ? { ...consent, status: 'expired' } : consent;
}

/**
 * Revokes a granted consent. A revoked consent stays unchanged.
 *
 * @throws ServiceError VALIDATION_ERROR when it has expired
 */
export function revoked(consent: ConsentRecord, reason: string | null, now: number): ConsentRecord {
  if (consent.status === 'revoked') return consent;
  if (consent.status === 'expired') {
    throw violation('status', 'transition', 'This consent has expired and cannot be revoked.');
  }
  return { ...consent, status: 'revoked', revokedAt: now, revocationReason: reason };
}

/**
 * Grants a consent again, from now until a later end.
 *
 * @param end undefined: keeps a future end, or extends a past one by the previous duration; a granted
 *   consent stays unchanged
 * @throws ServiceError VALIDATION_ERROR when the end is in the past or not later than the current end
 */
export function renewed(
  consent: ConsentRecord,
  end: number | undefined,
  now: number,
): ConsentRecord {
  if (end === undefined && consent.status === 'granted') return consent;
  return {
    ...consent,
    status: 'granted',
    grantedAt: now,
    expiresAt: end === undefined ? sameLength(consent, now) : laterEnd(consent, end, now),
    revokedAt: null,
    revocationReason: null,
  };
}

function sameLength({ grantedAt, expiresAt }: ConsentRecord, now: number): number | null {
  if (expiresAt === null || expiresAt > now) return expiresAt;
  return now + (expiresAt - grantedAt);
}

function laterEnd({ status, expiresAt }: ConsentRecord, end: number, now: number): number {
  if (end <= now) throw violation('expiresAt', 'future', 'expiresAt must be in the future.');
  if (status === 'granted' && expiresAt === null) {
    throw violation(
      'expiresAt',
      'future',
      'This consent does not expire. To set an end, revoke it, then renew it with expiresAt.',
    );
  }
  if (expiresAt !== null && end <= expiresAt) {
    throw violation(
      'expiresAt',
      'future',
      `expiresAt must be later than the consent's current end, ${timestamp(expiresAt)}.`,
    );
  }
  return end;
}
