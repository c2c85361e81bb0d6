// Generated from openapi/rules/webhook-headers.ts by `npm run generate`. Do not edit.

import { type Violation, validationError } from './errors.ts';

// The rules for the headers that a webhook adds to its deliveries.

/** Headers that the sender or its connection sets (RFC 9110, section 7.6.1), in lower case. */
const reserved: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const maxValueLength = 4096;

/** RFC 9110, section 5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** RFC 9110, section 5.5. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Returns why a webhook's own header cannot be sent, in a few words; undefined when it can. */
export function refusedHeader(name: string, value: string): string | undefined {
  if (!token.test(name)) return 'the name is not a header name';
  const folded = name.toLowerCase();
  const isReserved = /^(?:x-service|webhook)-/.test(folded) || reserved.has(folded);
  if (isReserved) return 'the name is reserved';
  if (!fieldValue.test(value)) return 'the value has characters that headers cannot carry';
  if (value.length > maxValueLength) return `the value is longer than ${maxValueLength} bytes`;
  return undefined;
}

/** @throws ServiceError VALIDATION_ERROR that names every header that cannot be sent */
export function refuseHeaders(headers: Readonly<Record<string, string>>): void {
  const violations = Object.entries(headers).flatMap(([name, value]): Violation[] => {
    const refusal = refusedHeader(name, value);
    if (refusal === undefined) return [];
    const message = `headers.${name} cannot be sent: ${refusal}.`;
    return [{ field: `headers.${name}`, constraint: 'allowedHeader', message }];
  });
  const [first, ...others] = violations;
  if (first) throw validationError([first, ...others]);
}

/** Replaces the values of headers, which can be credentials, for callers without `webhooks:write`. */
export function maskedHeaders(
  headers: Readonly<Record<string, string>> | null,
): Record<string, string> | null {
  return headers && Object.fromEntries(Object.keys(headers).map((name) => [name, '***']));
}
