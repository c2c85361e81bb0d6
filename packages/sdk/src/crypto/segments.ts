/** The segments of a content that is encrypted or decrypted as a whole. */
import { release } from './memory.ts';

/** Runs a task for each segment, two at a time: Web Crypto works in threads of its own. */
export async function eachSegment<T>(
  segments: number,
  task: (segment: number) => Promise<T>,
): Promise<T[]> {
  const results: Promise<T>[] = [];
  for (let segment = 0; segment < segments; segment++) {
    const result = task(segment);
    // When the one before fails, no code waits for this one.
    result.catch(() => {});
    results.push(result);
    await results[segment - 1];
  }
  return Promise.all(results);
}

/** Joins arrays. Frees them, or returns the only one. */
export function concatenate(parts: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const [first] = parts;
  if (first && parts.length === 1) return first;
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
    release(part);
  }
  return bytes;
}
