/** Contents in JSON: the memory of one of 32 MiB, and how long small requests wait while ten are under way. */
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Judgement } from '../results.ts';
import { judgementOf } from '../targets.ts';
import { idleOf, measureUsage, type ServerStation, settle, startVault } from './stations.ts';

const size = 32 * 2 ** 20;

export async function measureJson(scratch: string): Promise<Judgement[]> {
  const server = await startVault(join(scratch, 'json'), {});
  try {
    const vaultId = await createVault(server);
    await upload(server, bodyOf(vaultId, 1000));
    const body = bodyOf(vaultId, size);
    const memory = await measurePeak(server, body);
    const wait = await measureWait(server, body);
    return [
      atMost(4, 'upload of 32 MiB in JSON: memory of the server above idle × its size', memory),
      atMost(250, 'ten uploads of 32 MiB in JSON: longest wait of a small request in ms', wait),
    ];
  } finally {
    await server.stop();
  }
}

async function measurePeak(server: ServerStation, body: string): Promise<number> {
  await settle([server]);
  const usage = measureUsage(server, idleOf(server));
  await upload(server, body);
  const { idle, peak } = usage();
  return (peak - idle) / size;
}

async function measureWait(server: ServerStation, body: string): Promise<number> {
  // Elsewhere, since sending the uploads keeps this thread busy.
  const watcher = new Worker(new URL('../small-requests.ts', import.meta.url), {
    workerData: { url: server.smallUrl, headers: server.headers },
  });
  await once(watcher, 'message');
  await Promise.all(Array.from({ length: 10 }, () => upload(server, body)));
  watcher.postMessage('stop');
  const [waits] = (await once(watcher, 'message')) as [number[]];
  return Math.max(...waits);
}

async function createVault(server: ServerStation): Promise<string> {
  const { id } = await post<{ id: string }>(server, 'vaults', JSON.stringify({ name: 'Uploads' }));
  return id;
}

function upload(server: ServerStation, body: string): Promise<unknown> {
  return post(server, 'documents', body);
}

async function post<T>({ url, headers }: ServerStation, path: string, body: string): Promise<T> {
  const response = await fetch(`${url}/api/v1/${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`${path}: ${response.status} ${text.slice(0, 200)}`);
  return JSON.parse(text) as T;
}

function bodyOf(vaultId: string, bytes: number): string {
  return JSON.stringify({
    vaultId,
    fileName: 'large.bin',
    mimeType: 'application/octet-stream',
    sizeBytes: bytes,
    encryptedData: Buffer.alloc(bytes, 'document vault').toString('base64'),
    encryptionMetadata: { algorithm: 'AES-256-GCM', iv: 'AAAAAAAAAAAAAAAA', authTag: 'AAAA' },
  });
}

function atMost(limit: number, name: string, reached: number): Judgement {
  return judgementOf({ name, bound: 'at most', limit, reached });
}
