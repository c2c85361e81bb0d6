import type { RawBody } from '../body.ts';
import { alreadyRead, endedEarly, tooLarge } from '../receiver/errors.ts';
import { isBytes } from '../receiver/incoming-body.ts';
import type { Reading } from '../receiver/receiver.ts';

/** What is used of a Node `Socket`. */
export interface RequestSocket {
  /** Closes it once everything is written. */
  destroySoon?(): unknown;
  /** Half-closes it once everything is written. */
  end(): unknown;
  /** Stops reading from it. */
  pause(): unknown;
  /** Goes on reading from it. */
  resume?(): unknown;
  /** Closes it. */
  destroy(): unknown;
}

/** What is used of a Node `IncomingMessage`. */
export interface RequestStream {
  /** Headers by their names in lower case. */
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
  /** Whether bytes have been read from it. */
  readonly readableDidRead?: boolean;
  /** Whether it was read to its end. */
  readonly readableEnded?: boolean;
  /** Whether it is closed. */
  readonly destroyed?: boolean;
  /** Whether the request has arrived as a whole. */
  readonly complete?: boolean;
  /** 1 for HTTP/1.0 and HTTP/1.1. */
  readonly httpVersionMajor?: number;
  /** The connection; some platforms have none. */
  readonly socket?: RequestSocket | null;
  /** Emits its bytes. */
  on(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown;
  /** Emits its end. */
  on(event: 'end' | 'close', listener: () => void): unknown;
  /** Emits its failure. */
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** Where parsers and platforms leave a body that they have read. */
export interface ParsedRequest {
  readonly body?: unknown;
  readonly rawBody?: unknown;
}

/**
 * The raw body of a request: the bytes that a platform or `express.raw()` left in `rawBody` or
 * `body`, else the bytes of the stream.
 *
 * @throws {@link WebhookVerificationError} `body_not_raw` when it was read, or decoded, before
 * @throws {@link WebhookReceiverError} `body_too_large`, `overloaded`, or `body_incomplete` when the
 * sender disconnects before the end or the signal aborts
 */
export async function rawBodyOf(
  { rawBody, body }: ParsedRequest,
  stream: RequestStream,
  reading: Reading,
): Promise<RawBody> {
  for (const bytes of [rawBody, body]) {
    if (!isBytes(bytes)) continue;
    if (bytes.length > reading.maxBodySize) throw tooLarge(reading.maxBodySize);
    return bytes;
  }
  if (body !== undefined) throw alreadyRead();
  return readStream(stream, reading);
}

async function readStream(stream: RequestStream, { body, signal }: Reading): Promise<Uint8Array> {
  if (stream.readableDidRead || stream.readableEnded) throw alreadyRead();
  // A stream that has closed emits nothing more.
  if (stream.destroyed) throw endedEarly();
  body.declare(stream.headers?.['content-length'] as string | undefined);

  await new Promise<void>((resolve, reject) => {
    let refused = false;
    const refuse = (error: unknown) => {
      refused = true;
      reject(error);
    };
    stream.on('data', (chunk) => {
      // Chunks are discarded until the connection is closed. A paused stream would queue them.
      if (refused) return;
      try {
        body.add(chunk);
      } catch (error) {
        refuse(error);
      }
    });
    stream.on('end', resolve);
    stream.on('error', (cause) => refuse(endedEarly(cause)));
    stream.on('close', () => refuse(endedEarly()));
    signal.addEventListener('abort', () => refuse(endedEarly(signal.reason)), { once: true });
  });
  return body.bytes();
}
