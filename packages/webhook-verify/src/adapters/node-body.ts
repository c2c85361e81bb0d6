import type { RawBody } from '../body.ts';
import { alreadyRead, endedEarly, tooLarge } from '../receiver/errors.ts';
import type { BodyLimits } from '../receiver/receiver.ts';
import { collectBytes, isBytes } from './collected-bytes.ts';

/** What is used of a Node `IncomingMessage`. */
export interface RequestStream {
  /** Whether somebody has read of it. */
  readonly readableDidRead?: boolean;
  /** Whether it was read to its end. */
  readonly readableEnded?: boolean;
  /** Whether it is closed. */
  readonly destroyed?: boolean;
  /** Is told of its bytes. */
  on(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown;
  /** Is told of its end. */
  on(event: 'end' | 'close', listener: () => void): unknown;
  /** Is told of its failure. */
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** Where parsers and platforms leave a body that they have read. */
export interface ParsedRequest {
  readonly body?: unknown;
  readonly rawBody?: unknown;
}

/**
 * The raw body of a request: the bytes that a platform or `express.raw()` left in `rawBody` or
 * `body`, else what is read of the stream.
 *
 * @throws {@link WebhookVerificationError} `body_not_raw` when somebody has read, or decoded, it
 * @throws {@link WebhookReceiverError} `body_too_large`, or `body_incomplete` when the sender goes
 * away before the end, or the signal aborts
 */
export async function rawBodyOf(
  { rawBody, body }: ParsedRequest,
  stream: RequestStream,
  limits: BodyLimits,
): Promise<RawBody> {
  for (const bytes of [rawBody, body]) {
    if (!isBytes(bytes)) continue;
    if (bytes.length > limits.limit) throw tooLarge(limits.limit);
    return bytes;
  }
  if (body !== undefined) throw alreadyRead();
  return readStream(stream, limits);
}

async function readStream(
  stream: RequestStream,
  { limit, signal }: BodyLimits,
): Promise<Uint8Array> {
  if (stream.readableDidRead || stream.readableEnded) throw alreadyRead();
  // Nothing more is told of a stream that has closed already.
  if (stream.destroyed) throw endedEarly();
  const bytes = collectBytes(limit);

  await new Promise<void>((resolve, reject) => {
    stream.on('data', (chunk) => {
      // Goes on after a refusal: the rest is discarded as it comes, so that the answer reaches a
      // sender that is still writing.
      try {
        bytes.add(chunk);
      } catch (error) {
        reject(error);
      }
    });
    stream.on('end', resolve);
    stream.on('error', (cause) => reject(endedEarly(cause)));
    stream.on('close', () => reject(endedEarly()));
    signal.addEventListener('abort', () => reject(endedEarly(signal.reason)), { once: true });
  });
  return bytes.all();
}
