import { WebhookVerificationError } from './errors.ts';

/**
 * A request body exactly as it was received. A Node `Buffer` is a `Uint8Array`; a string stands for
 * its UTF-8 bytes.
 */
export type RawBody = string | Uint8Array | ArrayBuffer;

/**
 * The bytes of a body: those of a string, or a view of the given ones, which are not copied.
 *
 * @throws {@link WebhookVerificationError} `body_not_raw` for anything else, such as a parsed object
 */
export function bytesOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  try {
    // DataView accepts buffers alone, those of other realms too, which `instanceof` would not know.
    const view = ArrayBuffer.isView(body) ? body : new DataView(body as ArrayBuffer);
    return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  } catch {
    throw new WebhookVerificationError(
      'body_not_raw',
      'The body was already parsed, or is missing.',
    );
  }
}
