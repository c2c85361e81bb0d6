import { ConnectionError, isVaultError, TimeoutError, type VaultError } from '../errors.ts';
import type { Settings } from '../options.ts';
import type { Call } from './call.ts';
import { failureOf, fetchError } from './failures.ts';
import type { Failure } from './retry.ts';

/** An answer whose body has been read to its end. */
export interface Reply {
  readonly response: Response;
  readonly status: number;
  readonly ok: boolean;
  readonly text: string;
}

/** How one attempt ended without an answer. */
export interface NoReply {
  readonly response?: never;
  readonly status?: never;
  readonly ok?: never;
  readonly failure: Failure;
  readonly error: VaultError;
}

/**
 * Makes of what ended an attempt how it ended.
 *
 * @throws VaultError when another attempt would not help
 */
export function noReply(error: unknown, { url, facts }: Call): NoReply {
  if (error instanceof TimeoutError) return { failure: 'timeout', error };
  if (isVaultError(error)) throw error;
  const failure = failureOf(error);
  const named = fetchError(error, url, facts);
  if (failure) return { failure, error: named };
  throw named;
}

const redirectStatus = new Set([301, 302, 303, 307, 308]);
const maxRedirects = 5;

/** How a call is sent once. */
interface Sending {
  headers: Record<string, string>;
  signal: AbortSignal;
  /** Is shown each answer before its body is read, which may take long. */
  observe: (response: Response) => void;
}

/** Sends a call once, along redirects of its origin, and reads the answer to its end. */
export async function exchange(
  call: Call,
  { fetch }: Settings,
  { headers, signal, observe }: Sending,
): Promise<Reply> {
  const { body, facts } = call;
  const { method } = facts;
  const init = { method, headers, body, redirect: 'manual', signal } as const;
  let { url } = call;
  for (let hops = 0; ; hops++) {
    const response = await fetch(url, init);
    observe(response);
    const text = await response.text();
    const { status, ok } = response;
    if (ok || !isRedirect(response)) return { response, status, ok, text };
    const target = redirectTarget(response, url, method);
    if (target === undefined || hops === maxRedirects) {
      throw new ConnectionError('A redirect was refused', facts);
    }
    url = target;
  }
}

/** A browser hides a redirect in an answer of its own type. */
function isRedirect({ status, type }: Response): boolean {
  return redirectStatus.has(status) || type === 'opaqueredirect';
}

/** Where a redirect leads, if it keeps origin and method: no credential goes anywhere else. */
function redirectTarget(response: Response, from: string, method: string): string | undefined {
  const location = response.headers.get('location');
  if (location === null || (method !== 'GET' && response.status < 307)) return undefined;
  try {
    const target = new URL(location, from);
    return target.origin === new URL(from).origin ? target.href : undefined;
  } catch {
    return undefined;
  }
}
