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
import { buffer } from 'node:stream/consumers';
import Koa from 'koa';
import { onTestFinished } from 'vitest';
import { koaReceiver } from '../../../src/adapters/koa.ts';
import type { ReceivedEvent } from '../../../src/index.ts';
import { createVerifier } from '../../../src/index.ts';
import { otherSecret, secret } from '../builds.ts';

interface Request {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface TestServer {
  readonly url: string;
  readonly requests: readonly Request[];
  close(): Promise<void>;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

/** A server on a free port until the test ends; by default it responds with 200. */
export async function startServer(answer: Answer = (_, response) => response.end()) {
  const requests: Request[] = [];
  const server = createServer(async (request, response) => {
    const { url: path, headers } = request;
    requests.push({ path, headers, body: await buffer(request) });
    answer(request, response);
  });
  await listen(server);
  const closed = once(server, 'close');
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await closed;
  };
  onTestFinished(close);
  return { url: urlOf(server), requests, close } satisfies TestServer;
}

/** A receiver as users build it, whose handler records its arguments. */
export async function startKoaReceiver(handle: () => void = () => {}) {
  const events: ReceivedEvent[] = [];
  const secrets: number[] = [];
  const verifier = createVerifier({ secrets: [secret, otherSecret] });
  const receive = koaReceiver(verifier, {
    default: (event, { secretIndex }) => {
      events.push(event);
      secrets.push(secretIndex);
      handle();
    },
  });
  const app = new Koa().use(receive);
  app.on('error', () => {});
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: urlOf(server), events, secrets };
}

/** A TCP server that calls `onData` when a connection sends. */
export async function startTcpServer(onData: (socket: Socket) => void): Promise<{ url: string }> {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.once('data', () => onData(socket));
  });
  await listen(server);
  const closed = once(server, 'close');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await closed;
  });
  return { url: urlOf(server) };
}

async function listen(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
}
