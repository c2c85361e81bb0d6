import { WebhookVerificationError } from './errors.ts';

/**
 * A request body exactly as it was received. A Node `Buffer` is a `Uint8Array`. A string stands for
 * its UTF-8 bytes.
 */
export type RawBody = string | Uint8Array | ArrayBuffer;

const encoder = new TextEncoder();

/** Encodes a text as UTF-8. */
export const encode = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);

/**
 * Returns a copy of the bytes of a body, which the caller cannot change during the verification.
 *
 * @throws {@link WebhookVerificationError} `body_not_raw` for anything else, such as a parsed object
 */
export function bytesOf(body: unknown): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return encode(body);
  try {
    // DataView accepts buffers of other realms, where `instanceof` is false.
    const view = ArrayBuffer.isView(body) ? body : new DataView(body as ArrayBuffer);
    return new Uint8Array(view.buffer, view.byteOffset, view.byteLength).slice();
  } catch {
    throw new WebhookVerificationError('body_not_raw', 'The body is missing or parsed.');
  }
}
