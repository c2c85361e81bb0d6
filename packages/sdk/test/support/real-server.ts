/** Clients of a real server. The test controls its faults and its clock. */
import { type Clock, DocumentVault, type DocumentVaultOptions } from '@document-vault/sdk';
import {
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from '../../../server/test/support/server.ts';

/** Creates a client clock from that of the server. Each wait of the client advances both. */
export function clockOf(server: TestServer): Clock & { readonly slept: number[] } {
  const slept: number[] = [];
  return {
    slept,
    now: () => server.clock.now(),
    sleep: async (ms) => {
      slept.push(ms);
      server.clock.advance(ms);
    },
  };
}

/** A client clock at 0 that never advances. */
export const stoppedClock: Clock = { now: () => 0, sleep: async () => {} };

/**
 * Creates a `fetch` that sets the `Date` of each response to the clock of the server. Node sets it to the
 * clock of the machine.
 */
export function datedFetch(server: TestServer) {
  return async (url: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(url, init);
    const { status } = response;
    const headers = new Headers(response.headers);
    headers.set('date', new Date(server.clock.now()).toUTCString());
    return new Response(status === 204 ? null : await response.text(), { status, headers });
  };
}

/** Requests of a client and the statuses of its responses, in order. */
export interface Traffic {
  readonly sent: string[];
  readonly statuses: number[];
}

/** Returns options that record the traffic of a client. */
function recording({ sent, statuses }: Traffic): Partial<DocumentVaultOptions> {
  return {
    onRequest: ({ method, path }) => sent.push(`${method} ${path}`),
    onResponse: ({ status }) => statuses.push(status),
  };
}

/** Starts a server and creates a client with its API key. */
export async function startKeyClient(
  serverOptions: TestServerOptions = {},
  options: Partial<DocumentVaultOptions> = {},
) {
  const server = await startTestServer(serverOptions);
  const clock = clockOf(server);
  const traffic: Traffic = { sent: [], statuses: [] };
  const client = new DocumentVault({
    baseUrl: server.url,
    apiKey: server.apiKey,
    clock,
    random: () => 0,
    ...recording(traffic),
    ...options,
  });
  return { server, clock, client, ...traffic };
}

/** Starts a server with a user. `open` creates clients that share one record of traffic. */
export async function startWithUser(serverOptions: TestServerOptions = {}) {
  const server = await startTestServer(serverOptions);
  const { email, password } = await server.signUp('ada@example.com');
  const traffic: Traffic = { sent: [], statuses: [] };
  const open = (options: Partial<DocumentVaultOptions> = {}) =>
    new DocumentVault({
      baseUrl: server.url,
      session: options.apiKey ? undefined : {},
      clock: stoppedClock,
      random: () => 0,
      ...recording(traffic),
      ...options,
    });
  const refreshes = () => traffic.sent.filter((sent) => sent === 'POST /auth/refresh').length;
  return { server, user: { email, password }, open, refreshes, ...traffic };
}
