/** The processes of a transfer, each with its memory and processor time. Linux only. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { developmentAccount, documentVault } from '../peers/document-vault.ts';
import { freePort, launch, processorSeconds } from '../process.ts';
import { contractPaths } from '../scenarios.ts';

/** A process that takes part in a transfer. */
export interface Station {
  readonly pid: number;
  stop(): Promise<void>;
}

/** A server with what its clients need to know. */
export interface ServerStation extends Station {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Requested while the transfer runs. */
  readonly smallUrl: string;
}

/** A client process, which transfers a file when it is asked to. */
export interface ClientStation extends Station {
  /** Uploads a file and returns its id. */
  upload(file: string): Promise<string>;
  /** Downloads a content and returns its length. */
  download(id: string): Promise<number>;
}

/** What a station has used since the figures were reset. */
export interface Usage {
  /** Resident memory before the first transfer and at its peak, in bytes. */
  readonly idle: number;
  readonly peak: number;
  readonly processorSeconds: number;
}

/** The resident memory of a station, in bytes. */
export function idleOf({ pid }: Station): number {
  return statusOf(pid, 'VmRSS');
}

/** Starts to measure a station. The returned function ends it. */
export function measureUsage({ pid }: Station, idle: number): () => Usage {
  // Resets the peak of the resident memory (proc(5)).
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const before = processorSeconds(pid);
  return () => ({
    idle,
    peak: statusOf(pid, 'VmHWM'),
    processorSeconds: processorSeconds(pid) - before,
  });
}

/** A size in the status of a process, in bytes. */
function statusOf(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024;
}

const program = (name: string) => new URL(`../programs/${name}.ts`, import.meta.url);

/** Starts a program of the bench. It reports what it has to say in its first message. */
async function startProgram<Report>(
  name: string,
  args: readonly string[],
  flags: readonly string[] = [],
): Promise<{ child: ChildProcess; station: Station; report: Report }> {
  const child = fork(program(name), args, {
    execArgv: [...flags],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const failed = ended.then(() => {
    throw new Error(`${name} has ended`);
  });
  failed.catch(() => {});
  const [report] = (await Promise.race([once(child, 'message'), failed])) as [Report];
  const station = {
    pid: child.pid ?? 0,
    async stop() {
      process.off('exit', kill);
      child.kill('SIGTERM');
      await ended;
    },
  };
  return { child, station, report };
}

/** Starts this server as it is built, with its contents in the database or in an object store. */
export async function startVault(
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<ServerStation> {
  await mkdir(folder, { recursive: true });
  const place = { folder, port: await freePort() };
  const url = `http://127.0.0.1:${place.port}`;
  const running = await launch({
    name: 'vault',
    args: documentVault.command(place),
    environment,
    folder,
    url: url + contractPaths.vaults,
    logFile: join(folder, 'vault.log'),
    cores: undefined,
  });
  const { apiKey } = await developmentAccount(url, folder);
  return {
    pid: running.pid,
    url,
    headers: { 'x-api-key': apiKey },
    smallUrl: `${url}/api/v1/vaults?pageSize=1`,
    stop: () => running.stop(),
  };
}

/** Starts the bare server: it hashes, writes and syncs what it receives. */
export async function startSink(folder: string): Promise<ServerStation> {
  await mkdir(folder, { recursive: true });
  const { station, report: url } = await startProgram<string>('upload-sink', [folder]);
  return { ...station, url, headers: {}, smallUrl: `${url}/small` };
}

/**
 * With a smaller heap, garbage collection takes a fifth of s3rver's processor time. An object store has a machine of its
 * own; here it shares the processors with server and client.
 */
const objectStoreHeap = '--initial-old-space-size=1024';

/** Starts an object store, and returns the environment of a server that uses it. */
export async function startObjectStore(folder: string) {
  await mkdir(folder, { recursive: true });
  const { station, report } = await startProgram<string>(
    'object-store',
    [folder],
    [objectStoreHeap],
  );
  return {
    ...station,
    url: `${report}/vault`,
    headers: {},
    smallUrl: `${report}/vault/none`,
    environment: {
      DOCUMENT_VAULT_CONTENTS: 's3://vault',
      DOCUMENT_VAULT_CONTENTS_ENDPOINT: report,
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
    },
  };
}

/** The SDK, or a client that sends the same parts with `fetch` alone: to the bare server, or to the object store. */
export type ClientKind = 'sdk' | 'bare' | 's3';

export async function startClient(
  kind: ClientKind,
  { url, headers }: ServerStation,
): Promise<ClientStation> {
  const { child, station } = await startProgram(`upload-${kind}`, [
    url,
    headers['x-api-key'] ?? '',
  ]);
  const ask = async (message: object) => {
    const failed = once(child, 'exit').then(() => {
      throw new Error(`the ${kind} client has ended`);
    });
    failed.catch(() => {});
    child.send(message);
    const [result] = await Promise.race([once(child, 'message'), failed]);
    return result;
  };
  return {
    ...station,
    upload: async (file) => (await ask({ upload: file })) as string,
    download: async (id) => (await ask({ download: id })) as number,
  };
}

/** Waits until the processes have finished what their last requests left behind. */
export async function settle(stations: readonly Station[]): Promise<void> {
  const used = () => stations.reduce((sum, { pid }) => sum + processorSeconds(pid), 0);
  for (let before = used(), calm = 0; calm < 3; ) {
    await delay(200);
    const now = used();
    calm = now - before < 0.02 ? calm + 1 : 0;
    before = now;
  }
}
