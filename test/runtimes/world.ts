import { once } from 'node:events';
import { connect } from 'node:net';
import { type FaultOrder, startServer } from '@document-vault/server';
import { type Page, startCompanion } from './companion.ts';
import { type IncomingRequest, listen } from './listen.ts';
import type { World } from './suite/suite.ts';

/** A world for one run of the suite: the real server, and what stands around it. */
export interface RunningWorld {
  readonly world: Omit<World, 'runtime'>;
  close(): Promise<void>;
}

/**
 * Starts the real server with its test features, the companion and the foreign origin.
 *
 * @param pages - what the companion serves to browsers
 */
export async function startWorld(pages: ReadonlyMap<string, Page> = new Map()) {
  const server = await startServer({
    port: 0,
    data: ':memory:',
    logLevel: 'error',
    validateResponses: true,
  });
  const strangers: IncomingRequest[] = [];
  const foreign = await listen((request, response) => {
    strangers.push(request);
    const anybody = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };
    response.writeHead(200, anybody).end('{}');
  });
  const controls = {
    async reset() {
      companion.reset();
      strangers.length = 0;
      await server.reset();
      return {};
    },
    fault(order: FaultOrder) {
      server.faults.order(order);
      return {};
    },
    advance({ ms }: { readonly ms: number }) {
      server.clock.advance(ms);
      return {};
    },
    arrivals: () => ({ companion: companion.arrivals, foreign: strangers }),
  };
  const service = server.url;
  const companion = await startCompanion({ service, foreign: foreign.url, controls, pages });
  const { account } = server;
  if (!account) throw new Error('the server has no account');
  const nobody = await closedPort();
  const world = { service, companion: companion.url, foreign: foreign.url, nobody, account };
  const close = async () => {
    companion.reset();
    await Promise.all([companion.close(), foreign.close(), server.close()]);
  };
  return { world, close } satisfies RunningWorld;
}

/** An address whose port nobody takes meanwhile: systems give those beyond 32767 to whoever asks for any. */
async function closedPort(): Promise<string> {
  for (let port = 20_000; ; port++) {
    const socket = connect(port, '127.0.0.1');
    const [error] = await once(socket, 'connect').catch((refusal) => [refusal]);
    socket.destroy();
    if (error?.code === 'ECONNREFUSED') return `http://127.0.0.1:${port}`;
  }
}
