import { randomBytes } from 'node:crypto';

/** From here on, decoding a text where it lies saves more than looking for it costs. */
const largeLength = 32 * 1024;

/** The most that may stand around the text, since it is looked at byte by byte. */
const frameLength = 64 * 1024;

/** Whole groups of four, few enough for their text to be collected young. */
const chunkLength = 48 * 1024;

/** A JSON object without one of its texts, and that text decoded. */
export interface LargeText {
  /** The object as JSON, with `placeholder`, which is base64 too, in the place of the text. */
  readonly frame: Buffer;
  readonly placeholder: string;
  readonly content: Buffer;
}

/**
 * Takes a large base64 text (RFC 4648, section 4) out of the bytes of a JSON object. The text of a
 * document of 32 MiB, the same parsed, and its bytes would be several times its size at once.
 *
 * @returns undefined when there is no such text, or anything about it is unusual: parse the whole then.
 */
export function takeLargeText(json: Buffer, property: string): LargeText | undefined {
  if (json.length < largeLength) return undefined;
  const start = startOfText(json, property);
  if (start === undefined) return undefined;
  const end = json.indexOf('"', start);
  if (end - start < largeLength || json.length - end > frameLength) return undefined;
  const content = decode(json.subarray(start, end));
  if (content === undefined) return undefined;
  const placeholder = randomBytes(12).toString('base64');
  const frame = Buffer.concat([
    json.subarray(0, start),
    Buffer.from(placeholder),
    json.subarray(end),
  ]);
  return { frame, placeholder, content };
}

/** Where the text of this property of the outermost object begins. */
function startOfText(json: Buffer, property: string): number | undefined {
  const name = `"${property}"`;
  const at = json.indexOf(name);
  if (at === -1 || at > frameLength || depthAt(json, at) !== 1) return undefined;
  const behind = at + name.length;
  const [opening] = /^\s*:\s*"/.exec(json.toString('latin1', behind, behind + 100)) ?? [];
  return opening === undefined ? undefined : behind + opening.length;
}

const code = (character: string) => character.charCodeAt(0);
const [quote, backslash] = [code('"'), code('\\')];
const openings = new Set([code('{'), code('[')]);
const closings = new Set([code('}'), code(']')]);

/**
 * How many objects and arrays are open at this place; undefined inside a text. A walk, since a regular
 * expression for texts takes time by the square of what an unfinished one holds.
 */
function depthAt(json: Buffer, place: number): number | undefined {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < place; at += 1) {
    const byte = json[at] as number;
    if (byte === quote) inText = !inText;
    else if (inText && byte === backslash) at += 1;
    else if (!inText && openings.has(byte)) depth += 1;
    else if (!inText && closings.has(byte)) depth -= 1;
  }
  return inText ? undefined : depth;
}

/** The bytes that strict base64 stands for; undefined when it is not. */
function decode(text: Buffer): Buffer | undefined {
  // Node would skip what is no base64, and take that of URLs.
  if (text.length % 4 !== 0 || text.includes('-') || text.includes('_')) return undefined;
  const padding = text.indexOf('=') === -1 ? 0 : text.length - text.indexOf('=');
  if (padding > 2) return undefined;
  const content = Buffer.allocUnsafeSlow((text.length / 4) * 3 - padding);
  let written = 0;
  for (let start = 0; start < text.length; start += chunkLength) {
    const chunk = text.toString('latin1', start, Math.min(start + chunkLength, text.length));
    written += content.write(chunk, written, 'base64');
  }
  return written === content.length ? content : undefined;
}
