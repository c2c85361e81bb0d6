import { ConnectionError, isVaultError, TimeoutError, VaultError } from '../errors.ts';
import type { Call } from './call.ts';
import type { Failure } from './retry.ts';

/** How one attempt ended without an answer. */
export interface NoReply {
  readonly response?: never;
  readonly status?: never;
  readonly ok?: never;
  readonly failure: Failure;
  readonly error: VaultError;
}

/** Error codes of Node, Deno and Bun for a connection that never came about. */
const unsentCode =
  /^(E(CONNREFUSED|NOTFOUND|AI_AGAIN|(HOST|NET)UNREACH)|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket)$/;

/** Other error codes of the network. `ERR_*` are mistakes of the program. */
const networkCode = /^(E(?!RR_)[A-Z]+|UND_ERR_(SOCKET|\w+_TIMEOUT)|Connection[A-Z]\w+)$/;

/**
 * What runtimes without error codes say: Chromium, Firefox, Safari, undici, Deno, workerd. The last one
 * calls a name that does not resolve an internal error.
 */
const networkMessage =
  /^(failed to fetch|(load|fetch) failed|terminated|error (sending request|reading a body)|connection (closed|reset|error)|(the )?(network|internet) ?(error|request failed|connection)|internal error; reference)/i;

/**
 * What a rejection of `fetch`, or of reading its body, says about the network; undefined when it
 * says nothing, which means that the program is at fault and another attempt would not help.
 */
function failureOf({ message }: Error, code: string): Failure | undefined {
  if (unsentCode.test(code)) return 'unsent';
  return networkCode.test(code) || networkMessage.test(message) ? 'network' : undefined;
}

/**
 * Makes of what ended an attempt how it ended. Some runtimes write the URL into their errors, so it
 * is taken out of the message; where the URL holds a share token, a redirect's may be in there too, and
 * neither message nor cause are kept.
 *
 * @throws VaultError when another attempt would not help
 */
export function noReply(thrown: unknown, { url, facts }: Call): NoReply {
  if (thrown instanceof TimeoutError) return { failure: 'timeout', error: thrown };
  if (isVaultError(thrown)) throw thrown;
  const { method, path } = facts;
  const error = thrown instanceof Error ? thrown : new Error('not an error');
  const code = codeOf(error);
  const failure = failureOf(error, code);
  const secret = path.includes('{token}');
  const said = secret ? 'fetch failed' : error.message.replaceAll(url, path);
  const named = new (failure ? ConnectionError : VaultError)(`${method} ${path}: ${code || said}`, {
    ...facts,
    cause: secret ? undefined : thrown,
  });
  if (failure) return { failure, error: named };
  throw named;
}

/** The runtime's code for an error, of the error itself or of what caused it; empty without one. */
function codeOf(error: Error): string {
  for (const value of [error, error.cause]) {
    const code = (value as { code?: unknown } | undefined)?.code;
    if (typeof code === 'string') return code;
  }
  return '';
}
