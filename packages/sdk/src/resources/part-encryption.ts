import type { Encryptor } from '../crypto/encryptor.ts';
import { segmentBytes } from '../crypto/layout.ts';
import type { UploadSource } from './upload-source.ts';

/** Segments in work at once: one is encrypted while the next one is read. */
const concurrency = 2;

/** A segment that is being encrypted. */
interface Pending {
  readonly segment: number;
  readonly sealed: Promise<Uint8Array>;
}

/**
 * Returns a function that encrypts the bytes of a part: those of the ciphertext from `start` up to `end`. The
 * parts of a source that cannot be read again are made in their order: one segment is kept, in which the
 * next part may begin.
 */
export function partEncryption(encryptor: Encryptor, source: UploadSource) {
  let last: Pending | undefined;

  /** Reads a segment and starts to encrypt it. */
  const begin = async (segment: number): Promise<Pending> => {
    if (last?.segment === segment) return last;
    const { start, end } = encryptor.contentOf(segment);
    const sealed = encryptor.segment(segment, await source.read(start, end));
    // The caller gets a rejection when it awaits the segment, which an earlier error can prevent.
    sealed.catch(() => {});
    last = { segment, sealed };
    return last;
  };

  return async (start: number, end: number): Promise<Uint8Array<ArrayBuffer>> => {
    const part = new Uint8Array(end - start);
    const place = async ({ segment, sealed }: Pending) => {
      const offset = segment * segmentBytes - start;
      const bytes = (await sealed).subarray(Math.max(0, -offset), part.length - offset);
      part.set(bytes, Math.max(0, offset));
    };
    const pending: Pending[] = [];
    for (let n = Math.floor(start / segmentBytes); n * segmentBytes < end; n++) {
      pending.push(await begin(n));
      const oldest = pending.length === concurrency ? pending.shift() : undefined;
      if (oldest) await place(oldest);
    }
    for (const segment of pending) await place(segment);
    return part;
  };
}
