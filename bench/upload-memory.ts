/**
 * Measures what large uploads cost: the memory of one of 32 MiB at its peak, and how long small
 * requests wait while ten are under way.
 *
 *     npm run bench:uploads
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

const size = 32 * 1024 * 1024;
const mebibytes = (bytes: number) => Math.round(bytes / 1024 / 1024);

interface Peer {
  readonly process: ChildProcess;
  readonly folder: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly vaultId: string;
}

async function start(): Promise<Peer> {
  const folder = await mkdtemp(join(tmpdir(), 'document-vault-bench-'));
  const child = fork(new URL('./scale/server.ts', import.meta.url), [folder], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const [{ url, apiKey }] = await once(child, 'message');
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
  const body = JSON.stringify({ name: 'Uploads' });
  const created = await fetch(`${url}/api/v1/vaults`, { method: 'POST', headers, body });
  const { id } = (await created.json()) as { id: string };
  return { process: child, folder, url, headers, vaultId: id };
}

async function stop({ process: child, folder }: Peer): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
  await rm(folder, { recursive: true });
}

/** The resident memory of a process, now and at its highest so far, in bytes; Linux only. */
function memory({ process: child }: Peer): { now: number; peak: number } {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const kibibytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
  return { now: kibibytes('VmRSS') * 1024, peak: kibibytes('VmHWM') * 1024 };
}

function uploadOf({ vaultId }: Peer, bytes: number): string {
  return JSON.stringify({
    vaultId,
    fileName: 'large.bin',
    mimeType: 'application/octet-stream',
    sizeBytes: bytes,
    encryptedData: Buffer.alloc(bytes, 'document vault').toString('base64'),
    encryptionMetadata: { algorithm: 'AES-256-GCM', iv: 'AAAAAAAAAAAAAAAA', authTag: 'AAAA' },
  });
}

async function upload({ url, headers }: Peer, body: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/documents`, { method: 'POST', headers, body });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`upload: ${response.status} ${text.slice(0, 200)}`);
  return JSON.parse(text).id;
}

async function measurePeak(): Promise<void> {
  const peer = await start();
  await upload(peer, uploadOf(peer, 1000));
  await setTimeout(500);
  const idle = memory(peer).now;
  const began = performance.now();
  const id = await upload(peer, uploadOf(peer, size));
  const took = performance.now() - began;
  const above = memory(peer).peak - idle;
  console.log(
    `upload of ${mebibytes(size)} MiB: ${took.toFixed(0)} ms, ${mebibytes(above)} MiB above idle (${mebibytes(idle)} MiB) at its peak, ${(above / size).toFixed(1)} x its size; target <= 4`,
  );
  const response = await fetch(`${peer.url}/api/v1/documents/${id}`, { headers: peer.headers });
  await response.arrayBuffer();
  console.log(`and after reading it: ${((memory(peer).peak - idle) / size).toFixed(1)} x its size`);
  await stop(peer);
}

async function measureWaiting(): Promise<void> {
  const peer = await start();
  const body = uploadOf(peer, size);
  // Elsewhere, since sending the uploads keeps this thread busy.
  const watcher = new Worker(new URL('./small-requests.ts', import.meta.url), {
    workerData: { url: `${peer.url}/api/v1/vaults/${peer.vaultId}`, headers: peer.headers },
  });
  await once(watcher, 'message');
  await Promise.all(Array.from({ length: 10 }, () => upload(peer, body)));
  watcher.postMessage('stop');
  const [waits] = (await once(watcher, 'message')) as [number[]];
  console.log(
    `ten at once: ${waits.length} small requests meanwhile, the longest waited ${Math.max(...waits).toFixed(0)} ms; target <= 250; peak ${mebibytes(memory(peer).peak)} MiB`,
  );
  await stop(peer);
}

await measurePeak();
await measureWaiting();
