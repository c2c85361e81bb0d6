import { expect } from 'vitest';
import { type ErrorCode, errorCatalogue } from '../../src/errors.ts';
import type { Reply } from './server.ts';

// What tests of the whole interface have in common, whatever the operation.

/** A path with something in the place of its parameters that does not exist. */
export function filled(path: string): string {
  return path.replaceAll(/\{[^}]+\}/g, 'unknown');
}

/** An error of the catalogue, for `expect(answer).toMatchObject(…)`. */
export function refusal(code: ErrorCode, details?: Readonly<Record<string, unknown>>) {
  return {
    status: errorCatalogue[code].status,
    body: { error: { code, ...(details && { details }) } },
  };
}

/** An answer without what is different for every request. */
export function comparable({ status, body }: Reply) {
  const { requestId, timestamp, ...error } = body?.error ?? {};
  return { status, body: body?.error ? { error } : body };
}

/** How an answer says that the caller's hour stands. */
export function rateLimitOf({ headers }: Reply) {
  return {
    limit: Number(headers.get('x-ratelimit-limit')),
    remaining: Number(headers.get('x-ratelimit-remaining')),
    resetAt: Number(headers.get('x-ratelimit-reset')) * 1000,
    tier: headers.get('x-ratelimit-tier'),
  };
}

/** The headers that every answer has: a request id, and the rate limit in two spellings that agree. */
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
}
