import type { Socket } from 'node:net';

/** Milliseconds that a client has to read its response, when the connection ends before the body does. */
const lingerMs = 2_000;

/** Bytes of one connection that are discarded meanwhile. Further ones stay in the buffers of the network. */
const maxBytes = 4 * 1024 * 1024;

/** Bytes of all connections that are discarded at once: Node allocates a buffer for each 64 KiB of them. */
const maxBytesTogether = 16 * 1024 * 1024;

/**
 * Ends connections whose clients may still be sending. Closing with unread bytes would reset the connection,
 * and the client could lose the response.
 */
export class GentleEnding {
  /** Bytes that the connections which end now have had discarded. */
  #discarded = 0;

  /** Sends what was written, then discards what arrives until the client closes or its time is over. */
  end(socket: Socket): void {
    socket.pause();
    socket.end(() => {
      const timer = setTimeout(() => socket.destroy(), lingerMs);
      socket.once('close', () => clearTimeout(timer));
      // Node starts to read at this event, and stops to listen for it when its parser is removed.
      socket.once('resume', () => this.#discard(socket));
      socket.resume();
    });
  }

  /** Discards what arrives. The parser of HTTP is removed: nothing that follows is a request. */
  #discard(socket: Socket): void {
    socket.removeAllListeners('data');
    let discarded = 0;
    socket.on('data', (bytes: Buffer) => {
      discarded += bytes.length;
      this.#discarded += bytes.length;
      if (discarded > maxBytes || this.#discarded > maxBytesTogether) socket.pause();
    });
    socket.once('end', () => socket.destroy());
    socket.once('close', () => {
      this.#discarded -= discarded;
    });
  }
}
