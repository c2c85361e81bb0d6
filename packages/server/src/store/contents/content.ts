// What repositories and drivers say about a content.

/** What the row of a document says about its content. */
export interface StoredContent {
  readonly store: 'database' | 's3';
  /** SHA-256 of the content. For a content of parts: of the SHA-256 of its parts, one after the other. */
  readonly digest: Buffer;
  /** Size of every part but the last; null when one request stored the content. */
  readonly partBytes: number | null;
}

export interface ContentOfParts {
  readonly id: string;
  readonly sizeBytes: number;
  /** Size of every part but the last. */
  readonly partBytes: number;
}

export interface StoredPart {
  readonly part: number;
  readonly bytes: number;
  readonly sha256: Buffer;
}

/**
 * - `PART_LENGTH`, `PART_DIGEST`: a part has another length or digest than announced
 * - `PARTS_MISSING`: parts of a content have not been stored
 * - `CONTENT_NOT_PENDING`: it was completed, taken, discarded or erased
 * - `CONTENT_EXISTS`: another content has this id
 * - `DOCUMENT_DELETED`: before or while its content was read
 * - `CONTENT_DAMAGED`: the content is missing or shorter than its document says
 * - `CONTENTS_UNAVAILABLE`: the object store does not respond or refuses its service
 */
export type ContentErrorCode =
  | 'PART_LENGTH'
  | 'PART_DIGEST'
  | 'PARTS_MISSING'
  | 'CONTENT_NOT_PENDING'
  | 'CONTENT_EXISTS'
  | 'DOCUMENT_DELETED'
  | 'CONTENT_DAMAGED'
  | 'CONTENTS_UNAVAILABLE';

export class ContentError extends Error {
  override readonly name = 'ContentError';
  readonly code: ContentErrorCode;
  /** With `PARTS_MISSING`: the first missing parts, at most 100. */
  readonly parts: readonly number[];

  constructor(
    code: ContentErrorCode,
    message: string,
    { parts = [], ...options }: ErrorOptions & { readonly parts?: readonly number[] } = {},
  ) {
    super(message, options);
    this.code = code;
    this.parts = parts;
  }
}

export function notPending(id: string): ContentError {
  return new ContentError('CONTENT_NOT_PENDING', `the content of document ${id} is not pending`);
}
