import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** The same for everybody; 40 characters. */
export const secret = 'whsec_example_0123456789abcdefghijklmnop';

/** The id of every event that is verified. */
export const eventId = 'evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc';

export const prefix = 'hmac_sha256=';

export function digestOf(text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

/** The value of `X-Service-Signature`, computed without the package. */
export function sign(text: string): string {
  return prefix + digestOf(text);
}

export const standard = new Webhook(secret, { format: 'raw' });

/** The headers of Standard Webhooks, which svix names after itself. */
export function signStandard(
  text: string,
  vendor: 'webhook' | 'svix',
  id: string,
): Record<string, string> {
  const now = new Date();
  return {
    [`${vendor}-id`]: id,
    [`${vendor}-timestamp`]: String(Math.floor(now.getTime() / 1000)),
    [`${vendor}-signature`]: standard.sign(id, now, text),
  };
}
