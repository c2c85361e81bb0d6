import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { command, mainFile } from '../test/support/command-line.ts';
import { startReceiver } from '../test/support/delivery/receiver.ts';
import { type Cluster, startCluster } from '../test/support/postgres/cluster.ts';

// Four server processes behind a load balancer, and clients that repeat what got no response. CRASH_MINUTES sets the
// time under kills.

const minutes = Number(process.env.CRASH_MINUTES ?? 0.5);
const processes = 4;
const accounts = 6;
const second = 1000;
const killInterval = 3 * second;
const stopped = minutes < 5 ? 8 * second : 60 * second;
/** The lease of a killed process ends after 30 s, and another one looks for it every 2 s. */
const takeoverLimit = 35 * second;
const resumptionLimit = 10 * second;

interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly body: any;
}

interface Call {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Sends a request on a connection of its own, which any process can get. */
function send(port: number, { path, method = 'GET', headers, body }: Call): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      ...{ port, host: '127.0.0.1', path, method, agent: false, timeout: 15 * second },
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    });
    request.on('response', async (response) => {
      try {
        const content = await text(response);
        resolve({
          status: response.statusCode ?? 0,
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
async function insist(port: number, call: Call): Promise<Reply> {
  for (;;) {
    const reply = await send(port, call).catch(() => undefined);
    if (reply && reply.status < 500 && reply.status !== 408) return reply;
    await pause(100);
  }
}

/** Passes each connection to the next of the ports that accepts it. */
async function startBalancer(
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

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

class Fleet {
  readonly #children = new Map<number, ChildProcess>();
  readonly #environment: Readonly<Record<string, string>>;
  readonly ports: readonly number[];

  constructor(ports: readonly number[], environment: Readonly<Record<string, string>>) {
    this.ports = ports;
    this.#environment = environment;
    onTestFinished(() => this.kill(...ports));
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

/** A client with an account of its own, which confirms each call before the next. */
class Client {
  readonly vaults = new Map<string, string>();
  readonly documents = new Map<string, string>();
  readonly #port: number;
  readonly #headers: Readonly<Record<string, string>>;
  #count = 0;

  constructor(port: number, headers: Readonly<Record<string, string>>) {
    this.#port = port;
    this.#headers = headers;
  }

  call(path: string, method = 'GET', body?: unknown, key?: string): Promise<Reply> {
    const headers = { ...this.#headers, ...(key !== undefined && { 'idempotency-key': key }) };
    return insist(this.#port, { path, method, headers, body });
  }

  async createVault(): Promise<string> {
    const name = `vault ${this.#count++}`;
    const { status, body } = await this.call('/api/v1/vaults', 'POST', { name }, name);
    expect(status, JSON.stringify(body)).toBe(201);
    this.vaults.set(name, body.id);
    return body.id;
  }

  async upload(vaultId: string): Promise<string> {
    const fileName = `file ${this.#count++}`;
    const encryptedData = Buffer.from(fileName).toString('base64');
    const document = {
      ...{ vaultId, fileName, encryptedData, mimeType: 'text/plain', sizeBytes: fileName.length },
      encryptionMetadata: { algorithm: 'AES-256-GCM', iv: 'AAAA', authTag: 'AAAA' },
    };
    const { status, body } = await this.call('/api/v1/documents', 'POST', document, fileName);
    expect(status, JSON.stringify(body)).toBe(201);
    this.documents.set(body.id, encryptedData);
    return body.id;
  }

  /** Every confirmed row is there once, and nothing that was asked for once is there twice. */
  async verify(): Promise<void> {
    const found: { id: string; name: string }[] = [];
    for (let page = 1; ; page += 1) {
      const { body } = await this.call(`/api/v1/vaults?pageSize=100&page=${page}`);
      found.push(...body.data);
      if (body.data.length < 100) break;
    }
    const byName = (rows: Iterable<[string, string]>) => [...rows].sort();
    expect(byName(found.map(({ id, name }) => [name, id]))).toEqual(byName(this.vaults));
    for (const [id, encryptedData] of this.documents) {
      expect((await this.call(`/api/v1/documents/${id}`)).body).toMatchObject({ encryptedData });
    }
  }
}

async function startScene() {
  const cluster = await startCluster();
  onTestFinished(() => cluster.remove());
  const ports = await freePorts(processes);
  const balancer = await startBalancer(ports);
  const fleet = new Fleet(ports, {
    NODE_ENV: '',
    DOCUMENT_VAULT_DATABASE_URL: cluster.url,
    DOCUMENT_VAULT_BASE_URL: `http://127.0.0.1:${balancer.port}`,
    DOCUMENT_VAULT_ENTERPRISE_REQUESTS_PER_MINUTE: '1000000',
    DOCUMENT_VAULT_ENTERPRISE_REQUESTS_PER_HOUR: '1000000',
  });
  await fleet.start(...ports);
  const clients = [];
  for (let index = 0; index < accounts; index += 1) {
    clients.push(await signUp(balancer.port, `user${index}@example.com`));
  }
  return { cluster, fleet, clients, port: balancer.port };
}

async function signUp(port: number, email: string): Promise<Client> {
  const password = 'correct horse battery staple';
  const post = (path: string, body: unknown) => insist(port, { path, method: 'POST', body });
  expect((await post('/auth/register', { email, password, name: 'User' })).status).toBe(201);
  const { body } = await post('/auth/login', { email, password });
  return new Client(port, { authorization: `Bearer ${body.accessToken}` });
}

/** Runs work over and over until the signal aborts. */
async function during(signal: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) await work();
}

async function query(cluster: Cluster, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: cluster.url });
  client.on('error', () => undefined);
  await client.connect();
  return client
    .query(sql)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

/** Kills one process after the other, freezes one, and ends connections of the database. */
async function disturb({ cluster, fleet }: { cluster: Cluster; fleet: Fleet }): Promise<void> {
  const end = Date.now() + minutes * 60 * second;
  let freezing = fleet.freeze(fleet.ports[0] ?? 0, stopped);
  for (let round = 0; Date.now() < end; round += 1) {
    const port = fleet.ports[1 + (round % (processes - 1))] ?? 0;
    await fleet.kill(port);
    await fleet.start(port);
    await query(
      cluster,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'document-vault' AND random() < 0.3`,
    );
    await pause(killInterval);
    if (round % 20 === 19) {
      await freezing;
      freezing = fleet.freeze(fleet.ports[0] ?? 0, stopped);
    }
  }
  await freezing;
}

test(
  'four processes under kills lose nothing, repeat nothing and deliver everything',
  async () => {
    const { cluster, fleet, clients, port } = await startScene();
    const [first = expect.fail()] = clients;
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const webhook = {
      url: receiver.url,
      events: ['vault.created'],
      secret: 'a secret of 32 characters or more',
    };
    await first.call('/api/v1/webhooks', 'POST', webhook, 'webhook');
    const shared = await first.upload(await first.createVault());
    const maxAccessCount = 200;
    const { body: share } = await first.call(
      ...([`/api/v1/documents/${shared}/share`, 'POST'] as const),
      { access: 'anyone', maxAccessCount },
      'share',
    );
    let opened = 0;
    const open = async () => {
      const reply = await send(port, { path: `/shares/${share.shareToken}` }).catch(
        () => undefined,
      );
      if (reply?.status === 200) opened += 1;
      return reply?.status;
    };

    // Requests of different accounts wait for no row of each other.
    const ending = new AbortController();
    const work = clients.map((client) =>
      during(ending.signal, async () => {
        const vaultId = await client.createVault();
        await client.upload(vaultId);
      }),
    );
    for (let sample = 0; sample < 40; sample += 1) {
      const waiting = await query(
        cluster,
        "SELECT * FROM pg_locks WHERE NOT granted AND locktype IN ('transactionid', 'tuple', 'relation')",
      );
      expect(waiting).toEqual([]);
      await pause(50);
    }

    const opening = during(ending.signal, async () => {
      await Promise.all([open(), open()]);
      await pause(100);
    });
    await disturb({ cluster, fleet });
    await cluster.kill();
    await pause(second);
    await cluster.start();
    const backAt = Date.now();
    await first.createVault();
    expect(Date.now() - backAt).toBeLessThan(resumptionLimit);
    ending.abort();
    await Promise.all([...work, opening]);

    for (const client of clients) await client.verify();
    while ((await open()) !== 404);
    expect(opened).toBeLessThanOrEqual(maxAccessCount);
    const { body: shares } = await first.call(`/api/v1/documents/${shared}/shares`);
    expect(shares.data[0]).toMatchObject({ accessCount: maxAccessCount });

    // One process is left. It takes the deliveries over.
    const killedAt = Date.now();
    await fleet.kill(...fleet.ports.slice(1));
    await first.createVault();
    const delivered = () =>
      new Set(receiver.requests.map(({ body }) => JSON.parse(String(body)).data.object.id));
    await expect
      .poll(() => [...first.vaults.values()].filter((id) => !delivered().has(id)), {
        timeout: takeoverLimit + 10 * second,
      })
      .toEqual([]);
    expect(Date.now() - killedAt).toBeLessThan(takeoverLimit + 5 * second);

    const env = { DOCUMENT_VAULT_DATABASE_URL: cluster.url };
    const { code, out } = await command(['doctor', '--contents'], { env });
    expect(code, out).toBe(0);
  },
  (minutes + 5) * 60 * second,
);
