// Generated from openapi/rules/periods.ts by `npm run generate`. Do not edit.

import { type ServiceError, violation } from './errors.ts';

// Ends and ranges of time that requests choose. Times are milliseconds since the epoch.

const day = 24 * 60 * 60 * 1000;
const shareLifetime = { default: 7 * day, max: 365 * day };

/** How long figures of instances are kept, in milliseconds. */
export const historyRetention = 90 * day;

/**
 * Returns the time of a timestamp.
 *
 * @param field the field of the request that has it
 * @throws ServiceError VALIDATION_ERROR when it is not in the future
 */
export function futureTime(timestamp: string, now: number, field = 'expiresAt'): number {
  const end = Date.parse(timestamp);
  if (end <= now) throw violation(field, 'future', `${field} must be in the future.`);
  return end;
}

/**
 * Returns the end that a request chooses; null without one.
 *
 * @throws ServiceError VALIDATION_ERROR when it is not in the future
 */
export function futureEnd(expiresAt: string | null | undefined, now: number): number | null {
  return expiresAt === null || expiresAt === undefined ? null : futureTime(expiresAt, now);
}

/**
 * Returns the end of a share. Default: 7 days from now.
 *
 * @throws ServiceError VALIDATION_ERROR when it is not in the future, or more than a year away
 */
export function shareEnd(expiresAt: string | undefined, now: number): number {
  if (expiresAt === undefined) return now + shareLifetime.default;
  const end = futureTime(expiresAt, now);
  if (end <= now + shareLifetime.max) return end;
  throw violation('expiresAt', 'maximum', 'expiresAt must be at most 365 days away.');
}

const overlap = { default: day, max: 7 * day };

/** A change of a webhook, as far as its previous secret is concerned. */
export interface SecretChange {
  readonly replacesSecret: boolean;
  readonly replacesUrl: boolean;
  /** The end that the request chooses; null: at once. */
  readonly requested: string | null | undefined;
  /** The end of the previous secret that the webhook has already; null without one. */
  readonly present: number | null;
}

/**
 * Returns until when attempts are signed with the previous secret too; null when there is none.
 *
 * @throws ServiceError VALIDATION_ERROR `previousSecretExpiresAt` when it is not in the future or more than 7 days
 * away; `secret`, `required` when there is no previous secret
 */
export function previousSecretEnd(change: SecretChange, now: number): number | null {
  const { replacesSecret, replacesUrl, requested, present } = change;
  if (requested === null) return null;
  if (requested === undefined) {
    if (!replacesSecret) return present;
    // Another receiver does not know the secret of the one before.
    return replacesUrl ? null : now + overlap.default;
  }
  const field = 'previousSecretExpiresAt';
  if (!replacesSecret && present === null) {
    const message = `The webhook has no previous secret: send a new secret together with ${field}.`;
    throw violation('secret', 'required', message);
  }
  const end = futureTime(requested, now, field);
  if (end <= now + overlap.max) return end;
  throw violation(field, 'maximum', `${field} must be at most 7 days away.`);
}

/** The query of an instance's history. */
interface HistoryQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly step?: 'hour' | 'day' | undefined;
}

/**
 * Returns the time that a history covers. Default: the last 7 days, or 90 days with the step `day`.
 *
 * @throws ServiceError VALIDATION_ERROR when it ends before its start, or is longer than 90 days
 */
export function historyRange({ from, to, step }: HistoryQuery, now: number) {
  const end = to === undefined ? now : Date.parse(to);
  const start = from === undefined ? end - (step === 'day' ? 90 : 7) * day : Date.parse(from);
  if (end < start) {
    throw violation('to', 'notBeforeFrom', '`to` must not be earlier than `from`.');
  }
  if (end - start > historyRetention) {
    throw violation('from', 'range', '`from` must be at most 90 days before `to`.');
  }
  return { from: start, to: end };
}

/** The latest time that a timestamp can have: the last millisecond of the year 9999. */
const lastTime = 253_402_300_799_999;

/** What selects events by time and by page. */
interface EventQuery {
  readonly after?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly page?: number | undefined;
}

/**
 * Rejects `since`, `until` and `page` beside `after`: a cursor has a position and an order of its own.
 *
 * @throws ServiceError VALIDATION_ERROR
 */
export function requireCursorAlone({ since, until, page = 1 }: EventQuery): void {
  const others = { since, until, page: page === 1 ? undefined : page };
  for (const [name, value] of Object.entries(others)) {
    if (value === undefined) continue;
    throw violation(name, 'exclusive', `\`${name}\` must not be sent with \`after\`.`);
  }
}

/** The error for a cursor after which events could be missing. */
export function cursorExpired(): ServiceError {
  return violation(
    'after',
    'cursorExpired',
    '`after` is not a cursor of this database, or it is older than 30 days. List the events without it, and go on with the cursor of that page.',
  );
}

/**
 * Returns the time whose events are listed. Default: all.
 *
 * @throws ServiceError VALIDATION_ERROR when it ends before its start
 */
export function eventRange(query: EventQuery) {
  const since = query.since === undefined ? 0 : Date.parse(query.since);
  const until = query.until === undefined ? lastTime : Date.parse(query.until);
  if (until >= since) return { since, until };
  throw violation('until', 'notBeforeSince', '`until` must not be earlier than `since`.');
}
