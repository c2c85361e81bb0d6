import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { report } from '../crash/report.ts';
import { command } from '../test/support/command-line.ts';
import { startReceiver } from '../test/support/delivery/receiver.ts';
import { type Cluster, query, startCluster } from '../test/support/postgres/cluster.ts';
import {
  during,
  Fleet,
  freePorts,
  insist,
  type Reply,
  send,
  signUp,
  startBalancer,
  unlimited,
} from '../test/support/postgres/fleet.ts';

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
/** Requests of an account of the free tier in a minute of the clock. */
const requestLimit = 20;

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

  /** Writes that were confirmed. */
  get confirmed(): number {
    return this.vaults.size + this.documents.size;
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
    const { body } = await this.call('/api/v1/documents?pageSize=1');
    expect(body.pagination.totalCount).toBe(this.documents.size);
    for (const [id, encryptedData] of this.documents) {
      expect((await this.call(`/api/v1/documents/${id}`)).body).toMatchObject({ encryptedData });
    }
  }
}

/** An account of the free tier that sends more requests than it may. */
class LimitedClient {
  /** Accepted requests by the end of their minute. */
  readonly #accepted = new Map<string, number>();
  readonly #port: number;
  readonly #headers: Readonly<Record<string, string>>;
  #refused = 0;

  constructor(port: number, headers: Readonly<Record<string, string>>) {
    this.#port = port;
    this.#headers = headers;
  }

  async send(): Promise<void> {
    const call = { path: '/api/v1/vaults', headers: this.#headers };
    const reply = await send(this.#port, call).catch(() => undefined);
    if (reply?.status === 429) this.#refused += 1;
    if (reply?.status !== 200) return;
    const minute = String(reply.headers['x-ratelimit-minute-reset']);
    this.#accepted.set(minute, (this.#accepted.get(minute) ?? 0) + 1);
  }

  /** @returns the most requests that were accepted in a minute */
  verify(): number {
    expect(this.#refused).toBeGreaterThan(0);
    const most = Math.max(...this.#accepted.values());
    expect(most).toBeLessThanOrEqual(requestLimit);
    return most;
  }
}

async function startScene() {
  const cluster = await startCluster();
  onTestFinished(() => cluster.remove());
  const ports = await freePorts(processes);
  const balancer = await startBalancer(ports);
  const fleet = new Fleet(ports, {
    ...unlimited,
    DOCUMENT_VAULT_REQUESTS_PER_MINUTE: `${requestLimit},100,1000`,
    DOCUMENT_VAULT_REQUESTS_PER_HOUR: '1000000,1000000,1000000',
    DOCUMENT_VAULT_DATABASE_URL: cluster.url,
    DOCUMENT_VAULT_BASE_URL: `http://127.0.0.1:${balancer.port}`,
  });
  onTestFinished(() => fleet.kill(...ports));
  await fleet.start(...ports);
  const clients = [];
  for (let index = 0; index < accounts; index += 1) {
    clients.push(
      new Client(balancer.port, await signUp(balancer.port, `user${index}@example.com`)),
    );
  }
  const limited = new LimitedClient(
    balancer.port,
    await signUp(balancer.port, 'limited@example.com'),
  );
  await query(cluster, "UPDATE users SET tier = 'free' WHERE email = 'limited@example.com'");
  return { cluster, fleet, clients, limited, port: balancer.port };
}

/** What a receiver got, and what was open when processes were killed or frozen. */
class Deliveries {
  readonly #receiver: Awaited<ReturnType<typeof startReceiver>>;
  /** Per disturbance, the deliveries that had not ended. */
  readonly #open: Set<string>[] = [];
  /** Attempts that ran, or were not recorded yet, at the disturbances. */
  #inFlight = 0;

  constructor(receiver: Awaited<ReturnType<typeof startReceiver>>) {
    this.#receiver = receiver;
  }

  /** Notes what a process leaves behind. Call the result once the last requests of the process have arrived. */
  async noteOpen(cluster: Cluster): Promise<() => void> {
    const rows = await query(
      cluster,
      'SELECT id FROM deliveries WHERE next_attempt_at IS NOT NULL',
    );
    const open = new Set(rows.map(({ id }) => String(id)));
    this.#open.push(open);
    return () => {
      const received = this.#received();
      this.#inFlight += [...open].filter((id) => received.has(id)).length;
    };
  }

  /** Ids of the vaults whose creation was delivered. */
  vaults(): Set<string> {
    const { requests } = this.#receiver;
    return new Set(requests.map(({ body }) => JSON.parse(String(body)).data.object.id));
  }

  /**
   * Every repeated attempt was in flight when a process was killed or frozen.
   *
   * @returns how many there were, and how many there may be
   */
  async verifyRepeats(cluster: Cluster): Promise<{ repeats: number; inFlight: number }> {
    const rows = await query(
      cluster,
      'SELECT delivery_id AS id, COUNT(*)::int AS attempts FROM delivery_attempts GROUP BY delivery_id',
    );
    const recorded = new Map(rows.map(({ id, attempts }) => [String(id), Number(attempts)]));
    let repeats = 0;
    for (const [id, times] of this.#received()) {
      const repeated = times - (recorded.get(id) ?? 0);
      expect(repeated).toBeLessThanOrEqual(this.#open.filter((open) => open.has(id)).length);
      repeats += Math.max(0, repeated);
    }
    expect(repeats).toBeLessThanOrEqual(this.#inFlight);
    return { repeats, inFlight: this.#inFlight };
  }

  /** How often each delivery was received. */
  #received(): Map<string, number> {
    const received = new Map<string, number>();
    for (const { headers } of this.#receiver.requests) {
      const id = String(headers['x-service-delivery-id']);
      received.set(id, (received.get(id) ?? 0) + 1);
    }
    return received;
  }
}

interface Scene {
  readonly cluster: Cluster;
  readonly fleet: Fleet;
  readonly deliveries: Deliveries;
}

/**
 * Kills one process after the other, freezes one, and ends connections of the database.
 *
 * @returns the numbers of kills, freezes and ended connections
 */
async function disturb({ cluster, fleet, deliveries }: Scene) {
  const counts = { kills: 0, freezes: 0, endedConnections: 0 };
  const end = Date.now() + minutes * 60 * second;
  const freeze = async () => {
    counts.freezes += 1;
    const thawing = fleet.freeze(fleet.ports[0] ?? 0, stopped);
    const count = await deliveries.noteOpen(cluster);
    await thawing;
    count();
  };
  let freezing = freeze();
  for (let round = 0; Date.now() < end; round += 1) {
    const port = fleet.ports[1 + (round % (processes - 1))] ?? 0;
    await fleet.kill(port);
    counts.kills += 1;
    const count = await deliveries.noteOpen(cluster);
    await fleet.start(port);
    const ended = await query(
      cluster,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'document-vault' AND random() < 0.3`,
    );
    counts.endedConnections += ended.length;
    await pause(killInterval);
    count();
    if (round % 20 === 19) {
      await freezing;
      freezing = freeze();
    }
  }
  await freezing;
  return counts;
}

test(
  'four processes under kills lose nothing, repeat nothing and deliver everything',
  async () => {
    const { cluster, fleet, clients, limited, port } = await startScene();
    const [first = expect.fail()] = clients;
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const deliveries = new Deliveries(receiver);
    const webhook = {
      url: receiver.url,
      events: ['vault.created'],
      secret: 'a secret of 32 characters or more',
    };
    for (const client of clients) await client.call('/api/v1/webhooks', 'POST', webhook, 'webhook');
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

    const ending = new AbortController();
    const work = clients.map((client) =>
      during(ending.signal, async () => {
        const vaultId = await client.createVault();
        await client.upload(vaultId);
      }),
    );
    const opening = during(ending.signal, async () => {
      await Promise.all([open(), open()]);
      await pause(100);
    });
    const exceeding = during(ending.signal, async () => {
      await Promise.all([limited.send(), limited.send()]);
      await pause(50);
    });
    const disturbances = await disturb({ cluster, fleet, deliveries });
    await cluster.kill();
    await pause(second);
    await cluster.start();
    const backAt = Date.now();
    await first.createVault();
    const resumptionMs = Date.now() - backAt;
    expect(resumptionMs).toBeLessThan(resumptionLimit);
    ending.abort();
    await Promise.all([...work, opening, exceeding]);

    for (const client of clients) await client.verify();
    const mostInMinute = limited.verify();
    while ((await open()) !== 404);
    expect(opened).toBeLessThanOrEqual(maxAccessCount);
    const { body: shares } = await first.call(`/api/v1/documents/${shared}/shares`);
    expect(shares.data[0]).toMatchObject({ accessCount: maxAccessCount });

    // Each webhook belongs to a process when all are killed. The next one takes over every webhook.
    for (const client of clients) await client.createVault();
    const held = `SELECT name FROM leases WHERE name LIKE 'webhook %'`;
    await expect.poll(() => query(cluster, held)).toHaveLength(accounts);
    const killedAt = Date.now();
    await fleet.kill(...fleet.ports);
    const count = await deliveries.noteOpen(cluster);
    await fleet.start(...fleet.ports.slice(0, 1));
    for (const client of clients) await client.createVault();
    count();
    const undelivered = () => {
      const delivered = deliveries.vaults();
      const created = clients.flatMap(({ vaults }) => [...vaults.values()]);
      return created.filter((id) => !delivered.has(id));
    };
    await expect.poll(undelivered, { timeout: takeoverLimit + 10 * second }).toEqual([]);
    const takeoverMs = Date.now() - killedAt;
    expect(takeoverMs).toBeLessThan(takeoverLimit);
    // Then the last attempts are recorded.
    const unrecorded = 'SELECT id FROM deliveries WHERE next_attempt_at IS NOT NULL';
    await expect.poll(() => query(cluster, unrecorded), { timeout: 10 * second }).toEqual([]);
    const repeated = await deliveries.verifyRepeats(cluster);
    const confirmed = clients.reduce((sum, client) => sum + client.confirmed, 0);
    report('figures', {
      confirmed,
      opened,
      mostInMinute,
      ...disturbances,
      resumptionMs,
      takeoverMs,
      ...repeated,
    });

    const env = { DOCUMENT_VAULT_DATABASE_URL: cluster.url };
    const { code, out } = await command(['doctor', '--contents'], { env });
    expect(code, out).toBe(0);
  },
  (minutes + 5) * 60 * second,
);
