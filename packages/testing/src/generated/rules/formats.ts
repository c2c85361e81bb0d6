// Generated from openapi/rules/formats.ts by `npm run generate`. Do not edit.

// Formats and keywords of the contract's schemas. JSON Schema leaves their rules to the implementation.

import { isFileName, isName } from './names.ts';

/** Base64 with padding (RFC 4648, section 4), without line breaks. */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

const timestampPattern =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/**
 * Whether a text is a timestamp (RFC 3339, section 5.6). Leap seconds are rejected, because `Date` has
 * none; so are times whose offset moves them out of the years 0000 to 9999.
 */
function isTimestamp(text: string): boolean {
  const date = timestampPattern.exec(text)?.[1];
  if (date === undefined) return false;
  // `Date` accepts February 30 and returns March 2.
  const isDay = new Date(date).toJSON()?.startsWith(date) === true;
  return isDay && /^\d{4}-/.test(new Date(text).toJSON() ?? '');
}

/**
 * RFC 3986, section 3. After an authority, the path is empty or begins with a slash. Without one, it does not begin with
 * two slashes. So each text matches in one way only, and matching takes linear time.
 */
const uriPattern =
  /^[a-z][a-z\d+.-]*:(?:\/\/(?:[\w.~:@!$&'()*+,;=[\]-]|%[\da-f]{2})*(?=[/?#]|$)|(?!\/\/))(?:[\w.~:@!$&'()*+,;=/-]|%[\da-f]{2})*(?:\?(?:[\w.~:@!$&'()*+,;=/?-]|%[\da-f]{2})*)?(?:#(?:[\w.~:@!$&'()*+,;=/?-]|%[\da-f]{2})*)?$/i;

/** Whether a text is a URI (RFC 3986). A URL parser alone would encode characters that are not allowed. */
function isUri(text: string): boolean {
  return uriPattern.test(text) && URL.canParse(text);
}

/**
 * Formats with a function. Compiled validators call them by their names; formats that are regular
 * expressions, such as `email`, are part of the compiled code.
 */
export const formats = {
  byte: isBase64,
  'date-time': isTimestamp,
  int64: { type: 'number', validate: Number.isInteger },
  uri: isUri,
  // `minLength` rejects an empty name.
  name: (text: string) => text === '' || isName(text),
  'file-name': (text: string) => text === '' || isFileName(text),
} as const;

/** A text that is an absolute web address once it is written as URLs are. `URL` would also repair others. */
const webAddress = /^https?:\/\/[^\s\\\p{Cc}]+$/iu;

const maxUrlLength = 2048;

/**
 * Returns a web address as the platform's `URL` writes it: scheme and host in lower case, an international name in
 * punycode. Returns any other text unchanged, for its format to reject.
 */
export function writtenUrl(text: string): string {
  const isReadable = text.length <= maxUrlLength && webAddress.test(text) && URL.canParse(text);
  return isReadable ? new URL(text).href : text;
}

/** Returns the whole number that a text writes in decimal digits, and any other value unchanged, for its type to reject. */
export function parseInteger(sent: unknown): unknown {
  const number = typeof sent === 'string' && /^-?\d+$/.test(sent) ? Number(sent) : Number.NaN;
  return Number.isSafeInteger(number) ? number : sent;
}

/** Returns the boolean that a text names, and any other value unchanged, for its type to reject. */
export function parseBoolean(sent: unknown): unknown {
  return sent === 'true' || sent === 'false' ? sent === 'true' : sent;
}

/** Returns the size of a value as JSON in UTF-8, in bytes: what `x-max-bytes` limits. */
export function jsonBytes(value: object): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** Returns the length of a text in code points, as JSON Schema counts it. */
export function codePoints(text: string): number {
  let pairs = 0;
  for (let index = 1; index < text.length; index++) {
    if (isSurrogate(text, index - 1, 0xd800) && isSurrogate(text, index, 0xdc00)) pairs++;
  }
  return text.length - pairs;
}

/** @param first - the first of the 1,024 surrogates: 0xd800 for high, 0xdc00 for low ones */
function isSurrogate(text: string, index: number, first: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === first;
}
