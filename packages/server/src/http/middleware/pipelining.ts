import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Context, Step } from '../state.ts';

/** Requests of one connection that wait. Further ones end it. */
const maxWaiting = 16;

/** What a request with a body counts as, since its body is kept too. */
const bodyWeight = 4;

/**
 * Serves the requests of one connection one after the other, also those that a client sends without
 * waiting for responses (RFC 9112, section 9.3.2). Otherwise thousands of small requests in one packet
 * keep other connections waiting for seconds.
 */
export function serveInTurn(): Step {
  const waiting = new WeakMap<Socket, number>();
  /** Connections of which a request with a body has come in this turn of the event loop. */
  const served = new Set<Socket>();

  /** A request with a body may be served before Node emits the next one of the same packet. */
  function wasServed(socket: Socket): boolean {
    if (served.has(socket)) return true;
    if (served.size === 0) void setImmediate().then(() => served.clear());
    served.add(socket);
    return false;
  }

  async function wait({ req, res, state }: Context): Promise<void> {
    const { socket } = req;
    const weight = state.incoming ? bodyWeight : 1;
    const add = (change: number) => waiting.set(socket, (waiting.get(socket) ?? 0) + change);
    add(weight);
    if ((waiting.get(socket) ?? 0) > maxWaiting) end(socket);
    // Node gives a response its socket once those before it are written. It never does when the
    // connection ends before, and nothing is left to do for this request then.
    if (!res.socket) await new Promise((resolve) => res.once('socket', resolve));
    // Other connections are served between two responses.
    await setImmediate();
    add(-weight);
  }

  return (ctx, next) => {
    const { req, res, state } = ctx;
    const mustWait = !res.socket || (state.incoming !== undefined && wasServed(req.socket));
    return mustWait ? wait(ctx).then(next) : next();
  };
}

/**
 * Ends a connection in the middle of a packet, of which Node would emit every request first. Only its
 * parser can be stopped: 2 means that no HTTP follows.
 */
function end(socket: Socket & { parser?: { onIncoming: () => number } | null }): void {
  if (socket.parser) socket.parser.onIncoming = () => 2;
  socket.destroy();
}
