import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { until } from './receiver.ts';

/** A signature of the right form that matches no body. */
const wrongSignature = `hmac_sha256=${'0'.repeat(64)}`;

/** One byte of a body in a chunk of its own: six bytes on the network. */
export const oneByteChunk = '1\r\nx\r\n';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that are in use after a garbage collection, on the heap and beside it. */
export async function usedMemory(): Promise<number> {
  // Buffers are freed by the collection after the one that finds them unused.
  for (let round = 0; round < 3; round += 1) {
    collectGarbage();
    await new Promise(setImmediate);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A connection whose requests a test writes byte by byte. */
export interface RawSender {
  readonly socket: Socket;
  /** Everything that was received so far. */
  received(): string;
  /** Whether the receiver has half-closed the connection. */
  ended(): boolean;
  /** Writes text and resolves once the kernel has taken it, or the connection is closed. */
  write(text: string): Promise<void>;
}

/** Connects to a receiver and sends the head of a request with a wrong signature. */
export async function openSender(
  url: string,
  headers: Record<string, string> = { 'Transfer-Encoding': 'chunked' },
  method = 'POST',
): Promise<RawSender> {
  const { port, pathname } = new URL(url);
  // Half-open, because a sender may go on writing after the receiver has ended.
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
  await once(socket, 'connect');
  socket.setMaxListeners(0);
  let received = '';
  let ended = false;
  socket.on('data', (text) => {
    received += text;
  });
  socket.on('end', () => {
    ended = true;
  });
  socket.on('error', () => {});
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const write = (text: string) =>
    new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
      socket.write(text, () => resolve());
    });
  await write(
    `${method} ${pathname} HTTP/1.1\r\nHost: receiver\r\nX-Service-Signature: ${wrongSignature}\r\n${lines.join('')}\r\n`,
  );
  return { socket, received: () => received, ended: () => ended, write };
}

/** The connections of a server. */
export interface ServerReads {
  readonly sockets: readonly Socket[];
  /** Bytes that were read from all of them, closed ones included. */
  total(): number;
}

export function countRead(server: Server): ServerReads {
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  return {
    sockets,
    total: () => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0),
  };
}

/** Sends the same number of one-byte chunks on every connection, and waits until they are read. */
export async function sendOneByteChunks(
  senders: readonly RawSender[],
  chunks: number,
  read: ServerReads,
): Promise<void> {
  const before = read.total();
  const text = oneByteChunk.repeat(100);
  for (let sent = 0; sent < chunks; sent += 100) {
    await Promise.all(senders.map((sender) => sender.write(text)));
  }
  await until(() => read.total() - before >= chunks * oneByteChunk.length * senders.length);
}
