import type { Socket } from 'node:net';

/** A receiver sends more than any answer needs; the connection is cut. */
export class ExcessError extends Error {
  override readonly name = 'ExcessError';
}

/**
 * Bytes that may come in after a request. Head and body have lower limits of their own; this one is
 * for what neither of them counts: line ends before the head, informational answers, extensions of
 * chunks. As the platform reads up to 64 KiB at once, a body is cut at its own limit long before.
 */
const mostBytes = 256 * 1024;

/** Cuts a connection over which too much comes in after what was last sent. */
export function limitInput(socket: Socket): void {
  let sent = -1;
  let start = 0;
  socket.on('readable', () => {
    if (socket.bytesWritten !== sent) {
      sent = socket.bytesWritten;
      start = socket.bytesRead - socket.readableLength;
    }
    if (socket.bytesRead - start > mostBytes) socket.destroy(new ExcessError());
  });
}
