/**
 * Attacks a server with request bodies, unread responses and deletions, and measures its memory
 * and how long small requests of others wait meanwhile. Fails when an attack of the group `chunks` exceeds its limits,
 * which a busy machine makes it do.
 *
 *     npm run bench:attack                                   # this server
 *     npm run bench:attack -- --sources DIR --only structure # another one's packages/server/src
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { type Cell, table } from './table.ts';

const mebibyte = 1024 * 1024;
const documentBytes = 32 * mebibyte;

/** The server's heap limit, in MiB. */
const heapLimit = 1024;

/** What the attacks of the group `chunks` may cause: longest wait of other networks in milliseconds, MiB above idle. */
const chunkLimits = { wait: 100, memory: 64 };

/** How long an attack holds its connections, in milliseconds. */
const held = 12_000;

interface Target {
  readonly process: ChildProcess;
  readonly folder: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly vaultId: string;
}

interface Outcome {
  /** Bytes that the clients could write. */
  readonly sent: number;
  readonly note: string;
}

interface Attack {
  readonly name: string;
  /** The group, for `--only`. */
  readonly group: string;
  readonly connections: number;
  /** What has to be there before waiting times are measured. */
  prepare?(target: Target): Promise<void>;
  run(target: Target): Promise<Outcome>;
}

/** One connection of an attacker. */
class Attacker {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  received = '';
  sent = 0;

  constructor({ url }: Target, isReading = true) {
    this.socket = connect(Number(new URL(url).port), '127.0.0.1');
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
    this.socket.on('error', () => undefined);
    if (isReading) this.socket.on('data', (data) => this.#keep(String(data)));
  }

  #keep(text: string): void {
    if (this.received.length < 10_000) this.received += text;
  }

  get isOpen(): boolean {
    return !this.socket.destroyed;
  }

  /** The status of its first response. */
  get status(): string {
    return /HTTP\/1\.1 ([2-5]\d\d)/.exec(this.received)?.[1] ?? 'none';
  }

  /** Resolves when the bytes are on their way, or the connection has ended. */
  async send(bytes: string | Buffer): Promise<void> {
    if (!this.isOpen) return;
    const before = this.socket.bytesWritten;
    if (!this.socket.write(bytes)) {
      const drained = new Promise((resolve) => this.socket.once('drain', resolve));
      await Promise.race([drained, this.closed]);
    }
    this.sent += Math.max(0, this.socket.bytesWritten - before);
  }
}

function head(path: string, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries({ 'Content-Type': 'application/json', ...headers });
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `POST ${path} HTTP/1.1\r\nHost: vault.example\r\n${text}\r\n`;
}

/** Statuses with their counts, as `3 × 401`. */
function summary(attackers: readonly Attacker[]): string {
  const counts = new Map<string, number>();
  for (const { status } of attackers) counts.set(status, (counts.get(status) ?? 0) + 1);
  const open = attackers.filter(({ isOpen }) => isOpen).length;
  const statuses = [...counts].map(([status, count]) => `${count} × ${status}`).join(', ');
  return `${statuses}; ${open} left open`;
}

async function together(
  target: Target,
  connections: number,
  attack: (attacker: Attacker) => Promise<void>,
  isReading = true,
): Promise<Outcome> {
  const attackers = Array.from({ length: connections }, () => new Attacker(target, isReading));
  await Promise.all(attackers.map(attack));
  const note = summary(attackers);
  for (const { socket } of attackers) socket.destroy();
  return { sent: attackers.reduce((sum, { sent }) => sum + sent, 0), note };
}

const singleBytes = Buffer.from('1\r\nx\r\n'.repeat(10_000));

/** Chunks of one byte without credentials, up to a million for each connection. */
function chunks(connections: number): Attack {
  return {
    name: '1,000,000 chunks of one byte to /auth/login',
    group: 'chunks',
    connections,
    run: (target) =>
      together(target, connections, async (attacker) => {
        await attacker.send(head('/auth/login', { 'Transfer-Encoding': 'chunked' }));
        for (let sent = 0; sent < 100 && attacker.isOpen; sent += 1) {
          await attacker.send(singleBytes);
        }
        await Promise.race([attacker.closed, setTimeout(3_000, undefined, { ref: false })]);
      }),
  };
}

/** As many of them as the server accepts, in bodies that never end. */
function heldChunks(connections: number): Attack {
  return {
    name: '16,000 chunks of one byte, held',
    group: 'chunks',
    connections,
    run: (target) =>
      together(target, connections, async (attacker) => {
        await attacker.send(head('/auth/login', { 'Transfer-Encoding': 'chunked' }));
        await attacker.send(Buffer.from('1\r\nx\r\n'.repeat(16_000)));
        await setTimeout(held);
      }),
  };
}

/** Bodies that the server refuses before it reads them. */
function refused(connections: number): Attack {
  return {
    name: '43 MiB with a wrong key',
    group: 'refused',
    connections,
    run: (target) =>
      together(target, connections, async (attacker) => {
        const headers = { 'X-Api-Key': 'wrong', 'Content-Length': 43 * mebibyte };
        await attacker.send(head('/api/v1/documents', headers));
        const chunk = Buffer.alloc(mebibyte, 'x');
        for (let sent = 0; sent < 43 && attacker.isOpen; sent += 1) await attacker.send(chunk);
        await Promise.race([attacker.closed, setTimeout(3_000, undefined, { ref: false })]);
      }),
  };
}

/** Requests that do not wait for their responses. */
function pipelined(connections: number): Attack {
  const body = JSON.stringify({ email: 'unknown@example.com', password: 'not the password' });
  const login = head('/auth/login', { 'Content-Length': body.length }) + body;
  const logins = Buffer.from(login.repeat(500));
  return {
    name: 'logins, pipelined',
    group: 'pipelined',
    connections,
    run: (target) =>
      together(target, connections, async (attacker) => {
        const end = performance.now() + 5_000;
        while (performance.now() < end && attacker.isOpen) {
          await Promise.race([attacker.send(logins), setTimeout(5_000)]);
        }
      }),
  };
}

function documentWith(vaultId: string, encryptedData: string, sizeBytes = 0): string {
  return JSON.stringify({
    vaultId,
    fileName: 'large.bin',
    mimeType: 'application/octet-stream',
    sizeBytes,
    encryptionMetadata: { algorithm: 'AES-256-GCM', iv: 'AAAAAAAAAAAAAAAA', authTag: 'AAAA' },
    encryptedData,
  });
}

const base64 = Buffer.alloc(documentBytes, randomBytes(60_000)).toString('base64');

/** Bodies of 43 MiB, almost the limit of `POST /documents`. */
const structures: Readonly<Record<string, (vaultId: string) => string>> = {
  '[0,0,…]': () => `[${'0,'.repeat(21 * mebibyte)}0]`,
  '[[],[],…]': () => `[${'[],'.repeat(14 * mebibyte)}0]`,
  'distinct names': () => {
    const names = Array.from({ length: 3_000_000 }, (_, index) => `"${index}":0`);
    return `{${names.join(',')}}`;
  },
  'brackets without end': () => '['.repeat(43 * mebibyte),
  'a list as encryptedData': () => `{"encryptedData":[${'0,'.repeat(21 * mebibyte)}0]}`,
  'escapes in another text': () => `{"fileName":"${'\\u0041'.repeat(7 * mebibyte)}"}`,
  'one other text': () => `{"fileName":"${'x'.repeat(43 * mebibyte)}"}`,
  'white space': () => `{${' '.repeat(43 * mebibyte)}}`,
  'encryptedData twice': () => {
    const half = base64.slice(0, base64.length / 2);
    return `{"encryptedData":"${half}","encryptedData":"${half}"}`;
  },
  'encryptedData nested': () => `{"a":{"encryptedData":"${base64}"}}`,
  'escaped quotes in encryptedData': () => `{"encryptedData":"${'\\"'.repeat(21 * mebibyte)}"}`,
  'encryptedData all escaped': (vaultId) => {
    const escaped = '\\u0041'.repeat(7 * mebibyte);
    return documentWith(vaultId, '', (7 * mebibyte * 3) / 4).replace(
      'Data":""',
      `Data":"${escaped}"`,
    );
  },
  'encryptedData with \\/': (vaultId) =>
    documentWith(vaultId, base64, documentBytes).replaceAll('/', '\\/'),
  'encryptedData with line breaks': (vaultId) =>
    documentWith(vaultId, base64.replaceAll(/.{76}/g, '$&\n').slice(0, 43 * mebibyte)),
  'a document of 32 MiB': (vaultId) => documentWith(vaultId, base64, documentBytes),
};

function structure(name: string, make: (vaultId: string) => string, connections: number): Attack {
  return {
    name,
    group: 'structure',
    connections,
    run(target) {
      const body = Buffer.from(make(target.vaultId));
      return together(target, connections, async (attacker) => {
        const headers = { ...target.headers, 'Content-Length': body.length };
        await attacker.send(head('/api/v1/documents', headers));
        await attacker.send(body);
        while (attacker.isOpen && attacker.status === 'none') await setTimeout(10);
      });
    },
  };
}

/** Uploads whose last bytes arrive slowly. */
function heldUploads(connections: number): Attack {
  return {
    name: 'uploads of 43.5 MiB, one byte missing, dripping',
    group: 'held',
    connections,
    run(target) {
      const body = Buffer.from(documentWith(target.vaultId, base64, documentBytes));
      return together(target, connections, async (attacker) => {
        const headers = { ...target.headers, 'Content-Length': body.length + 1_000 };
        await attacker.send(head('/api/v1/documents', headers));
        // An upload that waits for its turn takes no bytes.
        await Promise.race([attacker.send(body), setTimeout(held)]);
        for (let dripped = 0; dripped < held / 1_000; dripped += 1) {
          attacker.socket.write('x');
          await setTimeout(1_000);
        }
      });
    },
  };
}

/** Downloads of 32 MiB that the client does not read. */
function unread(connections: number): Attack {
  return {
    name: 'downloads of 32 MiB, unread',
    group: 'unread',
    connections,
    async run(target) {
      const { url, headers, vaultId } = target;
      const body = documentWith(vaultId, base64, documentBytes);
      const created = await fetch(`${url}/api/v1/documents`, { method: 'POST', headers, body });
      const { id } = (await created.json()) as { id: string };
      const request = `GET /api/v1/documents/${id} HTTP/1.1\r\nHost: vault.example\r\nX-Api-Key: ${headers['x-api-key']}\r\n\r\n`;
      return together(
        target,
        connections,
        async (attacker) => {
          await attacker.send(request);
          await setTimeout(held);
        },
        false,
      );
    },
  };
}

async function call(
  { url, headers }: Pick<Target, 'url' | 'headers'>,
  method: string,
  path: string,
  body?: object | string,
): Promise<{ status: number; body: Record<string, string> }> {
  const text = typeof body === 'object' ? JSON.stringify(body) : body;
  const response = await fetch(url + path, { method, headers, ...(text && { body: text }) });
  const answer = await response.text();
  return { status: response.status, body: answer === '' ? {} : JSON.parse(answer) };
}

/** A DELETE, and lists of the account while what was deleted is being erased. */
async function deletion(target: Target, path: string, body?: object): Promise<Outcome> {
  const began = performance.now();
  const { status } = await call(target, 'DELETE', path, body);
  const took = performance.now() - began;
  let longestList = 0;
  let isErased = false;
  const erased = ask(target, 'sweep').then(() => {
    isErased = true;
  });
  while (!isErased) {
    const start = performance.now();
    await call(target, 'GET', '/api/v1/documents');
    longestList = Math.max(longestList, performance.now() - start);
    await setTimeout(50);
  }
  await erased;
  const note = `${status} after ${took.toFixed(0)} ms, erased after ${(performance.now() - began).toFixed(0)} ms; lists took ${longestList.toFixed(0)} ms at most`;
  return { sent: 0, note };
}

/** As many documents as an account of the free tier may have, but ten. */
function vaultDeletion(documents: number): Attack {
  let vaultId = '';
  return {
    name: `DELETE of a vault with ${documents} documents`,
    group: 'deletion',
    connections: 1,
    async prepare(target) {
      ({ id: vaultId = '' } = (
        await call(target, 'POST', '/api/v1/vaults', { name: 'Large' })
      ).body);
      let left = documents;
      const client = async () => {
        while (left-- > 0) {
          await call(target, 'POST', '/api/v1/documents', documentWith(vaultId, 'AAAA', 3));
        }
      };
      await Promise.all(Array.from({ length: 20 }, client));
    },
    run: (target) => deletion(target, `/api/v1/vaults/${vaultId}`),
  };
}

function accountDeletion(documents: number): Attack {
  let account: Pick<Target, 'headers'>;
  const password = 'correct horse battery staple';
  return {
    name: `DELETE of an account with ${documents} × 32 MiB`,
    group: 'deletion',
    connections: 1,
    async prepare(target) {
      const credentials = { email: 'large@example.com', password };
      await call(target, 'POST', '/auth/register', { ...credentials, name: 'Large' });
      const { accessToken } = (await call(target, 'POST', '/auth/login', credentials)).body;
      const { 'content-type': type = '' } = target.headers;
      account = { headers: { 'content-type': type, authorization: `Bearer ${accessToken}` } };
      const owner = { ...target, ...account };
      const { id = '' } = (await call(owner, 'POST', '/api/v1/vaults', { name: 'Large' })).body;
      const body = documentWith(id, base64, documentBytes);
      for (let count = 0; count < documents; count += 1) {
        await call(owner, 'POST', '/api/v1/documents', body);
      }
    },
    run: (target) => deletion({ ...target, ...account }, '/api/v1/users/me', { password }),
  };
}

const counts = [3, 10, 100];
const attacks: readonly Attack[] = [
  ...counts.map(chunks),
  heldChunks(1_000),
  ...counts.map(heldChunks),
  ...counts.map(refused),
  ...counts.map(pipelined),
  ...Object.entries(structures).map(([name, make]) => structure(name, make, 1)),
  ...counts
    .slice(0, 2)
    .map((count) => structure('[0,0,…]', structures['[0,0,…]'] as () => string, count)),
  ...[3, 20, 100].map(heldUploads),
  ...[3, 20].map(unread),
  vaultDeletion(9_990),
  accountDeletion(5),
];

async function start(sources: string): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), 'document-vault-bench-'));
  const program = fileURLToPath(new URL('./programs/attacked-server.ts', import.meta.url));
  const child = fork(program, [sources, folder], {
    execArgv: ['--conditions=@document-vault/source', `--max-old-space-size=${heapLimit}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const [{ url, apiKey }] = await once(child, 'message');
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
  const body = JSON.stringify({ name: 'Attacked' });
  const created = await fetch(`${url}/api/v1/vaults`, { method: 'POST', headers, body });
  const { id } = (await created.json()) as { id: string };
  return { process: child, folder, url, headers, vaultId: id };
}

/** Resident memory of a process, now and at its highest so far, in bytes. Linux only. */
function memory({ process: child }: Target): { now: number; peak: number } {
  const status = child.exitCode === null ? readFileSync(`/proc/${child.pid}/status`, 'utf8') : '';
  const kibibytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
  return { now: kibibytes('VmRSS') * 1024, peak: kibibytes('VmHWM') * 1024 };
}

async function measure(attack: Attack, sources: string): Promise<readonly Cell[]> {
  const target = await start(sources);
  await setTimeout(500);
  await attack.prepare?.(target);
  await longestTurn(target);
  const idle = memory(target).now;
  const waits = new Worker(new URL('./small-requests.ts', import.meta.url), {
    workerData: { url: `${target.url}/api/v1/vaults/${target.vaultId}`, headers: target.headers },
  });
  // The worker fails when the server ends.
  const stopped = once(waits, 'exit').catch(() => undefined);
  waits.on('error', () => undefined);
  await once(waits, 'message');
  let peak = idle;
  const sampling = setInterval(() => {
    // NaN once the process has ended.
    peak = Math.max(peak, memory(target).peak || 0);
  }, 20);
  const ended = once(target.process, 'exit').then(() => 'ended' as const);
  const attacked = await Promise.race([attack.run(target), ended]);
  clearInterval(sampling);
  const wait = await Promise.race([longestWait(waits), stopped.then(() => undefined)]);
  const outcome = wait === undefined ? 'ended' : attacked;
  const turn = outcome === 'ended' ? undefined : await longestTurn(target);
  await waits.terminate();
  target.process.kill('SIGKILL');
  await ended;
  await rm(target.folder, { recursive: true });
  const grown = (peak - idle) / mebibyte;
  if (
    attack.group === 'chunks' &&
    !(Number(wait) <= chunkLimits.wait && grown <= chunkLimits.memory)
  ) {
    process.exitCode = 1;
  }
  return [
    attack.connections,
    attack.name,
    outcome === 'ended' ? '–' : (outcome.sent / mebibyte).toFixed(1),
    grown.toFixed(0),
    wait === undefined ? '–' : wait.toFixed(0),
    turn === undefined ? '–' : turn.toFixed(0),
    outcome === 'ended' ? 'THE PROCESS ENDED' : outcome.note,
  ];
}

/**
 * The longest turn of the server's event loop since the last call, in milliseconds of processor time. Unlike
 * the waits, it does not depend on what else the machine does.
 */
const longestTurn = (target: Target): Promise<number> => ask(target, 'longest turn');

async function ask(
  { process: child }: Pick<Target, 'process'>,
  wish: 'longest turn' | 'sweep',
): Promise<number> {
  child.send(wish);
  const [turn] = (await once(child, 'message')) as [number];
  return turn;
}

async function longestWait(worker: Worker): Promise<number> {
  worker.postMessage('stop');
  const [waits] = (await once(worker, 'message')) as [number[]];
  return Math.max(...waits);
}

const { values } = parseArgs({
  options: {
    sources: {
      type: 'string',
      default: fileURLToPath(new URL('../packages/server/src/app', import.meta.url)),
    },
    only: { type: 'string' },
  },
});
const groups = values.only?.split(',');
const chosen = attacks.filter(({ group }) => groups?.includes(group) ?? true);
const rows: (readonly Cell[])[] = [];
for (const attack of chosen) {
  const row = await measure(attack, values.sources);
  rows.push(row);
  console.error(row.join(' | '));
}
const columns = [
  'connections',
  'attack',
  'sent MiB',
  'MiB above idle',
  'longest wait ms',
  'longest turn ms',
  'outcome',
];
console.log(`heap limit ${heapLimit} MiB\n${table(columns, rows)}`);
process.exit();
