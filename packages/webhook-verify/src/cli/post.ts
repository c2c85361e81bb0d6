/** One HTTP POST as the service sends it: one deadline, no redirects, a bounded response. */
import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { CommandFailure } from './terminal.ts';

export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Milliseconds for name lookup, connection, TLS, head and body together. */
  readonly timeoutMs: number;
}

export interface PostResponse {
  readonly status: number;
  /** The reason phrase after the status. */
  readonly statusText: string;
  /** The target of a redirect, which is not followed. */
  readonly location: string | undefined;
  readonly durationMs: number;
  /** The beginning of the body. */
  readonly body: Buffer;
}

/** The largest number of bytes that is read of a response. The service has the same limit. */
const readLimit = 16 * 1024;

/**
 * Posts once and reads the response.
 *
 * @throws {@link CommandFailure} without a complete response
 */
export async function post({ url, headers, body, timeoutMs }: Post): Promise<PostResponse> {
  const start = performance.now();
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const request = send(url, { method: 'POST', headers, agent: false });
  // `once` below reports errors until the response. Later errors are irrelevant.
  request.on('error', () => {});
  const timedOut = AbortSignal.timeout(timeoutMs);
  timedOut.addEventListener('abort', () => request.destroy());
  // An unexpected protocol upgrade closes the request without a response or an error.
  const closed = new AbortController();
  request.on('close', () => closed.abort());
  try {
    request.end(body);
    const [response]: IncomingMessage[] = await once(request, 'response', {
      signal: closed.signal,
    });
    if (response === undefined) throw new Error('a response event without a response');
    return {
      status: response.statusCode ?? 0,
      statusText: response.statusMessage ?? '',
      location: response.headers.location,
      body: await readBeginning(response),
      durationMs: Math.round(performance.now() - start),
    };
  } catch (cause) {
    const message = timedOut.aborted
      ? `No complete response within ${timeoutMs / 1000} s, which is as long as the service waits.`
      : describeFailure(cause, url);
    throw new CommandFailure(message, { cause });
  } finally {
    request.destroy();
  }
}

async function readBeginning(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= readLimit) break;
  }
  return Buffer.concat(chunks);
}

const closed = 'The connection was closed before the response was complete.';

const sentences: Readonly<Record<string, string>> = {
  ABORT_ERR: closed,
  ECONNRESET: closed,
  EPIPE: closed,
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network cannot be reached.',
  ETIMEDOUT: 'The connection timed out.',
};

const tlsCodes = /^(CERT_|ERR_SSL_|ERR_TLS_|EPROTO|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/** Returns a sentence about a request that failed before its response was complete. */
function describeFailure(error: unknown, { hostname, host }: URL): string {
  const code = codeOf(error);
  if (code === 'ECONNREFUSED') return `Connection refused: nothing listens on ${host}.`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The host ${hostname} is not known.`;
  if (code.startsWith('HPE_')) return 'The response is not valid HTTP.';
  if (tlsCodes.test(code)) return `The TLS connection failed (${code}).`;
  return sentences[code] ?? `The request failed (${code}).`;
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string')
    return error.code;
  return String(error);
}
