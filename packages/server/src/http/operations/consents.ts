import type { Consents } from '../../domain/accounts/consents.ts';
import type { Handlers } from '../handlers.ts';

export function consentOperations(consents: Consents) {
  return {
    listConsents: ({ actor, query }) => consents.list(actor, query),
    createConsent: ({ actor, body }) => consents.create(actor, body),
    updateConsent: ({ actor, path, body }) => consents.update(actor, path.id, body),
  } satisfies Partial<Handlers>;
}
