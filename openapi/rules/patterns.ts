// The patterns and formats of requests in `v1.json`, in words that follow the name of a field.

/** What a text must be like to match each pattern. */
const patternTexts: ReadonlyMap<string, string> = new Map([
  [String.raw`^[^\u0000]*$`, 'must not contain the character NUL'],
  ['^[a-z0-9_-]+$', 'must consist of lower-case letters, digits, _ and -'],
  ['^[a-z0-9-]+$', 'must consist of lower-case letters, digits and -'],
  [String.raw`^[\x20-\x7e]+$`, 'must consist of printable ASCII characters'],
  [
    '^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}$',
    'must be a media type without parameters, such as application/pdf',
  ],
  [
    String.raw`^(?:[^\s\u200c\u200d]|[ \u00a0\u3000])*$`,
    'must not contain joiners or unusual spaces',
  ],
  ['^[A-Za-z0-9_-]+$', 'must be base64url without padding'],
  ['^https?://', 'must begin with https:// or http://'],
  ["^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", 'is not a header name'],
  [String.raw`^[^\r\n\u0000]*$`, 'must not contain line breaks or the character NUL'],
  [
    '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-7[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$',
    'must be a UUIDv7',
  ],
  [
    String.raw`^(?:.*,[ \t]*)?sha-256=:[A-Za-z0-9+/]{43}=:(?:[ \t]*[,;].*)?$`,
    'must contain a SHA-256, such as sha-256=:n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=:',
  ],
  [
    '^(?:all|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$',
    'must be all, or the id of an account',
  ],
  [String.raw`^\S[\s\S]*\S$`, 'must not begin or end with white space'],
  ['^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$', 'must be a UUID in lower case'],
  [
    '^B[A-P][A-Za-z0-9+/]{84}[AEIMQUYcgkosw048]=$',
    'must be the 65 bytes of an uncompressed point of P-256, as base64 with padding',
  ],
  ['^[A-Za-z0-9+/]{221}[AQgw]==$', 'must be 166 bytes as base64 with padding'],
  ['^[A-Za-z0-9+/]{80}$', 'must be 60 bytes as base64'],
  ['^[A-Za-z0-9+/]{21}[AQgw]==$', 'must be 16 bytes as base64 with padding'],
]);

/** Returns what a text must be like to match a pattern of the contract. */
export function patternText(pattern: unknown): string {
  return patternTexts.get(String(pattern)) ?? `must match the pattern ${pattern}`;
}

const nameText = 'must have a visible character, and no control characters or other invisible ones';

/** What a value must be like to have each format. */
const formatTexts: ReadonlyMap<string, string> = new Map([
  ['byte', 'must be base64 with padding'],
  ['date-time', 'must be a timestamp such as 2026-03-02T09:17:30Z'],
  ['email', 'must be an email address in ASCII, with an international domain in punycode'],
  ['int64', 'must be a whole number'],
  ['uri', 'must be a URL'],
  ['name', nameText],
  ['file-name', String.raw`${nameText}, neither / nor \, and not be "." or ".."`],
]);

/** Returns what a text must be like to have a format of the contract. */
export function formatText(format: unknown): string {
  return formatTexts.get(String(format)) ?? `must have the format ${format}`;
}
