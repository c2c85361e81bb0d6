// Generated from openapi/ by `npm run generate`. Do not edit.

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

/** Every error code that this version of the interface has. Later ones may be added. */
export const errorCodes = [
  'INVALID_API_KEY',
  'EXPIRED_TOKEN',
  'INVALID_TOKEN',
  'MISSING_AUTH',
  'INSUFFICIENT_PERMISSIONS',
  'ACCOUNT_SUSPENDED',
  'IP_BLOCKED',
  'NOT_FOUND',
  'VALIDATION_ERROR',
  'RANGE_NOT_SATISFIABLE',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_ERROR',
] as const;
