/** The signatures of the service by the rules of the contract, computed without the package. */
import { createHmac, randomUUID } from 'node:crypto';
import type { ReceivedEvent } from '../../src/index.ts';

type Body = string | Uint8Array;

/** Returns the value of `X-Service-Signature`. */
export function sign(body: Body, secret: string): string {
  return `hmac_sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** What the headers of Standard Webhooks say. */
export interface Attempt {
  readonly secret: string;
  readonly id: string;
  /** Unix seconds. Default: now. */
  readonly timestamp?: number | string;
}

/** The headers of Standard Webhooks. */
export interface StandardHeaders extends Record<string, string> {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/** Returns the headers of Standard Webhooks, with one signature. */
export function standardHeaders(body: Body, attempt: Attempt): StandardHeaders {
  const { secret, id, timestamp = Math.floor(Date.now() / 1000) } = attempt;
  const hmac = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body);
  return {
    'webhook-id': id,
    'webhook-timestamp': `${timestamp}`,
    'webhook-signature': `v1,${hmac.digest('base64')}`,
  };
}

/** Returns a request with `X-Service-Signature` alone. */
export function signedRequest(event: ReceivedEvent, secret: string) {
  const body = JSON.stringify(event);
  const headers = {
    'X-Service-Signature': sign(body, secret),
    'X-Service-Delivery-Id': `dlv_${randomUUID()}`,
  };
  return { method: 'POST', headers, body };
}
