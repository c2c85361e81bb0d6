/** Reads binary contents of the service, which the main entry loads with the first of them. */
import { ConnectionError, type ErrorContext, TimeoutError, VaultError } from '../errors.ts';
import { type CallOptions, type ResolvedLimits, resolveLimits } from '../options.ts';
import type { ChunkSource } from './byte-stream.ts';
import type { SessionGeneration } from './credentials.ts';
import { abortError, withDeadline } from './deadline.ts';
import { apiError } from './responses.ts';
import { backoff, transportError } from './retry.ts';
import type { Transport } from './transport.ts';

/** Where a content is read. */
export interface ContentLocation {
  readonly transport: Transport;
  readonly url: string;
  /** Path template of the operation. */
  readonly path: string;
  readonly options: CallOptions & { generation?: SessionGeneration };
}

/** A response with bytes of a content. */
interface Piece {
  readonly response: Response;
  /** Position of its first byte in the content. */
  readonly start: number;
  readonly end: number;
  /** Size of the whole content. */
  readonly size: number;
  readonly etag: string | null;
}

/** What ends the reading of a body. */
interface Idle {
  readonly signal: AbortSignal;
  /** Milliseconds for each chunk. */
  readonly timeoutMs: number;
  readonly context: ErrorContext;
}

/** An open range of a content. */
export interface OpenedRange {
  /** The response that began it. */
  readonly response: Response;
  /** Size of the whole content. */
  readonly size: number;
  readonly etag: string | null;
  /**
   * The bytes in order, to be read once. They end normally after the last byte of the range only, and
   * close the connection when they fail.
   */
  readonly chunks: ChunkSource;
}

/**
 * A content of the service, read in ranges. A response that is cut off is continued by `Range` and
 * `If-Range` (RFC 9110, section 14). All responses have the same `ETag`: a content that changes is an error.
 */
export class RemoteContent {
  readonly #location: ContentLocation;
  readonly #limits: ResolvedLimits;
  #etag: string | null | undefined;

  /** @throws UsageError when an option is invalid */
  constructor(location: ContentLocation) {
    this.#location = location;
    this.#limits = resolveLimits(location.options, location.transport.settings);
  }

  /**
   * Requests a range. Its chunks must be read to their end or aborted: they hold a connection.
   *
   * @param range - the end is exclusive; undefined: the end of the content
   * @param signal - aborts the request
   * @throws VaultError of the request
   */
  async open(
    range: { readonly start: number; readonly end: number | undefined },
    signal: AbortSignal | undefined,
  ): Promise<OpenedRange> {
    const { start, end } = range;
    const piece = await this.#request(start, end, signal);
    const { response, etag, size } = piece;
    const last = Math.min(end ?? size, size);
    const chunks: ChunkSource = (ended) => this.#read(piece, start, last, ended);
    return { response, size, etag, chunks };
  }

  async *#read(
    first: Piece,
    start: number,
    end: number,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    let position = start;
    let piece: Piece | undefined = first;
    for (let failures = 0; position < end; failures++) {
      let cut: VaultError = new ConnectionError('The content was cut off', this.#context);
      try {
        piece ??= await this.#request(position, end, signal);
        for await (const chunk of this.#chunksOf(piece, position, end, signal)) {
          failures = 0;
          position += chunk.length;
          yield chunk;
        }
      } catch (error) {
        cut = this.#retryable(error);
      }
      piece = undefined;
      if (position < end) await this.#pause(failures, cut, signal);
    }
    if (piece) discard(piece.response);
  }

  /** Waits before the next request of a content that was cut off. */
  async #pause(failures: number, cut: VaultError, signal: AbortSignal | undefined): Promise<void> {
    // Without a strong ETag, the next response could belong to another content.
    if (failures >= this.#limits.maxRetries || !isStrong(this.#etag)) throw cut;
    const { clock, random } = this.#location.transport.settings;
    await withDeadline({ signal, context: this.#context }, (ended) =>
      clock.sleep(backoff(failures, random()), ended),
    );
  }

  /** Yields the bytes of a response from `position` to `end`. */
  async *#chunksOf(
    { response, start, end: pieceEnd }: Piece,
    position: number,
    end: number,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    if (!response.body) return;
    // A response that ignored the range begins earlier and ends later.
    let skip = position - start;
    let left = end - position;
    const idle = { signal, timeoutMs: this.#limits.timeout, context: this.#context };
    for await (const value of chunksOf(response.body, idle)) {
      if (left === 0) return;
      const from = Math.min(skip, value.length);
      const chunk = value.subarray(from, from + left);
      skip -= from;
      left -= chunk.length;
      if (chunk.length > 0) yield chunk;
      // A response that ends with the range is read to its end, so that its connection can be used again.
      if (left === 0 && pieceEnd !== end) return;
    }
  }

  async #request(
    start: number,
    end: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Piece> {
    const { transport, url, path, options } = this.#location;
    const headers: Record<string, string> = {
      accept: 'application/octet-stream',
      ...options.headers,
    };
    if (start > 0 || end !== undefined)
      headers.range = `bytes=${start}-${end === undefined ? '' : end - 1}`;
    if (this.#etag && isStrong(this.#etag)) headers['if-range'] = this.#etag;
    const init = { ...options, headers, signal, method: 'GET', path, streamed: true } as const;
    const received = await transport.send(url, init);
    if (!received.ok) throw apiError(received, { method: 'GET', path });
    const piece = pieceOf(received.response);
    const changed = this.#etag !== undefined && piece?.etag !== this.#etag;
    if (!piece || piece.start > start || changed) {
      discard(received.response);
      if (changed) throw new VaultError('The content has changed while it was read', this.#context);
      throw apiError(received, { method: 'GET', path }, 'the requested range');
    }
    this.#etag = piece.etag;
    return piece;
  }

  /** @throws every error that another request cannot help against */
  #retryable(thrown: unknown): VaultError {
    const { url, path } = this.#location;
    return transportError(thrown, { url, context: { method: 'GET', path } }).error;
  }

  get #context(): ErrorContext {
    return { method: 'GET', path: this.#location.path };
  }
}

/**
 * Yields the chunks of a body, each of which has to arrive within the timeout. Between two reads no time runs: the
 * consumer may pause.
 *
 * @throws AbortError, TimeoutError, and the errors of the body
 */
async function* chunksOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { signal, timeoutMs, context }: Idle,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const reader = body.getReader();
  let failure: VaultError | undefined;
  // The cancellation ends a read that waits, even of a body that never ends.
  const fail = (error: VaultError) => {
    failure ??= error;
    reader.cancel(error).catch(() => {});
  };
  const onAbort = () => fail(abortError({ signal, context }));
  const onTimeout = () =>
    fail(new TimeoutError(`No response within ${Math.round(timeoutMs)} ms`, context));
  const next = async () => {
    const timer = timeoutMs === Infinity ? undefined : setTimeout(onTimeout, timeoutMs);
    try {
      return await reader.read();
    } finally {
      clearTimeout(timer);
    }
  };
  if (signal.aborted) onAbort();
  // A listener for each chunk takes an eighth of the processor time of a large download.
  signal.addEventListener('abort', onAbort);
  try {
    for (;;) {
      const { done, value } = await next();
      if (failure) throw failure;
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw failure ?? error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    reader.cancel().catch(() => {});
  }
}

/** Parses the headers of a response; undefined when they do not say which bytes it has. */
function pieceOf(response: Response): Piece | undefined {
  const { status, headers } = response;
  const etag = headers.get('etag');
  if (status === 200) {
    const size = Number(headers.get('content-length') ?? Number.NaN);
    return Number.isSafeInteger(size) ? { response, start: 0, end: size, size, etag } : undefined;
  }
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers.get('content-range') ?? '');
  if (status !== 206 || !range) return undefined;
  const [start, last, size] = range.slice(1).map(Number) as [number, number, number];
  return { response, start, end: last + 1, size, etag };
}

/** Whether an `ETag` stands for exactly the same bytes (RFC 9110, section 8.8.1). */
function isStrong(etag: string | null | undefined): boolean {
  return /^"/.test(etag ?? '');
}

/** Closes a response that is not read. */
function discard({ body }: Response): void {
  body?.cancel().catch(() => {});
}
