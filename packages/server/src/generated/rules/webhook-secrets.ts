// Generated from openapi/rules/webhook-secrets.ts by `npm run generate`. Do not edit.

// The keys of webhook signatures.

/** A key that a receiver reads from the secret of a webhook. */
export interface SigningKey {
  readonly text: string;
  /** How the text stands for the bytes of the key. */
  readonly encoding: 'utf8' | 'base64';
}

/** RFC 4648, section 4: with padding, and with zeros in the bits that stand for no byte. */
const canonicalBase64 =
  /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/][AQgw]==|[A-Za-z\d+/]{2}[AEIMQUYcgkosw048]=)?$/;

/** Lengths in bytes that Standard Webhooks allows for a decoded secret. */
const minKeyLength = 24;
const maxKeyLength = 64;

/** Characters of base64 that may stand for so many bytes. */
const maxTextLength = 88;

/**
 * Returns the keys that receivers read from a secret: its UTF-8 bytes, and before them the bytes of canonical base64.
 * Libraries decode a secret without the prefix `whsec_` too, for example 64 hexadecimal digits.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signingKeys(secret: string): SigningKey[] {
  const text = secret.replace(/^whsec_/, '');
  const isBase64 = text.length <= maxTextLength && canonicalBase64.test(text);
  const length = isBase64 ? atob(text).length : 0;
  const isKey = length >= minKeyLength && length <= maxKeyLength;
  const whole: SigningKey = { text: secret, encoding: 'utf8' };
  return isKey ? [{ text, encoding: 'base64' }, whole] : [whole];
}
