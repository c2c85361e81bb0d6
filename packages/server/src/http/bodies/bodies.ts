import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import type { Operation } from '../../contract/contract.ts';
import { violation } from '../../generated/rules/errors.ts';
import { readParameters } from '../../generated/rules/parameters.ts';
import { free } from '../../lib/buffers.ts';
import { networkOf, siteOf } from '../../lib/networks.ts';
import { type Context, declaresUtf8, type RequestState, routeOf } from '../request.ts';
import { createAdmission, largeBytes, type MemoryHolder } from './admission.ts';
import { createDataRate, type DataRateOptions } from './data-rate.ts';
import { IncomingBody, tooLarge } from './incoming-body.ts';
import { createSlices, takeLargeText } from './large-text.ts';
import type { NetworkPause } from './network-pause.ts';
import { checkStructure, largeProperty } from './structure.ts';

/** The largest body of an operation that carries no document. */
const maxBodyBytes = 1024 * 1024;

/** The largest body of an operation that may be called without credentials: names, passwords, tokens. */
const maxAnonymousBytes = 16 * 1024;

/** The share by which base64 grows when an encoder writes its slashes as `\/`. */
const escapedShare = 1 / 32;

/** Bytes that are hashed between two checks of the time. */
const hashedBytes = 1024 * 1024;

/** The operation whose body may have a large text. */
const documentOperation = 'createDocument';

/** Bytes that a streamed body takes in memory until they are stored. */
const streamedBytes = 3 * 1024 * 1024;

const noBytes = Buffer.alloc(0);

export interface BodiesOptions extends DataRateOptions {
  /** The largest ciphertext in JSON, decoded. */
  readonly maxJsonDocumentBytes: number;
  /** Bytes of bodies in memory at once; null stands for a quarter of the heap limit. */
  readonly maxBodyMemory: number | null;
  /** Whether the server has begun to shut down. */
  readonly isClosing: () => boolean;
  readonly networkPause: NetworkPause;
}

/** The rules of the contract for the body of an operation. */
type BodyRule = Pick<Operation, 'body' | 'anonymous'> & { readonly id?: Operation['id'] };

export type Bodies = ReturnType<typeof createBodies>;

/** Receives the bodies of requests to REST, GraphQL and OAuth. */
export function createBodies(options: BodiesOptions) {
  const { networkPause, clock, isClosing, maxBodyMemory, maxJsonDocumentBytes } = options;
  const budget = maxBodyMemory ?? getHeapStatistics().heap_size_limit / 4;
  const admission = createAdmission(clock, budget);
  const dataRate = createDataRate(options);

  function releaseBody({ incoming, memoryGrant, largeBody, headers }: RequestState): void {
    if (largeBody) free(largeBody);
    memoryGrant?.release();
    const canServeAnother = incoming?.finish() ?? true;
    // The rest of the body is discarded, and may not arrive too slowly either.
    if (incoming && canServeAnother && !incoming.isOver) dataRate.watch(incoming);
    if (!canServeAnother || isClosing()) headers.push('Connection', 'close');
  }

  /** Reserves memory for a body. Only a body that waits for it pauses its connection. */
  async function admit(state: RequestState, incoming: IncomingBody, bytes: number) {
    const admitted = admission.admit(holderOf(state), bytes);
    const grant = admitted instanceof Promise ? await incoming.waitUnread(admitted) : admitted;
    state.memoryGrant = grant;
    return grant;
  }

  /**
   * Returns all bytes of a body, within its limit and the memory that is admitted for it.
   *
   * @param requireType rejects a body of another type before it is read
   */
  async function collect(ctx: Context, limit: number, requireType?: (ctx: Context) => void) {
    const { state } = ctx;
    const { incoming } = state;
    requireIdentityEncoding(ctx);
    if (!incoming) return noBytes;
    const { declared, received } = incoming;
    if (declared !== undefined && declared > limit) throw tooLarge(limit);
    if (declared !== undefined) requireType?.(ctx);
    const grant = await admit(state, incoming, declared ?? received);
    const collected = incoming.collect(limit, grant);
    if (!incoming.isOver) dataRate.watch(incoming);
    const body = await collected;
    if (body.length > largeBytes) state.largeBody = body;
    return body;
  }

  async function* stream(state: RequestState) {
    const { incoming } = state;
    if (!incoming) return;
    await admit(state, incoming, Math.min(incoming.declared ?? streamedBytes, streamedBytes));
    const pieces = incoming.stream();
    if (!incoming.isOver) dataRate.watch(incoming);
    yield* pieces;
  }

  /** Leaves the bytes unread: the handler first finds out whether they are wanted. */
  function offerBytes(ctx: Context): void {
    requireIdentityEncoding(ctx);
    const { incoming } = ctx.state;
    if (incoming && !ctx.is('application/octet-stream')) {
      const message = 'Send the body as application/octet-stream.';
      throw violation('Content-Type', 'contentType', message);
    }
    ctx.state.bytes = {
      declared: incoming ? incoming.declared : 0,
      read: () => stream(ctx.state),
    };
  }

  async function readJson(ctx: Context, rule: BodyRule): Promise<void> {
    const { state } = ctx;
    const raw = await collect(ctx, bodyLimit(rule, maxJsonDocumentBytes), requireJson);
    if (ctx.get('idempotency-key') !== '') state.bodyDigest = await digest(raw);
    state.body = raw.length === 0 ? emptyBody(rule) : await parse(ctx, raw, rule);
  }

  return {
    /**
     * Begins to copy the body of a request; returns undefined when there is none. Must be called in the turn of
     * the event loop in which the request arrives.
     */
    receive(req: IncomingMessage, res: ServerResponse): IncomingBody | undefined {
      const { 'content-length': length, 'transfer-encoding': encoding } = req.headers;
      const declared = encoding === undefined ? Number(length ?? 0) : undefined;
      if (declared === 0) return undefined;
      return new IncomingBody({ req, res, declared, clock, networkPause });
    },
    /**
     * Frees the memory of a body when the response is ready. A connection whose body has not arrived by then
     * ends with the response.
     */
    finish(state: RequestState): Promise<void> | void {
      const { incoming } = state;
      // A chunked body that came together with the head is complete one turn later.
      const isArriving = incoming?.isUnclaimed && incoming.declared === undefined;
      return isArriving ? setImmediate().then(() => releaseBody(state)) : releaseBody(state);
    },
    /** Reads the body of the route's operation as JSON, within its limits and the budgets. Bytes are left to its handler. */
    readOperationBody(ctx: Context): Promise<void> | void {
      const { operation } = routeOf(ctx.state);
      if (operation.body === 'bytes') return offerBytes(ctx);
      return operation.body === 'none' ? undefined : readJson(ctx, operation);
    },
    /** Reads the body of a request without route as JSON. */
    readJson: (rule: BodyRule) => (ctx: Context) => readJson(ctx, rule),
    /** Reads the body of a form as text. Whether it is a form is left to its handler. */
    async readForm(ctx: Context): Promise<void> {
      const form = (await collect(ctx, maxAnonymousBytes)).toString('utf8');
      // The engine of OAuth would ignore the fields beyond its own limit.
      readParameters(form, 'body');
      ctx.state.body = form;
    },
  };
}

function bodyLimit({ id, anonymous }: BodyRule, maxJsonDocumentBytes: number): number {
  if (anonymous) return maxAnonymousBytes;
  if (id !== documentOperation) return maxBodyBytes;
  const base64Bytes = Math.ceil(maxJsonDocumentBytes / 3) * 4;
  return base64Bytes + Math.max(maxBodyBytes, Math.ceil(base64Bytes * escapedShare));
}

/** A compressed body could be any number of times as large as what arrives. */
function requireIdentityEncoding(ctx: Context): void {
  const encoding = ctx.get('content-encoding').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return;
  throw violation('body', 'contentEncoding', 'Send the body without Content-Encoding.');
}

function holderOf({ actor, visitor }: RequestState): MemoryHolder {
  if (actor) return { key: `account:${actor.userId}`, isAccount: true };
  const { ipAddress } = visitor;
  return { key: `address:${networkOf(ipAddress)}`, isAccount: false, site: siteOf(ipAddress) };
}

/** The SHA-256 of a body, in slices. */
async function digest(body: Buffer): Promise<Buffer> {
  const hash = createHash('sha256');
  const slices = createSlices();
  for (let start = 0; start < body.length; start += hashedBytes) {
    hash.update(body.subarray(start, start + hashedBytes));
    if (slices.isOver()) await slices.next();
  }
  return hash.digest();
}

function emptyBody({ body }: BodyRule): unknown {
  if (body === 'optional') return {};
  throw violation('body', 'required', 'This operation needs a JSON body.');
}

function requireJson(ctx: Context): void {
  if (!ctx.is('json')) {
    throw violation('Content-Type', 'contentType', 'Send the body as application/json.');
  }
  if (declaresUtf8(ctx)) return;
  throw violation('Content-Type', 'charset', 'Send the body in UTF-8.');
}

/** The byte order mark of UTF-8, which can stand before JSON (RFC 8259, section 8.1). */
const byteOrderMark = Buffer.from('\ufeff');

function withoutMark(raw: Buffer): Buffer {
  const mark = raw.subarray(0, byteOrderMark.length);
  return mark.equals(byteOrderMark) ? raw.subarray(byteOrderMark.length) : raw;
}

async function parse(ctx: Context, sent: Buffer, rule: BodyRule): Promise<unknown> {
  requireJson(ctx);
  const raw = withoutMark(sent);
  const span = checkStructure(raw, rule.id === documentOperation);
  if (!span) return parseText(raw);
  const { frame, placeholder, content } = await takeLargeText(raw, span);
  const body = parseText(frame) as { [largeProperty]?: unknown };
  // A name given twice stands for its last value.
  if (body[largeProperty] === placeholder) ctx.state.content = content;
  return body;
}

function parseText(json: Buffer): unknown {
  if (!isUtf8(json)) throw violation('body', 'json', 'The request body is not UTF-8.');
  const text = json.toString('utf8');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw violation('body', 'json', 'The request body is not valid JSON.');
  }
  // UTF-8 has no half of a surrogate pair: only an escape can write one.
  if (text.includes('\\u')) rejectHalfPairs(body);
  return body;
}

/** Rejects texts with half of a surrogate pair: UTF-8 cannot store them. */
function rejectHalfPairs(body: unknown): void {
  const open = [body];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string') rejectIllFormed(value);
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, member] of Object.entries(value)) {
      rejectIllFormed(name);
      open.push(member);
    }
  }
}

function rejectIllFormed(text: string): void {
  if (text.isWellFormed()) return;
  throw violation('body', 'json', 'The request body has half of a surrogate pair in a text.');
}
