import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { DatabaseStatus, Driver, Queries, Statistics } from '../driver.ts';
import { Connection, DamageRecord } from './connection.ts';
import { type FolderLock, lockFolder, makeFolder } from './data-folder.ts';
import type { ScriptRunner } from './migrations.ts';
import { readerSettings, writerSettings } from './settings.ts';
import { CommittedView } from './views.ts';
import { Writer } from './writer.ts';

export interface SqliteOptions {
  /**
   * The data folder. A missing one is created for its owner only. It is locked for this process until
   * `close`. `:memory:` is a private temporary folder that `close` removes.
   */
  readonly folder: string;
  /** Milliseconds that a statement waits for a lock of another process. Default 5,000. */
  readonly busyTimeout?: number;
}

export type SqliteDriver = Driver & ScriptRunner & DatabaseStatus;

/** The database file inside a data folder. */
export const databaseFile = 'document-vault.db';

/**
 * Opens the database of a data folder and locks the folder for this process.
 *
 * A transaction survives a power loss once it resolves, except with `:memory:`. Transactions run in the
 * order of their calls.
 *
 * @throws DatabaseInUseError when another process has locked the folder
 * @throws DatabaseRefusedError when SQLite is older than 3.51.3 or did not apply a setting
 */
export async function openSqlite({ folder, busyTimeout }: SqliteOptions): Promise<SqliteDriver> {
  if (folder === ':memory:') {
    const home = await mkdtemp(join(tmpdir(), 'document-vault-'));
    return openFolder(home, { busyTimeout, isTemporary: true });
  }
  const home = resolve(folder);
  await makeFolder(home);
  return openFolder(home, { busyTimeout, isTemporary: false });
}

interface FolderOptions {
  readonly busyTimeout: number | undefined;
  readonly isTemporary: boolean;
}

/** The database file of a data folder. */
export function databaseFileIn(folder: string): string {
  return join(resolve(folder), databaseFile);
}

async function openFolder(
  home: string,
  { busyTimeout = 5000, isTemporary }: FolderOptions,
): Promise<SqliteDriver> {
  const lock = lockFolder(home);
  const file = join(home, databaseFile);
  let writing: Connection | undefined;
  try {
    await makePrivate(file);
    writing = new Connection(file, {
      readonly: false,
      busyTimeout,
      settings: writerSettings(isTemporary ? 'private' : 'full'),
    });
    // One connection is enough: reads are synchronous, so they never overlap.
    const reading = new Connection(file, { readonly: true, busyTimeout, settings: readerSettings });
    return new FolderDriver({ home, isTemporary, lock, writing, reading });
  } catch (error) {
    writing?.close();
    lock.release();
    if (isTemporary) await rm(home, { recursive: true });
    throw error;
  }
}

/** Creates the database file for its owner only. SQLite gives its other files the same permissions. */
async function makePrivate(file: string): Promise<void> {
  const handle = await open(file, 'a', 0o600);
  await handle.close();
}

interface FolderParts {
  readonly home: string;
  readonly isTemporary: boolean;
  readonly lock: FolderLock;
  readonly writing: Connection;
  readonly reading: Connection;
}

class FolderDriver implements SqliteDriver {
  readonly reader: CommittedView;
  readonly #parts: FolderParts;
  readonly #damage = new DamageRecord();
  readonly #writer: Writer;
  #closing: Promise<void> | undefined;

  constructor(parts: FolderParts) {
    this.#parts = parts;
    this.#writer = new Writer(parts.writing, this.#damage);
    this.reader = new CommittedView(parts.reading, this.#damage);
  }

  get statistics(): Statistics {
    return this.#writer.statistics;
  }

  get damage(): Error | undefined {
    return this.#damage.cause;
  }

  /** Counts the commits of this process: the lock on the folder excludes others. */
  get revision(): number {
    return this.#parts.writing.commits;
  }

  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#writer.transaction(work);
  }

  runScript(sql: string, record: (queries: Queries) => Promise<void>): Promise<void> {
    return this.#writer.script(sql, record);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { home, isTemporary, lock, writing } = this.#parts;
    await this.#writer.drain();
    this.reader.close();
    try {
      this.#writer.emptyWal();
    } finally {
      writing.close();
      lock.release();
      if (isTemporary) await rm(home, { recursive: true });
    }
  }
}
