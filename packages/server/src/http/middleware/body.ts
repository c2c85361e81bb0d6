import { isUtf8 } from 'node:buffer';
import getRawBody from 'raw-body';
import { type ServiceError, violation } from '../../errors.ts';
import type { Operation } from '../contract.ts';
import type { Context, Gate } from '../state.ts';
import { takeLargeText } from './large-text.ts';

/** Levels of arrays and objects: more than a request needs, and far from what recursion can do. */
const maxDepth = 64;
/** Values in a body, names of properties not counted; a document is one of them, however large. */
const maxValues = 10_000;

/** Bodies from here on are read into one piece of memory, which is given back before they are used. */
const largeBytes = 1024 * 1024;

/** The property that may be large, in the operation that has it. */
const largeProperty = 'encryptedData';

type BodyRule = Pick<Operation, 'body'>;

/** Reads the body, as JSON of at most `limit` bytes. */
export function readJsonBody(operation: BodyRule, limit: number): Gate {
  return async (ctx) => {
    await read(ctx, operation, limit);
  };
}

async function read(ctx: Context, operation: BodyRule, limit: number): Promise<void> {
  const raw = await readBody(ctx, limit);
  ctx.state.body = raw.length === 0 ? emptyBody(operation) : parseJson(ctx, raw);
  if (ctx.get('idempotency-key') !== '') ctx.state.rawBody = raw;
  // Freed now, and not when it is collected: the database is about to copy the content.
  else if (raw.length >= largeBytes) (raw.buffer as ArrayBuffer).transfer(0);
}

async function readBody(ctx: Context, limit: number): Promise<Buffer> {
  try {
    const length = ctx.get('content-length') || null;
    if (Number(length) >= largeBytes && Number(length) <= limit) {
      return await readLarge(ctx, Number(length));
    }
    return await getRawBody(ctx.req, { limit, length });
  } catch (error) {
    // What is left of the body would stand in front of the next request on this connection.
    ctx.req.resume();
    throw toServiceError(error, limit) ?? error;
  }
}

/** A body of known length, in memory of its own. */
async function readLarge({ req }: Context, length: number): Promise<Buffer> {
  const body = Buffer.allocUnsafeSlow(length);
  let received = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) received += chunk.copy(body, received);
  return body;
}

/** The failures that the sender of the body has caused. */
function toServiceError(error: unknown, limit: number): ServiceError | undefined {
  const { type, code } = error as { type?: unknown; code?: unknown };
  switch (type ?? code) {
    case 'entity.too.large':
      return violation('body', 'maxBytes', `The request body must be at most ${limit} bytes.`);
    case 'request.size.invalid':
    case 'request.aborted':
    case 'ECONNRESET':
      return violation('body', 'contentLength', 'The request body ended before its length.');
    default:
      return undefined;
  }
}

function emptyBody(operation: BodyRule): unknown {
  if (operation.body === 'optional') return {};
  throw violation('body', 'required', 'This operation needs a JSON body.');
}

function parseJson(ctx: Context, raw: Buffer): unknown {
  if (!ctx.is('json')) {
    throw violation('Content-Type', 'contentType', 'Send the body as application/json.');
  }
  const large = takeLargeText(raw, largeProperty);
  const text = large?.frame ?? raw;
  if (!isUtf8(text)) throw violation('body', 'json', 'The request body is not UTF-8.');
  try {
    const body: unknown = JSON.parse(text.toString('utf8'));
    refuseUnstorable(body);
    if (large === undefined) return body;
    // A name given twice stands for its last value.
    const taken = (body as { [largeProperty]?: unknown })[largeProperty] === large.placeholder;
    if (!taken) return JSON.parse(raw.toString('utf8'));
    ctx.state.content = large.content;
    return body;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw violation('body', 'json', 'The request body is not valid JSON.');
  }
}

/** Refuses what JSON can say but could not be kept and answered again as it was sent. */
function refuseUnstorable(body: unknown): void {
  const open: { value: unknown; depth: number }[] = [{ value: body, depth: 0 }];
  let count = 0;
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next;
    count += 1;
    if (depth > maxDepth) {
      throw violation('body', 'json', `The request body nests deeper than ${maxDepth} levels.`);
    }
    if (typeof value === 'string') {
      refuseIllFormed(value);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        if (count + open.length >= maxValues) {
          throw violation('body', 'json', `The request body has more than ${maxValues} values.`);
        }
        refuseIllFormed(name);
        open.push({ value: member, depth: depth + 1 });
      }
    }
  }
}

function refuseIllFormed(text: string): void {
  if (text.isWellFormed()) return;
  throw violation('body', 'json', 'The request body has half of a surrogate pair in a text.');
}
