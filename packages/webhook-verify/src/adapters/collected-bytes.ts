import { alreadyRead, tooLarge } from '../receiver/errors.ts';

/** Those of other realms too, such as that of a test environment, which `instanceof` does not know. */
export function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === '[object Uint8Array]';
}

/** The bytes of a body as they come, no more than a limit of them. */
export interface CollectedBytes {
  /**
   * @throws WebhookVerificationError `body_not_raw` for a chunk that somebody has decoded
   * @throws WebhookReceiverError `body_too_large`
   */
  add(chunk: unknown): void;
  all(): Uint8Array;
}

/** @param limit the most bytes that are taken */
export function collectBytes(limit: number): CollectedBytes {
  const chunks: Uint8Array[] = [];
  let length = 0;
  return {
    add(chunk) {
      if (!isBytes(chunk)) throw alreadyRead();
      length += chunk.length;
      if (length > limit) throw tooLarge(limit);
      chunks.push(chunk);
    },
    all() {
      const bytes = new Uint8Array(length);
      let offset = 0;
      for (const chunk of chunks) {
        bytes.set(chunk, offset);
        offset += chunk.length;
      }
      return bytes;
    },
  };
}
