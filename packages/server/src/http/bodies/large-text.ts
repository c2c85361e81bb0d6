import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Span } from './structure.ts';

/** Few enough characters for the text of a piece to be collected young. A multiple of four. */
const pieceLength = 48 * 1024;

/** The longest escape of JSON, `\u0041`. */
const escapeLength = 6;

/** A JSON object without its large text, and that text decoded. */
export interface LargeText {
  /** The object as JSON, with `placeholder` in the place of the text. */
  readonly frame: Buffer;
  /** Is base64 too, unless the text was not. */
  readonly placeholder: string;
  /** Lies in the memory of the body. */
  readonly content: Buffer;
}

/**
 * Takes a large base64 text (RFC 4648, section 4) out of a JSON object. The text is decoded into its own
 * place: the text of a document of 32 MiB, the same parsed, and its bytes would be several times its
 * size at once. Other requests are served between the pieces.
 */
export async function takeLargeText(json: Buffer, { start, end }: Span): Promise<LargeText> {
  const [before, after] = [Buffer.from(json.subarray(0, start)), Buffer.from(json.subarray(end))];
  const content = await decodeInPlace(json.subarray(start, end));
  // A placeholder that is not base64 violates the contract, as the text itself would.
  const placeholder = content ? randomBytes(12).toString('base64') : '****';
  const frame = Buffer.concat([before, Buffer.from(placeholder), after]);
  return { frame, placeholder, content: content ?? Buffer.alloc(0) };
}

/** The decoded bytes, which overwrite the text; undefined when it is not strict base64. */
async function decodeInPlace(text: Buffer): Promise<Buffer | undefined> {
  const slices = createSlices();
  let written = 0;
  let rest = '';
  for (let from = 0; from < text.length; ) {
    const to = endOfPiece(text, from);
    const piece = rest + unescaped(text.toString('latin1', from, to));
    const isLast = to === text.length;
    const whole = isLast ? piece.length : piece.length - (piece.length % 4);
    const bytes = decodedLength(piece, whole, isLast);
    // Node skips characters that are not base64: fewer bytes come out then.
    if (bytes === undefined || text.write(piece.slice(0, whole), written, 'base64') !== bytes) {
      return undefined;
    }
    written += bytes;
    rest = piece.slice(whole);
    from = to;
    if (slices.isOver()) await slices.next();
  }
  return text.subarray(0, written);
}

/** Ends a piece before an escape that would be cut. */
function endOfPiece(text: Buffer, from: number): number {
  const to = from + pieceLength;
  if (to >= text.length) return text.length;
  const cut = text.subarray(to - escapeLength, to).lastIndexOf('\\');
  return cut === -1 ? to : to - escapeLength + cut;
}

/** Some encoders write `\/` for a slash. Text that is not valid in JSON comes back as it is. */
function unescaped(piece: string): string {
  if (!piece.includes('\\')) return piece;
  try {
    return JSON.parse(`"${piece}"`) as string;
  } catch {
    return piece;
  }
}

/** The bytes that the first `length` characters stand for; undefined when they are not strict base64. */
function decodedLength(text: string, length: number, isLast: boolean): number | undefined {
  // Node would take the alphabet of URLs too.
  if (length % 4 !== 0 || text.includes('-') || text.includes('_')) return undefined;
  const padding = text.indexOf('=') === -1 ? 0 : text.length - text.indexOf('=');
  if (padding > (isLast ? 2 : 0) || !text.endsWith('='.repeat(padding))) return undefined;
  return (length / 4) * 3 - padding;
}

/** Milliseconds of work before other requests are served. */
const sliceMs = 5;

/** Cuts long work into slices. Other requests are served between two of them. */
export interface Slices {
  isOver(): boolean;
  /** Resolves after other requests were served. */
  next(): Promise<void>;
}

export function createSlices(): Slices {
  let end = performance.now() + sliceMs;
  return {
    isOver: () => performance.now() >= end,
    async next() {
      await setImmediate();
      end = performance.now() + sliceMs;
    },
  };
}
