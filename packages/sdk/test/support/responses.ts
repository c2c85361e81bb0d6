/** Responses of the service, for injected fetches. */
import type { ErrorCode } from '@document-vault/sdk';

export const requestId = 'req_11993c0d74f19bf15acac07994a2e87d';

export const rateLimitHeaders = {
  'x-request-id': requestId,
  'x-ratelimit-limit': '10000',
  'x-ratelimit-remaining': '9987',
  'x-ratelimit-reset': '1772445600',
  'x-ratelimit-tier': 'paid',
};

export function json(
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...rateLimitHeaders, ...headers },
  });
}

export function failure(
  status: number,
  code: ErrorCode,
  more: { details?: object; retryAfter?: number; headers?: Record<string, string> } = {},
): Response {
  const { headers = {}, details = {}, ...rest } = more;
  const timestamp = '2026-03-02T09:17:30.512Z';
  const error = { code, message: `It is ${code}`, details, requestId, timestamp, ...rest };
  return json({ error }, { status, headers });
}

/** The body of a list without items. */
export const emptyPage = { data: [], pagination: { page: 1, totalCount: 0, hasNextPage: false } };

export const vaultBody = {
  id: '019cadd6-a210-7670-891a-985ccc8c71a2',
  name: 'Taxes',
  description: null,
  category: 'personal',
  userId: '019cadd4-5698-781e-b05b-ef3e60cf1f3b',
  instanceId: '019cadd4-0000-781e-b05b-ef3e60cf1f3b',
  isActive: true,
  documentCount: 0,
  totalSize: 0,
  createdAt: '2026-03-02T09:17:30.512Z',
  updatedAt: '2026-03-02T09:17:30.512Z',
};

/** Creates the error with which undici rejects when a connection fails. */
export function networkError(code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
}
