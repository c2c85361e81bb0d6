import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type {
  CommitListener,
  CommitStatistics,
  DatabaseStatus,
  Driver,
  Queries,
} from '../driver.ts';
import type { ScriptRunner } from '../migrations.ts';
import { Checkpointer } from './checkpointer.ts';
import { Connection, DamageRecord } from './connection.ts';
import {
  type FolderLock,
  type FolderUse,
  lockFolder,
  makeFolder,
  requireLocalFolder,
} from './data-folder.ts';
import { FilePages } from './free-pages.ts';
import { readerSettings, writerSettings } from './settings.ts';
import { SqliteCommitted } from './views.ts';
import { runScript, Writer, type WriterParts } from './writer.ts';

export type SqliteDriver = Driver & ScriptRunner & DatabaseStatus;

/** The database file inside a data folder. */
export const databaseFile = 'document-vault.db';

/**
 * Opens the database of a data folder and locks the folder for this process.
 *
 * A transaction survives a power loss once it resolves, except with `:memory:`. Transactions run in the
 * order of their calls.
 *
 * @throws DatabaseInUseError when another process uses the folder in a way that excludes this use
 * @throws OperatorError when SQLite is older than 3.51.3 or did not apply a setting, and for a folder that
 *   cannot be created or is on a network file system
 */
export async function openSqlite(options: {
  /**
   * The data folder. A missing one is created for its owner only. It is locked for this process until
   * `close`. `:memory:` is a private temporary folder that `close` removes.
   */
  readonly folder: string;
  /** The database that `:memory:` starts with. Default: an empty one. */
  readonly template?: Uint8Array | undefined;
  /** Default `server`. With `beside`, the database exists. */
  readonly use?: FolderUse;
  /** Milliseconds that a statement waits for a lock of another process. Default 5,000. */
  readonly busyTimeout?: number;
  /** Called for the first failed checkpoint. Default: nothing happens. It is tried again after another 8 MiB. */
  readonly onCheckpointFailure?: ((error: Error) => void) | undefined;
}): Promise<SqliteDriver> {
  const { use = 'server', busyTimeout = 5000, onCheckpointFailure = () => undefined } = options;
  const isTemporary = options.folder === ':memory:';
  const home = isTemporary ? await makeTemporary() : await makeLocal(options.folder);
  const lock = lockFolder(home, use);
  const file = join(home, databaseFile);
  let writing: Connection | undefined;
  try {
    await makePrivate(file);
    if (isTemporary && options.template) await writeFile(file, options.template);
    const settings = writerSettings(isTemporary ? 'private' : 'full');
    const forWriting = { readonly: false, busyTimeout, settings };
    writing = new Connection(file, forWriting);
    const checkpointer = new Checkpointer(file, forWriting);
    // One connection is enough: reads are synchronous, so they never overlap.
    const reading = new Connection(file, { readonly: true, busyTimeout, settings: readerSettings });
    const connections = { writing, checkpointer, reading };
    return new FolderDriver({ home, use, isTemporary, lock, ...connections, onCheckpointFailure });
  } catch (error) {
    writing?.close();
    lock.release();
    if (isTemporary) await rm(home, { recursive: true });
    throw error;
  }
}

/** The database file of a data folder. */
export function databaseFileIn(folder: string): string {
  return join(resolve(folder), databaseFile);
}

function makeTemporary(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'document-vault-'));
}

async function makeLocal(folder: string): Promise<string> {
  const home = resolve(folder);
  await makeFolder(home);
  requireLocalFolder(home);
  return home;
}

/** Creates the database file for its owner only. SQLite gives its other files the same permissions. */
async function makePrivate(file: string): Promise<void> {
  const handle = await open(file, 'a', 0o600);
  await handle.close();
}

/**
 * Milliseconds after which a commit of another process is noticed. A look takes 1.7 µs, as much as a small
 * query, so that not every request has one.
 */
const noticeMs = 1;

interface FolderParts extends WriterParts {
  readonly home: string;
  readonly use: FolderUse;
  readonly isTemporary: boolean;
  readonly lock: FolderLock;
  readonly reading: Connection;
}

class FolderDriver implements SqliteDriver {
  readonly reader: SqliteCommitted;
  readonly freePages: FilePages;
  readonly #parts: FolderParts;
  readonly #damage = new DamageRecord();
  readonly #writer: Writer;
  /** Of the data, as other processes have left it: SQLite does not report commits of the connection itself. */
  #version: number;
  #lookedAt = -Infinity;
  #otherWriters = 0;
  #closing: Promise<void> | undefined;

  constructor(parts: FolderParts) {
    this.#parts = parts;
    this.#writer = new Writer(parts, this.#damage);
    this.freePages = new FilePages(parts, this.#writer);
    this.#version = this.#dataVersion();
    this.reader = new SqliteCommitted(parts.reading, this.#damage);
  }

  get statistics(): CommitStatistics {
    return this.#writer.statistics;
  }

  onCommit(listener: CommitListener): void {
    this.#writer.onCommit = listener;
  }

  get damage(): Error | undefined {
    return this.#damage.cause;
  }

  get revision(): number {
    return this.#parts.writing.commits + this.otherWriters;
  }

  get otherWriters(): number {
    const now = performance.now();
    if (now - this.#lookedAt < noticeMs || this.#closing) return this.#otherWriters;
    this.#lookedAt = now;
    const version = this.#dataVersion();
    if (version !== this.#version) this.#otherWriters += 1;
    this.#version = version;
    return this.#otherWriters;
  }

  /** https://sqlite.org/pragma.html#pragma_data_version */
  #dataVersion(): number {
    const row = this.#parts.writing.get<{ data_version: number }>('PRAGMA data_version');
    return row?.data_version ?? 0;
  }

  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#writer.transaction(work);
  }

  /** Must not be called beside transactions. */
  async runScript(sql: string, record: (queries: Queries) => Promise<void>): Promise<void> {
    await this.#writer.settled();
    await runScript(this.#parts.writing, sql, record);
  }

  /** The lock of the folder excludes other servers. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { home, use, isTemporary, lock, writing, checkpointer } = this.#parts;
    await this.#writer.drain();
    this.reader.close();
    try {
      await checkpointer.close();
      // A server beside this process would wait for a checkpoint. Closing the last connection makes one.
      if (use !== 'beside') this.#writer.emptyWal();
      // After a command, the server has noticed its changes.
      else if (writing.commits > 0) await setTimeout(2 * noticeMs);
    } finally {
      writing.close();
      lock.release();
      if (isTemporary) await rm(home, { recursive: true });
    }
  }
}
