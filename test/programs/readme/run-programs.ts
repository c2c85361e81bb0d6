/**
 * Runs programs of the READMEs one after the other, in this process and against one real server:
 *
 *     node test/programs/readme/run-programs.ts FILE…
 *
 * Sends the outcome of each to the parent process. Each program finds the server as after its first
 * start, at every `https://….example.com` and in VAULT_URL. A port that a program listens on becomes a
 * free one. Its receivers get one signed event.
 */
import { once } from 'node:events';
import { type AddressInfo, Server } from 'node:net';
import { pathToFileURL } from 'node:url';
import { startServer } from '@document-vault/server';
import { memoryStore } from '@document-vault/webhook-verify';
import { fixture, signedRequest } from '@document-vault/webhook-verify/testing';

/** What became of a program. */
export interface Outcome {
  readonly file: string;
  /** Why it failed, if it did. */
  readonly error?: string;
  /** The statuses with which the servers that it started responded to a signed event. */
  readonly statuses: readonly number[];
}

const secret = 'readme-secret-0123456789abcdefghijkl';
const vault = await startServer({
  port: 0,
  data: ':memory:',
  logLevel: 'silent',
});
Object.assign(process.env, {
  VAULT_URL: vault.url,
  VAULT_API_KEY: vault.apiKey,
  WEBHOOK_SECRET: secret,
});

const { fetch } = globalThis;
const placeholder = /^https:\/\/[a-z]+\.example\.com(\/vault)?(?=\/|$)/;
const stored = new Map<string, string>();
Object.assign(globalThis, {
  fetch: (input: string | URL | Request, init?: RequestInit) =>
    fetch(input instanceof Request ? input : String(input).replace(placeholder, vault.url), init),
  // What browsers have, and what a program declares.
  localStorage: {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => stored.set(name, value),
    removeItem: (name: string) => stored.delete(name),
  },
  store: memoryStore(),
});

const listening = new Set<Server>();
const { listen } = Server.prototype;
Server.prototype.listen = function onFreePort(this: Server, where: unknown, ...rest: unknown[]) {
  listening.add(this);
  this.once('close', () => listening.delete(this));
  const free = typeof where === 'object' ? { ...where, port: 0 } : 0;
  return listen.call(this, free as never, ...(rest as []));
};

/** Sends a signed event to every server that the program started, and closes them. */
async function deliver(): Promise<number[]> {
  const statuses: number[] = [];
  for (const server of [...listening]) {
    if (!server.listening) await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const request = await signedRequest(fixture('vault.created'), secret);
    statuses.push((await fetch(`http://localhost:${port}/hooks`, request)).status);
    server.close();
    listening.delete(server);
  }
  return statuses;
}

let unhandled: unknown;
process.on('unhandledRejection', (error) => {
  unhandled = error;
});

for (const file of process.argv.slice(2)) {
  await vault.reset();
  let error: string | undefined;
  let statuses: number[] = [];
  try {
    await import(pathToFileURL(file).href);
    statuses = await deliver();
    if (unhandled) throw unhandled;
  } catch (cause) {
    error = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  }
  unhandled = undefined;
  process.send?.({ file, statuses, ...(error && { error }) } satisfies Outcome);
}
process.disconnect?.();
process.exit();
