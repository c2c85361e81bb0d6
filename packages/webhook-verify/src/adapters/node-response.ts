import { encode } from '../body.ts';
import type { ReceiverResponse } from '../receiver/receiver.ts';
import type { RequestStream } from './node-request.ts';

/** The used part of a Node `Socket`. */
export interface ResponseSocket {
  /** Half-closes the connection after the pending writes. */
  end(): unknown;
  /** Closes the connection. */
  destroy(): unknown;
  /** Emits the end of the connection. */
  once(event: 'close', listener: () => void): unknown;
}

/** The used part of a Node `ServerResponse`. */
export interface NodeResponse {
  /** Whether the response has begun. */
  readonly headersSent: boolean;
  /** The connection. Some platforms have none. */
  readonly socket?: ResponseSocket | null;
  /** Begins the response. */
  writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown };
  /** Writes a part of the body. */
  write(body: string): unknown;
}

/** How long a sender may read the response to a refused body, in milliseconds. */
const linger = 500;

/**
 * Responds to a request that has not arrived completely, and closes its connection. Node would read the
 * rest of the body for as long as the sender sends it.
 *
 * The response is not ended, because Node would then close the connection at once. With unread bytes, that
 * resets it, and a sender that is still writing could lose the response. So the connection is half-closed
 * first and destroyed half a second later.
 *
 * @returns whether the request was incomplete; if not, nothing was sent
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-9.6
 */
export function refuseUnread(
  { complete, httpVersionMajor }: RequestStream,
  response: NodeResponse,
  { status, headers, message }: ReceiverResponse,
): boolean {
  const { socket } = response;
  // HTTP/2 has streams. There, the rest of the body is discarded as it arrives.
  if (complete !== false || httpVersionMajor !== 1 || !socket) return false;
  const { length } = encode(message);
  response.writeHead(status, { ...headers, Connection: 'close', 'Content-Length': `${length}` });
  response.write(message);
  socket.end();
  const timer = setTimeout(() => socket.destroy(), linger);
  socket.once('close', () => clearTimeout(timer));
  return true;
}
