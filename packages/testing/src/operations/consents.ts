import type { Consent } from '@document-vault/sdk';
import { emit } from '../events.ts';
import { diffOf } from '../generated/rules/changes.ts';
import { asOf, moved, transitionEvent } from '../generated/rules/consents.ts';
import { requireConsentingOwner } from '../generated/rules/owners.ts';
import { futureEnd } from '../generated/rules/periods.ts';
import type { Handlers } from '../handler.ts';
import { resource } from '../resource.ts';
import { type ConsentRecord, optionalTimestamp, timestamp } from '../state.ts';
import { refuseExcess } from './limits.ts';

const consents = resource({
  name: 'consent',
  table: (tables) => tables.consents,
  present: (consent, { state }) => presentConsent(asOf(consent, state.now())),
});

export const consentHandlers = {
  listConsents: consents.list,

  createConsent({ state, actor, body }) {
    const now = state.now();
    const expiresAt = futureEnd(body.expiresAt, now);
    refuseExcess(state, actor.user.id, 'consents');
    const consent: ConsentRecord = {
      id: state.ids.resource(),
      userId: actor.user.id,
      purpose: body.purpose,
      description: body.description ?? null,
      grantedTo: body.grantedTo,
      scopes: body.scopes ?? null,
      status: 'granted',
      grantedAt: now,
      expiresAt,
      revokedAt: null,
      revocationReason: null,
      metadata: body.metadata ?? null,
      clientId: null,
      createdAt: now,
      updatedAt: now,
    };
    state.tables.consents.set(consent.id, consent);
    const { userId } = consent;
    const object = presentConsent(consent);
    emit(state, { type: 'consent.granted', userId, principal: actor, object });
    return object;
  },

  updateConsent({ state, actor, path: { id: consentId }, body }) {
    const now = state.now();
    const before = asOf(consents.find(state, actor, consentId), now);
    const { description = before.description, metadata = before.metadata } = body;
    const after = { ...moved(before, body, now), description, metadata };
    if (!diffOf(before, after, ['status', 'expiresAt', 'description', 'metadata'])) {
      return presentConsent(before);
    }
    const type = transitionEvent(before, after);
    if (type === 'consent.renewed') requireConsentingOwner(before, actor.user.id);
    const saved = { ...after, updatedAt: now };
    state.tables.consents.set(consentId, saved);
    const { userId } = saved;
    const presented = presentConsent(saved);
    if (type !== undefined) {
      const revocation = { id: consentId, reason: saved.revocationReason };
      const object = type === 'consent.revoked' ? revocation : presented;
      emit(state, { type, userId, principal: actor, object });
    }
    return presented;
  },
} satisfies Partial<Handlers>;

function presentConsent(consent: ConsentRecord): Consent {
  return {
    ...consent,
    grantedAt: timestamp(consent.grantedAt),
    expiresAt: optionalTimestamp(consent.expiresAt),
    revokedAt: optionalTimestamp(consent.revokedAt),
    createdAt: timestamp(consent.createdAt),
    updatedAt: timestamp(consent.updatedAt),
  };
}
