import type { IncomingHttpHeaders } from 'node:http';
import type { TraceContext } from '../domain/actor.ts';

/**
 * Version, trace id, parent id, flags, and what later versions may add. Version ff and ids of zeros are invalid.
 *
 * @see https://www.w3.org/TR/trace-context/#traceparent-header
 */
const parent =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** A vendor's entry of `tracestate`. @see https://www.w3.org/TR/trace-context-2/#tracestate-header */
const entry =
  /^([a-z0-9][a-z0-9_\-*/@]{0,255})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

const maxEntries = 32;

/** Characters of `tracestate`. Anyone who opens a share has it stored, and longer ones need not be passed on. */
const maxState = 512;

/** Returns the trace of a request; undefined without a valid `traceparent`. An invalid `tracestate` is dropped. */
export function readTraceContext({
  traceparent,
  tracestate,
}: IncomingHttpHeaders): TraceContext | undefined {
  const [, version, traceId, parentId, flags = '', rest] = parent.exec(String(traceparent)) ?? [];
  if (version === undefined || (version === '00' && rest !== undefined)) return undefined;
  // Of a later version, only the flag "sampled" is known.
  const known = version === '00' ? flags : `0${Number.parseInt(flags, 16) & 1}`;
  return {
    traceparent: `00-${traceId}-${parentId}-${known}`,
    tracestate: readState(tracestate),
  };
}

/** Several headers of the name are one list, which Node joins. */
function readState(header: string | string[] | undefined): string | null {
  const text = String(header ?? '');
  if (text.length > maxState) return null;
  const entries = text
    .split(',')
    .map((each) => each.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((each) => each !== '');
  const keys = new Set(entries.map((each) => entry.exec(each)?.[1]));
  const isValid = keys.size === entries.length && !keys.has(undefined);
  return isValid && entries.length > 0 && entries.length <= maxEntries ? entries.join(',') : null;
}

/** Returns the id of a trace, by which a tracing system finds it: 32 hexadecimal digits. */
export function traceIdOf({ traceparent }: TraceContext): string {
  return traceparent.slice(3, 35);
}
