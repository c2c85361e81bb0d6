/** Set by the sender, or by the connection it uses (RFC 9110, section 7.6.1); in lower case. */
const reserved: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const longestValue = 4096;

/** RFC 9110, section 5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** RFC 9110, section 5.5. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Why a webhook's own header may not be sent, in a few words; undefined when it may. */
export function refusedHeader(name: string, value: string): string | undefined {
  if (!token.test(name)) return 'the name is not a header name';
  const folded = name.toLowerCase();
  if (folded.startsWith('x-service-') || reserved.has(folded)) return 'the name is reserved';
  if (!fieldValue.test(value)) return 'the value has characters that headers cannot carry';
  if (value.length > longestValue) return `the value is longer than ${longestValue} bytes`;
  return undefined;
}
