import { createHmac } from 'node:crypto';

/** The same for everybody; 40 characters. */
export const secret = 'whsec_example_0123456789abcdefghijklmnop';

export const prefix = 'hmac_sha256=';

export function digestOf(text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

/** The value of `X-Service-Signature`, computed without the package. */
export function sign(text: string): string {
  return prefix + digestOf(text);
}
