import { createHash, randomUUID } from 'node:crypto';
import type { ContentObject, TaggedPart } from '../../rows/documents/content-objects.ts';
import { contentOfParts, requireParts } from '../../rows/documents/content-rows.ts';
import { notPending } from '../content.ts';
import {
  type AcceptedPart,
  ContentError,
  type ContentOfParts,
  type Contents,
  type NewPart,
  type ReadyContent,
  type StoredContent,
} from '../contents.ts';
import type { DatabaseContentsOptions } from '../in-database.ts';
import { requireDigest, startReading, wrongLength } from '../transfers.ts';
import type { MultipartUpload, ObjectStore } from './object-store.ts';
import { objectPieces } from './reading.ts';

/**
 * Smaller contents stay in the database. A request to an object store takes longer than storing them there, and
 * cheaper classes of storage charge for at least 128 KiB.
 */
const stagedAbove = 128 * 1024;

/** Maximum milliseconds for storing a content of one request. */
const stagingMs = 10 * 60 * 1000;

export interface S3ContentsOptions extends DatabaseContentsOptions {
  readonly objects: ObjectStore;
}

/**
 * Contents in an object store. One multipart upload carries the parts of a content, so that each document is one
 * object. Its row has the key: the id of the document and a random part, because a rejected document's id can be
 * used again while its object waits to be removed.
 */
export function s3Contents({ store, clock, objects }: S3ContentsOptions): Omit<Contents, 'hold'> {
  const creating = new Map<string, Promise<MultipartUpload>>();
  /** Repeated requests wait for the completion that runs: the object store takes up to minutes for it. */
  const completing = new Map<string, Promise<ReadyContent>>();

  async function requirePending(id: string): Promise<ContentObject> {
    const object = await store.contentObjects.findPending(id, clock.now());
    if (!object) throw notPending(id);
    return object;
  }

  /**
   * Returns the multipart upload of an object. The first part creates it; other processes may do so too, and one
   * of them counts. A crash can leave an upload without parts in the object store, which stores nothing.
   */
  function uploadOf({ key, documentId, uploadId }: ContentObject): Promise<MultipartUpload> {
    if (uploadId !== null) return Promise.resolve({ key, uploadId });
    const running = creating.get(key);
    if (running) return running;
    const created = createUpload(key, documentId).finally(() => creating.delete(key));
    creating.set(key, created);
    return created;
  }

  async function createUpload(key: string, documentId: string): Promise<MultipartUpload> {
    const upload = { key, uploadId: await objects.createUpload(key) };
    const isSet = await store.transaction((tx) =>
      tx.contentObjects.setUpload(key, upload.uploadId),
    );
    if (isSet) return upload;
    await objects.abortUpload(upload);
    const { uploadId } = await requirePending(documentId);
    if (uploadId === null) throw notPending(documentId);
    return { key, uploadId };
  }

  async function writePart(
    part: NewPart,
    chunks: AsyncIterable<Uint8Array>,
  ): Promise<AcceptedPart> {
    const object = await requirePending(part.id);
    if (object.state !== 'open') throw notPending(part.id);
    const upload = await uploadOf(object);
    const hash = createHash('sha256');
    let sha256: Buffer = Buffer.alloc(0);
    const checked = checkedChunks(part, chunks, hash, (digest) => {
      sha256 = digest;
    });
    const { etag } = await objects.putPart(upload, part, checked);
    const now = clock.now();
    const isFirst = await store.transaction(async (tx) => {
      const locked = await tx.contents.lockPart(part, now);
      await part.accept?.(tx, locked.isFirst);
      const { part: number, bytes } = part;
      await tx.contentObjects.putPart(object, { part: number, bytes, sha256, etag, now });
      return locked.isFirst;
    });
    return { part: part.part, bytes: part.bytes, sha256, isFirst };
  }

  function complete(content: ContentOfParts): Promise<ReadyContent> {
    const { id } = content;
    const running = completing.get(id);
    if (running) return running;
    const completed = completeOnce(content).finally(() => completing.delete(id));
    completing.set(id, completed);
    return completed;
  }

  async function completeOnce(content: ContentOfParts): Promise<ReadyContent> {
    const { id, sizeBytes } = content;
    const object = await requirePending(id);
    const parts = await store.contentObjects.parts(id);
    requireParts(content, parts);
    if (object.state === 'open') {
      await join(object, content, parts);
      await store.transaction((tx) => tx.contentObjects.complete(object.key));
    }
    return { kind: 'staged', id, sizeBytes, stored: contentOfParts('s3', content, parts) };
  }

  /** @throws ContentError PARTS_MISSING when the object store has other parts than were accepted */
  async function join(
    { key, documentId, uploadId }: ContentObject,
    { sizeBytes }: ContentOfParts,
    parts: readonly TaggedPart[],
  ): Promise<void> {
    if (sizeBytes === 0) return objects.put(key, new Uint8Array());
    if (uploadId === null) throw notPending(documentId);
    const upload = { key, uploadId };
    const outcome = await objects.completeUpload(upload, parts);
    if (outcome === 'partsDiffer') throw await forgetDifferent(documentId, upload, parts);
    // An earlier call completed it, and its response was lost.
    if (outcome === 'noUpload' && (await objects.size(key)) !== sizeBytes)
      throw notPending(documentId);
  }

  /**
   * Two different contents of one part, sent at once, can be stored in another order than they are accepted. The
   * client sends such a part again.
   */
  async function forgetDifferent(
    id: string,
    upload: MultipartUpload,
    parts: readonly TaggedPart[],
  ): Promise<ContentError> {
    const listed = new Map((await objects.listParts(upload)).map(({ part, etag }) => [part, etag]));
    const different = parts.filter(({ part, etag }) => listed.get(part) !== etag);
    await store.transaction(async (tx) => {
      for (const { part } of different) await tx.contentObjects.removePart(id, part);
    });
    return new ContentError('PARTS_MISSING', `parts of document ${id} have to be sent again`, {
      parts: different.slice(0, 100).map(({ part }) => part),
    });
  }

  async function stage(id: string, bytes: Uint8Array): Promise<ReadyContent> {
    const key = newKey(id);
    await store.transaction(async (tx) => {
      await tx.contents.open(id, clock.now() + stagingMs);
      await tx.contentObjects.insert({ key, documentId: id });
    });
    await objects.put(key, bytes);
    await store.transaction((tx) => tx.contentObjects.complete(key));
    const digest = createHash('sha256').update(bytes).digest();
    const stored: StoredContent = { store: 's3', digest, partBytes: null };
    return { kind: 'staged', id, sizeBytes: bytes.length, stored };
  }

  return {
    async begin(tx, { id, until }) {
      await tx.contents.open(id, until);
      await tx.contentObjects.insert({ key: newKey(id), documentId: id });
    },
    writePart,
    parts: ({ contents }, id) => contents.parts(id),
    stagedAbove,
    stage,
    complete,
    async take(tx, ready) {
      if (ready.kind !== 'staged') throw new Error('only a stored object can be taken');
      await tx.contents.removePending(ready.id);
      await tx.contentObjects.take(ready.id);
      return ready.stored;
    },
    discard: (tx, id, held) => tx.contents.discard(id, held),
    read: (document, range) =>
      startReading(() => objectPieces({ store, objects }, document, range)),
  };
}

const newKey = (id: string) => `${id}/${randomUUID()}`;

/**
 * Passes chunks on and checks their length and digest. Holds the last byte back until both are right: the object
 * store forgets an incomplete part and keeps an earlier one.
 *
 * @throws ContentError PART_LENGTH, PART_DIGEST
 */
async function* checkedChunks(
  part: NewPart,
  chunks: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
  done: (digest: Buffer) => void,
): AsyncGenerator<Uint8Array> {
  let received = 0;
  let last: Uint8Array | undefined;
  for await (const chunk of chunks) {
    received += chunk.length;
    if (received > part.bytes) throw wrongLength(part);
    hash.update(chunk);
    const isEnd = received === part.bytes;
    const passed = isEnd ? chunk.subarray(0, -1) : chunk;
    if (passed.length > 0) yield passed;
    if (isEnd && chunk.length > 0) last = Buffer.from(chunk.subarray(-1));
  }
  if (received !== part.bytes) throw wrongLength(part);
  const digest = hash.digest();
  requireDigest(part, digest);
  done(digest);
  if (last) yield last;
}
