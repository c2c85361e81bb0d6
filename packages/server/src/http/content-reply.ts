import type { ReadableContent } from '../domain/documents/content.ts';
import {
  type ByteRange,
  contentRange,
  rangeNotSatisfiable,
  selectContent,
  unsatisfiedRange,
} from '../generated/rules/ranges.ts';
import { noPieces, StreamedBody } from './replies.ts';
import type { Context, Reply } from './request.ts';

/** The result of an operation that returns a ciphertext as bytes. */
export class ContentBody {
  readonly content: ReadableContent;

  constructor(content: ReadableContent) {
    this.content = content;
  }
}

const contentType = 'application/octet-stream';

/**
 * The browser of a caller may keep the ciphertext and asks before each use, so that access can end. Nothing on
 * the way may store or change it: a compressed content would have another length and another digest.
 */
const cacheControl = 'private, no-cache, no-transform';

/**
 * Returns the content or the range that the request selects.
 *
 * @throws ServiceError RANGE_NOT_SATISFIABLE; NOT_FOUND when the document was deleted meanwhile
 */
export async function contentReply(ctx: Context, { content }: ContentBody): Promise<Reply> {
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = ctx.req.headers;
  const { sizeBytes } = content;
  // Range is defined for GET alone (RFC 9110, section 14.2).
  const isHead = ctx.method === 'HEAD';
  const selection = selectContent(
    { range: isHead ? undefined : range, ifRange: ifRange as string | undefined, ifNoneMatch },
    content,
  );
  if (selection.status === 416) {
    ctx.state.headers.push('Accept-Ranges', 'bytes', 'Content-Range', unsatisfiedRange(sizeBytes));
    throw rangeNotSatisfiable(sizeBytes);
  }
  const headers = describe(content);
  const { status } = selection;
  if (status === 304) return { status, cacheControl, headers };
  // A browser that opens the address saves the ciphertext instead of showing it.
  headers.push('Content-Disposition', 'attachment');
  if (status === 206) headers.push('Content-Range', contentRange(selection, sizeBytes));
  return {
    status,
    cacheControl,
    headers,
    type: contentType,
    body: isHead ? new ContentStream(noPieces, sizeBytes) : await bodyOf(content, selection),
  };
}

/** Returns the headers that every version of the content has (RFC 9110, sections 8.8.3 and 14.3; RFC 9530). */
function describe({ etag, sha256 }: ReadableContent): string[] {
  const headers = ['Accept-Ranges', 'bytes', 'ETag', etag];
  if (sha256) headers.push('Repr-Digest', `sha-256=:${sha256.toString('base64')}:`);
  return headers;
}

async function bodyOf(content: ReadableContent, { start, end }: ByteRange) {
  if (start === end) return Buffer.alloc(0);
  return new ContentStream(await content.read({ from: start, to: end }), end - start);
}

/** A range of a ciphertext. Its first piece has been read from the store, and the others follow on demand. */
class ContentStream extends StreamedBody {
  override readonly type = contentType;
  override readonly length: number;
  readonly #pieces: AsyncIterable<Buffer>;

  constructor(pieces: AsyncIterable<Buffer>, length: number) {
    super();
    this.#pieces = pieces;
    this.length = length;
  }

  override pieces(): AsyncIterable<Buffer> {
    return this.#pieces;
  }
}
