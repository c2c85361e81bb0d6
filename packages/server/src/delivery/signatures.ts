import { createHmac } from 'node:crypto';
import { signingKeys } from '../generated/rules/webhook-secrets.ts';
import type { QueuedDelivery } from '../store/rows/webhooks/deliveries.ts';

// The signatures of an attempt. The receiver needs one of them.

/** What the headers of Standard Webhooks sign. */
export interface SignedMessage {
  readonly eventId: string;
  /** When the attempt started, in epoch milliseconds. */
  readonly startedAt: number;
  readonly body: Buffer;
}

/**
 * Returns the secrets in force, the new one first. The service signature has one of them: the new one in attempts 1, 3
 * and 5, the previous one in attempts 2, 4 and 6. A receiver that knows either verifies every second attempt, and
 * nothing has to be remembered.
 */
export function secretsOf(delivery: QueuedDelivery, now: number) {
  const { secret, previousSecretExpiresAt, attemptNumber } = delivery;
  const hasPrevious = previousSecretExpiresAt !== null && previousSecretExpiresAt > now;
  const previous = hasPrevious ? delivery.previousSecret : null;
  if (previous === null) return { all: [secret], ofAttempt: secret };
  // `attemptNumber` counts the earlier attempts.
  return { all: [secret, previous], ofAttempt: attemptNumber % 2 === 0 ? secret : previous };
}

/** Returns the value of `X-Service-Signature`. Its key is the UTF-8 bytes of the secret. */
export function serviceSignature(body: Buffer, secret: string): string {
  return `hmac_sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/**
 * Returns the headers of Standard Webhooks. The signature header has a value for each key of each secret, so that a
 * receiver may read its secret in either way.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function standardHeaders(
  { eventId, startedAt, body }: SignedMessage,
  secrets: readonly string[],
): [name: string, value: string][] {
  const timestamp = String(Math.floor(startedAt / 1000));
  const signatures = secrets.flatMap(signingKeys).map(({ text, encoding }) => {
    // Node takes ten times as long for a key of bytes.
    const hmac = createHmac('sha256', text, { encoding });
    return `v1,${hmac.update(`${eventId}.${timestamp}.`).update(body).digest('base64')}`;
  });
  return [
    ['webhook-id', eventId],
    ['webhook-timestamp', timestamp],
    ['webhook-signature', signatures.join(' ')],
  ];
}
