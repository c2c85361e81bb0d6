import type { Socket } from 'node:net';

/** A receiver sends more than is read of any answer; the connection is cut. */
export class ExcessError extends Error {
  override readonly name = 'ExcessError';
}

/**
 * Bytes of an answer that are read, head and body together. They are counted on the connection, since
 * no parser counts line ends before the head, informational answers or the extensions of chunks, and
 * one that has 64 KiB at once goes on to their end after its own limits.
 */
const mostBytes = 16 * 1024;

/**
 * Cuts a connection over which more comes in after what was last sent than is read of an answer.
 * The parser has to be attached after this: what it gets was shortened here.
 */
export function limitInput(socket: Socket): void {
  let sent = -1;
  let start = 0;
  socket.on('readable', () => {
    if (socket.bytesWritten !== sent) {
      sent = socket.bytesWritten;
      start = socket.bytesRead - socket.readableLength;
    }
    const excess = socket.bytesRead - start - mostBytes;
    if (excess <= 0) return;
    const wanted: Buffer | undefined = socket.read()?.subarray(0, -excess);
    if (wanted !== undefined && wanted.length > 0) socket.unshift(wanted);
    // The parser comes first, with what it may have.
    setImmediate(() => socket.destroy(new ExcessError()));
  });
}
