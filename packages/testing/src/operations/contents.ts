import { fromBase64, toBase64 } from '../base64.ts';
import { contentRange, rangeNotSatisfiable, selectContent } from '../generated/rules/ranges.ts';
import { Reply } from '../responses.ts';
import { type DocumentRecord, type StoredContent, type StoredPart, toBase64Url } from '../state.ts';

/** Returns the whole content as base64. */
export function toEncryptedData({ parts }: StoredContent): string {
  return toBase64(joined(parts.map(({ bytes }) => bytes)));
}

/**
 * Returns the bytes that the headers of a request select, or 304 when the caller has them.
 *
 * @throws ServiceError RANGE_NOT_SATISFIABLE
 */
export async function contentReply(
  { content, sizeBytes }: DocumentRecord,
  { headers: requested, isHead }: { readonly headers: Headers; readonly isHead: boolean },
): Promise<Reply> {
  const version = await versionOf(content);
  const conditions = {
    // Range is defined for GET alone (RFC 9110, section 14.2).
    range: isHead ? undefined : (requested.get('range') ?? undefined),
    ifRange: requested.get('if-range') ?? undefined,
    ifNoneMatch: requested.get('if-none-match') ?? undefined,
  };
  const selection = selectContent(conditions, { etag: version.etag, sizeBytes });
  if (selection.status === 416) throw rangeNotSatisfiable(sizeBytes);
  if (selection.status === 304) return new Reply(304, { headers: version });
  const { status, start, end } = selection;
  const headers = {
    ...version,
    ...(status === 206 && { 'content-range': contentRange(selection, sizeBytes) }),
    'content-type': 'application/octet-stream',
    'content-length': String(end - start),
    'content-disposition': 'attachment',
  };
  return new Reply(status, { headers, body: bytesBetween(content, start, end) });
}

/** Returns the headers that identify a content. They are the same in every response. */
async function versionOf({ parts, isUpload }: StoredContent) {
  const digests = await Promise.all(parts.map(digestOf));
  const whole = isUpload ? await sha256(joined(digests.map(fromBase64))) : digests.join();
  return {
    'accept-ranges': 'bytes',
    etag: `"${toBase64Url(atob(whole))}"`,
    ...(!isUpload && { 'repr-digest': `sha-256=:${whole}:` }),
  };
}

async function digestOf(part: StoredPart): Promise<string> {
  part.sha256 ??= await sha256(part.bytes);
  return part.sha256;
}

/** Returns the SHA-256 of bytes as base64. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return toBase64(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

function bytesBetween({ parts }: StoredContent, start: number, end: number) {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (const { bytes } of parts) {
    const from = Math.max(0, start - offset);
    const to = Math.min(bytes.length, end - offset);
    if (from < to) pieces.push(bytes.subarray(from, to));
    offset += bytes.length;
  }
  return joined(pieces);
}

/** Joins pieces. A single one is not copied. */
function joined(pieces: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const [first, ...others] = pieces;
  if (first && others.length === 0) return first;
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}
