import { UsageError } from '../errors.ts';
import { type CallOptions, checkHeaders, checkLimits, type Settings } from '../options.ts';
import type { Era } from './credentials.ts';
import type { Budget } from './limits.ts';

/** A request as the door takes it: `fetch`'s, with the options of the call. */
export interface DoorInit extends CallOptions {
  method: string;
  /** Path template of the operation, for errors, hooks and logs. */
  path: string;
  body?: string | undefined;
  /** In which the call began. @default the present one */
  era?: Era;
}

/** A call on its way: what stays the same over its attempts, and how far it has come. */
export interface Call extends Budget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly timeout: number;
  readonly maxRetries: number;
  /** In which it began: an attempt in a later one may be somebody else's. */
  readonly era: Era;
  /** An operation without credentials: none are sent, and its rate limit is the address's. */
  readonly anonymous: boolean;
  /** Whether doing the work twice is the same as doing it once. */
  readonly repeatable: boolean;
  /** For errors, hooks and logs. */
  readonly facts: { readonly method: string; readonly path: string; attempts: number };
  retries: number;
  replayed: boolean;
}

const anonymousPath = /^\/(auth|openapi|\.well-known)\//;

/** Logging out twice is logging out once; a refresh token gets the same successor for 10 seconds. */
const repeatablePath = /^\/auth\/(refresh|logout)$/;

/** A GET that counts: an answer that was lost has spent one of the share's accesses. */
const spendingPath = '/api/v1/documents/share/{token}';

/**
 * Begins a call.
 *
 * @param common - headers of every request
 * @throws UsageError
 */
export function openCall(
  url: string,
  init: DoorInit,
  { settings, common, era }: { settings: Settings; common: Record<string, string>; era: Era },
): Call {
  const { method, path } = init;
  checkLimits(init);
  const { baseUrl, clock } = settings;
  if (!url.startsWith(baseUrl) || url[baseUrl.length] !== '/') {
    throw new UsageError('Requests that leave baseUrl are refused');
  }
  const anonymous = anonymousPath.test(path);
  let headers = common;
  if (init.body !== undefined) headers = { ...headers, 'content-type': 'application/json' };
  if (init.headers) headers = { ...headers, ...checkHeaders(init.headers) };
  if (method === 'POST' && !anonymous) {
    headers = { 'idempotency-key': init.idempotencyKey ?? randomKey(), ...headers };
  }
  return {
    url,
    headers,
    body: init.body ?? null,
    signal: init.signal,
    timeout: init.timeout ?? settings.timeout,
    maxRetries: init.maxRetries ?? settings.maxRetries,
    maxRetryAfter: init.maxRetryAfter ?? settings.maxRetryAfter,
    clock,
    endsAt: clock.now() + (init.totalTimeout ?? settings.totalTimeout),
    era: init.era ?? era,
    anonymous,
    repeatable:
      path !== spendingPath &&
      (method !== 'POST' || 'idempotency-key' in headers || repeatablePath.test(path)),
    facts: { method, path, attempts: 0 },
    retries: 0,
    replayed: false,
  };
}

/** Browsers have `randomUUID` on secure pages only. */
function randomKey(): string {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
