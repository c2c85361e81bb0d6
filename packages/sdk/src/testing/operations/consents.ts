import type { Consent } from '../../generated/types.ts';
import { type Actor, sees, visible } from '../actor.ts';
import type { Shape } from '../contract.ts';
import { changesBetween, emit } from '../events.ts';
import type { Handlers } from '../handler.ts';
import { toPage } from '../listing.ts';
import { violation } from '../responses.ts';
import { isPast, type State, timestamp } from '../state.ts';
import { refuseExcess } from './limits.ts';

export const consentHandlers = {
  listConsents: ({ state, actor, query }) =>
    toPage(
      [...state.tables.consents.values()].filter((consent) => sees(actor, consent)),
      query,
      (consent) => asOfNow(state, consent),
    ),

  createConsent({ state, actor, body }) {
    const { ids, tables, now } = state;
    const expiresAt = body.expiresAt == null ? null : futureEnd(state, body.expiresAt);
    refuseExcess(state, actor.user.id, 'consents');
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
    emitConsent(state, actor, { type: 'consent.granted', consent, object: consent });
    return { ...consent };
  },

  updateConsent({ state, actor, path: { id: consentId }, body }) {
    const found = visible(actor, state.tables.consents.get(consentId), 'consent', { consentId });
    const before = asOfNow(state, found);
    const { description = before.description, metadata = before.metadata } = body;
    const after = { ...moved(state, before, body), description, metadata };
    if (!changesBetween(before, after, ['status', 'expiresAt', 'description', 'metadata'])) {
      return before;
    }
    const saved = { ...after, updatedAt: timestamp(state.now()) };
    state.tables.consents.set(consentId, saved);
    emitTransition(state, actor, before, saved);
    return { ...saved };
  },
} satisfies Partial<Handlers>;

interface Telling {
  readonly type: 'consent.granted' | 'consent.revoked' | 'consent.renewed';
  readonly consent: Consent;
  readonly object: object;
}

function emitConsent(state: State, principal: Actor, { type, consent, object }: Telling): void {
  emit(state, { type, userId: consent.userId, principal, data: { object } });
}

/** Emits the event of a revocation or a renewal. */
function emitTransition(state: State, principal: Actor, before: Consent, consent: Consent): void {
  if (consent.status === before.status && consent.expiresAt === before.expiresAt) return;
  if (consent.status === 'revoked') {
    const object = { id: consent.id, reason: consent.revocationReason };
    emitConsent(state, principal, { type: 'consent.revoked', consent, object });
  } else {
    emitConsent(state, principal, { type: 'consent.renewed', consent, object: consent });
  }
}

/** Returns a consent with its current status. */
function asOfNow(state: State, consent: Consent): Consent {
  const { status, expiresAt } = consent;
  const hasLapsed = status === 'granted' && expiresAt !== null && isPast(expiresAt, state);
  return hasLapsed ? { ...consent, status: 'expired' } : { ...consent };
}

/** Returns the consent after the requested transition. */
function moved(state: State, consent: Consent, input: Shape<'UpdateConsent'>): Consent {
  if (input.status === 'revoked') return revoked(state, consent, input.reason ?? null);
  if (input.status === undefined && input.expiresAt === undefined) return consent;
  if (input.expiresAt === undefined && consent.status === 'granted') return consent;
  return {
    ...consent,
    status: 'granted',
    grantedAt: timestamp(state.now()),
    expiresAt:
      input.expiresAt === undefined
        ? sameLength(state, consent)
        : laterEnd(state, consent, input.expiresAt),
    revokedAt: null,
    revocationReason: null,
  };
}

function revoked(state: State, consent: Consent, reason: string | null): Consent {
  if (consent.status === 'revoked') return consent;
  if (consent.status === 'expired') {
    throw violation('status', 'transition', 'This consent has expired and cannot be revoked.');
  }
  const revokedAt = timestamp(state.now());
  return { ...consent, status: 'revoked', revokedAt, revocationReason: reason };
}

/** Keeps an end in the future. Moves one in the past so that the term stays as long as before. */
function sameLength(state: State, { grantedAt, expiresAt }: Consent): string | null {
  if (expiresAt === null || !isPast(expiresAt, state)) return expiresAt;
  return timestamp(state.now() + Date.parse(expiresAt) - Date.parse(grantedAt));
}

function laterEnd(state: State, { status, expiresAt }: Consent, requested: string): string {
  const end = futureEnd(state, requested);
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
      `expiresAt must be later than the consent's current end, ${expiresAt}.`,
    );
  }
  return end;
}

function futureEnd(state: State, requested: string): string {
  if (isPast(requested, state)) {
    throw violation('expiresAt', 'future', 'expiresAt must be in the future.');
  }
  return timestamp(Date.parse(requested));
}
