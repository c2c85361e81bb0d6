import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** Sockets that the servers of this process have accepted. */
const accepted = new Set<Socket>();
subscribe('net.server.socket', (message) => {
  const { socket } = message as { readonly socket: Socket };
  accepted.add(socket);
  socket.once('close', () => accepted.delete(socket));
});

/** Turns of the event loop after which a full connection is not filled further. */
const stalledTurns = 100;

/** Resolves when the server waits for the clients of all these responses, whose buffers are full. */
export async function stalled(responses: readonly IncomingMessage[]): Promise<void> {
  const ports = new Set(responses.map(({ socket }) => socket.localPort));
  const isFull = (socket: Socket) => !ports.has(socket.remotePort) || socket.writableNeedDrain;
  for (let turns = 0; turns < stalledTurns; ) {
    await setImmediate();
    turns = [...accepted].every(isFull) ? turns + 1 : 0;
  }
}

/** A TCP connection on which a test writes raw HTTP. */
export interface Connection {
  readonly socket: Socket;
  /** Writes, and resolves when the server has read everything or ended the connection. */
  send(bytes: string): Promise<void>;
  /** Everything received so far. */
  received(): string;
  /** Resolves with everything received once it matches. Rejects when the connection ends before. */
  until(pattern: Pick<RegExp, 'test'>): Promise<string>;
  /** Resolves with everything received once the server has closed the connection. */
  end(): Promise<string>;
  /** Disconnects, and resolves when the server has noticed. */
  leave(): Promise<void>;
}

export async function connectTo(url: string): Promise<Connection> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  let received = '';
  socket.setEncoding('utf8').on('data', (text) => {
    received += text;
  });
  // The server may close the connection during a write.
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await once(socket, 'connect');
  const { localPort } = socket;
  const findPeer = () => [...accepted].find(({ remotePort }) => remotePort === localPort);
  return {
    socket,
    async send(bytes) {
      const peer = findPeer();
      socket.write(bytes);
      while (peer && !peer.destroyed && peer.bytesRead < socket.bytesWritten) {
        await setImmediate();
      }
    },
    received: () => received,
    until(pattern) {
      return new Promise((resolve, reject) => {
        const check = () => pattern.test(received) && resolve(received);
        check();
        socket.on('data', check);
        closed.then(() => reject(new Error(`The connection ended after: ${received}`)));
      });
    },
    async end() {
      await closed;
      return received;
    },
    async leave() {
      const peer = findPeer();
      socket.destroy();
      if (peer) await once(peer, 'close');
    },
  };
}

/** The head of a POST request with a JSON body. */
export function head(path: string, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries({
    Host: 'vault.example',
    'Content-Type': 'application/json',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** A body in chunks of one byte, without the last chunk. */
export function singleBytes(body: string): string {
  return body.replaceAll(/./gs, '1\r\n$&\r\n');
}

/** Statuses of the responses in the received text, without informational ones. */
export function statuses(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 ([2-5]\d\d) /g)].map(([, status]) => Number(status));
}
