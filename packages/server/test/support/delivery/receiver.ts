import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';

export interface ReceivedRequest {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Names and values alternately, in the order sent. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export type Reply = (response: ServerResponse, request: ReceivedRequest) => void;

export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function read(message: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  const { method, url: path, headers, rawHeaders } = message;
  return { method, path, headers, rawHeaders, body: Buffer.concat(chunks) };
}

/** Starts an HTTP receiver on a free port. It responds 200 by default. */
export async function startReceiver(reply: Reply = (response) => response.end()) {
  const requests: ReceivedRequest[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const server = createServer(async (message, response) => {
    const request = await read(message);
    requests.push(request);
    reply(response, request);
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/hook`,
    requests,
    /** Resolves once that many complete requests have arrived. */
    received: (count: number) =>
      new Promise<void>((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Starts a TCP receiver that calls `react` when the first bytes of a request have arrived. */
export async function startRawReceiver(react: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.once('data', () => react(socket));
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/hook`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
