// Generated from openapi/rules/limits.ts by `npm run generate`. Do not edit.

import { ServiceError, violation } from './errors.ts';

// Errors of quotas and of the limits of an account.

export type Tier = 'free' | 'paid' | 'enterprise';

/** What the rows of a limited kind are called. */
const names = {
  vaults: 'vaults',
  documents: 'documents',
  shares: 'shares',
  consents: 'consents',
  keys: 'API keys',
  webhooks: 'webhooks',
  clients: 'OAuth clients',
  uploads: 'open uploads',
} as const;

/** A limited kind of rows, as errors and the account's usage name it. */
export type LimitedRows = keyof typeof names;

/** How an account gets below a limit without a higher tier. */
const waysOut: Readonly<Record<LimitedRows, string>> = {
  vaults: 'Delete vaults that are not needed',
  documents: 'Delete documents that are not needed',
  shares: 'Delete documents that need not be shared, wait until ended shares are removed',
  consents: 'Renew a consent instead of granting it anew',
  keys: 'Revoke keys that are not used',
  webhooks: 'Delete webhooks that are not used',
  clients: 'Delete OAuth clients that are not used',
  uploads: 'Finish open uploads or give them up',
};

/** The error for more rows than an account may have. The limit of open uploads is the same in every tier. */
export function tooManyRows(resource: LimitedRows, tier: Tier, limit: number): ServiceError {
  const message =
    resource === 'uploads'
      ? `An account may have ${limit} ${names.uploads}. ${waysOut.uploads}.`
      : `An account of the ${tier} tier may have ${limit} ${names[resource]}. ` +
        `${waysOut[resource]}, or move to a higher tier.`;
  return refusal({ field: 'body', constraint: 'accountRows', message }, resource);
}

/**
 * The error for more bytes than an account may hold.
 *
 * @param field of the violation
 */
export function tooManyBytes(field: string, tier: Tier, limit: number): ServiceError {
  const message =
    `The account would hold more than the ${limit} bytes of the ${tier} tier, names, metadata, ` +
    'open uploads and documents deleted in the last minute included. Delete documents that are not needed, ' +
    'or move to a higher tier.';
  return refusal({ field, constraint: 'accountQuota', message }, 'bytes');
}

/** @param resource the limit's name in the account's usage */
function refusal(
  violation: { readonly field: string; readonly constraint: string; readonly message: string },
  resource: LimitedRows | 'bytes',
): ServiceError {
  const { field, constraint, message } = violation;
  const details = { field, constraint, resource, violations: [violation] };
  return new ServiceError('VALIDATION_ERROR', { message, details });
}

/**
 * The error for a document above the quota of its vault or instance.
 *
 * @param field of the violation
 */
export function beyondQuota(
  field: string,
  holder: 'vault' | 'instance',
  quotaBytes: number,
): ServiceError {
  const reserved = holder === 'vault' ? ', open uploads included' : '';
  const message = `The ${holder} would hold more than its quota of ${quotaBytes} bytes${reserved}.`;
  return violation(field, `${holder}Quota`, message);
}

/** The rate limit in one window. */
export interface WindowState {
  /** Requests in the window. */
  readonly limit: number;
  /** Requests left in the window. */
  readonly remaining: number;
  /** The end of the window, epoch milliseconds. */
  readonly resetAt: number;
}

/** The end of the last hour that was formatted. Most responses share it. */
let knownReset = { at: Number.NaN, seconds: '', timestamp: '' };

/**
 * Returns the rate-limit headers, names and values in turn: the hour in both spellings of the contract, the minute, and
 * both as the draft of the IETF writes them.
 *
 * @param now epoch milliseconds
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export function rateLimitHeaders(
  hour: WindowState & { readonly tier: Tier; readonly minute: WindowState },
  now: number,
): string[] {
  const { tier, minute, resetAt } = hour;
  const limit = String(hour.limit);
  const remaining = String(hour.remaining);
  if (knownReset.at !== resetAt) {
    const seconds = Math.ceil(resetAt / 1000);
    const timestamp = new Date(seconds * 1000).toISOString();
    knownReset = { at: resetAt, seconds: String(seconds), timestamp };
  }
  const left = (window: WindowState) => Math.max(0, Math.ceil((window.resetAt - now) / 1000));
  return [
    'X-RateLimit-Limit',
    limit,
    'X-RateLimit-Remaining',
    remaining,
    'X-RateLimit-Reset',
    knownReset.seconds,
    'X-RateLimit-Tier',
    tier,
    'X-Rate-Limit-Limit',
    limit,
    'X-Rate-Limit-Remaining',
    remaining,
    'X-Rate-Limit-Reset',
    knownReset.timestamp,
    'X-RateLimit-Minute-Limit',
    String(minute.limit),
    'X-RateLimit-Minute-Remaining',
    String(minute.remaining),
    'X-RateLimit-Minute-Reset',
    String(Math.ceil(minute.resetAt / 1000)),
    'RateLimit',
    `"hour";r=${remaining};t=${left(hour)}, "minute";r=${minute.remaining};t=${left(minute)}`,
    'RateLimit-Policy',
    `"hour";q=${limit};w=3600, "minute";q=${minute.limit};w=60`,
  ];
}
