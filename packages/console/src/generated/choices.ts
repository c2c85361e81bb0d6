// Generated from openapi/ by `npm run generate`. Do not edit.

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

export const tiers = [
  'free',
  'paid',
  'enterprise',
] as const;

export const deliveryStatuses = [
  'pending',
  'retrying',
  'succeeded',
  'failed',
] as const;
