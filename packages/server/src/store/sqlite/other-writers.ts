import type { Connection } from './connection.ts';

/**
 * Milliseconds after which a commit of another process is noticed. A look takes 1.7 µs, as much as a small
 * query, so that not every request has one.
 */
export const noticeMs = 1;

/** Counts the times at which commits of other processes were noticed. */
export class OtherWriters {
  readonly #connection: Connection;
  #version: number;
  #lookedAt = -Infinity;
  #count = 0;
  #closed = false;

  /** @param connection the only one of this process that commits: SQLite does not report its own commits */
  constructor(connection: Connection) {
    this.#connection = connection;
    this.#version = this.#dataVersion();
  }

  /** Changes at most `noticeMs` after a commit of another process. */
  get count(): number {
    const now = performance.now();
    if (now - this.#lookedAt < noticeMs || this.#closed) return this.#count;
    this.#lookedAt = now;
    const version = this.#dataVersion();
    if (version !== this.#version) this.#count += 1;
    this.#version = version;
    return this.#count;
  }

  /** Call it before the connection is closed. */
  close(): void {
    this.#closed = true;
  }

  /** https://sqlite.org/pragma.html#pragma_data_version */
  #dataVersion(): number {
    return this.#connection.get<{ data_version: number }>('PRAGMA data_version')?.data_version ?? 0;
  }
}
