import { onTestFinished } from 'vitest';
import { type AttemptOptions, createAttempt } from '../../../src/delivery/attempt.ts';
import { TestClock } from '../../../src/lib/clock.ts';
import type { AttemptRecord, QueuedDelivery } from '../../../src/store/rows/webhooks/deliveries.ts';
import { queuedDelivery } from './queued.ts';
import { type Reply, startReceiver } from './receiver.ts';

/** Does not advance. */
export const clock = new TestClock();
/** Never aborted. */
export const never = new AbortController().signal;

/** Starts a receiver, which is closed after the running test. */
export async function receiver(reply?: Reply) {
  const started = await startReceiver(reply);
  onTestFinished(started.close);
  return started;
}

/** Makes one delivery attempt. */
export function attempt(
  delivery: Partial<QueuedDelivery>,
  options: Partial<AttemptOptions> = {},
): Promise<AttemptRecord> {
  const post = createAttempt({
    clock,
    timeoutMs: 10_000,
    allowPrivate: true,
    userAgent: 'document-vault/test',
    ...options,
  });
  return post(queuedDelivery(delivery), never);
}
