import type { Encryptor } from '../crypto/encryptor.ts';
import { segmentBytes } from '../crypto/layout.ts';
import { release, reusesMemory } from '../crypto/memory.ts';
import { type PartBody, partBody } from '../http/upload-body.ts';
import type { Settings } from '../options.ts';
import { sha256Of } from './binary.ts';
import type { UploadSource } from './upload-source.ts';

/** Segments in work at once: one is encrypted while the next one is read. */
const concurrency = 2;

/** A segment that is being encrypted. */
interface Pending {
  readonly segment: number;
  readonly sealed: Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Encrypts the parts of a source, one at a time and in their order. It keeps one segment, in which the next part
 * may begin: some sources cannot be read again.
 */
export class PartEncryption {
  readonly #encryptor: Encryptor;
  readonly #source: UploadSource;
  /** The memory of parts that have been sent. */
  readonly #free: ArrayBuffer[] = [];
  readonly #fetch: Settings['fetch'];
  #last: Pending | undefined;

  /** @param fetch - the `fetch` of the caller, if there is one */
  constructor(encryptor: Encryptor, source: UploadSource, fetch: Settings['fetch']) {
    this.#encryptor = encryptor;
    this.#source = source;
    this.#fetch = fetch;
  }

  /** Encrypts a part, the bytes of the ciphertext from `start` up to `end`, and returns it with its SHA-256. */
  async encrypt(start: number, end: number): Promise<{ body: PartBody; sha256: string }> {
    const bytes = await this.#ciphertext(start, end);
    const sha256 = await sha256Of(bytes);
    return { body: partBody(this.#fetch, bytes), sha256 };
  }

  async #ciphertext(start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
    const part = new Uint8Array(this.#free.pop() ?? new ArrayBuffer(end - start), 0, end - start);
    const pending: Pending[] = [];
    for (let n = Math.floor(start / segmentBytes); n * segmentBytes < end; n++) {
      pending.push(await this.#begin(n));
      const oldest = pending.length === concurrency ? pending.shift() : undefined;
      if (oldest) await place(oldest, part, start);
    }
    for (const segment of pending) await place(segment, part, start);
    return part;
  }

  /** Takes back the memory of a part for a later one. Only the last part may be shorter. */
  recycle({ body }: PartBody): void {
    if (reusesMemory() && body instanceof Uint8Array) this.#free.push(body.buffer);
  }

  /** Reads a segment and starts to encrypt it. */
  async #begin(segment: number): Promise<Pending> {
    if (this.#last?.segment === segment) return this.#last;
    const { start, end } = this.#encryptor.contentOf(segment);
    // Web Crypto copies what it is given, so that the source may use its memory for the next read.
    const sealed = this.#encryptor.segment(segment, await this.#source.read(start, end));
    // The caller gets a rejection when it awaits the segment, which an earlier error can prevent.
    sealed.catch(() => {});
    this.#last = { segment, sealed };
    return this.#last;
  }
}

/** Copies the bytes of a segment into the part that begins at `start`. */
async function place({ segment, sealed }: Pending, part: Uint8Array, start: number): Promise<void> {
  const offset = segment * segmentBytes - start;
  const bytes = await sealed;
  part.set(bytes.subarray(Math.max(0, -offset), part.length - offset), Math.max(0, offset));
  // The next part needs none of it.
  if (offset + bytes.length <= part.length) release(bytes);
}
