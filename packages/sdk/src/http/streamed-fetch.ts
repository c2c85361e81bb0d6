/** Sends bytes with the least memory, which the first upload in parts loads. */
import type { Settings } from '../options.ts';

type Fetch = NonNullable<Settings['fetch']>;

/** Bytes of a chunk. Larger ones are no faster. */
const chunkBytes = 256 * 1024;

/**
 * Returns a `fetch` that sends bytes as a stream; undefined where bytes are sent as they are.
 *
 * Node's `fetch` copies bytes three times, and the copies wait for the garbage collector. It sends the chunks of a
 * stream without a copy. Browsers send streams over HTTP/2 alone, other runtimes without `Content-Length`, and a
 * `fetch` of the caller may expect bytes.
 *
 * @param custom - the `fetch` of the caller, if there is one
 */
export function streamedFetch(
  custom: Settings['fetch'],
  bytes: Uint8Array<ArrayBuffer>,
): Fetch | undefined {
  if (custom || !isNode()) return undefined;
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
