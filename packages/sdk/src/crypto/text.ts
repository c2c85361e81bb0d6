/** Options of {@link decodeText}. A decrypted document has `charset`, so that it can be passed as it is. */
export interface TextOptions {
  /** The encoding that was named at the upload. @default none */
  charset?: string | undefined;
  /** Whether `bytes` are only the beginning of the text: a last character may be cut. @default false */
  isCut?: boolean | undefined;
}

/** Byte order marks. They outweigh a named encoding (WHATWG Encoding, section 6). */
const marks = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
] as const;

/**
 * Decodes the bytes of a text: by their byte order mark, by the encoding that was named at the upload, or as UTF-8.
 * Bytes that are not valid UTF-8 are decoded as windows-1252, as browsers do.
 *
 * @example
 * const document = await client.documents.download(id);
 * const text = decodeText(document.bytes, document);
 */
export function decodeText(
  bytes: Uint8Array,
  { charset, isCut = false }: TextOptions = {},
): string {
  const mark = marks.find(([, start]) => start.every((byte, at) => bytes[at] === byte));
  const named = mark?.[0] ?? charset;
  if (named) {
    try {
      return new TextDecoder(named).decode(bytes, { stream: isCut });
    } catch {
      // This runtime does not know the encoding.
    }
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
