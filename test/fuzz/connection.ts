import { connect } from 'node:net';
import { errorCatalogue } from '../../packages/server/src/generated/rules/errors.ts';

/** A response as it came over the connection. */
export interface Response {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

export interface Delivery {
  /** Each piece is one write. */
  readonly pieces: readonly Buffer[];
  /** What follows the last piece. `wait`: the server closes the connection. */
  readonly ending: 'wait' | 'end' | 'destroy';
}

/** How long a connection may be idle before it is destroyed, in milliseconds. */
const patience = 3_000;

/**
 * Writes pieces to the server over a new connection. Returns the responses; the last one may be cut off.
 */
export async function deliver(port: number, { pieces, ending }: Delivery): Promise<Response[]> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  const received: Buffer[] = [];
  const closed = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    socket.on('end', () => socket.end());
    // The server may close while it is written to.
    socket.on('error', () => resolve());
    socket.on('close', () => resolve());
    socket.setTimeout(patience, () => socket.destroy());
  });
  for (const piece of pieces) {
    if (socket.destroyed) break;
    if (!socket.write(piece)) await Promise.race([drained(socket), closed]);
  }
  if (ending === 'end') socket.end();
  if (ending === 'destroy') socket.destroySoon();
  await closed;
  socket.destroy();
  return parse(Buffer.concat(received));
}

function drained(socket: ReturnType<typeof connect>): Promise<void> {
  return new Promise((resolve) => socket.once('drain', resolve));
}

function parse(text: Buffer): Response[] {
  const responses: Response[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\r\n\r\n', at);
    if (end === -1) break;
    const [line = '', ...lines] = text.toString('latin1', at, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(line)?.[1]);
    if (Number.isNaN(status)) throw new Error(`No response begins with ${line.slice(0, 100)}`);
    const headers = new Map(
      lines.map((header) => {
        const colon = header.indexOf(':');
        return [header.slice(0, colon).toLowerCase(), header.slice(colon + 1).trim()] as const;
      }),
    );
    const { body, next } = bodyAt(text, end + 4, status, headers);
    if (status >= 200) responses.push({ status, headers, body });
    at = next;
  }
  return responses;
}

function bodyAt(
  text: Buffer,
  at: number,
  status: number,
  headers: ReadonlyMap<string, string>,
): { body: Buffer; next: number } {
  if (status < 200 || status === 204 || status === 304) return { body: Buffer.alloc(0), next: at };
  if (headers.get('transfer-encoding') !== 'chunked') {
    const length = headers.get('content-length');
    const next = length === undefined ? text.length : at + Number(length);
    return { body: text.subarray(at, next), next };
  }
  const chunks: Buffer[] = [];
  for (let start = at; ; ) {
    const end = text.indexOf('\r\n', start);
    if (end === -1) return { body: Buffer.concat(chunks), next: text.length };
    const size = Number.parseInt(text.toString('latin1', start, end), 16);
    if (size === 0) return { body: Buffer.concat(chunks), next: end + 4 };
    chunks.push(text.subarray(end + 2, end + 2 + size));
    start = end + 2 + size + 2;
  }
}

const codes = new Map<string, number>(
  Object.entries(errorCatalogue).map(([code, { status }]) => [code, status]),
);

/** Asserts what holds for every response: no 5xx, and errors as the contract has them. */
export function assertSound({ status, headers, body }: Response): void {
  const text = body.toString('utf8');
  if (status >= 500) throw new Error(`The server responded with ${status}: ${text.slice(0, 500)}`);
  // Node's parser refuses invalid HTTP before the service sees it.
  if (status < 400 || !headers.has('x-request-id')) return;
  const { error, errors } = JSON.parse(text);
  // GraphQL has its own form of errors, and statuses of its own for media types.
  const isGraphql = Array.isArray(errors);
  const { code, requestId } = isGraphql ? errors[0].extensions : error;
  const isOwn = isGraphql ? codes.has(code) : codes.get(code) === status;
  if (!isOwn || requestId !== headers.get('x-request-id')) {
    throw new Error(`A ${status} is not an error of the contract: ${text.slice(0, 500)}`);
  }
}

/** A whole request as bytes. Names and values of headers are not escaped. */
export function requestBytes(
  method: string,
  path: string,
  headers: readonly (readonly [string, string])[],
  body: Buffer = Buffer.alloc(0),
): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}
