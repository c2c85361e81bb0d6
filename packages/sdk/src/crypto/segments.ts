/** The segments of a content that is encrypted or decrypted as a whole. */
import type { ByteRange } from './layout.ts';
import { allocate, release } from './memory.ts';

/** Where the results of segments lie in the whole. */
interface Whole {
  /** Number of segments, at least 1. */
  readonly segments: number;
  /** Bytes of the whole. */
  readonly size: number;
  rangeOf(segment: number): ByteRange;
}

/**
 * Runs a task for each segment and joins the results. Two tasks run at a time: Web Crypto works in threads of its
 * own. A result is copied as soon as it is there, so that its memory serves the next one.
 */
export async function joinSegments(
  { segments, size, rangeOf }: Whole,
  task: (segment: number) => Promise<Uint8Array<ArrayBuffer>>,
): Promise<Uint8Array<ArrayBuffer>> {
  if (segments === 1) return task(0);
  const whole = allocate(size);
  let before: Promise<void> | undefined;
  for (let segment = 0; segment < segments; segment++) {
    const copied = task(segment).then((part) => {
      whole.set(part, rangeOf(segment).start);
      release(part);
    });
    // When the one before fails, no code waits for this one.
    copied.catch(() => {});
    await before;
    before = copied;
  }
  await before;
  return whole;
}
