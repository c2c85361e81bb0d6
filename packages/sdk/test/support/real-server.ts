/** Clients of the real server, whose faults and clock the test holds. */
import { type Clock, DocumentVault, type DocumentVaultOptions } from '@document-vault/sdk';
import {
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from '../../../server/test/support/server.ts';

/** A client's clock, which goes with the server's: each wait of the client moves both. */
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

/** A client's clock that stands still: it knows nothing of the time that passes at the server. */
export const stoppedClock: Clock = { now: () => 0, sleep: async () => {} };

/**
 * `fetch` with answers that the server dates by its own clock; Node dates them by the machine's. Aborts
 * as `fetch` does.
 */
export function datedFetch(server: TestServer) {
  return async (url: string, init: RequestInit): Promise<Response> => {
    const answer = await fetch(url, init);
    const { status } = answer;
    const headers = new Headers(answer.headers);
    headers.set('date', new Date(server.clock.now()).toUTCString());
    return new Response(status === 204 ? null : await answer.text(), { status, headers });
  };
}

/** What a client has sent, and what it was answered, in order. */
export interface Traffic {
  readonly sent: string[];
  readonly statuses: number[];
}

/** Options that note the traffic of a client. */
function noting({ sent, statuses }: Traffic): Partial<DocumentVaultOptions> {
  return {
    onRequest: ({ method, path }) => sent.push(`${method} ${path}`),
    onResponse: ({ status }) => statuses.push(status),
  };
}

/** A real server, and a client with its API key. */
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
    ...noting(traffic),
    ...options,
  });
  return { server, clock, client, ...traffic };
}

/** A real server, a user of it, and clients that note their traffic together. */
export async function startWithUser(serverOptions: TestServerOptions = {}) {
  const server = await startTestServer(serverOptions);
  const { email, password } = await server.signUp('ada@example.com');
  const traffic: Traffic = { sent: [], statuses: [] };
  const open = (options: Partial<DocumentVaultOptions> = {}) =>
    new DocumentVault({
      baseUrl: server.url,
      clock: stoppedClock,
      random: () => 0,
      ...noting(traffic),
      ...options,
    });
  const refreshes = () => traffic.sent.filter((sent) => sent === 'POST /auth/refresh').length;
  return { server, user: { email, password }, open, refreshes, ...traffic };
}
