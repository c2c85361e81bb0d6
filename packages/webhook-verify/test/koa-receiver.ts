import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { type EventHandlers, type KoaReceiverOptions, koa } from '../src/adapters/koa.ts';
import { createVerifier as createNodeVerifier } from '../src/index.node.ts';
import type { createVerifier as createWebVerifier } from '../src/index.ts';
import { sign } from '../src/sign.ts';
import { otherSecret, secret } from './builds.ts';

export interface Receiver {
  readonly url: string;
  /** What the app reported as its `error` event, in order. */
  readonly errors: readonly Error[];
  /** The events that reached a handler, as `<handler>: <type>`. */
  readonly handled: readonly string[];
  /** Resolves when an error of that name is reported; Koa reports broken connections too. */
  errorNamed(name: string): Promise<Error>;
}

const closers: (() => Promise<void>)[] = [];

/** Stops every receiver that was started; to be registered with `afterEach`. */
export async function stopReceivers(): Promise<void> {
  for (const close of closers.splice(0)) await close();
}

interface ReceiverSetup {
  readonly handlers?: EventHandlers;
  readonly options?: KoaReceiverOptions;
  readonly before?: Koa.Middleware;
  readonly createVerifier?: typeof createWebVerifier;
}

/** Starts a real Koa app on a free port whose handlers write down what they are given. */
export async function startReceiver(setup: ReceiverSetup = {}): Promise<Receiver> {
  const { before, options, createVerifier = createNodeVerifier } = setup;
  const handled: string[] = [];
  const handlers = setup.handlers ?? {
    'vault.deleted': (event) => void handled.push(`vault.deleted: ${event.type}`),
    other: (event) => void handled.push(`other: ${event.type}`),
  };
  const app = new Koa();
  const errors: Error[] = [];
  app.on('error', (error) => errors.push(error));
  if (before !== undefined) app.use(before);
  app.use(koa(createVerifier({ secrets: [secret, otherSecret] }), handlers, options));

  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    errors,
    handled,
    errorNamed: (name) =>
      new Promise((resolve) => {
        app.on('error', (error: Error) => error.name === name && resolve(error));
      }),
  };
}

/** Posts a body, signed unless a signature is given. */
export async function post(
  { url }: Receiver,
  body: string | Uint8Array<ArrayBuffer>,
  signature: string | null = sign(body, secret),
): Promise<{ status: number; text: string }> {
  const headers = new Headers({ 'Content-Type': 'application/json' });
  if (signature !== null) headers.set('X-Service-Signature', signature);
  const response = await fetch(url, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}
