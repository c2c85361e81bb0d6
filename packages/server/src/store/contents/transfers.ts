import type { Store } from '../store.ts';
import { ContentError, type NewPart } from './contents.ts';

// The parts that the drivers of contents share.

export function wrongLength({ part, bytes }: NewPart): ContentError {
  return new ContentError('PART_LENGTH', `part ${part} does not have its ${bytes} bytes`);
}

/** @throws ContentError PART_DIGEST */
export function requireDigest({ part, sha256 }: NewPart, actual: Buffer): void {
  if (sha256 === undefined || actual.equals(sha256)) return;
  throw new ContentError('PART_DIGEST', `part ${part} does not have its announced digest`);
}

/** Returns the error for a content that is not there. @param damage what is wrong when its document exists */
export async function missingContent(
  store: Store,
  id: string,
  damage: string,
): Promise<ContentError> {
  return (await store.documents.find(id))
    ? new ContentError('CONTENT_DAMAGED', damage)
    : new ContentError('DOCUMENT_DELETED', `document ${id} was deleted while it was sent`);
}

/**
 * Reads the first piece at once, so that a failure can still become an error response.
 *
 * @param open returns the pieces from the first one on, at every call
 */
export async function startReading(
  open: () => AsyncGenerator<Buffer>,
): Promise<AsyncIterable<Buffer>> {
  const pieces = open();
  let started: { pieces: AsyncGenerator<Buffer>; first: IteratorResult<Buffer> } | undefined = {
    pieces,
    first: await pieces.next(),
  };
  async function* iterate() {
    const { pieces, first } = started ?? { pieces: open(), first: undefined };
    started = undefined;
    if (first?.done) return;
    if (first) yield first.value;
    yield* pieces;
  }
  return { [Symbol.asyncIterator]: iterate };
}
