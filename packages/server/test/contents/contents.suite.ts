import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TestClock } from '../../src/lib/clock.ts';
import type {
  ContentErrorCode,
  Contents,
  NewPart,
  ReadyContent,
} from '../../src/store/contents/contents.ts';
import type { DocumentRecord } from '../../src/store/rows/documents/documents.ts';
import type { Repositories, Store } from '../../src/store/store.ts';
import { documentRecord, vaultRecord } from '../support/store/records.ts';

const mebibyte = 1024 * 1024;

/** What a driver of contents needs around it. */
export interface OpenContents {
  readonly contents: Contents;
  readonly store: Store;
  readonly clock: TestClock;
  readonly owner: { readonly userId: string; readonly instanceId: string };
  /** Runs the sweep until nothing is due. */
  sweep(): Promise<void>;
  /** Returns the bytes that are stored anywhere for contents. */
  storedBytes(): Promise<number>;
  close(): Promise<void>;
}

/** Bytes that differ from part to part and from seed to seed. */
export function someBytes(length: number, seed = 1): Buffer {
  const words = new Uint32Array(Math.ceil(length / 4));
  for (let word = 0; word < words.length; word += 1)
    words[word] = Math.imul(word, 2_654_435_761) + seed;
  return Buffer.from(words.buffer, 0, length);
}

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

/** Yields bytes in chunks, with other work in between. */
export async function* chunked(bytes: Uint8Array, size = 64 * 1024): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    yield Buffer.from(bytes.subarray(at, at + size));
    await setImmediate();
  }
}

export async function collect(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) {
    expect(piece.length).toBeLessThanOrEqual(128 * 1024);
    all.push(piece);
  }
  return Buffer.concat(all);
}

export const contentError = (code: ContentErrorCode) =>
  expect.objectContaining({ name: 'ContentError', code });

/**
 * The guarantees of every driver of contents.
 *
 * @param partBytes of every part but the last
 */
export function contentsSuite(
  name: string,
  open: () => Promise<OpenContents>,
  partBytes: number,
): void {
  describe(`${name} as contents`, () => {
    let opened: OpenContents;
    let contents: Contents;
    let store: Store;
    const id = '019cadd6-a210-7670-891a-985ccc8c71a2';

    beforeEach(async () => {
      opened = await open();
      ({ contents, store } = opened);
      await store.transaction((tx) => tx.vaults.insert(vaultRecord(opened, 'vault')));
    });

    afterEach(() => opened.close());

    const begin = (sizeBytes: number, until = opened.clock.now() + 86_400_000) =>
      store.transaction((tx) => contents.begin(tx, { id, sizeBytes, partBytes, until }));

    const write = (part: number, bytes: Buffer, more: Partial<NewPart> = {}) =>
      contents.writePart({ id, part, bytes: bytes.length, ...more }, chunked(bytes));

    /** Writes all parts of a content, the last one first. */
    async function writeAll(content: Buffer): Promise<void> {
      for (let part = Math.ceil(content.length / partBytes) - 1; part >= 0; part -= 1) {
        await write(part, content.subarray(part * partBytes, (part + 1) * partBytes));
      }
    }

    /** Inserts the document of a prepared content. */
    async function insert(ready: ReadyContent): Promise<DocumentRecord> {
      return store.transaction(async (tx: Repositories) => {
        const content = await contents.take(tx, ready);
        const { sizeBytes } = ready;
        const document = documentRecord(vaultRecord(opened, 'vault'), { id, sizeBytes, content });
        await tx.documents.insert(document);
        return document;
      });
    }

    const readAll = async (document: DocumentRecord, from = 0, to = document.sizeBytes) =>
      collect(await contents.read(document, { from, to }));

    async function upload(content: Buffer): Promise<DocumentRecord> {
      await begin(content.length);
      await writeAll(content);
      return insert(await contents.complete({ id, sizeBytes: content.length, partBytes }));
    }

    describe('parts', () => {
      test('stored in any order are the content of the document, and any range can be read', async () => {
        const content = someBytes(2 * partBytes + 300_001);
        const document = await upload(content);
        expect((await readAll(document)).equals(content)).toBe(true);
        const pairs = [
          [0, 1],
          [partBytes - 1, partBytes + 1],
          [partBytes, partBytes + 200_000],
          [131_071, 131_073],
          [content.length - 1, content.length],
          [5, 5],
        ] as const;
        for (const [from, to] of pairs) {
          expect((await readAll(document, from, to)).equals(content.subarray(from, to))).toBe(true);
        }
      });

      test('can be read again', async () => {
        const content = someBytes(300_001);
        const document = await upload(content);
        const pieces = await contents.read(document, { from: 1, to: content.length });
        for (const _ of [1, 2]) {
          expect((await collect(pieces)).equals(content.subarray(1))).toBe(true);
        }
      });

      test('have the digest of their digests as digest of the content', async () => {
        const content = someBytes(partBytes + 10);
        const document = await upload(content);
        const digests = [content.subarray(0, partBytes), content.subarray(partBytes)].map(sha256);
        expect(document.content.partBytes).toBe(partBytes);
        expect(document.content.digest).toEqual(sha256(Buffer.concat(digests)));
        expect(await store.documents.find(id)).toMatchObject({ content: document.content });
      });

      test('are listed with their digests until the document is inserted', async () => {
        const content = someBytes(partBytes + 10);
        await begin(content.length);
        expect(await contents.parts(store, id)).toEqual([]);
        const last = content.subarray(partBytes);
        expect(await write(1, last)).toEqual({
          part: 1,
          bytes: 10,
          sha256: sha256(last),
          isFirst: true,
        });
        expect(await contents.parts(store, id)).toEqual([
          { part: 1, bytes: 10, sha256: sha256(last) },
        ]);
      });

      test('sent again replace the earlier ones, also at once', async () => {
        const first = someBytes(partBytes, 1);
        const second = someBytes(partBytes, 2);
        await begin(partBytes);
        await write(0, first);
        expect(await write(0, second)).toMatchObject({ isFirst: false });
        expect(await contents.parts(store, id)).toMatchObject([{ sha256: sha256(second) }]);
        await Promise.all([3, 4, 3, 4].map((seed) => write(0, someBytes(partBytes, seed))));
        await write(0, someBytes(partBytes, 5));
        const document = await insert(
          await contents.complete({ id, sizeBytes: partBytes, partBytes }),
        );
        expect((await readAll(document)).equals(someBytes(partBytes, 5))).toBe(true);
        await opened.sweep();
        expect(await opened.storedBytes()).toBe(partBytes);
      });

      test.each<[string, Partial<NewPart>, ContentErrorCode]>([
        ['another digest', { sha256: Buffer.alloc(32) }, 'PART_DIGEST'],
        ['fewer bytes than announced', { bytes: partBytes + 1 }, 'PART_LENGTH'],
        ['more bytes than announced', { bytes: partBytes - 1 }, 'PART_LENGTH'],
      ])('with %s are refused, and the earlier part stays', async (_, announced, code) => {
        const first = someBytes(partBytes, 1);
        await begin(partBytes);
        await write(0, first, { sha256: sha256(first) });
        await expect(write(0, someBytes(partBytes, 2), announced)).rejects.toEqual(
          contentError(code),
        );
        const document = await insert(
          await contents.complete({ id, sizeBytes: partBytes, partBytes }),
        );
        expect((await readAll(document)).equals(first)).toBe(true);
      });

      test('whose sender fails are refused with its error, and the earlier part stays', async () => {
        const first = someBytes(partBytes, 1);
        await begin(partBytes);
        await write(0, first);
        async function* failing() {
          yield* chunked(someBytes(partBytes - 1000, 2));
          throw new Error('connection lost');
        }
        const part = { id, part: 0, bytes: partBytes };
        await expect(contents.writePart(part, failing())).rejects.toThrow('connection lost');
        const document = await insert(
          await contents.complete({ id, sizeBytes: partBytes, partBytes }),
        );
        expect((await readAll(document)).equals(first)).toBe(true);
        await opened.sweep();
        expect(await opened.storedBytes()).toBe(partBytes);
      });

      test('that `accept` rejects do not count', async () => {
        await begin(partBytes);
        const seen: boolean[] = [];
        const accept = async (_: Repositories, isFirst: boolean) => {
          seen.push(isFirst);
          throw new Error('credentials have ended');
        };
        const bytes = someBytes(partBytes);
        await expect(write(0, bytes, { accept })).rejects.toThrow('credentials have ended');
        expect(seen).toEqual([true]);
        expect(await contents.parts(store, id)).toEqual([]);
        const complete = contents.complete({ id, sizeBytes: partBytes, partBytes }).then(insert);
        await expect(complete).rejects.toEqual(contentError('PARTS_MISSING'));
      });

      test('that are missing or have a wrong length keep the document from being inserted', async () => {
        const content = { id, sizeBytes: 2 * partBytes + 3, partBytes };
        await begin(content.sizeBytes);
        await write(0, someBytes(partBytes));
        await write(2, someBytes(2));
        const inserted = contents.complete(content).then(insert);
        await expect(inserted).rejects.toMatchObject({ code: 'PARTS_MISSING', parts: [1, 2] });
        expect(await store.documents.find(id)).toBeUndefined();
        // The upload goes on.
        await write(1, someBytes(partBytes));
        await write(2, someBytes(3));
        await contents.complete(content).then(insert);
        expect(await store.documents.find(id)).toBeDefined();
      });

      test('of a document that could not be inserted can be taken again', async () => {
        const content = someBytes(partBytes + 1);
        await begin(content.length);
        await writeAll(content);
        const ready = await contents.complete({ id, sizeBytes: content.length, partBytes });
        const failing = store.transaction(async (tx) => {
          await contents.take(tx, ready);
          throw new Error('quota');
        });
        await expect(failing).rejects.toThrow('quota');
        const again = await contents.complete({ id, sizeBytes: content.length, partBytes });
        expect((await readAll(await insert(again))).equals(content)).toBe(true);
      });

      test('of an empty content need not be sent', async () => {
        const document = await upload(Buffer.alloc(0));
        expect(document.content.digest).toEqual(sha256(Buffer.alloc(0)));
        expect(await readAll(document)).toEqual(Buffer.alloc(0));
      });
    });

    describe('a content that is not pending', () => {
      const refused = contentError('CONTENT_NOT_PENDING');

      test('takes no parts: it was never opened, taken, discarded or is due', async () => {
        const bytes = someBytes(10);
        await expect(write(0, bytes)).rejects.toEqual(refused);
        await begin(10, opened.clock.now());
        await expect(write(0, bytes)).rejects.toEqual(refused);
        await opened.sweep();
        await begin(10);
        await store.transaction((tx) => contents.discard(tx, id));
        await expect(write(0, bytes)).rejects.toEqual(refused);
        await opened.sweep();
        await upload(bytes);
        await expect(write(0, someBytes(10, 2))).rejects.toEqual(refused);
        const document = (await store.documents.find(id)) as DocumentRecord;
        expect((await readAll(document)).equals(bytes)).toBe(true);
      });

      test('is not taken a second time', async () => {
        const content = someBytes(10);
        await begin(10);
        await writeAll(content);
        const ready = await contents.complete({ id, sizeBytes: 10, partBytes });
        await insert(ready);
        const again = store.transaction((tx) => contents.take(tx, ready));
        await expect(again).rejects.toEqual(refused);
      });

      test('does not take a part whose sender was slower than the sweep', async () => {
        await begin(partBytes);
        async function* slow() {
          yield* chunked(someBytes(partBytes - 1000));
          await store.transaction((tx) => contents.discard(tx, id));
          await opened.sweep();
          yield* chunked(someBytes(1000));
        }
        const part = { id, part: 0, bytes: partBytes };
        await expect(contents.writePart(part, slow())).rejects.toEqual(refused);
        await opened.sweep();
        expect(await opened.storedBytes()).toBe(0);
      });
    });

    describe('a content of one request', () => {
      test.each([0, 1, 131_072, 131_073, 4 * mebibyte, 4 * mebibyte + 1, 9_000_000])(
        'of %i bytes is read as it was stored, with its digest',
        async (length) => {
          const content = someBytes(length);
          const isStaged = length > contents.stagedAbove;
          const ready = isStaged ? await contents.stage(id, content) : contents.hold(id, content);
          const document = await insert(ready);
          expect(document.content).toMatchObject({ digest: sha256(content), partBytes: null });
          expect((await readAll(document)).equals(content)).toBe(true);
          const [from, to] = [Math.floor(length / 3), Math.ceil(length / 2)];
          expect((await readAll(document, from, to)).equals(content.subarray(from, to))).toBe(true);
        },
      );

      test('that was discarded leaves nothing behind', async () => {
        const ready = await contents.stage(id, someBytes(5 * mebibyte));
        expect(await opened.storedBytes()).toBe(5 * mebibyte);
        await store.transaction((tx) => contents.discard(tx, id));
        await opened.sweep();
        expect(await opened.storedBytes()).toBe(0);
        await expect(insert(ready)).rejects.toEqual(contentError('CONTENT_NOT_PENDING'));
      });

      test('whose process was killed before its document is erased ten minutes later', async () => {
        await contents.stage(id, someBytes(5 * mebibyte));
        await opened.sweep();
        expect(await opened.storedBytes()).toBe(5 * mebibyte);
        opened.clock.advance(10 * 60_000);
        await opened.sweep();
        expect(await opened.storedBytes()).toBe(0);
      });
    });

    describe('an id that another content has', () => {
      const taken = contentError('CONTENT_EXISTS');

      test('is refused, and the other content stays pending', async () => {
        const content = someBytes(5 * mebibyte);
        const ready = await contents.stage(id, content);
        await expect(contents.stage(id, someBytes(5 * mebibyte, 2))).rejects.toEqual(taken);
        await expect(begin(10)).rejects.toEqual(taken);
        const document = await insert(ready);
        await expect(contents.stage(id, someBytes(5 * mebibyte, 2))).rejects.toEqual(taken);
        await expect(begin(10)).rejects.toEqual(taken);
        await opened.sweep();
        expect((await readAll(document)).equals(content)).toBe(true);
      });

      test('is refused for a small content too: the sweep would erase it with the other one', async () => {
        const small = contents.hold(id, Buffer.from('small'));
        for (const prepare of [
          () => contents.stage(id, someBytes(5 * mebibyte)),
          () => begin(partBytes),
        ]) {
          await prepare();
          await expect(insert(small)).rejects.toEqual(taken);
          await store.transaction((tx) => contents.discard(tx, id));
          await opened.sweep();
        }
        const document = await insert(small);
        await opened.sweep();
        expect((await readAll(document)).toString()).toBe('small');
      });
    });

    describe('erasing', () => {
      test('a content whose time has passed is erased with its parts, and not before', async () => {
        await begin(partBytes, opened.clock.now() + 1000);
        await write(0, someBytes(partBytes));
        opened.clock.advance(999);
        await opened.sweep();
        expect(await contents.parts(store, id)).toHaveLength(1);
        opened.clock.advance(1);
        await opened.sweep();
        expect(await contents.parts(store, id)).toEqual([]);
        opened.clock.advance(2 * 86_400_000);
        await opened.sweep();
        expect(await opened.storedBytes()).toBe(0);
      });

      test('reading fails with DOCUMENT_DELETED when the document is deleted meanwhile', async () => {
        const document = await upload(someBytes(2 * partBytes));
        const pieces = await contents.read(document, { from: 0, to: document.sizeBytes });
        await store.transaction((tx) => tx.documents.delete(id));
        await expect(collect(pieces)).rejects.toEqual(contentError('DOCUMENT_DELETED'));
        const again = contents.read(document, { from: 0, to: 1 });
        await expect(again).rejects.toEqual(contentError('DOCUMENT_DELETED'));
      });
    });
  });
}
