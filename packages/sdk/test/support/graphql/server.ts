import { type Clock, DocumentVault, type DocumentVaultOptions } from '@document-vault/sdk';
import { createGraphql } from '@document-vault/sdk/graphql';
import { createResources } from '../../../../server/test/support/owned-resources.ts';
import {
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from '../../../../server/test/support/server.ts';

/** Creates a client clock that advances the clock of the server by each wait and records the waits. */
function clockOf({ clock }: TestServer): Clock & { readonly slept: number[] } {
  const slept: number[] = [];
  return {
    slept,
    now: () => clock.now(),
    sleep: async (ms) => {
      slept.push(ms);
      clock.advance(ms);
    },
  };
}

/** A sent request. */
export interface Sent {
  readonly path: string;
  readonly headers: Record<string, string>;
}

/** Starts a server and logs in a user who owns one resource of each kind. */
export async function startGraphqlClient(
  serverOptions: TestServerOptions = {},
  options: Partial<DocumentVaultOptions> = {},
) {
  const server = await startTestServer({
    requestsPerMinute: { enterprise: 100_000 },
    ...serverOptions,
  });
  const { email, password, call } = await server.signUp('ada@example.com');
  const resources = await createResources(server, call);
  const clock = clockOf(server);
  const sent: Sent[] = [];
  const client = new DocumentVault({
    baseUrl: server.url,
    session: {},
    clock,
    random: () => 0,
    onRequest: ({ path, headers }) => sent.push({ path, headers }),
    ...options,
  });
  await client.auth.login({ email, password });
  sent.length = 0;
  return { server, call, resources, clock, sent, client, gql: createGraphql(client) };
}

export const webhookInput = {
  url: 'http://127.0.0.1:9/hook',
  events: ['vault.created'],
  secret: 'a secret of these tests, long enough',
};
