import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import type { ConnectionOptions } from './connection.ts';

/** What the thread needs to know. */
export interface CheckpointTask {
  readonly file: string;
  readonly options: ConnectionOptions;
}

/** What the thread responds. */
export interface CheckpointOutcome {
  /** `code`: of SQLite; empty for another failure. */
  readonly failure?: { readonly message: string; readonly code: string };
}

/** This file runs from the sources, or in a bundle beside the thread's. */
const program = new URL(
  import.meta.url.endsWith('.ts') ? './checkpoint-thread.ts' : './checkpoint-thread.js',
  import.meta.url,
);

/**
 * Writes the WAL into the database file, in a thread with a connection of its own. A checkpoint of 8 MiB flushes them
 * to the disk, and would block all requests meanwhile. The thread starts with the first checkpoint.
 */
export class Checkpointer {
  readonly #task: CheckpointTask;
  #worker: Worker | undefined;

  constructor(file: string, options: ConnectionOptions) {
    this.#task = { file, options };
  }

  /** @throws SqliteError; the error of a thread that has failed, after which the next call starts another one */
  async checkpoint(): Promise<void> {
    const worker = this.#worker ?? this.#start();
    worker.ref();
    const settled = new AbortController();
    const exit = once(worker, 'exit', settled).then(() => {
      throw new Error('the thread of checkpoints has ended');
    });
    try {
      worker.postMessage('checkpoint');
      const message = once(worker, 'message', settled);
      const [{ failure }] = (await Promise.race([message, exit])) as [CheckpointOutcome];
      if (failure) throw errorOf(failure);
    } finally {
      settled.abort();
      // Only a running checkpoint keeps the process alive.
      worker.unref();
    }
  }

  /** Must not be called during a checkpoint. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    worker.ref();
    worker.postMessage('close');
    await once(worker, 'exit');
  }

  #start(): Worker {
    const worker = new Worker(program, { workerData: this.#task, execArgv: [] });
    const forget = () => {
      if (this.#worker === worker) this.#worker = undefined;
    };
    worker.once('exit', forget).once('error', forget);
    this.#worker = worker;
    return worker;
  }
}

function errorOf({ message, code }: NonNullable<CheckpointOutcome['failure']>): Error {
  return code.startsWith('SQLITE_') ? new Database.SqliteError(message, code) : new Error(message);
}
