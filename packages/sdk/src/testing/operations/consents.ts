import type { Consent } from '../../generated/types.ts';
import { type Actor, sees, visible } from '../actor.ts';
import type { Shape } from '../contract.ts';
import { changesBetween, emit } from '../events.ts';
import { violation } from '../failure.ts';
import type { Handlers } from '../handler.ts';
import { toPage } from '../listing.ts';
import { isPast, timestamp, type World } from '../world.ts';
import { refuseExcess } from './account-limits.ts';

export const consentHandlers = {
  listConsents: ({ world, actor, query }) =>
    toPage(
      [...world.tables.consents.values()].filter((consent) => sees(actor, consent)),
      query,
      (consent) => asOfNow(world, consent),
    ),

  createConsent({ world, actor, body }) {
    const { ids, tables, now } = world;
    const expiresAt = body.expiresAt == null ? null : futureEnd(world, body.expiresAt);
    refuseExcess(world, actor.user.id, 'consents');
    const grantedAt = timestamp(now());
    const consent: Consent = {
      id: ids.resource(),
      userId: actor.user.id,
      purpose: body.purpose,
      description: body.description ?? null,
      grantedTo: body.grantedTo,
      scopes: body.scopes ?? null,
      status: 'granted',
      grantedAt,
      expiresAt,
      revokedAt: null,
      revocationReason: null,
      metadata: body.metadata ?? null,
      createdAt: grantedAt,
      updatedAt: grantedAt,
    };
    tables.consents.set(consent.id, consent);
    tell(world, actor, { type: 'consent.granted', consent, object: consent });
    return { ...consent };
  },

  updateConsent({ world, actor, path: { id: consentId }, body }) {
    const found = visible(actor, world.tables.consents.get(consentId), 'consent', { consentId });
    const before = asOfNow(world, found);
    const { description = before.description, metadata = before.metadata } = body;
    const after = { ...moved(world, before, body), description, metadata };
    if (!changesBetween(before, after, ['status', 'expiresAt', 'description', 'metadata'])) {
      return before;
    }
    const saved = { ...after, updatedAt: timestamp(world.now()) };
    world.tables.consents.set(consentId, saved);
    tellOfMove(world, actor, before, saved);
    return { ...saved };
  },
} satisfies Partial<Handlers>;

interface Telling {
  readonly type: 'consent.granted' | 'consent.revoked' | 'consent.renewed';
  readonly consent: Consent;
  readonly object: object;
}

function tell(world: World, visitor: Actor, { type, consent, object }: Telling): void {
  emit(world, { type, userId: consent.userId, visitor, data: { object } });
}

/** Tells of a revocation or a renewal. */
function tellOfMove(world: World, visitor: Actor, before: Consent, consent: Consent): void {
  if (consent.status === before.status && consent.expiresAt === before.expiresAt) return;
  if (consent.status === 'revoked') {
    const object = { id: consent.id, reason: consent.revocationReason };
    tell(world, visitor, { type: 'consent.revoked', consent, object });
  } else {
    tell(world, visitor, { type: 'consent.renewed', consent, object: consent });
  }
}

/** The consent as it is now: past its end it has expired. */
function asOfNow(world: World, consent: Consent): Consent {
  const { status, expiresAt } = consent;
  const hasLapsed = status === 'granted' && expiresAt !== null && isPast(expiresAt, world);
  return hasLapsed ? { ...consent, status: 'expired' } : { ...consent };
}

/** The consent after the transition that the call asks for. */
function moved(world: World, consent: Consent, input: Shape<'UpdateConsent'>): Consent {
  if (input.status === 'revoked') return revoked(world, consent, input.reason ?? null);
  if (input.status === undefined && input.expiresAt === undefined) return consent;
  if (input.expiresAt === undefined && consent.status === 'granted') return consent;
  return {
    ...consent,
    status: 'granted',
    grantedAt: timestamp(world.now()),
    expiresAt:
      input.expiresAt === undefined
        ? sameLength(world, consent)
        : laterEnd(world, consent, input.expiresAt),
    revokedAt: null,
    revocationReason: null,
  };
}

function revoked(world: World, consent: Consent, reason: string | null): Consent {
  if (consent.status === 'revoked') return consent;
  if (consent.status === 'expired') {
    throw violation('status', 'transition', 'This consent has expired and cannot be revoked.');
  }
  const revokedAt = timestamp(world.now());
  return { ...consent, status: 'revoked', revokedAt, revocationReason: reason };
}

/** An end that is ahead stays; one that has passed is moved by what the consent lasted before. */
function sameLength(world: World, { grantedAt, expiresAt }: Consent): string | null {
  if (expiresAt === null || !isPast(expiresAt, world)) return expiresAt;
  return timestamp(world.now() + Date.parse(expiresAt) - Date.parse(grantedAt));
}

function laterEnd(world: World, { status, expiresAt }: Consent, requested: string): string {
  const end = futureEnd(world, requested);
  if (status === 'granted' && expiresAt === null) {
    throw violation('expiresAt', 'future', 'This consent has no end: no other can be later.');
  }
  if (expiresAt !== null && end <= expiresAt) {
    throw violation('expiresAt', 'future', 'expiresAt must be later than the present one.');
  }
  return end;
}

function futureEnd(world: World, requested: string): string {
  if (isPast(requested, world)) {
    throw violation('expiresAt', 'future', 'expiresAt must be in the future.');
  }
  return timestamp(Date.parse(requested));
}
