import { toBase64 } from '../crypto/base64.ts';
import { UsageError } from '../errors.ts';
import type { StartedCall } from '../http/api.ts';
import type { RawResult } from '../http/api-result.ts';
import { byteStream } from '../http/byte-stream.ts';
import { RemoteContent } from '../http/remote-content.ts';
import { fillPath } from '../http/request.ts';
import { apiError } from '../http/responses.ts';
import type { Transport } from '../http/transport.ts';
import { type OnSent, type PartBody, partBody, uploadFetch } from '../http/upload-body.ts';
import { type CallOptions, resolveLimits } from '../options.ts';
import type { ContentOptions, EncryptedStream } from './content.ts';

/** A part of an upload. */
interface PartToSend {
  readonly id: string;
  readonly part: number;
  readonly body: PartBody;
  /** SHA-256 in base64. */
  readonly sha256: string;
  readonly onSent?: OnSent | undefined;
}

/** Path template of the parts of an upload. */
const partPath = '/api/v1/uploads/{id}/parts/{part}';

/** The slowest connection that a part is sent over, in bytes per millisecond. */
const slowest = 20;

/** Sends bytes as a part of an upload. */
export async function putPart(
  transport: Transport,
  { id, part, bytes }: { id: string; part: number; bytes: Uint8Array },
  options?: StartedCall,
): Promise<RawResult<void>> {
  if (!(bytes instanceof Uint8Array)) throw new UsageError('bytes must be a Uint8Array');
  const sha256 = await sha256Of(bytes);
  const body = partBody(transport.settings.fetch, bytes as Uint8Array<ArrayBuffer>);
  return sendPart(transport, { id, part, body, sha256 }, options);
}

/** Sends a part of an upload with its digest. */
export async function sendPart(
  transport: Transport,
  { id, part, body: { length, body }, sha256, onSent }: PartToSend,
  options: StartedCall = {},
): Promise<RawResult<void>> {
  const { timeout } = resolveLimits(options, transport.settings);
  const operation = { method: 'PUT', path: partPath };
  const url = transport.baseUrl + fillPath(partPath, [id, String(part)]);
  const received = await transport.send(url, {
    ...options,
    ...operation,
    headers: { ...options.headers, 'content-digest': `sha-256=:${sha256}:` },
    timeout: Math.ceil(timeout + length / slowest),
    body,
    fetch: uploadFetch(transport.settings.fetch, onSent),
  });
  if (received.status !== 204) throw apiError(received, operation, 'no content');
  return { data: undefined, response: received.response };
}

/** Returns the SHA-256 of bytes in base64. */
export async function sha256Of(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
  return toBase64(new Uint8Array(digest));
}

/** Path templates of the operations that return content. */
export type ContentPath = '/api/v1/documents/{id}/content' | '/api/v1/contents/{ticket}';

const ticketsPrefix = '/api/v1/contents/';

/**
 * Returns the content at a path.
 *
 * @param id - of the document; for a share its `contentUrl`, or the ticket at its end
 * @throws UsageError when `contentUrl` is not of this service
 */
export function contentAt(
  transport: Transport,
  path: ContentPath,
  id: string,
  options: CallOptions & StartedCall,
): RemoteContent {
  const { baseUrl } = transport;
  const value = path.startsWith(ticketsPrefix) ? ticketOf(id, baseUrl) : id;
  const url = baseUrl + fillPath(path, [value]);
  return new RemoteContent({ transport, url, path, options });
}

/** Opens encrypted content. */
export async function openContent(
  transport: Transport,
  path: ContentPath,
  id: string,
  options: ContentOptions & StartedCall = {},
): Promise<RawResult<EncryptedStream>> {
  const { range, signal } = options;
  const { start = 0, end } = range ?? {};
  requireRange(start, end);
  const content = contentAt(transport, path, id, options);
  const { response, size, etag, chunks } = await content.open({ start, end }, signal);
  const stream = byteStream(chunks, { signal, context: { method: 'GET', path } });
  return { data: { stream, size, etag }, response };
}

/** @throws UsageError unless both are whole numbers and the range has a byte */
function requireRange(start: number, end: number | undefined): void {
  const isPosition = (value: number) => Number.isSafeInteger(value) && value >= 0;
  if (isPosition(start) && (end === undefined || (isPosition(end) && end > start))) return;
  throw new UsageError('range needs whole numbers, start from 0 and end above start');
}

/**
 * Returns the ticket of an opened share. Only the ticket is taken from `contentUrl`: every
 * request goes to `baseUrl`.
 *
 * @param contentUrl - `contentUrl` of the share, or the ticket at its end
 * @throws UsageError when it is not such a URL, or has another origin
 */
function ticketOf(contentUrl: string, baseUrl: string): string {
  const ticket = /[/:]/.test(String(contentUrl)) ? ticketIn(contentUrl, baseUrl) : contentUrl;
  if (ticket === undefined) throw new UsageError('contentUrl is not a content of this service');
  return ticket;
}

/** Returns undefined for a URL that is malformed, of another origin or of another operation. */
function ticketIn(contentUrl: string, baseUrl: string): string | undefined {
  try {
    const { origin, pathname } = new URL(contentUrl, baseUrl);
    const at = pathname.lastIndexOf(ticketsPrefix);
    if (origin !== new URL(baseUrl).origin || at < 0) return undefined;
    return decodeURIComponent(pathname.slice(at + ticketsPrefix.length));
  } catch {
    return undefined;
  }
}
