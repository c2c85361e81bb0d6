import { ConnectionError, isVaultError, TimeoutError, type VaultError } from '../errors.ts';
import type { Settings } from '../options.ts';
import type { Call } from './call.ts';
import { failureOf, fetchError } from './failures.ts';
import { bounded } from './limits.ts';
import type { Failure } from './retry.ts';

/** How one attempt ended: with an answer whose body was read to its end, or without. */
export type Exchange =
  | { readonly response: Response; readonly text: string }
  | { readonly response?: never; readonly failure: Failure; readonly error: VaultError };

/**
 * Sends a call once, within the limits of one attempt.
 *
 * @throws VaultError when another attempt would not help
 */
export async function exchange(
  call: Call,
  headers: Record<string, string>,
  { fetch, clock }: Settings,
): Promise<Exchange> {
  const { signal, timeout, endsAt, facts } = call;
  const timeoutMs = Math.min(timeout, endsAt - clock.now());
  try {
    return await bounded({ signal, timeoutMs, facts }, (ended) =>
      follow(call, (url) => {
        const { body } = call;
        return fetch(url, {
          method: facts.method,
          headers,
          body,
          redirect: 'manual',
          signal: ended,
        });
      }),
    );
  } catch (error) {
    if (error instanceof TimeoutError) return { failure: 'timeout', error };
    if (isVaultError(error)) throw error;
    const failure = failureOf(error);
    const named = fetchError(error, call.url, facts);
    if (failure) return { failure, error: named };
    throw named;
  }
}

const redirectStatus = new Set([301, 302, 303, 307, 308]);
const maxRedirects = 5;

async function follow(call: Call, send: (url: string) => Promise<Response>): Promise<Exchange> {
  let url = call.url;
  for (let hops = 0; ; hops++) {
    const response = await send(url);
    const text = await response.text();
    const redirected = response.type === 'opaqueredirect' || redirectStatus.has(response.status);
    if (!redirected) return { response, text };
    const target = redirectTarget(response, url, call.facts.method);
    if (target === undefined || hops === maxRedirects) {
      throw new ConnectionError('A redirect was refused', call.facts);
    }
    url = target;
  }
}

/** Where a redirect leads if it stays on the origin and keeps the method: nowhere else goes a credential. */
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
