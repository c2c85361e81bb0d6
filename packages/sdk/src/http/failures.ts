import { ConnectionError, type ErrorFacts, VaultError } from '../errors.ts';
import type { Failure } from './retry.ts';

/** Error codes of Node, Deno and Bun for a connection that never came about. */
const unsentCode =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/;

/** Other error codes of the network. `ERR_*` are mistakes of the program. */
const networkCode = /^(E(?!RR_)[A-Z]+|UND_ERR_SOCKET|UND_ERR_\w+_TIMEOUT|Connection[A-Z]\w+)$/;

/**
 * What runtimes without error codes say: Chromium, Firefox, Safari, undici, Deno, workerd. The last one
 * calls a name that does not resolve an internal error.
 */
const networkMessage =
  /^(failed to fetch|network error|networkerror when |load failed|the network connection was lost|the internet connection appears|network request failed|fetch failed|terminated|error sending request|error reading a body|connection (closed|reset|error)|network connection lost|internal error; reference)/i;

/**
 * What a rejection of `fetch`, or of reading its body, says about the network; undefined when it
 * says nothing, which means that the program is at fault and another attempt would not help.
 */
export function failureOf(error: unknown): Exclude<Failure, 'timeout'> | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = codeOf(error);
  if (code !== undefined && unsentCode.test(code)) return 'unsent';
  if (code !== undefined && networkCode.test(code)) return 'network';
  return networkMessage.test(error.message) ? 'network' : undefined;
}

/**
 * Makes the error of a `fetch` that was rejected. Some runtimes write the URL into theirs, so it is
 * taken out of the message; where the URL holds a share token, a redirect's may too, and neither message
 * nor cause are kept.
 */
export function fetchError(error: unknown, url: string, facts: ErrorFacts): VaultError {
  const { method, path = '' } = facts;
  const cause = path.includes('{token}') ? undefined : error;
  const said = cause instanceof Error ? cause.message.replaceAll(url, path) : 'fetch failed';
  const code = error instanceof Error ? codeOf(error) : undefined;
  const message = `${method} ${path}: ${code ?? said}`;
  return new (failureOf(error) ? ConnectionError : VaultError)(message, { ...facts, cause });
}

/** The runtime's code for an error, of the error itself or of what caused it. */
function codeOf(error: Error): string | undefined {
  for (const value of [error, error.cause]) {
    const code = (value as { code?: unknown } | undefined)?.code;
    if (typeof code === 'string') return code;
  }
  return undefined;
}
