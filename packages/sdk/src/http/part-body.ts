/** Sends the parts of uploads with the least memory, which the first upload in parts loads. */
import { isBrowser, type Settings } from '../options.ts';

type Fetch = NonNullable<Settings['fetch']>;

/** Bytes of a chunk. Larger ones are no faster. */
const chunkBytes = 256 * 1024;

/** The bytes of a part as they wait for their confirmation: each attempt sends them again. */
export interface PartBody {
  readonly length: number;
  readonly body: Uint8Array<ArrayBuffer> | Blob;
  /** Sends the body. Undefined: the `fetch` of the client. */
  readonly fetch?: Fetch | undefined;
}

/**
 * Returns a body that needs the least memory where the code runs.
 *
 * - Node's `fetch` copies bytes three times, and the copies wait for the garbage collector. It sends the chunks of a
 *   stream without a copy. Browsers send streams over HTTP/2 alone, other runtimes without `Content-Length`.
 * - Chromium's `fetch` copies bytes too, and does not count its copies when it decides whether to collect garbage. The
 *   bytes of a Blob are outside of the tab.
 * - A `fetch` of the caller may expect bytes.
 *
 * @param custom - the `fetch` of the caller, if there is one
 */
export function partBody(custom: Settings['fetch'], bytes: Uint8Array<ArrayBuffer>): PartBody {
  const { length } = bytes;
  if (custom) return { length, body: bytes };
  const blob = isBrowser() && new Blob([bytes]);
  if (blob && isBody(blob)) return { length, body: blob };
  return { length, body: bytes, fetch: isNode() ? streamingFetch(bytes) : undefined };
}

function streamingFetch(bytes: Uint8Array<ArrayBuffer>): Fetch {
  return async (url, init) => {
    const headers = { ...(init.headers as object), 'content-length': String(bytes.length) };
    // Without `duplex`, which the types lack, streams are refused.
    const streamed = { ...init, headers, body: streamOf(bytes), duplex: 'half' };
    try {
      return await fetch(url, streamed);
    } catch (error) {
      if (!hidesUnauthorized(error)) throw error;
      return fetch(url, init);
    }
  };
}

/** Node 24.14 and 24.15 reject each 401 to a stream with this error: nodejs/undici#4910. Bytes get the response. */
function hidesUnauthorized(error: unknown): boolean {
  const { cause } = Object(error);
  return cause?.message === 'expected non-null body source';
}

/** Makes the stream of one attempt. Its chunks are views of `bytes`. */
function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> {
  let position = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const end = position + chunkBytes;
        controller.enqueue(bytes.subarray(position, end));
        position = end;
        if (end >= bytes.length) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Bun, Deno and pages of Electron have Node's `process` too, but a `fetch` of their own. */
function isNode(): boolean {
  const { process, Bun, Deno, document, WorkerNavigator } = globalThis as Record<string, unknown>;
  const versions = (process as { versions?: { node?: string } } | undefined)?.versions;
  return Boolean(versions?.node) && !(Bun || Deno || document || WorkerNavigator);
}

/** jsdom has Blobs of its own, which the `fetch` of Node would send as the text `[object Blob]`. */
function isBody(blob: Blob): boolean {
  return new Response(blob).headers.get('content-type') === null;
}
