import type { ServerResponse } from 'node:http';

/** Milliseconds that a client has to read its response, when the connection ends before the body does. */
const lingerMs = 2_000;

/**
 * Ends a response and its connection, whose client may still be sending. Closing with unread bytes would reset the
 * connection, and the client could lose the response. So the connection is only closed for writing, and stays open
 * for a while until the client closes it.
 *
 * @param bytes the body of the response, or its last part
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-9.6
 */
export function endRefused(res: ServerResponse, bytes?: string | Buffer): void {
  const { socket } = res;
  if (!socket) return;
  if (bytes === undefined) res.flushHeaders();
  else res.write(bytes);
  socket.end();
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}
