import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Faults of the next responses, each used once, in order. */
export interface ContentFault {
  /** Sends this many bytes of the range, then closes the connection. */
  cutAfter?: number;
  /** Sends this many bytes of the range, then nothing. */
  stallAfter?: number;
  /** Responds with this status instead of the content. */
  status?: number;
  /** Ignores `Range` and `If-Range`. */
  ignoreRange?: boolean;
  /** Replaces headers. */
  headers?: Record<string, string>;
}

/** Starts a server that has one content at every path, as the contract describes it. */
export async function startContentServer(initial: Uint8Array) {
  const requests: {
    url: string;
    range: string | undefined;
    ifRange: string | undefined;
    key: unknown;
  }[] = [];
  const faults: ContentFault[] = [];
  const state = { content: initial, connections: 0 };
  const server = createServer((request, response) => {
    requests.push({
      url: request.url ?? '',
      range: request.headers.range,
      ifRange: request.headers['if-range'] as string | undefined,
      key: request.headers['x-api-key'],
    });
    respond(state.content, request, response, faults.shift() ?? {});
  });
  server.on('connection', (socket) => {
    state.connections++;
    socket.on('close', () => state.connections--);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    faults,
    state,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function etagOf(content: Uint8Array): string {
  return `"${createHash('sha256').update(content).digest('base64url')}"`;
}

function respond(
  content: Uint8Array,
  request: IncomingMessage,
  response: ServerResponse,
  { cutAfter, stallAfter, status, ignoreRange, headers }: ContentFault,
): void {
  if (status) {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end('{}');
    return;
  }
  const etag = etagOf(content);
  const ifRange = request.headers['if-range'];
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  const applies = range && !ignoreRange && (ifRange === undefined || ifRange === etag);
  const start = applies ? Number(range[1]) : 0;
  const end = applies && range[2] ? Math.min(Number(range[2]) + 1, content.length) : content.length;
  response.writeHead(applies ? 206 : 200, {
    'content-type': 'application/octet-stream',
    'content-length': end - start,
    etag,
    ...(applies && { 'content-range': `bytes ${start}-${end - 1}/${content.length}` }),
    ...headers,
  });
  const bytes = content.subarray(start, end);
  if (cutAfter === undefined && stallAfter === undefined) return void response.end(bytes);
  response.write(bytes.subarray(0, cutAfter ?? stallAfter), () => {
    // The bytes leave the process before the connection ends.
    if (cutAfter !== undefined) setImmediate(() => response.destroy());
  });
}
