import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { type DocumentWithContent, deletedMeanwhile } from '../domain/documents/documents.ts';
import { type Shape, timestamp } from '../domain/shapes.ts';
import { ServiceError } from '../errors.ts';
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

/**
 * Whether If-None-Match names this version (RFC 9110, section 13.1.2). Koa's `fresh` would let the request's
 * Cache-Control overrule it, and `fetch` always sends one.
 */
function hasVersion({ req }: Context, etag: string): boolean {
  const header = req.headers['if-none-match'] ?? '';
  return header
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === etag || tag === '*');
}

type DocumentBody = Shape<'DocumentWithContent'>;

/** Returns a document as JSON with its ciphertext as base64; streams it when it has several parts. */
export function documentBody(stored: DocumentWithContent): DocumentBody | DocumentStream {
  const { document, firstPart } = stored;
  if (firstPart.length < document.sizeBytes) return new DocumentStream(stored);
  return { ...document, encryptedData: firstPart.toString('base64') };
}

const documentEnd = '"}';

/**
 * A response that is read from the store and written part by part, as fast as the client reads it.
 * Encoding 32 MiB at once would block other requests and take several times its size in memory.
 */
export class DocumentStream {
  readonly #stored: DocumentWithContent;
  readonly #beginning: string;

  constructor(stored: DocumentWithContent) {
    this.#stored = stored;
    this.#beginning = `${JSON.stringify(stored.document).slice(0, -1)},"encryptedData":"`;
  }

  /** Bytes of the JSON. */
  get length(): number {
    const groups = Math.ceil(this.#stored.document.sizeBytes / 3);
    return Buffer.byteLength(this.#beginning) + groups * 4 + documentEnd.length;
  }

  stream(): Readable {
    return Readable.from(this.#pieces(), { objectMode: false, highWaterMark: 0 });
  }

  async *#pieces(): AsyncGenerator<Buffer> {
    const { firstPart, otherParts } = this.#stored;
    yield Buffer.from(this.#beginning);
    yield asBase64(firstPart);
    for await (const part of otherParts()) {
      // The buffers of a connection accept megabytes at once. Other requests are served between two parts.
      await setImmediate();
      yield asBase64(part);
    }
    yield Buffer.from(documentEnd);
  }
}

function asBase64(part: Buffer): Buffer {
  return Buffer.from(part.toString('base64'), 'latin1');
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
  return new ServiceError('INTERNAL_ERROR', { cause: error });
}

/** Statuses without a body. */
const isEmpty = (status: number) => status === 204 || status === 304;

/**
 * Writes a response with one `writeHead` and one `end`: each `setHeader` would cost about a microsecond.
 *
 * @param headers every header except those of the body
 */
export function writeReply(ctx: Context, reply: Reply, headers: string[]): void {
  const { res, req } = ctx;
  const { status, body } = reply;
  if (ctx.state.responseFault === 'networkError') req.socket.destroy();
  if (!ctx.writable) {
    res.end();
  } else if (isEmpty(status) || body === undefined) {
    res.writeHead(status, headers).end();
  } else if (body instanceof DocumentStream) {
    headers.push('Content-Type', jsonType, 'Content-Length', String(body.length));
    res.writeHead(status, headers);
    writeStream(ctx, body);
  } else {
    const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const length = Buffer.byteLength(bytes);
    headers.push('Content-Type', reply.type ?? jsonType, 'Content-Length', String(length));
    res.writeHead(status, headers);
    if (ctx.state.responseFault === 'truncate') void truncate(ctx, [Buffer.from(bytes)], length);
    else if (req.method === 'HEAD') res.end();
    else res.end(bytes);
  }
}

function writeStream(ctx: Context, body: DocumentStream): void {
  const { socket } = ctx.req;
  const stream = body.stream();
  // The response learns of a lost connection later than its socket. The store may be closed by then.
  const stop = () => stream.destroy();
  socket.once('error', stop);
  stream.once('close', () => socket.off('error', stop));
  const written =
    ctx.state.responseFault === 'truncate'
      ? truncate(ctx, stream, body.length)
      : pipeline(stream, ctx.res);
  written.catch((error: Error) => ctx.app.emit('error', error));
}

/** Sends the first half of a body whose full length was announced, then ends the connection. */
async function truncate(
  { res, req }: Context,
  body: Iterable<Buffer> | AsyncIterable<Buffer>,
  length: number,
): Promise<void> {
  let left = Math.floor(length / 2);
  for await (const piece of body) {
    res.write(piece.subarray(0, left));
    left -= Math.min(left, piece.length);
    if (left === 0) break;
  }
  // Unlike `destroy`, it sends what was written.
  req.socket.destroySoon();
}

/** Codes of connections that the client or the network ended. */
const lostConnection = new Set([
  deletedMeanwhile,
  'ECONNRESET',
  'EPIPE',
  'ERR_HTTP_REQUEST_TIMEOUT',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/** Logs that a response was not sent completely. */
export function logUnsentReply(log: Logger, error: Error & { readonly code?: string }): void {
  const { code = '', message } = error;
  if (lostConnection.has(code) || code.startsWith('HPE_')) {
    // The error of the HTTP parser has the bytes of the request, with its credentials: they are not logged.
    log.info({ code, reason: message }, 'response was not sent');
  } else {
    log.error({ err: error }, 'response was not sent');
  }
}
