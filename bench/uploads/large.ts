/** Large contents through the SDK and this server, and beside them through a bare client and a bare server. */
import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import {
  type ClientKind,
  type ClientStation,
  idleOf,
  measureUsage,
  type ServerStation,
  type Station,
  settle,
  startClient,
  startObjectStore,
  startSink,
  startVault,
  type Usage,
} from './stations.ts';

/** Where the server stores contents. */
export const storeNames = ['database', 's3'] as const;
export type StoreName = (typeof storeNames)[number];

/** One upload or download. */
export interface Transfer {
  readonly seconds: number;
  readonly client: Usage;
  readonly server: Usage;
  /** Processor seconds of the object store; undefined without one. */
  readonly objectsSeconds: number | undefined;
  /** Milliseconds that each small request waited meanwhile. */
  readonly waits: readonly number[];
}

/** Both ways through one server. */
export interface Transfers {
  readonly upload: Transfer;
  readonly download: Transfer;
}

export interface LargeFigures {
  /** Bytes of the content. */
  readonly size: number;
  readonly sink: Transfers;
  /** The object store without a vault. */
  readonly objects: Transfers | undefined;
  readonly stores: Readonly<Partial<Record<StoreName, Transfers>>>;
}

export interface LargeOptions {
  readonly scratch: string;
  readonly size: number;
  readonly stores: readonly StoreName[];
}

export async function measureLarge({ scratch, size, stores }: LargeOptions): Promise<LargeFigures> {
  const files = { small: join(scratch, 'small'), large: join(scratch, 'large'), size };
  await writeSparse(files.small, 1_000_000);
  await writeSparse(files.large, size);
  const sink = await measureBare('bare', startSink, join(scratch, 'sink'), files);
  const measured: Partial<Record<StoreName, Transfers>> = {};
  for (const name of stores) measured[name] = await measureStore(name, scratch, files);
  const objects = stores.includes('s3')
    ? await measureBare('s3', startObjectStore, join(scratch, 'objects'), files)
    : undefined;
  return { size, sink, objects, stores: measured };
}

/** The files hold no data: reading them costs no disk, and what is stored of them is encrypted. */
async function writeSparse(path: string, bytes: number): Promise<void> {
  const file = await open(path, 'w');
  await file.truncate(bytes);
  await file.close();
}

interface Files {
  readonly small: string;
  readonly large: string;
  /** Bytes of the large one. */
  readonly size: number;
}

/** A server without a vault, and a client that sends it the same parts. */
async function measureBare(
  kind: 'bare' | 's3',
  start: (folder: string) => Promise<ServerStation>,
  folder: string,
  files: Files,
): Promise<Transfers> {
  const server = await start(folder);
  try {
    return await measureBoth({ server }, kind, files);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

async function measureStore(name: StoreName, scratch: string, files: Files): Promise<Transfers> {
  const folder = join(scratch, name);
  const objects = name === 's3' ? await startObjectStore(join(folder, 'objects')) : undefined;
  const server = await startVault(join(folder, 'vault'), objects?.environment ?? {});
  try {
    return await measureBoth({ server, objects }, 'sdk', files);
  } finally {
    await server.stop();
    await objects?.stop();
    await rm(folder, { recursive: true });
  }
}

/** A server, and the object store behind it. */
interface Service {
  readonly server: ServerStation;
  readonly objects?: Station | undefined;
}

async function measureBoth(
  { server, objects }: Service,
  kind: ClientKind,
  { small, large, size }: Files,
): Promise<Transfers> {
  const client = await startClient(kind, server);
  try {
    // Loads the code and derives the key. The SDK sends it in one request.
    await client.download(await client.upload(small));
    await settle([server, client]);
    const pair = {
      server,
      objects,
      client,
      idle: { server: idleOf(server), client: idleOf(client) },
    };
    let id = '';
    const upload = await measure(pair, async () => {
      id = await client.upload(large);
    });
    const download = await measure(pair, async () => {
      const bytes = await client.download(id);
      if (bytes !== size) throw new Error(`${bytes} of ${size} bytes were downloaded`);
    });
    return { upload, download };
  } finally {
    await client.stop();
  }
}

/** A server and its client, with their resident memory before the first transfer, in bytes. */
interface Pair extends Service {
  readonly client: ClientStation;
  readonly idle: { readonly server: number; readonly client: number };
}

async function measure(
  { server, objects, client, idle }: Pair,
  transfer: () => Promise<unknown>,
): Promise<Transfer> {
  await settle([server, client]);
  // Outside the server's and the client's processes.
  const watcher = new Worker(new URL('../small-requests.ts', import.meta.url), {
    workerData: { url: server.smallUrl, headers: server.headers },
  });
  await once(watcher, 'message');
  const usages = {
    client: measureUsage(client, idle.client),
    server: measureUsage(server, idle.server),
    objects: objects && measureUsage(objects, idleOf(objects)),
  };
  const began = performance.now();
  await transfer();
  const seconds = (performance.now() - began) / 1000;
  const figures = {
    seconds,
    client: usages.client(),
    server: usages.server(),
    objectsSeconds: usages.objects?.().processorSeconds,
  };
  watcher.postMessage('stop');
  const [waits] = (await once(watcher, 'message')) as [number[]];
  return { ...figures, waits };
}
