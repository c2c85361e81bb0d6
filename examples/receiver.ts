/**
 * A receiver of webhooks: a Koa server that verifies the signature of every delivery.
 *
 * Prerequisites: `npm install @document-vault/webhook-verify koa`, and a webhook that is registered
 * with the same secret and the URL that `startReceiver` returns.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createVerifier, type ReceivedEvent } from '@document-vault/webhook-verify';
import { koaReceiver } from '@document-vault/webhook-verify/koa';
import Koa from 'koa';

export interface Receiver {
  readonly url: string;
  close(): void;
}

/** Listens on a free port of this machine. `onEvent` receives verified events only. */
export async function startReceiver(
  secret: string,
  onEvent: (event: ReceivedEvent) => void,
): Promise<Receiver> {
  const verifier = createVerifier({ secrets: secret });
  const server = new Koa().use(koaReceiver(verifier, { default: onEvent })).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
