import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { accessEndedCode } from '../domain/documents/content.ts';
import {
  contentsUnavailable,
  type DocumentWithContent,
  deletedMeanwhile,
} from '../domain/documents/documents.ts';
import { type Shape, timestamp } from '../domain/shapes.ts';
import { ServiceError } from '../generated/rules/errors.ts';
import { namesVersion } from '../generated/rules/ranges.ts';
import { freeOwn } from '../lib/buffers.ts';
import type { Clock } from '../lib/clock.ts';
import type { Context, FlatHeaders, Reply } from './request.ts';

const jsonType = 'application/json; charset=utf-8';

/** A response that changes rarely. Its JSON is serialised once. */
export class Serialised<Body> {
  /** The JSON. */
  readonly text: string;
  /** A strong entity tag (RFC 9110, section 8.8.3). */
  readonly etag: string;
  readonly body: Body;

  constructor(body: Body) {
    this.body = body;
    this.text = JSON.stringify(body);
    this.etag = entityTag(this.text);
  }
}

/** A body that caches may reuse without asking, also shared caches. */
export class CacheableBody<Body> {
  readonly body: Body;
  /** In seconds. */
  readonly maxAge: number;

  constructor(body: Body, maxAge: number) {
    this.body = body;
    this.maxAge = maxAge;
  }
}

/** Returns a strong entity tag for a body. */
export function entityTag(body: string | Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url')}"`;
}

interface Cacheable {
  readonly body: string | Buffer;
  readonly etag: string;
  readonly type?: string;
  readonly securityHeaders?: FlatHeaders;
}

/** Returns a body that caches revalidate, or 304 when the client has this version (RFC 9110, section 15.4.5). */
export function cacheableReply(ctx: Context, { body, etag, ...others }: Cacheable): Reply {
  const reply = { ...others, cacheControl: 'no-cache', headers: ['ETag', etag] };
  return hasVersion(ctx, etag) ? { ...reply, status: 304 } : { ...reply, status: 200, body };
}

/** Koa's `fresh` would let the request's Cache-Control overrule If-None-Match, and `fetch` always sends one. */
function hasVersion({ req }: Context, etag: string): boolean {
  const header = req.headers['if-none-match'];
  return header !== undefined && namesVersion(header, etag);
}

type DocumentBody = Shape<'DocumentWithContent'>;

/** A larger document is streamed. */
const streamedAbove = 96 * 1024;

/**
 * Returns a document as JSON, with its ciphertext as base64 if it was asked for; streams it when it is large.
 *
 * @param isHead whether the length of the response is needed alone: the ciphertext is not read
 */
export async function documentBody(
  { document, read }: DocumentWithContent,
  isHead: boolean,
): Promise<DocumentBody | DocumentStream> {
  if (read === undefined) return document;
  if (read === null) return { ...document, encryptedData: null };
  const pieces = isHead ? noPieces : await read();
  if (isHead || document.sizeBytes > streamedAbove) return new DocumentStream(document, pieces);
  const found: Buffer[] = [];
  for await (const piece of pieces) found.push(piece);
  return { ...document, encryptedData: Buffer.concat(found).toString('base64') };
}

/** The body of a response to HEAD, which is not written. */
export const noPieces: AsyncIterable<Buffer> = { async *[Symbol.asyncIterator]() {} };

const documentEnd = '"}';

/** A body that is written while it is read, as fast as the client reads it. */
export abstract class StreamedBody {
  /** Content-Type. */
  abstract readonly type: string;
  /** In bytes. */
  abstract readonly length: number;
  abstract pieces(): AsyncIterable<Buffer>;
}

/**
 * A response that is read from the store and written piece by piece, as fast as the client reads it.
 * Encoding 32 MiB at once would block other requests and take several times its size in memory.
 */
export class DocumentStream extends StreamedBody {
  override readonly type = jsonType;
  readonly #sizeBytes: number;
  readonly #ciphertext: AsyncIterable<Buffer>;
  readonly #beginning: string;

  constructor(document: DocumentWithContent['document'], ciphertext: AsyncIterable<Buffer>) {
    super();
    this.#sizeBytes = document.sizeBytes;
    this.#ciphertext = ciphertext;
    this.#beginning = `${JSON.stringify(document).slice(0, -1)},"encryptedData":"`;
  }

  /** Bytes of the JSON. */
  override get length(): number {
    const groups = Math.ceil(this.#sizeBytes / 3);
    return Buffer.byteLength(this.#beginning) + groups * 4 + documentEnd.length;
  }

  override async *pieces(): AsyncGenerator<Buffer> {
    yield Buffer.from(this.#beginning);
    yield* asBase64(this.#ciphertext);
    yield Buffer.from(documentEnd);
  }
}

/** Encodes pieces of any length as one base64 text. */
async function* asBase64(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  // At most two bytes, because base64 encodes three at a time.
  let rest = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const whole = bytes.length - (bytes.length % 3);
    rest = Buffer.from(bytes.subarray(whole));
    if (whole > 0) yield Buffer.from(bytes.toString('base64', 0, whole), 'latin1');
  }
  if (rest.length > 0) yield Buffer.from(rest.toString('base64'), 'latin1');
}

/** Returns the error body of the contract. */
export function errorReply({ state }: Context, error: ServiceError, clock: Clock): Reply {
  const { code, message, details, retryAfter } = error;
  const { requestId } = state.visitor;
  const body = { code, message, details, requestId, timestamp: timestamp(clock.now()) };
  if (retryAfter === undefined) return { status: error.status, body: { error: body } };
  return {
    status: error.status,
    headers: ['Retry-After', String(retryAfter)],
    body: { error: { ...body, retryAfter } },
  };
}

/** Logs a failure that is not in the catalogue, and hides it from the client. */
export function toServiceError(
  error: unknown,
  { state }: Context,
  log: Logger,
  facts: Readonly<Record<string, unknown>> = {},
): ServiceError {
  if (error instanceof ServiceError) return error;
  const { visitor, route, graphql } = state;
  const operation = graphql ? 'graphql' : (route?.operation.id ?? null);
  log.error({ requestId: visitor.requestId, operation, err: error, ...facts }, 'request failed');
  if ((error as { code?: unknown }).code === contentsUnavailable) return unavailable(error);
  return new ServiceError('INTERNAL_ERROR', { cause: error });
}

function unavailable(cause: unknown): ServiceError {
  const message = 'The storage of contents does not respond. Try again in a few seconds.';
  return new ServiceError('INTERNAL_ERROR', { message, retryAfter: 5, cause });
}

/** Statuses without a body. */
const isEmpty = (status: number) => status === 204 || status === 304;

/**
 * Writes a response with one `writeHead` and one `end`: each `setHeader` would cost about a microsecond.
 *
 * @param headers every header except those of the body
 * @returns for a streamed body, a promise of the bytes that were passed to the connection until the response ended
 */
export function writeReply(
  ctx: Context,
  reply: Reply,
  headers: string[],
): Promise<number> | undefined {
  const { res, req } = ctx;
  const { status, body } = reply;
  if (!ctx.writable) {
    res.end();
  } else if (isEmpty(status) || body === undefined) {
    if (!isEmpty(status)) headers.push('Content-Length', '0');
    res.writeHead(status, headers);
    end(ctx);
  } else if (body instanceof StreamedBody) {
    headers.push('Content-Type', body.type, 'Content-Length', String(body.length));
    res.writeHead(status, headers);
    if (req.method !== 'HEAD') return writeStream(ctx, body);
    end(ctx);
  } else {
    const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const length = Buffer.byteLength(bytes);
    headers.push('Content-Type', reply.type ?? jsonType, 'Content-Length', String(length));
    res.writeHead(status, headers);
    end(ctx, req.method === 'HEAD' ? undefined : bytes);
  }
  return undefined;
}

function end({ res, state: { incoming } }: Context, bytes?: string | Buffer): void {
  if (incoming) incoming.end(bytes);
  else res.end(bytes);
}

/** @returns the bytes that were passed to the connection until the response ended */
async function writeStream(ctx: Context, body: StreamedBody): Promise<number> {
  const sent = { bytes: 0 };
  try {
    await writePieces(ctx, body.pieces(), sent);
  } catch (error) {
    ctx.res.destroy();
    ctx.app.emit('error', error);
  }
  return sent.bytes;
}

/**
 * Writes pieces as fast as the client reads them. The memory of a written piece is freed at once: with S3, waiting for
 * the garbage collector took more than half of the processor time of a download.
 */
async function writePieces(
  ctx: Context,
  pieces: AsyncIterable<Buffer>,
  sent: { bytes: number },
): Promise<void> {
  const { req, res } = ctx;
  for await (const piece of pieces) {
    // The client can disconnect while the store reads. Its response has emitted `close`, and never emits `drain`.
    if (req.socket.destroyed) throw lostConnection();
    sent.bytes += piece.length;
    const isDrained = res.write(piece, (error) => {
      if (!error) freeOwn(piece);
    });
    if (!isDrained) await drained(res);
    // The buffers of a connection accept megabytes at once. Other requests are served between two pieces.
    await setImmediate();
    // The response learns of a lost connection later than its socket. The store may be closed by then.
    if (req.socket.destroyed) throw lostConnection();
  }
  end(ctx);
}

/** Resolves when more can be written, or the connection has ended. */
function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done).off('close', done);
      resolve();
    };
    res.once('drain', done).once('close', done);
  });
}

function lostConnection(): Error {
  return Object.assign(new Error('the client has disconnected'), { code: 'ECONNRESET' });
}

/** Codes of responses that the client, the network or the end of access cut short. */
const endedConnection = new Set([
  accessEndedCode,
  deletedMeanwhile,
  'ECONNRESET',
  'EPIPE',
  'ERR_HTTP_REQUEST_TIMEOUT',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/** Logs that a response was not sent completely. */
export function logUnsentReply(log: Logger, error: Error & { readonly code?: string }): void {
  const { code = '', message } = error;
  if (endedConnection.has(code) || code.startsWith('HPE_')) {
    // The error of the HTTP parser has the bytes of the request, with its credentials: they are not logged.
    log.info({ code, reason: message }, 'response was not sent');
  } else {
    log.error({ err: error }, 'response was not sent');
  }
}
