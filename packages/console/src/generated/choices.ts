// Generated from openapi/ by `npm run generate`. Do not edit.

/** Every scope of the service, in the order of its interface. */
export const scopes = [
  'vaults:read',
  'vaults:write',
  'documents:read',
  'documents:write',
  'documents:share',
  'instances:read',
  'instances:write',
  'users:read',
  'users:write',
  'webhooks:read',
  'webhooks:write',
  'consents:read',
  'consents:write',
  'admin:*',
] as const;

/** Every type of event, in the order of the interface. */
export const eventTypes = [
  'vault.created',
  'vault.updated',
  'vault.deleted',
  'vault.quota.warning',
  'vault.quota.exceeded',
  'document.uploaded',
  'document.updated',
  'document.deleted',
  'document.shared',
  'document.share.accessed',
  'document.share.expired',
  'consent.granted',
  'consent.revoked',
  'consent.expired',
  'consent.renewed',
  'user.created',
  'user.updated',
  'user.deleted',
  'user.login',
  'instance.health.degraded',
  'instance.health.recovered',
  'instance.quota.warning',
] as const;

/** Every tier. */
export const tiers = [
  'free',
  'paid',
  'enterprise',
] as const;

/** Every status of a delivery. */
export const deliveryStatuses = [
  'pending',
  'retrying',
  'succeeded',
  'failed',
] as const;
