import type { Driver, Queries } from './driver.ts';
import { StoreUseError } from './store-errors.ts';

/** A database as it was when it was opened, even while servers write to it. Rejects writes. */
export abstract class Snapshot implements Driver {
  abstract readonly reader: Queries;
  /** Later commits are not visible. */
  readonly revision = 0;
  readonly otherWriters = 0;

  async transaction(): Promise<never> {
    throw new StoreUseError('The database was opened for reading only.');
  }

  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  /** Returns the tables with rows of their own, without the internal tables of indexes. */
  async tables(): Promise<readonly string[]> {
    const rows = await this.reader.all<{ name: string }>(
      `SELECT name FROM (${this.reader.dialect.tables}) t ORDER BY name`,
    );
    return rows.map(({ name }) => name);
  }

  /** Returns the problems of files and indexes, in the words of the database. */
  abstract integrity(): Promise<readonly string[]>;
  /** Returns differences between search indexes and rows. Names are compared for a sample. */
  abstract searchIndexes(): Promise<readonly string[]>;
  /** Returns the references to missing rows. */
  abstract brokenReferences(): Promise<readonly BrokenReference[]>;
  abstract close(): Promise<void>;
}

export interface BrokenReference {
  readonly table: string;
  readonly parent: string;
  readonly count: number;
}
