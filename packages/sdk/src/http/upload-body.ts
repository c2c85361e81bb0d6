/** The bodies of uploads. They are sent with the least memory, and with progress where the runtime reports it. */
import { isVaultError, VaultError } from '../errors.ts';
import { isBrowser, type Settings } from '../options.ts';
import { maxBody } from './responses.ts';

type Fetch = NonNullable<Settings['fetch']>;

/** Receives the bytes sent so far in this attempt, and the length of its body. A rejection ends the attempt. */
export type OnSent = (sent: number, total: number) => Promise<void>;

/** Bytes of a chunk, and so of a step of the progress. Larger chunks are no faster. */
const chunkBytes = 256 * 1024;

/** The bytes of a part as they wait for their confirmation: each attempt sends them again. */
export interface PartBody {
  readonly length: number;
  readonly body: Uint8Array<ArrayBuffer> | Blob;
}

/**
 * Returns a body that needs the least memory where the code runs.
 *
 * Chromium's `fetch` copies bytes, and does not count its copies when it decides whether to collect garbage. The
 * bytes of a Blob are outside of the tab. A `fetch` of the caller may expect bytes.
 *
 * @param custom - the `fetch` of the caller, if there is one
 */
export function partBody(custom: Settings['fetch'], bytes: Uint8Array<ArrayBuffer>): PartBody {
  return { length: bytes.length, body: !custom && fetchTakesBlobs() ? new Blob([bytes]) : bytes };
}

/**
 * Returns what sends the attempts of an upload. Undefined: the `fetch` of the client.
 *
 * - Node's `fetch` copies bytes three times, and the copies wait for the garbage collector. It sends the chunks of a
 *   stream without a copy. Other runtimes send streams over HTTP/2 alone, or without `Content-Length`.
 * - Browsers report the progress of an XMLHttpRequest alone. Service workers have none.
 *
 * @param custom - the `fetch` of the caller, if there is one
 */
export function uploadFetch(custom: Settings['fetch'], onSent?: OnSent): Fetch | undefined {
  if (custom) return undefined;
  if (isNode()) return streamingFetch(onSent);
  return onSent && fetchTakesBlobs() && globalThis.XMLHttpRequest ? xhrFetch(onSent) : undefined;
}

function streamingFetch(onSent?: OnSent): Fetch {
  return async (url, init) => {
    const { body } = init;
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    if (!(bytes instanceof Uint8Array)) return fetch(url, init);
    const headers = { ...(init.headers as object), 'content-length': String(bytes.length) };
    // Without `duplex`, which the types lack, streams are refused.
    const streamed = {
      ...init,
      headers,
      body: streamOf(bytes, init.signal, onSent),
      duplex: 'half',
    };
    try {
      return await fetch(url, streamed);
    } catch (error) {
      const { cause } = Object(error);
      if (isVaultError(cause)) throw cause;
      if (!hidesUnauthorized(cause)) throw error;
      return fetch(url, init);
    }
  };
}

/** Node 24.14 and 24.15 reject each 401 to a stream with this error: nodejs/undici#4910. Bytes get the response. */
function hidesUnauthorized(cause: unknown): boolean {
  return Object(cause).message === 'expected non-null body source';
}

/** Makes the stream of one attempt. Its chunks are views of `bytes`. Node pulls one when it has sent those before. */
function streamOf(
  bytes: Uint8Array,
  signal: RequestInit['signal'],
  onSent?: OnSent,
): ReadableStream<Uint8Array> {
  let position = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // Without this, Node reads some more chunks.
        signal?.throwIfAborted();
        await onSent?.(position, bytes.length);
        const end = position + chunkBytes;
        controller.enqueue(bytes.subarray(position, end));
        position = end;
        if (end >= bytes.length) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The headers that may be sent by XMLHttpRequest. */
const xhrHeaders = /^(accept|authorization|content-(type|digest)|idempotency-key)$/;

/**
 * Sends by XMLHttpRequest, which follows a redirect before it can be refused. Browsers remove `Authorization` from a
 * redirect to another origin, but no other credential: a request with an API key or with headers of the caller is sent
 * by `fetch`, without progress.
 */
function xhrFetch(onSent: OnSent): Fetch {
  return (url, init) => {
    const headers = Object.entries(init.headers as Record<string, string>);
    if (!headers.every(([name]) => xhrHeaders.test(name))) return fetch(url, init);
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      const fail = (error: unknown) => {
        reject(error);
        request.abort();
      };
      const report = ({ loaded, total }: ProgressEvent) => void onSent(loaded, total).catch(fail);
      request.upload.onloadstart = report;
      request.upload.onprogress = report;
      request.onprogress = ({ loaded }) => {
        if (loaded > maxBody) fail(new VaultError('The response is larger than 64 MiB'));
      };
      request.onload = () => {
        try {
          resolve(responseOf(request, url));
        } catch (error) {
          reject(error);
        }
      };
      // The transport retries a TypeError as a connection error.
      request.onerror = () => reject(new TypeError('network error'));
      init.signal?.addEventListener('abort', () => fail(init.signal?.reason));
      request.open(String(init.method), url);
      request.responseType = 'blob';
      for (const [name, value] of headers) request.setRequestHeader(name, value);
      request.send(init.body as XMLHttpRequestBodyInit);
    });
  };
}

/** Returns the response; after a redirect that of `fetch` with `redirect: 'manual'`, whose status is 0. */
function responseOf(request: XMLHttpRequest, url: string): Response {
  const { status, statusText, responseURL } = request;
  if (responseURL !== new URL(url).href) return Response.error();
  const headers = new Headers();
  // Another origin can hide all of them, and the last one can be empty.
  const lines = request.getAllResponseHeaders().matchAll(/^(\S+): ?(.*)\r$/gm);
  for (const [, name = '', value = ''] of lines) headers.append(name, value);
  const body: Blob = request.response;
  // A status such as 204 is refused with a body, even with an empty one.
  return new Response(body.size > 0 ? body : null, { status, statusText, headers });
}

/** Bun, Deno and pages of Electron have Node's `process` too, but a `fetch` of their own. */
function isNode(): boolean {
  const { process, Bun, Deno, document, WorkerNavigator } = globalThis as Record<string, unknown>;
  const versions = (process as { versions?: { node?: string } } | undefined)?.versions;
  return Boolean(versions?.node) && !(Bun || Deno || document || WorkerNavigator);
}

/**
 * Whether this is a browser. jsdom has Blobs of its own, which the `fetch` of Node would send as the text
 * `[object Blob]`.
 */
function fetchTakesBlobs(): boolean {
  return isBrowser() && new Response(new Blob([])).headers.get('content-type') === null;
}
