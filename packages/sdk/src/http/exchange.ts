import { ConnectionError } from '../errors.ts';
import type { Settings } from '../options.ts';
import type { Call } from './call.ts';
import type { Credentials } from './credentials.ts';

/** An answer whose body has been read to its end. */
export interface Answer {
  readonly response: Response;
  readonly status: number;
  readonly ok: boolean;
  readonly text: string;
  /** When it was there, by the client's clock. */
  readonly receivedAt: number;
  /** How many requests were sent to get it. */
  readonly attempts: number;
}

const redirectStatus = [301, 302, 303, 307, 308];
const maxRedirects = 5;

/** How a call is sent once. */
interface Sending {
  headers: Record<string, string>;
  signal: AbortSignal;
  /** Are shown each answer before its body is read, which may take long. */
  credentials: Credentials;
}

/** Sends a call once, along redirects of its origin, and reads the answer to its end. */
export async function exchange(
  call: Call,
  { fetch }: Settings,
  { headers, signal, credentials }: Sending,
): Promise<Answer> {
  const { body, facts, clock } = call;
  const { method, attempts } = facts;
  const init = { method, headers, body, redirect: 'manual', signal } as const;
  let { url } = call;
  for (let hops = 0; ; hops++) {
    const response = await fetch(url, init);
    credentials.observe?.(response);
    const text = await response.text();
    const { status, ok } = response;
    if (ok || !isRedirect(response)) {
      return { response, status, ok, text, attempts, receivedAt: clock.now() };
    }
    const target = redirectTarget(response, url, method);
    if (!target || hops === maxRedirects) {
      throw new ConnectionError('A redirect was refused', facts);
    }
    url = target;
  }
}

/** A browser hides a redirect in an answer of its own type. */
function isRedirect({ status, type }: Response): boolean {
  return redirectStatus.includes(status) || type === 'opaqueredirect';
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
