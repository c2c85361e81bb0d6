import { previousSecretEnd } from '../../generated/rules/periods.ts';
import type { WebhookRecord } from '../../store/rows/webhooks/webhooks.ts';

// The previous secret of a webhook, which signs attempts beside the new one after a rotation.

type PreviousSecret = Pick<WebhookRecord, 'previousSecret' | 'previousSecretExpiresAt'>;

const none: PreviousSecret = { previousSecret: null, previousSecretExpiresAt: null };

/** Returns when the previous secret expires; null when none is in force. */
export function previousSecretExpiry(
  { previousSecretExpiresAt: expiresAt }: WebhookRecord,
  now: number,
): number | null {
  return expiresAt !== null && expiresAt > now ? expiresAt : null;
}

/** Returns the previous secret in force. An expired one stays stored until the webhook changes. */
export function previousSecretOf(webhook: WebhookRecord, now: number): PreviousSecret {
  const previousSecretExpiresAt = previousSecretExpiry(webhook, now);
  if (previousSecretExpiresAt === null) return none;
  return { previousSecret: webhook.previousSecret, previousSecretExpiresAt };
}

/**
 * Returns the previous secret after a change.
 *
 * @param before with the previous secret in force
 * @param requestedEnd `previousSecretExpiresAt` of the request
 * @throws ServiceError VALIDATION_ERROR `previousSecretExpiresAt`, or `secret`
 */
export function rotatedSecret(
  before: WebhookRecord,
  after: WebhookRecord,
  requestedEnd: string | null | undefined,
): PreviousSecret {
  // An app and its user do not sign for each other's receivers.
  if (after.accessId !== before.accessId) return none;
  const replacesSecret = before.secret !== null && after.secret !== before.secret;
  const previousSecretExpiresAt = previousSecretEnd(
    {
      replacesSecret,
      replacesUrl: after.url !== before.url,
      requested: requestedEnd,
      present: before.previousSecretExpiresAt,
    },
    after.updatedAt,
  );
  if (previousSecretExpiresAt === null) return none;
  const previousSecret = replacesSecret ? before.secret : before.previousSecret;
  return { previousSecret, previousSecretExpiresAt };
}
