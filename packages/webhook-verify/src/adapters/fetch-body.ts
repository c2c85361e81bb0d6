import { alreadyRead, endedEarly } from '../receiver/errors.ts';
import type { BodyLimits } from '../receiver/receiver.ts';
import { collectBytes } from './collected-bytes.ts';

/**
 * Reads the body of a request to its end.
 *
 * @throws {@link WebhookVerificationError} `body_not_raw` when somebody has read, or is reading, it
 * @throws {@link WebhookReceiverError} `body_too_large`, or `body_incomplete` when the sender goes
 * away before the end, or the signal aborts
 */
export async function readRequest(
  request: Request,
  { limit, signal }: BodyLimits,
): Promise<Uint8Array> {
  const { body } = request;
  if (request.bodyUsed || body?.locked) throw alreadyRead();
  const bytes = collectBytes(limit);
  if (body === null) return bytes.all();

  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause) => {
        throw endedEarly(cause);
      });
      if (signal.aborted) throw endedEarly(signal.reason);
      if (done) return bytes.all();
      bytes.add(value);
    }
  } catch (error) {
    cancel();
    throw error;
  }
}
