// Generated from openapi/rules/ranges.ts by `npm run generate`. Do not edit.

import { ServiceError } from './errors.ts';

// Conditional and range requests for the content of a document (RFC 9110, sections 13 and 14).

/** Bytes from `start` up to `end`, which is excluded. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** What is known of a content before it is read. */
export interface ContentVersion {
  /** A strong entity tag, with its quotes. */
  readonly etag: string;
  readonly sizeBytes: number;
}

/** The headers of a request that select a part of the content or none of it. */
export interface ContentConditions {
  readonly range?: string | undefined;
  readonly ifRange?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

/** The status of a response to a content request, and the bytes that it has. */
export type ContentSelection =
  | ({ readonly status: 200 | 206 } & ByteRange)
  | { readonly status: 304 }
  | { readonly status: 416 };

/**
 * Selects what a GET request returns. If-None-Match takes precedence over Range (RFC 9110, section 13.2.2).
 * If-Match is not evaluated: the content of a document never changes.
 */
export function selectContent(
  { range, ifRange, ifNoneMatch }: ContentConditions,
  { etag, sizeBytes }: ContentVersion,
): ContentSelection {
  if (ifNoneMatch !== undefined && namesVersion(ifNoneMatch, etag)) return { status: 304 };
  const isRange = range !== undefined && (ifRange === undefined || isSameVersion(ifRange, etag));
  const part = isRange ? parseRange(range, sizeBytes) : 'whole';
  if (part === 'unsatisfiable') return { status: 416 };
  return part === 'whole' ? { status: 200, start: 0, end: sizeBytes } : { status: 206, ...part };
}

/**
 * Whether If-None-Match names this version, by weak comparison (RFC 9110, section 13.1.2).
 *
 * @param header entity tags separated by commas, or `*`
 */
export function namesVersion(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  return [...header.matchAll(/"[^"]*"/g)].some(([tag]) => tag === etag);
}

/**
 * Whether If-Range names this version, by strong comparison (RFC 9110, section 13.1.5). A date never does:
 * contents have no modification date.
 */
export function isSameVersion(header: string, etag: string): boolean {
  return header.trim() === etag;
}

/**
 * Returns the bytes that a Range header selects. A header with another unit, with several ranges or with
 * invalid syntax is ignored, as RFC 9110 (section 14.2) allows: it selects the whole content.
 */
export function parseRange(
  header: string,
  sizeBytes: number,
): ByteRange | 'whole' | 'unsatisfiable' {
  const ranges = /^bytes=(.*)$/i.exec(header.trim())?.[1];
  // A list may have empty elements (section 5.6.1).
  const listed = ranges?.split(',').filter((range) => range.trim() !== '') ?? [];
  const [, first = '', last = ''] = /^\s*(\d*)-(\d*)\s*$/.exec(listed[0] ?? '') ?? [];
  if (listed.length !== 1 || first + last === '') return 'whole';
  if (first === '') return suffixOf(Number(last), sizeBytes);
  const start = Number(first);
  const end = last === '' ? sizeBytes : Number(last) + 1;
  if (end <= start && last !== '') return 'whole';
  return start < sizeBytes ? { start, end: Math.min(end, sizeBytes) } : 'unsatisfiable';
}

/** Returns the last bytes. No Content-Range can describe those of an empty content, so it is sent whole. */
function suffixOf(length: number, sizeBytes: number): ByteRange | 'whole' | 'unsatisfiable' {
  if (length === 0) return 'unsatisfiable';
  if (sizeBytes === 0) return 'whole';
  return { start: Math.max(0, sizeBytes - length), end: sizeBytes };
}

/** Returns the value of Content-Range (RFC 9110, section 14.4). */
export function contentRange({ start, end }: ByteRange, sizeBytes: number): string {
  return `bytes ${start}-${end - 1}/${sizeBytes}`;
}

/** Returns the value of Content-Range in a response with status 416. */
export function unsatisfiedRange(sizeBytes: number): string {
  return `bytes */${sizeBytes}`;
}

/** The error for a Range header that selects none of the bytes. */
export function rangeNotSatisfiable(sizeBytes: number): ServiceError {
  return new ServiceError('RANGE_NOT_SATISFIABLE', {
    message: `The content has ${sizeBytes} bytes. The range selects none of them.`,
    details: { field: 'Range', constraint: 'satisfiable', sizeBytes },
  });
}
