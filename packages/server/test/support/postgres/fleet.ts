import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { mainFile } from '../command-line.ts';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly body: any;
}

export interface Call {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Sends a request on a connection of its own, which any process can get. */
export function send(port: number, { path, method = 'GET', headers, body }: Call): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      ...{ port, host: '127.0.0.1', path, method, agent: false, timeout: 15_000 },
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    });
    request.on('response', async (response) => {
      try {
        const content = await text(response);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: content === '' ? undefined : JSON.parse(content),
        });
      } catch (error) {
        reject(error);
      }
    });
    request.on('timeout', () => request.destroy(new Error('no response')));
    request.on('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Repeats a request until it has a response. A process that was frozen has closed its connections with 408. */
export async function insist(port: number, call: Call): Promise<Reply> {
  for (;;) {
    const reply = await send(port, call).catch(() => undefined);
    if (reply && reply.status < 500 && reply.status !== 408) return reply;
    await pause(100);
  }
}

/** Passes each connection to the next of the ports that accepts it. */
export async function startBalancer(
  ports: readonly number[],
): Promise<Server & { readonly port: number }> {
  let next = 0;
  const server = createServer((client) => {
    client.on('error', () => undefined);
    const attempt = (left: number) => {
      const upstream = connect(ports[next++ % ports.length] ?? 0, '127.0.0.1');
      upstream.once('connect', () => client.pipe(upstream).pipe(client));
      upstream.on('close', () => client.destroy());
      upstream.once('error', () => {
        if (upstream.bytesRead > 0 || left === 0) return client.destroy();
        upstream.removeAllListeners('close');
        attempt(left - 1);
      });
      client.once('close', () => upstream.destroy());
    };
    attempt(ports.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return Object.assign(server, { port: (server.address() as AddressInfo).port });
}

export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

/** Server processes, one per port. */
export class Fleet {
  readonly #children = new Map<number, ChildProcess>();
  readonly #environment: Readonly<Record<string, string>>;
  readonly ports: readonly number[];

  constructor(ports: readonly number[], environment: Readonly<Record<string, string>>) {
    this.ports = ports;
    this.#environment = environment;
  }

  async start(...ports: readonly number[]): Promise<void> {
    for (const port of ports) {
      const child = spawn(
        process.execPath,
        ['--conditions=@document-vault/source', mainFile, 'start', '--port', String(port)],
        { env: { ...process.env, ...this.#environment }, stdio: 'ignore' },
      );
      this.#children.set(port, child);
    }
    await Promise.all(ports.map((port) => insist(port, { path: '/health/live' })));
  }

  async kill(...ports: readonly number[]): Promise<void> {
    for (const port of ports) {
      const child = this.#children.get(port);
      this.#children.delete(port);
      if (!child || child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }

  async freeze(port: number, milliseconds: number): Promise<void> {
    const child = this.#children.get(port);
    child?.kill('SIGSTOP');
    await pause(milliseconds);
    child?.kill('SIGCONT');
  }
}

/** Environment of processes in which no test reaches a rate limit. */
export const unlimited = {
  NODE_ENV: '',
  DOCUMENT_VAULT_REQUESTS_PER_MINUTE: '1000000,1000000,1000000',
  DOCUMENT_VAULT_REQUESTS_PER_HOUR: '1000000,1000000,1000000',
};

/** Registers an account, and returns the headers with its credentials. */
export async function signUp(
  port: number,
  email: string,
): Promise<{ readonly authorization: string }> {
  const password = 'correct horse battery staple';
  const post = (path: string, body: unknown) => insist(port, { path, method: 'POST', body });
  const registered = await post('/auth/register', { email, password, name: 'User' });
  // An earlier try can have registered the account without a response.
  expect([201, 400]).toContain(registered.status);
  const { status, body } = await post('/auth/login', { email, password });
  expect(status).toBe(200);
  return { authorization: `Bearer ${body.accessToken}` };
}

/** Runs work over and over until the signal aborts. */
export async function during(signal: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) await work();
}
