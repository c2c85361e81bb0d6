import { alreadyRead, endedEarly } from '../receiver/errors.ts';
import type { Reading } from '../receiver/receiver.ts';

/** Bytes of a refused body that are discarded before it is cancelled: what a platform may queue. */
const mostDiscarded = 131_072;

/** How long a refused body is discarded before it is cancelled, in milliseconds. */
const longestDiscarding = 500;

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

/**
 * Reads the body of a request to its end.
 *
 * @throws {@link WebhookVerificationError} `body_not_raw` when another reader has it, or had it
 * @throws {@link WebhookReceiverError} `body_too_large`, `overloaded`, or `body_incomplete` when the
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
 * Discards what arrives before the platform closes the connection. On Node, cancelling at once would
 * leave up to 64 KiB queued, in which a chunk of one byte occupies hundreds of bytes.
 */
async function discard(reader: BodyReader): Promise<void> {
  const cancel = () => void reader.cancel().catch(() => {});
  const timer = setTimeout(cancel, longestDiscarding);
  try {
    for (let left = mostDiscarded; left > 0; ) {
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
