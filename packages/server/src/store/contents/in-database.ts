import { createHash, type Hash } from 'node:crypto';
import { freeOwn } from '../../lib/buffers.ts';
import type { Clock } from '../../lib/clock.ts';
import { type PartAttempt, pieceBytes, stepBytes } from '../rows/documents/content-rows.ts';
import type { Repositories, Store } from '../store.ts';
import type {
  AcceptedPart,
  Contents,
  DocumentContent,
  NewPart,
  ReadyContent,
  StoredSpan,
} from './contents.ts';
import { missingContent, requireDigest, startReading, wrongLength } from './transfers.ts';

/** Storing as much in one transaction takes some milliseconds. */
const stagedAbove = 4 * 1024 * 1024;

/** Maximum milliseconds between two steps of storing a content of one request. */
const stagingMs = 10 * 60 * 1000;

export interface DatabaseContentsOptions {
  readonly store: Store;
  readonly clock: Clock;
}

/**
 * Contents in the database. Parts and large contents are written in transactions of 2 MiB: one transaction of
 * a whole content would block other requests for hundreds of milliseconds.
 */
export function databaseContents({ store, clock }: DatabaseContentsOptions): Contents {
  async function writePart(part: NewPart, chunks: AsyncIterable<Uint8Array>) {
    const writer = new PartWriter(part, { store, clock });
    try {
      for await (const chunk of chunks) {
        await writer.write(chunk);
        freeOwn(chunk);
      }
      return await writer.finish();
    } catch (error) {
      await writer.drop();
      throw error;
    } finally {
      writer.close();
    }
  }

  async function stage(id: string, bytes: Uint8Array): Promise<ReadyContent> {
    const sizeBytes = bytes.length;
    const hash = createHash('sha256');
    for (let from = 0; from < sizeBytes; ) {
      const staged = { id, bytes, from, until: clock.now() + stagingMs };
      const to = await store.transaction((tx) => tx.contents.stage(staged));
      hash.update(bytes.subarray(from, to));
      from = to;
    }
    const stored = { store: 'database', digest: hash.digest(), partBytes: null } as const;
    return { kind: 'staged', id, sizeBytes, stored };
  }

  return {
    begin: (tx, { id, until }) => tx.contents.open(id, until),
    writePart,
    parts: ({ contents }, id) => contents.parts(id),
    stagedAbove,
    stage,
    hold(id, bytes) {
      const digest = createHash('sha256').update(bytes).digest();
      const stored = { store: 'database', digest, partBytes: null } as const;
      return { kind: 'held', id, sizeBytes: bytes.length, bytes, stored };
    },
    async complete({ id, sizeBytes, partBytes }) {
      return { kind: 'parts', id, sizeBytes, partBytes };
    },
    async take(tx, ready) {
      if (ready.kind === 'parts') return tx.contents.takeParts(ready);
      if (ready.kind === 'staged') await tx.contents.takeStaged(ready.id, ready.sizeBytes);
      else await tx.contents.insert(ready.id, ready.bytes);
      return ready.stored;
    },
    discard: (tx, id, held) => tx.contents.discard(id, held),
    read: (document, range) => startReading(() => pieces(store, document, range)),
  };
}

/** One attempt to store a part. */
class PartWriter {
  readonly #part: NewPart;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #hash: Hash = createHash('sha256');
  /**
   * Bytes that no transaction has stored yet. Each step fills the same memory again: new memory for every piece
   * took a fifth of the time of an upload, most of it in the garbage collector.
   */
  readonly #step: Buffer;
  #filled = 0;
  #received = 0;
  #stored = 0;
  #attempt: PartAttempt | undefined;

  constructor(part: NewPart, { store, clock }: DatabaseContentsOptions) {
    this.#part = part;
    this.#store = store;
    this.#clock = clock;
    this.#step = Buffer.allocUnsafeSlow(Math.min(stepBytes, part.bytes));
  }

  /** Copies a chunk, because chunks can be tiny. Every 2 MiB, they are stored. */
  async write(chunk: Uint8Array): Promise<void> {
    this.#received += chunk.length;
    if (this.#received > this.#part.bytes) throw wrongLength(this.#part);
    this.#hash.update(chunk);
    for (let at = 0; at < chunk.length; ) {
      if (this.#filled === this.#step.length) await this.#storeStep();
      const copied = chunk.subarray(at, at + this.#step.length - this.#filled);
      this.#step.set(copied, this.#filled);
      this.#filled += copied.length;
      at += copied.length;
    }
  }

  /** @throws ContentError PART_LENGTH, PART_DIGEST, CONTENT_NOT_PENDING */
  async finish(): Promise<AcceptedPart> {
    const part = this.#part;
    if (this.#received !== part.bytes) throw wrongLength(part);
    const sha256 = this.#hash.digest();
    requireDigest(part, sha256);
    const isFirst = await this.#store.transaction(async (tx) => {
      const locked = await tx.contents.lockPart(part, this.#clock.now());
      await part.accept?.(tx, locked.isFirst);
      const attempt = await this.#append(tx);
      await tx.contents.acceptPart(attempt, sha256);
      return locked.isFirst;
    });
    return { part: part.part, bytes: part.bytes, sha256, isFirst };
  }

  /** A failure is ignored: the sweeper erases unfinished attempts a day later. */
  async drop(): Promise<void> {
    const attempt = this.#attempt;
    if (!attempt) return;
    await this.#store.transaction((tx) => tx.contents.dropPart(attempt)).catch(() => undefined);
  }

  close(): void {
    freeOwn(this.#step);
  }

  async #storeStep(): Promise<void> {
    this.#attempt = await this.#store.transaction((tx) => this.#append(tx));
    this.#stored += this.#filled;
    this.#filled = 0;
  }

  /** The transaction of the first bytes begins the attempt. */
  async #append(tx: Repositories): Promise<PartAttempt> {
    const { id, part, bytes } = this.#part;
    const now = this.#clock.now();
    const begun = { id, part, sizeBytes: bytes, now };
    const attempt = this.#attempt ?? (await tx.contents.beginPart(begun));
    const filled = this.#step.subarray(0, this.#filled);
    await tx.contents.appendPieces(attempt, filled, { from: this.#stored, now });
    return attempt;
  }
}

/** Reads the pieces of a range. */
async function* pieces(
  store: Store,
  { id, sizeBytes, content }: DocumentContent,
  { from, to }: StoredSpan,
): AsyncGenerator<Buffer> {
  const partBytes = content.partBytes ?? sizeBytes;
  let attempt = 0;
  let attemptOfPart = -1;
  for (let at = from; at < to; ) {
    const part = Math.floor(at / partBytes);
    if (content.partBytes !== null && part !== attemptOfPart) {
      attempt = (await store.contents.attemptOf(id, part)) ?? -1;
      attemptOfPart = part;
    }
    const inPart = at - part * partBytes;
    const piece = Math.floor(inPart / pieceBytes);
    const data = await store.contents.piece({ id, attempt, piece });
    const start = inPart - piece * pieceBytes;
    const bytes = data?.subarray(start, start + to - at);
    if (!bytes?.length) {
      throw await missingContent(store, id, `the content of document ${id} is not complete`);
    }
    // Before its consumer may have freed it.
    at += bytes.length;
    yield bytes;
  }
}
