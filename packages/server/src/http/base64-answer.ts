import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { DocumentWithContent } from '../domain/documents/documents.ts';
import type { Shape } from '../domain/shapes.ts';

type Body = Shape<'DocumentWithContent'>;

/** A document as JSON with its ciphertext as base64, in pieces when it has several parts. */
export function asBase64(stored: DocumentWithContent): Body | Base64Answer {
  const { document, firstPart } = stored;
  if (firstPart.length < document.sizeBytes) return new Base64Answer(stored);
  return { ...document, encryptedData: firstPart.toString('base64') };
}

/**
 * A response that is read from the store and written piece by piece, as fast as the client reads it.
 * Encoding 32 MiB, and writing that as JSON, would keep every other request waiting, and hold several
 * times its size in memory.
 */
export class Base64Answer {
  readonly #stored: DocumentWithContent;
  readonly #beginning: string;

  constructor(stored: DocumentWithContent) {
    this.#stored = stored;
    this.#beginning = `${JSON.stringify(stored.document).slice(0, -1)},"encryptedData":"`;
  }

  /** Bytes of the JSON. */
  get length(): number {
    const groups = Math.ceil(this.#stored.document.sizeBytes / 3);
    return Buffer.byteLength(this.#beginning) + groups * 4 + ending.length;
  }

  stream(): Readable {
    return Readable.from(this.#pieces(), { objectMode: false, highWaterMark: 0 });
  }

  async *#pieces(): AsyncGenerator<Buffer> {
    const { firstPart, otherParts } = this.#stored;
    yield Buffer.from(this.#beginning);
    yield encoded(firstPart);
    for await (const part of otherParts()) {
      // The buffers of a connection take megabytes at once: others are served between the pieces.
      await setImmediate();
      yield encoded(part);
    }
    yield Buffer.from(ending);
  }
}

const ending = '"}';

function encoded(part: Buffer): Buffer {
  return Buffer.from(part.toString('base64'), 'latin1');
}
