import { alreadyRead, endedEarly } from '../receiver/errors.ts';
import type { Reading } from '../receiver/receiver.ts';

/** Bytes of a refused body that are read before it is cancelled: as many as a platform may queue. */
const maxDiscarded = 131_072;

/** How long a refused body is read before it is cancelled, in milliseconds. */
const discardTimeout = 500;

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

/**
 * Reads the body of a request to its end.
 *
 * @throws {@link WebhookVerificationError} `body_not_raw` when another reader has or had the body
 * @throws {@link WebhookReceiverError} `body_too_large`, `chunks_too_small`, `overloaded`, or `body_incomplete` when the
 * sender disconnects before the end or the signal aborts
 */
export async function readRequest(request: Request, reading: Reading): Promise<Uint8Array> {
  if (request.bodyUsed || request.body?.locked) throw alreadyRead();
  const { body, signal } = reading;
  const reader = request.body?.getReader();
  if (reader === undefined) return body.bytes();

  try {
    body.declare(request.headers.get('content-length'));
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(endedEarly(signal.reason)), { once: true });
      copy(reader, reading).then(resolve, reject);
    });
    return body.bytes();
  } catch (error) {
    void discard(reader);
    throw error;
  }
}

async function copy(reader: BodyReader, { body, signal }: Reading): Promise<void> {
  for (;;) {
    const { done, value } = await reader.read().catch((cause) => {
      throw endedEarly(cause);
    });
    if (done || signal.aborted) return;
    body.add(value);
  }
}

/**
 * Reads and discards the rest of a refused body until the platform closes the connection. On Node,
 * cancelling at once would leave up to 64 KiB queued, where a chunk of one byte occupies hundreds.
 */
async function discard(reader: BodyReader): Promise<void> {
  const cancel = () => void reader.cancel().catch(() => {});
  const timer = setTimeout(cancel, discardTimeout);
  try {
    for (let left = maxDiscarded; left > 0; ) {
      const { done, value } = await reader.read();
      if (done) return;
      left -= Math.max(1, value.length);
    }
    cancel();
  } catch {
    // The connection is closed.
  } finally {
    clearTimeout(timer);
  }
}
