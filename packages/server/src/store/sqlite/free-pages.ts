import type { FreePages } from '../driver.ts';
import type { Connection } from './connection.ts';
import { pageBytes } from './settings.ts';
import type { Writer } from './writer.ts';

/** Pages that one transaction returns to the disk: 2 MiB, which takes some milliseconds. */
const pagesPerStep = (2 * 1024 * 1024) / pageBytes;

/** Free pages that stay for the next documents: 64 MiB. */
const keptPages = (64 * 1024 * 1024) / pageBytes;

/** The free pages of the database file. */
export class FilePages implements FreePages {
  readonly #reading: Connection;
  readonly #writing: Connection;
  readonly #writer: Writer;

  constructor(connections: { reading: Connection; writing: Connection }, writer: Writer) {
    this.#reading = connections.reading;
    this.#writing = connections.writing;
    this.#writer = writer;
  }

  get bytes(): number {
    return this.#count() * pageBytes;
  }

  async release(): Promise<boolean> {
    const before = this.#count();
    if (before <= keptPages) return false;
    const pages = Math.min(pagesPerStep, before - keptPages);
    // Not a prepared statement: each of its steps returns one page.
    await this.#writer.transaction(async () =>
      this.#writing.script(`PRAGMA incremental_vacuum(${pages})`),
    );
    const after = this.#count();
    const isComplete = after >= before || after <= keptPages;
    // The file becomes smaller by a checkpoint alone, and few pages are written after this.
    if (isComplete) this.#writer.requestCheckpoint();
    return !isComplete;
  }

  #count(): number {
    return (
      this.#reading.get<{ freelist_count: number }>('PRAGMA freelist_count')?.freelist_count ?? 0
    );
  }
}
