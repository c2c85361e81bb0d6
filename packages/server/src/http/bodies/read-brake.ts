import type { Socket } from 'node:net';
import { networkOf } from '../../domain/accounts/login-throttle.ts';
import { plainAddress } from '../addresses.ts';

/** Small chunks that the connections of one network deliver in one turn of the event loop: 5 ms. */
const maxPerTurn = 4_096;

interface Network {
  readonly sockets: Set<Socket>;
  /** Small chunks in this turn. */
  chunks: number;
  /** Connections that are read again in the next turn. */
  stopped: Socket[];
}

/**
 * Stops reading the connections of a network for the rest of a turn of the event loop, when they deliver very
 * many small chunks. Node reads every connection with data before it serves the next request: a thousand
 * connections with 64 KiB of tiny chunks each would take a second.
 */
export class ReadBrake {
  readonly #networks = new Map<string, Network>();
  readonly #networkOf = new WeakMap<Socket, Network>();

  /** Adds a new connection, until it closes. */
  add(socket: Socket): void {
    const name = networkOf(plainAddress(socket.remoteAddress ?? ''));
    const network = this.#networks.get(name) ?? { sockets: new Set(), chunks: 0, stopped: [] };
    this.#networks.set(name, network);
    this.#networkOf.set(socket, network);
    network.sockets.add(socket);
    socket.once('close', () => {
      network.sockets.delete(socket);
      if (network.sockets.size === 0) this.#networks.delete(name);
    });
  }

  /** Counts a small chunk. */
  count(socket: Socket): void {
    const network = this.#networkOf.get(socket);
    if (!network) return;
    if (network.chunks === 0) setImmediate(() => release(network));
    network.chunks += 1;
    if (network.chunks === maxPerTurn) stop(network);
  }
}

function stop(network: Network): void {
  for (const socket of network.sockets) {
    if (socket.isPaused()) continue;
    socket.pause();
    network.stopped.push(socket);
  }
}

function release(network: Network): void {
  network.chunks = 0;
  for (const socket of network.stopped.splice(0)) if (!socket.destroyed) socket.resume();
}
