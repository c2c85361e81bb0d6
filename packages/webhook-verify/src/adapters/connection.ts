import type { RequestStream } from './node-body.ts';

/** How long a sender may read the response to a body that was refused, in milliseconds. */
const linger = 500;

/**
 * Closes the connection of a request after its response, unless the request has arrived as a whole.
 * Node would read the rest of the body for as long as the sender sends it.
 *
 * The connection is half-closed first and destroyed a little later. Destroyed at once, it would be
 * reset, and a sender that is still writing could lose the response.
 *
 * @returns headers for the response
 */
export function closeUnread(request: RequestStream): Record<string, string> {
  const { socket, complete, httpVersionMajor } = request;
  // HTTP/2 has no such header. There the rest of the body is discarded as it arrives.
  if (complete !== false || httpVersionMajor !== 1 || !socket?.destroySoon) return {};
  // Node calls this once the response is written, because of the header.
  socket.destroySoon = () => {
    socket.end();
    socket.pause();
    // Node resumes it when the request can take more.
    socket.resume = () => socket;
    setTimeout(() => socket.destroy(), linger);
  };
  return { Connection: 'close' };
}
