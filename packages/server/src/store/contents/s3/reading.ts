import type { Store } from '../../store.ts';
import { ContentError, type DocumentContent, type StoredSpan } from '../contents.ts';
import { missingContent } from '../transfers.ts';
import type { ObjectStore } from './object-store.ts';

/** Bytes of the first request: a small range needs no more, and a failure is known soon. */
const firstBytes = 128 * 1024;

/**
 * Bytes of each further request. With 8 MiB, the same bytes take 1.5 times as long here, and twice as long in the
 * object store. Between two requests, a deleted document is noticed.
 */
const requestBytes = 64 * 1024 * 1024;

/** Bytes of a yielded piece. */
const pieceBytes = 128 * 1024;

/** Failures without a byte in between after which reading gives up. */
const maxFailures = 3;

interface Source {
  readonly store: Store;
  readonly objects: ObjectStore;
}

/** Reads a range of an object. A response that ends early is continued by another request. */
export async function* objectPieces(
  { store, objects }: Source,
  { id, content, sizeBytes }: DocumentContent,
  { from, to }: StoredSpan,
): AsyncGenerator<Buffer> {
  let failures = 0;
  for (let at = from, length = firstBytes; at < to; length = requestBytes) {
    const key = await store.contentObjects.keyOf(id);
    if (key === undefined) {
      throw await missingContent(store, id, `the object of document ${id} has no row`);
    }
    const body = await objects.get(key, { from: at, to: Math.min(to, at + length) });
    if (!body) throw damaged(id, { content, sizeBytes });
    try {
      // Nothing stays open behind the first piece, whose reader may be gone.
      const chunks = length === firstBytes ? await body.toArray() : body;
      for await (const chunk of chunks) {
        failures = 0;
        for (let start = 0; start < chunk.length; start += pieceBytes) {
          const piece = (chunk as Buffer).subarray(start, start + pieceBytes);
          at += piece.length;
          yield piece;
        }
      }
    } catch (error) {
      failures += 1;
      if (failures >= maxFailures) throw interrupted(id, error);
    } finally {
      body.destroy();
    }
  }
}

function damaged(id: string, { sizeBytes }: Omit<DocumentContent, 'id'>): ContentError {
  const message = `the object of document ${id} is missing or has fewer than ${sizeBytes} bytes`;
  return new ContentError('CONTENT_DAMAGED', message);
}

function interrupted(id: string, cause: unknown): ContentError {
  const message = `the object of document ${id} could not be read to its end`;
  return new ContentError('CONTENTS_UNAVAILABLE', message, { cause });
}
