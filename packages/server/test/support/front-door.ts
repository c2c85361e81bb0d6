import { expect } from 'vitest';
import { type ErrorCode, errorCatalogue } from '../../src/generated/rules/errors.ts';
import type { Reply } from './server.ts';

// Helpers for tests of responses of any operation.

/** Replaces the parameters of a path with `unknown`. */
export function filled(path: string): string {
  return path.replaceAll(/\{[^}]+\}/g, 'unknown');
}

/** An error of the catalogue, for `expect(reply).toMatchObject(…)`. */
export function refusal(code: ErrorCode, details?: Readonly<Record<string, unknown>>) {
  return {
    status: errorCatalogue[code].status,
    body: { error: { code, ...(details && { details }) } },
  };
}

/** A reply without its request id and time. */
export function comparable({ status, body }: Reply) {
  const { requestId, timestamp, ...error } = body?.error ?? {};
  return { status, body: body?.error ? { error } : body };
}

/** The rate limit in the headers of a reply. */
export function rateLimitOf({ headers }: Reply) {
  return {
    limit: Number(headers.get('x-ratelimit-limit')),
    remaining: Number(headers.get('x-ratelimit-remaining')),
    resetAt: Number(headers.get('x-ratelimit-reset')) * 1000,
    tier: headers.get('x-ratelimit-tier'),
  };
}

/** The rate limit of the minute in the headers of a reply. */
export function minuteLimitOf({ headers }: Reply) {
  return {
    limit: Number(headers.get('x-ratelimit-minute-limit')),
    remaining: Number(headers.get('x-ratelimit-minute-remaining')),
    resetAt: Number(headers.get('x-ratelimit-minute-reset')) * 1000,
  };
}

/** Requires the headers of every response: request id, limit of the hour in two spellings, of the minute. */
export function expectEveryHeader(reply: Reply): void {
  const { headers, body } = reply;
  const requestId = headers.get('x-request-id');
  expect(requestId).toMatch(/^req_[0-9a-f]{32}$/);
  if (body?.error) expect(body.error.requestId).toBe(requestId);

  const limit = rateLimitOf(reply);
  expect(limit.limit).toBeGreaterThan(0);
  expect(limit.remaining).toBeGreaterThanOrEqual(0);
  expect(limit.remaining).toBeLessThanOrEqual(limit.limit);
  expect(['free', 'paid', 'enterprise']).toContain(limit.tier);
  expect(headers.get('x-rate-limit-limit')).toBe(String(limit.limit));
  expect(headers.get('x-rate-limit-remaining')).toBe(String(limit.remaining));
  expect(headers.get('x-rate-limit-reset')).toBe(new Date(limit.resetAt).toISOString());
  const minute = minuteLimitOf(reply);
  expect(minute.limit).toBeGreaterThan(0);
  expect(minute.remaining).toBeGreaterThanOrEqual(0);
  expect(minute.remaining).toBeLessThanOrEqual(minute.limit);
  expect(minute.resetAt).toBeLessThanOrEqual(limit.resetAt);
  expect(minute.resetAt % 60_000).toBe(0);
}
