/** The contract's media type without parameters (RFC 6838, section 4.2). */
const mediaType = /^[a-z0-9][\w!#$&^.+-]{0,126}\/[a-z0-9][\w!#$&^.+-]{0,126}$/i;

/** A name of an encoding, such as `utf-8` or `windows-1252` (RFC 2978, section 2.3). */
const charsetName = /^[a-z0-9][\w.:+-]{0,39}$/;

/** Whether the contract accepts a media type. */
export function isMediaType(value: unknown): value is string {
  return typeof value === 'string' && mediaType.test(value);
}

/** Whether a value names an encoding, perhaps one that this runtime does not know. */
export function isCharset(value: unknown): value is string {
  return typeof value === 'string' && charsetName.test(value);
}

/** A media type and the encoding of its text. */
export interface MediaType {
  /** `type/subtype`. */
  readonly mimeType: string;
  /** The encoding of a text, in lower case; undefined when the type does not name one. */
  readonly charset: string | undefined;
}

/**
 * Parses a media type as browsers and users write it, such as `audio/webm;codecs=opus`. The contract takes no
 * parameters. A file with a type that the contract refuses must still be stored: it is `application/octet-stream`.
 */
export function parseMediaType(given: string): MediaType {
  const [type = '', ...parameters] = String(given).split(';');
  const named = /^\s*charset\s*=\s*"?([^\s"]+)"?\s*$/i;
  const charset = parameters.map((one) => named.exec(one)?.[1]?.toLowerCase()).find(isCharset);
  const mimeType = type.trim();
  return { mimeType: isMediaType(mimeType) ? mimeType : 'application/octet-stream', charset };
}
