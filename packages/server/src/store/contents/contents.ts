import type { HeldContent } from '../rows/documents/content-rows.ts';
import type { Repositories } from '../store.ts';
import type { ContentOfParts, StoredContent, StoredPart } from './content.ts';

export {
  ContentError,
  type ContentErrorCode,
  type ContentOfParts,
  type StoredContent,
  type StoredPart,
} from './content.ts';

/**
 * The port to the contents of documents: their ciphertexts. A content has the id of its document.
 *
 * A pending row is committed before the first byte of a content is stored. The transaction that inserts the
 * document removes the row. The sweeper erases contents whose pending row is due. So a crash at any point
 * leaves neither a document without content nor a content that is never erased.
 */
export interface Contents {
  /**
   * Opens a content for its parts, in the transaction that stores the upload.
   *
   * @throws ContentError CONTENT_EXISTS
   */
  begin(tx: Repositories, pending: PendingContent): Promise<void>;
  /**
   * Stores a part and resolves when it is durable. Any process can write any part, also the same part at
   * once: the last whole one counts. A failed attempt leaves an earlier one as it was. Reads the chunks
   * as fast as they are stored, and holds at most 2 MiB. Frees the memory of the chunks.
   *
   * @throws ContentError PART_LENGTH, PART_DIGEST, CONTENT_NOT_PENDING, CONTENTS_UNAVAILABLE
   */
  writePart(part: NewPart, chunks: AsyncIterable<Uint8Array>): Promise<AcceptedPart>;
  /** Returns the whole parts of a pending content, in their order. */
  parts(view: Repositories, id: string): Promise<readonly StoredPart[]>;
  /** A larger content of one request is staged: stored in steps before its document. */
  readonly stagedAbove: number;
  /**
   * Stores a content of one request before its document. Discard it when that fails, except with
   * CONTENT_EXISTS: then it belongs to another request.
   *
   * @throws ContentError CONTENT_EXISTS, CONTENTS_UNAVAILABLE
   */
  stage(id: string, bytes: Uint8Array): Promise<ReadyContent>;
  /** Prepares a content of one request that `take` stores in the database. */
  hold(id: string, bytes: Uint8Array): ReadyContent;
  /**
   * Prepares a content of parts for `take`. It may be called again. Afterwards, the content may refuse
   * further parts.
   *
   * @throws ContentError PARTS_MISSING, CONTENT_NOT_PENDING, CONTENTS_UNAVAILABLE
   */
  complete(content: ContentOfParts): Promise<ReadyContent>;
  /**
   * Makes a prepared content the content of its document, in the transaction that inserts the document.
   *
   * @returns what the row of the document says about it
   * @throws ContentError PARTS_MISSING, CONTENT_NOT_PENDING; CONTENT_EXISTS for one that `hold` has prepared
   */
  take(tx: Repositories, ready: ReadyContent): Promise<StoredContent>;
  /**
   * Lets the next sweep erase a pending content. Does nothing for a content that is not pending.
   *
   * @param held the account that its bytes count against until then. Default: that of its upload
   */
  discard(tx: Repositories, id: string, held?: HeldContent): Promise<void>;
  /**
   * Reads the bytes `from` (inclusive) to `to` (exclusive) of a document's content, in pieces of at most
   * 128 KiB, as fast as they are consumed. Resolves with the first piece at hand, so that a failure can
   * still become an error response. The pieces can be iterated again, which reads them again. Nothing has
   * to be closed when they are not iterated. The consumer may free the memory of a piece.
   *
   * @throws ContentError DOCUMENT_DELETED, CONTENT_DAMAGED, CONTENTS_UNAVAILABLE; also while the pieces
   * are read
   */
  read(document: DocumentContent, range: StoredSpan): Promise<AsyncIterable<Buffer>>;
}

/** A content that waits for its parts. */
export interface PendingContent extends ContentOfParts {
  /** When the sweeper erases it. Epoch milliseconds. */
  readonly until: number;
}

export interface NewPart {
  readonly id: string;
  /** Counted from 0. */
  readonly part: number;
  /** The announced length. */
  readonly bytes: number;
  /** The announced SHA-256. */
  readonly sha256?: Uint8Array | undefined;
  /**
   * Runs in the transaction that makes the part count. When it throws, the part does not count.
   *
   * @param isFirst whether no part of this number counts yet
   */
  readonly accept?: (tx: Repositories, isFirst: boolean) => Promise<void>;
}

export interface AcceptedPart extends StoredPart {
  /** Whether no part of this number counted before. */
  readonly isFirst: boolean;
}

/** A content that `take` can make the content of its document. */
export type ReadyContent = { readonly id: string; readonly sizeBytes: number } & (
  | { readonly kind: 'held'; readonly bytes: Uint8Array; readonly stored: StoredContent }
  | { readonly kind: 'staged'; readonly stored: StoredContent }
  | { readonly kind: 'parts'; readonly partBytes: number }
);

/** The content of an existing document. */
export interface DocumentContent {
  readonly id: string;
  readonly sizeBytes: number;
  readonly content: StoredContent;
}

export interface StoredSpan {
  readonly from: number;
  /** Exclusive, at most `sizeBytes`. */
  readonly to: number;
}
