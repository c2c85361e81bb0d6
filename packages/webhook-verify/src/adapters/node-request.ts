/** The raw body of a request of Node's `http`. */
import type { RawBody } from '../body.ts';
import { alreadyRead, endedEarly, tooLarge } from '../receiver/errors.ts';
import { isBytes } from '../receiver/incoming-body.ts';
import type { Reading } from '../receiver/receiver.ts';

/** The used part of a Node `IncomingMessage`. */
export interface RequestStream {
  /** Headers by lower-case name. */
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
  /** Whether bytes were read from the stream. */
  readonly readableDidRead?: boolean;
  /** Whether the stream was read to its end. */
  readonly readableEnded?: boolean;
  /** Whether the stream is closed. */
  readonly destroyed?: boolean;
  /** Whether the whole request has arrived. */
  readonly complete?: boolean;
  /** 1 for HTTP/1.0 and HTTP/1.1. */
  readonly httpVersionMajor?: number;
  /** Emits the bytes. */
  on(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown;
  /** Emits the end. */
  on(event: 'end' | 'close', listener: () => void): unknown;
  /** Emits an error. */
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** The properties in which body parsers and platforms store a body that they have read. */
export interface ParsedRequest {
  readonly body?: unknown;
  readonly rawBody?: unknown;
}

/**
 * Returns the raw body of a request: the bytes that a platform or `express.raw()` stored in
 * `rawBody` or `body`, otherwise the bytes of the stream.
 *
 * @throws {@link WebhookVerificationError} `body_not_raw` when the body was read or decoded before
 * @throws {@link WebhookReceiverError} `body_too_large`, `chunks_too_small`, `overloaded`, or `body_incomplete` when the
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
  // Parsers of other types leave the stream unread, and some of them still set `body` to `{}`.
  if (body !== undefined && stream.readableDidRead !== false) throw alreadyRead();
  return readStream(stream, reading);
}

async function readStream(stream: RequestStream, { body, signal }: Reading): Promise<Uint8Array> {
  if (stream.readableDidRead || stream.readableEnded) throw alreadyRead();
  // A closed stream emits no more events.
  if (stream.destroyed) throw endedEarly();
  body.declare(stream.headers?.['content-length'] as string | undefined);

  await new Promise<void>((resolve, reject) => {
    let refused = false;
    const refuse = (error: unknown) => {
      refused = true;
      reject(error);
    };
    stream.on('data', (chunk) => {
      // Discards chunks until the connection closes. A paused stream would queue them.
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
