import type { Driver } from './driver.ts';

/** A database as it was when it was opened, even while servers write to it. Rejects writes. */
export interface Snapshot extends Driver {
  /** Returns the tables with rows of their own, without the internal tables of indexes. */
  tables(): Promise<readonly string[]>;
  /** Returns the problems of files and indexes, in the words of the database. */
  integrity(): Promise<readonly string[]>;
  /** Returns differences between search indexes and rows. Names are compared for a sample. */
  searchIndexes(): Promise<readonly string[]>;
  /** Returns the references to missing rows. */
  brokenReferences(): Promise<readonly BrokenReference[]>;
}

export interface BrokenReference {
  readonly table: string;
  readonly parent: string;
  readonly count: number;
}
