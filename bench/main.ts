/**
 * Measures the server beside a bare Koa with better-sqlite3, in turns on one machine, each in a
 * process of its own; the load comes from this one. Figures count as ratios within one run.
 *
 *     npm run bench -- [seconds per measurement, default 5]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import autocannon from 'autocannon';

const seconds = Number(process.argv[2] ?? 5);
const connections = 50;
const vaultCount = 10_000;

interface Peer {
  readonly name: string;
  readonly process: ChildProcess;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly vaultId: string;
}

interface Scenario {
  readonly name: string;
  /** Share of the bare Koa's rate that this server has to reach. */
  readonly target: number;
  request(peer: Peer): { path: string; method: 'GET' | 'POST'; body?: string };
}

interface Figures {
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
}

const document = (vaultId: string) => ({
  vaultId,
  fileName: 'bench.bin',
  mimeType: 'application/octet-stream',
  sizeBytes: 65_536,
  encryptedData: Buffer.alloc(65_536, 7).toString('base64'),
  encryptionMetadata: { algorithm: 'AES-256-GCM', iv: 'AAAAAAAAAAAAAAAA', authTag: 'AAAA' },
});

const scenarios: readonly Scenario[] = [
  {
    name: 'one vault',
    target: 0.6,
    request: ({ vaultId }) => ({ method: 'GET', path: `/api/v1/vaults/${vaultId}` }),
  },
  {
    name: 'page of 20',
    target: 1.1,
    request: () => ({ method: 'GET', path: '/api/v1/vaults?page=250' }),
  },
  {
    name: 'create vault',
    target: 1,
    request: () => ({
      method: 'POST',
      path: '/api/v1/vaults',
      body: JSON.stringify({ name: 'Bench', category: 'bench' }),
    }),
  },
  {
    name: 'upload 64 KiB',
    target: 0.6,
    request: ({ vaultId }) => ({
      method: 'POST',
      path: '/api/v1/documents',
      body: JSON.stringify(document(vaultId)),
    }),
  },
];

/** Starts a peer in a process of its own; what it logs goes to a file, as it would in production. */
async function startPeer(name: string, script: string): Promise<Peer> {
  const log = openSync(join(tmpdir(), `document-vault-bench-${basename(script, '.ts')}.log`), 'w');
  const child = fork(new URL(script, import.meta.url), { stdio: ['ignore', log, log, 'ipc'] });
  closeSync(log);
  const [{ url, apiKey }] = await once(child, 'message');
  const headers = {
    'content-type': 'application/json',
    ...(apiKey !== undefined && { 'x-api-key': apiKey }),
  };
  return { name, process: child, url, headers, vaultId: await fill(url, headers) };
}

/** Creates the vaults that the lists show; answers the id of one of them. */
async function fill(url: string, headers: Record<string, string>): Promise<string> {
  const body = JSON.stringify({ name: 'Bench', category: 'bench' });
  await autocannon({
    url: `${url}/api/v1/vaults`,
    method: 'POST',
    headers,
    body,
    connections,
    amount: vaultCount - 1,
  });
  const created = await fetch(`${url}/api/v1/vaults`, { method: 'POST', headers, body });
  const { id } = (await created.json()) as { id: string };
  return id;
}

async function measure(peer: Peer, scenario: Scenario): Promise<Figures> {
  const { path, method, body } = scenario.request(peer);
  const result = await autocannon({
    url: peer.url + path,
    method,
    headers: peer.headers,
    ...(body !== undefined && { body }),
    connections,
    duration: seconds,
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(
      `${peer.name}, ${scenario.name}: ${result.non2xx} refused, ${result.errors} failed`,
    );
  }
  return {
    requestsPerSecond: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}

const bare = await startPeer('bare Koa', './peers/koa-sqlite.ts');
const vault = await startPeer('Document Vault', './peers/document-vault.ts');
const results = [];
for (const scenario of scenarios) {
  const ceiling = await measure(bare, scenario);
  const own = await measure(vault, scenario);
  const ratio = own.requestsPerSecond / ceiling.requestsPerSecond;
  results.push({ scenario: scenario.name, ceiling, own, ratio, target: scenario.target });
}
for (const peer of [bare, vault]) {
  peer.process.kill('SIGTERM');
  await once(peer.process, 'exit');
}

console.log(`${connections} connections, ${seconds} s each, Node ${process.version}`);
console.log('bare Koa commits at synchronous = NORMAL, Document Vault at FULL with shared commits');
console.table(
  results.map(({ scenario, ceiling, own, ratio, target }) => ({
    scenario,
    'bare Koa req/s': Math.round(ceiling.requestsPerSecond),
    'p99 ms': ceiling.p99,
    'Document Vault req/s': Math.round(own.requestsPerSecond),
    'p99 ms ': own.p99,
    ratio: ratio.toFixed(2),
    target: `>= ${target}`,
    met: ratio >= target ? 'yes' : 'no',
  })),
);
await writeFile(new URL('results.json', import.meta.url), `${JSON.stringify(results, null, 2)}\n`);
