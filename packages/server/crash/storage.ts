import { execFile } from 'node:child_process';
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { dataFolder } from '../test/support/data-folder.ts';

const execute = promisify(execFile);

const mebibyte = 2 ** 20;

/** A place for a database that can be made too small for it. */
export interface Storage {
  readonly folder: string;
  /** Leaves the process little room, but some. */
  exhaust(pid: number): Promise<void>;
  relieve(pid: number): Promise<void>;
}

/** Storage cannot be provided here. */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError';
}

/** Room that is left: the log of the database outgrows it, after it has been taken over once. */
const room = 20 * mebibyte;

export interface SmallDisk extends Storage {
  freeBytes(): Promise<number>;
  /** Leaves no room at all. */
  fill(): Promise<void>;
  relieve(): Promise<void>;
}

/**
 * A small disk of its own, in memory.
 *
 * @param size its bytes. Default: 64 MiB
 * @throws StorageUnavailableError where this process may not mount one.
 */
export async function mountSmallDisk(size = 64 * mebibyte): Promise<SmallDisk> {
  const mountPoint = await mkdtemp(join(tmpdir(), 'document-vault-test-'));
  onTestFinished(() => rm(mountPoint, { recursive: true }));
  await run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'document-vault-test', mountPoint]);
  onTestFinished(() => run('umount', ['--lazy', mountPoint]));
  const ballast = join(mountPoint, 'ballast');
  const freeBytes = async () => {
    const { bavail, bsize } = await statfs(mountPoint);
    return bavail * bsize;
  };
  return {
    folder: join(mountPoint, 'data'),
    freeBytes,
    async exhaust() {
      await writeFile(ballast, Buffer.alloc((await freeBytes()) - room));
    },
    async fill() {
      // It ends for want of room, having taken all of it.
      await writeFile(ballast, Buffer.alloc(size)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOSPC') throw error;
      });
    },
    relieve: () => rm(ballast),
  };
}

/**
 * A limit on the size of the files that a process writes.
 *
 * @throws StorageUnavailableError where there are no such limits.
 */
export async function limitFileSize(): Promise<Storage> {
  const limit = (pid: number, bytes: number | 'unlimited') =>
    run('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
  await run('prlimit', ['--version']);
  return {
    folder: await dataFolder(),
    exhaust: (pid) => limit(pid, 4 * mebibyte),
    relieve: (pid) => limit(pid, 'unlimited'),
  };
}

async function run(command: string, argv: readonly string[]): Promise<void> {
  try {
    await execute(command, argv);
  } catch (error) {
    throw new StorageUnavailableError(`${command} is not possible here`, { cause: error });
  }
}
