import type { IncomingMessage } from 'node:http';
import { type ServiceError, violation } from '../generated/rules/errors.ts';

/**
 * Returns the error of a request that a proxy may read in another way than Node does; undefined for others. Such a
 * difference lets an attacker pass the proxy's rules.
 */
export function malformedRequest({
  headers,
  httpVersion,
  rawHeaders,
}: IncomingMessage): ServiceError | undefined {
  // Node takes the first of several (RFC 9112, section 3.2).
  if (countOf('host', rawHeaders) > 1) {
    return violation('Host', 'single', 'Send the header Host once.');
  }
  // Node leaves the other encodings in the body (RFC 9112, section 6.1).
  const encoding = headers['transfer-encoding'];
  if (encoding === undefined) return undefined;
  // A proxy of an older version may not know the header, and take the body for the next request.
  if (httpVersion !== '1.1') {
    return violation('Transfer-Encoding', 'chunked', 'Transfer-Encoding needs HTTP/1.1.');
  }
  if (encoding.toLowerCase() === 'chunked') return undefined;
  return violation('Transfer-Encoding', 'chunked', 'Transfer-Encoding must be chunked.');
}

/** @param rawHeaders names and values in turn */
function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === name) count += 1;
  }
  return count;
}
