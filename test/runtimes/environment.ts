import { once } from 'node:events';
import { connect } from 'node:net';
import { type FaultKinds, startServer } from '@document-vault/server';
import { approve, approveDevice, Browser } from '../form-browser.ts';
import { type IncomingRequest, listen } from './listen.ts';
import { type Page, startStubServer } from './stub-server.ts';
import type { Environment } from './suite/suite.ts';

/** The servers of one run of the suite. */
export interface RunningEnvironment {
  readonly environment: Omit<Environment, 'runtime'>;
  close(): Promise<void>;
}

/**
 * Starts the real server with its test features, the stub server and the foreign origin.
 *
 * @param pages - files that the stub server serves to browsers
 */
export async function startEnvironment(pages: ReadonlyMap<string, Page> = new Map()) {
  const server = await startServer({
    port: 0,
    data: ':memory:',
    logLevel: 'error',
    validateResponses: true,
  });
  const { account } = server;
  if (!account) throw new Error('the server has no account');
  const foreignRequests: IncomingRequest[] = [];
  const foreign = await listen((request, response) => {
    foreignRequests.push(request);
    const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };
    response.writeHead(200, cors).end('{}');
  });
  const controls = {
    async reset() {
      stub.reset();
      foreignRequests.length = 0;
      await server.reset();
      return {};
    },
    fault<Kind extends keyof FaultKinds>({ kind, ...options }: FaultKinds[Kind] & { kind: Kind }) {
      server.fault(kind, options as FaultKinds[Kind]);
      return {};
    },
    advance({ ms }: { readonly ms: number }) {
      server.clock.advance(ms);
      return {};
    },
    async approve({ url }: { readonly url: string }) {
      const { leaves } = await approve(new Browser(server), url, account);
      return { url: String(leaves) };
    },
    async approveDevice(device: { readonly userCode: string; readonly verificationUri: string }) {
      await approveDevice(new Browser(server), device, account);
      return {};
    },
    requests: () => ({ stub: stub.requests, foreign: foreignRequests }),
  };
  const service = server.url;
  const stub = await startStubServer({ service, foreign: foreign.url, controls, pages });
  const environment = {
    service,
    stub: stub.url,
    foreign: foreign.url,
    closedPort: await findClosedPort(),
    account,
  };
  const close = async () => {
    stub.reset();
    await Promise.all([stub.close(), foreign.close(), server.close()]);
  };
  return { environment, close } satisfies RunningEnvironment;
}

/**
 * Returns a URL with a port on which no program listens. The port is below 32768: systems assign higher
 * ports to programs that listen on port 0.
 */
async function findClosedPort(): Promise<string> {
  for (let port = 20_000; ; port++) {
    const socket = connect(port, '127.0.0.1');
    const [error] = await once(socket, 'connect').catch((reason) => [reason]);
    socket.destroy();
    if (error?.code === 'ECONNREFUSED') return `http://127.0.0.1:${port}`;
  }
}
