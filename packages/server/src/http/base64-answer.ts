import { Readable } from 'node:stream';
import type { DocumentWithContent } from '../domain/documents.ts';
import type { Shape } from '../domain/shapes.ts';

type Body = Shape<'DocumentWithContent'>;

/** From here on, an answer made in one piece would hold up others for milliseconds. */
const largeBytes = 256 * 1024;

/** Whole groups of three bytes, so that the base64 of the pieces is that of the whole. */
const pieceBytes = 192 * 1024;

/** A document as JSON with its ciphertext as base64, in pieces when it is large. */
export function asBase64(stored: DocumentWithContent): Body | Base64Answer {
  const { document, content } = stored;
  if (content.length >= largeBytes) return new Base64Answer(stored);
  return { ...document, encryptedData: content.toString('base64') };
}

/**
 * An answer that is written piece by piece while it is sent. Encoding 32 MiB, and writing that as
 * JSON, would keep every other request waiting, and hold several times its size in memory.
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
    const groups = Math.ceil(this.#stored.content.length / 3);
    return Buffer.byteLength(this.#beginning) + groups * 4 + ending.length;
  }

  /** All of it at once. */
  get body(): Body {
    const { document, content } = this.#stored;
    return { ...document, encryptedData: content.toString('base64') };
  }

  stream(): Readable {
    return Readable.from(this.#pieces(), { objectMode: false });
  }

  *#pieces(): Generator<Buffer> {
    const { content } = this.#stored;
    yield Buffer.from(this.#beginning);
    for (let start = 0; start < content.length; start += pieceBytes) {
      yield Buffer.from(content.toString('base64', start, start + pieceBytes), 'latin1');
    }
    yield Buffer.from(ending);
  }
}

const ending = '"}';
