import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { NetworkPause } from './bodies/network-pause.ts';
import type { Context } from './request.ts';

/** Maximum weight of the waiting requests of one connection. Further ones end it. */
const maxWaiting = 16;

/** The weight of a request with a body, since its body is held too. */
const bodyWeight = 4;

export type OneAtATime = ReturnType<typeof createOneAtATime>;

/**
 * Serves the requests of one connection one after the other, even when a client sends them without waiting
 * for responses (RFC 9112, section 9.3.2). Otherwise thousands of small requests in one packet would block
 * other connections for seconds.
 */
export function createOneAtATime(networkPause: NetworkPause) {
  const waiting = new WeakMap<Socket, number>();
  /** Connections that sent a request with a body in this turn of the event loop. */
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
    if ((waiting.get(socket) ?? 0) > maxWaiting) {
      socket.destroy();
      // Node still emits every other request of the packet.
      networkPause.rest(socket);
    }
    // Node assigns the socket when the responses before are written. It never does on a connection that
    // ends before; the request is dropped then.
    if (!res.socket) await new Promise((resolve) => res.once('socket', resolve));
    // Other connections are served between two responses.
    await setImmediate();
    add(-weight);
  }

  return {
    /** Returns a promise only when earlier requests of the connection have no response yet. */
    waitForTurn(ctx: Context): Promise<void> | undefined {
      const { req, res, state } = ctx;
      const mustWait = !res.socket || (state.incoming !== undefined && wasServed(req.socket));
      return mustWait ? wait(ctx) : undefined;
    },
  };
}
