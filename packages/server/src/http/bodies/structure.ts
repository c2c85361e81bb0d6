import { violation } from '../../generated/rules/errors.ts';
import { formatText } from '../../generated/rules/patterns.ts';

/** Levels of arrays and objects: more than a request needs, and far from what recursion can do. */
const maxDepth = 64;

/** Values in a body, property names not counted. A large text is one value. */
const maxValues = 10_000;

/** A shorter text is left to the JSON parser. */
const largeLength = 32 * 1024;

/** What may surround the large text of a body, in bytes. */
const maxFrameBytes = 64 * 1024;

/** The only property whose text may be large. */
export const largeProperty = 'encryptedData';
const largeName = Buffer.from(largeProperty);

/** Where the large text lies in the bytes of a body: from `start` up to its closing quote at `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];

/**
 * Bounds the structure of a JSON body before it is parsed: parsing 40 MiB of `[[],…]` takes seconds.
 * One pass over the bytes; it stops at the first limit that is exceeded. It does not check the syntax:
 * JSON.parse does that afterwards, on bytes that are known to be cheap to parse.
 *
 * @param takesLarge whether the outermost object may have a large `encryptedData`; what surrounds it is
 *   then limited to 64 KiB
 * @returns the span of a large `encryptedData`; undefined when there is none
 * @throws ServiceError VALIDATION_ERROR
 */
export function checkStructure(json: Buffer, takesLarge: boolean): Span | undefined {
  const scan = new StructureScan(json, takesLarge ? maxFrameBytes : json.length);
  if (scan.run(takesLarge)) return scan.large;
  const message = `The body without the text of ${largeProperty} must be at most ${maxFrameBytes} bytes.`;
  throw violation('body', 'maxBytes', message);
}

class StructureScan {
  large: Span | undefined;
  readonly #json: Buffer;
  /** The scan stops here; the bytes of a large text are added to it. */
  #end: number;

  constructor(json: Buffer, maxBytes: number) {
    this.#json = json;
    this.#end = Math.min(json.length, maxBytes);
  }

  /** Returns false when bytes are left over behind the limit. */
  run(takesLarge: boolean): boolean {
    const json = this.#json;
    let depth = 0;
    let values = 1;
    // Whether the innermost array or object has had no member yet.
    let isEmpty = false;
    // How far the name of the large property and its colon have been seen: 0, 1 or 2.
    let named = 0;
    for (let at = 0; at < this.#end; at += 1) {
      const byte = json[at] as number;
      // Space, tab and line breaks. Other control characters are left to JSON.parse, which rejects them.
      if (byte <= 0x20) continue;
      const isClosing = byte === 0x7d || byte === 0x5d;
      if (byte === comma || (isEmpty && !isClosing)) {
        values += 1;
        if (values > maxValues) reject(`has more than ${maxValues} values`);
      }
      isEmpty = false;
      if (byte === quote) {
        const start = at + 1;
        at = named === 2 ? this.#endOfNamed(start) : this.#endOfText(start);
        named = takesLarge && depth === 1 && this.#isLargeName(start, at) ? 1 : 0;
      } else if (byte === colon) {
        named = named === 1 ? 2 : 0;
      } else {
        named = 0;
        if (byte === 0x7b || byte === 0x5b) {
          depth += 1;
          isEmpty = true;
          if (depth > maxDepth) reject(`nests deeper than ${maxDepth} levels`);
        } else if (isClosing) {
          depth -= 1;
        }
      }
    }
    return this.#end === json.length;
  }

  /** The place of the closing quote; the end of the scan when there is none. */
  #endOfText(start: number): number {
    const json = this.#json;
    let at = start;
    for (; at < this.#end && json[at] !== quote; at += 1) {
      if (json[at] === backslash) at += 1;
    }
    return at;
  }

  /** The closing quote of the large property's text. It is searched natively: most of a body is this text. */
  #endOfNamed(start: number): number {
    const json = this.#json;
    const end = json.indexOf(quote, start);
    if (end === -1) reject('is not valid JSON');
    if (end - start < largeLength) return this.#endOfText(start);
    if (this.large) {
      throw violation(largeProperty, 'unique', `${largeProperty} must be given once.`);
    }
    if (json[end - 1] === backslash) {
      // An escaped quote or backslash: base64 has neither.
      throw violation(largeProperty, 'format', `${largeProperty} ${formatText('byte')}.`);
    }
    this.large = { start, end };
    this.#end = Math.min(json.length, this.#end + end - start);
    return end;
  }

  #isLargeName(start: number, end: number): boolean {
    return (
      end - start === largeName.length &&
      this.#json.compare(largeName, 0, largeName.length, start, end) === 0
    );
  }
}

function reject(problem: string): never {
  throw violation('body', 'json', `The request body ${problem}.`);
}
