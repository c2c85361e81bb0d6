import type { EventType } from '@document-vault/sdk';

/** Every type of the contract: the compiler refuses a list with one missing. */
const known: Readonly<Record<EventType, true>> = {
  'vault.created': true,
  'vault.updated': true,
  'vault.deleted': true,
  'vault.quota.warning': true,
  'vault.quota.exceeded': true,
  'document.uploaded': true,
  'document.updated': true,
  'document.deleted': true,
  'document.shared': true,
  'document.share.accessed': true,
  'document.share.expired': true,
  'consent.granted': true,
  'consent.revoked': true,
  'consent.expired': true,
  'consent.renewed': true,
  'user.created': true,
  'user.updated': true,
  'user.deleted': true,
  'user.login': true,
  'instance.health.degraded': true,
  'instance.health.recovered': true,
  'instance.quota.warning': true,
};

export const eventTypes = Object.keys(known) as readonly EventType[];

/** The types by what they are about, which is the first part of their name. */
export const eventGroups = (['vault', 'document', 'consent', 'user', 'instance'] as const).map(
  (name) => ({ name, types: eventTypes.filter((type) => type.startsWith(`${name}.`)) }),
);

/** Users can edit the address, from which filters come. */
export function isEventType(text: string | undefined): text is EventType {
  return text !== undefined && Object.hasOwn(known, text);
}
