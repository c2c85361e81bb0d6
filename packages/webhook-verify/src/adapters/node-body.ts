import { WebhookVerificationError } from '../errors.ts';
import { UnreadableBodyError } from '../receiver.ts';

/** What is used of a Node `IncomingMessage`. */
export interface RequestStream {
  readonly readableDidRead?: boolean;
  readonly readableEnded?: boolean;
  readonly destroyed?: boolean;
  on(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown;
  on(event: 'end' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown;
}

/** For a body that is no longer there as it was sent; a receiver's mistake, and always the same. */
export function alreadyRead(): WebhookVerificationError {
  return new WebhookVerificationError(
    'body_not_raw',
    'The body was already read or parsed: put the webhook receiver before any body parser.',
  );
}

/**
 * Reads a request to its end.
 *
 * @param limit the most bytes that are read
 * @throws {@link UnreadableBodyError} when there are more, or the sender goes away before the end
 * @throws {@link WebhookVerificationError} `body_not_raw` when somebody has read, or decoded, it
 */
export async function readRawBody(stream: RequestStream, limit: number): Promise<Uint8Array> {
  if (stream.readableDidRead || stream.readableEnded) throw alreadyRead();
  // Nothing more is told of a stream that has closed already.
  if (stream.destroyed) throw endedEarly();
  const chunks: Uint8Array[] = [];
  let length = 0;

  await new Promise<void>((resolve, reject) => {
    const collect = (chunk: Uint8Array | string) => {
      length += chunk.length;
      if (typeof chunk === 'string') refuse(alreadyRead());
      else if (length > limit)
        refuse(new UnreadableBodyError(`The body is larger than ${limit} bytes.`));
      else chunks.push(chunk);
    };
    const refuse = (error: Error) => {
      // The stream flows on without a listener: the rest is discarded as it comes, so that the
      // answer reaches a sender that is still writing.
      stream.off('data', collect);
      reject(error);
    };
    stream.on('data', collect);
    stream.on('end', resolve);
    stream.on('error', (cause) => reject(endedEarly(cause)));
    stream.on('close', () => reject(endedEarly()));
  });
  return concatenate(chunks, length);
}

function endedEarly(cause?: Error): UnreadableBodyError {
  return new UnreadableBodyError('The body ended early.', { cause });
}

function concatenate(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
