import type { components } from '../generated/openapi.ts';

/** A schema of the contract. */
export type Shape<Name extends keyof components['schemas']> = components['schemas'][Name];

export type Scope = Shape<'Scope'>;
export type EventType = Shape<'EventType'>;
export type { Tier } from '../generated/rules/limits.ts';
/** The event of one type, as it is delivered. */
export type EventOf<Type extends EventType> = Extract<Shape<'Event'>, { type: Type }>;

const day = 24 * 60 * 60 * 1000;
/** The last formatted day. Most times of a response share one day. */
let knownDay = Number.NaN;
let knownDate = '';

/** Formats a time as ISO 8601 in UTC with milliseconds. A page of a list has forty of them. */
export function timestamp(milliseconds: number): string {
  const today = Math.floor(milliseconds / day);
  if (today !== knownDay) {
    knownDate = new Date(today * day).toISOString().slice(0, -'00:00:00.000Z'.length);
    knownDay = today;
  }
  const time = Math.floor(milliseconds) - today * day;
  const hours = digits[Math.floor(time / 3_600_000)];
  const minutes = digits[Math.floor(time / 60_000) % 60];
  const seconds = digits[Math.floor(time / 1000) % 60];
  const rest = time % 1000;
  return `${knownDate}${hours}:${minutes}:${seconds}.${rest < 100 ? '0' : ''}${rest < 10 ? '0' : ''}${rest}Z`;
}

/** 00 to 59. */
const digits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/** Formats a time that may be null. */
export function optionalTimestamp(milliseconds: number | null): string | null {
  return milliseconds === null ? null : timestamp(milliseconds);
}
