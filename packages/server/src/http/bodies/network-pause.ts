import type { Socket } from 'node:net';
import { networkOf } from '../../lib/networks.ts';
import { type Networks, plainAddress } from '../addresses.ts';

/** Small chunks that the connections of one network deliver in one turn of the event loop before they rest. */
const maxPerTurn = 1_024;

/** Milliseconds of a rest. Node needs up to 20 of them for the rest of the packet that began it; then others are served. */
const restMs = 50;

interface Network {
  readonly sockets: Set<Socket>;
  /** Small chunks in this turn. */
  chunks: number;
  /** Resume the connections that rest; undefined while none does. */
  resting: (() => void)[] | undefined;
}

/**
 * Stops reading the connections of a network for a moment when they deliver very many small chunks. Node takes
 * microseconds for each, and reads every connection with data before it serves the next request: a thousand
 * connections with 64 KiB of tiny chunks each would take seconds.
 */
export class NetworkPause {
  readonly #networks = new Map<string | Socket, Network>();
  readonly #networkOf = new WeakMap<Socket, Network>();

  readonly #proxies: Networks;

  /** @param proxies whose connections carry the requests of many clients: each is a network of its own */
  constructor(proxies: Networks) {
    this.#proxies = proxies;
  }

  /** Adds a new connection, until it closes. */
  add(socket: Socket): void {
    const address = plainAddress(socket.remoteAddress ?? '');
    const name = this.#proxies.includes(address) ? socket : networkOf(address);
    const network = this.#networks.get(name) ?? {
      sockets: new Set(),
      chunks: 0,
      resting: undefined,
    };
    this.#networks.set(name, network);
    this.#networkOf.set(socket, network);
    network.sockets.add(socket);
    network.resting?.push(holdPaused(socket));
    socket.once('close', () => {
      network.sockets.delete(socket);
      if (network.sockets.size === 0) this.#networks.delete(name);
    });
  }

  /** Counts a small chunk. */
  count(socket: Socket): void {
    const network = this.#networkOf.get(socket);
    if (!network) return;
    // Each turn counts anew, so that a client that writes byte by byte never rests.
    if (network.chunks === 0)
      setImmediate(() => {
        network.chunks = 0;
      });
    network.chunks += 1;
    if (network.chunks >= maxPerTurn) this.rest(socket);
  }

  /** Stops reading the connections of the network of this one for a moment. */
  rest(socket: Socket): void {
    const network = this.#networkOf.get(socket);
    if (!network || network.resting) return;
    network.resting = Array.from(network.sockets, holdPaused);
    setTimeout(() => {
      for (const resume of network.resting ?? []) resume();
      network.resting = undefined;
    }, restMs);
  }
}

/**
 * Pauses a connection until the returned function is called. Node resumes a connection after each chunk, and would
 * read up to 2 MiB more in the same turn of the event loop.
 */
export function holdPaused(socket: Socket): () => void {
  const keepPaused = () => socket.pause();
  socket.pause();
  socket.on('resume', keepPaused);
  return () => {
    socket.off('resume', keepPaused);
    socket.resume();
  };
}
