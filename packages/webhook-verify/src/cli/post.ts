import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { CommandFailure } from './failures.ts';
import { describeFailure } from './post-failure.ts';

export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Milliseconds for name lookup, connection, TLS, head and body together. */
  readonly timeoutMs: number;
}

export interface Answer {
  readonly status: number;
  /** The words after the status. */
  readonly statusText: string;
  /** Where a redirect leads; it is not followed. */
  readonly location: string | undefined;
  readonly durationMs: number;
  /** The body, or as much of it as was read. */
  readonly body: Buffer;
}

/** Bytes of an answer after which it is not read on, as the service does it. */
const readLimit = 16 * 1024;

/**
 * Posts once and reads the answer.
 *
 * @throws {@link CommandFailure} when no complete answer came
 */
export async function post({ url, headers, body, timeoutMs }: Post): Promise<Answer> {
  const start = performance.now();
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const request = send(url, { method: 'POST', headers, agent: false });
  // What fails before the answer is waited for below; nothing else is of interest.
  request.on('error', () => {});
  const timedOut = AbortSignal.timeout(timeoutMs);
  timedOut.addEventListener('abort', () => request.destroy());
  // A change of protocol, which nobody asked for, closes the request without a response or an error.
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
      ? `No complete answer within ${timeoutMs / 1000} s; the service waits no longer.`
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
