import type { Queries, SqlParameters } from '../../../src/store/driver.ts';

export interface ObservedQuery {
  readonly sql: string;
  readonly parameters: SqlParameters;
  /** A row, or a list of rows. */
  readonly result: unknown;
}

/** Runs queries on `reader`, and reports those that read. */
export function observing(reader: Queries, report: (query: ObservedQuery) => void): Queries {
  return {
    dialect: reader.dialect,
    run: (sql, parameters) => reader.run(sql, parameters),
    insert: (sql, parameters) => reader.insert(sql, parameters),
    snapshot: (work) => reader.snapshot((snapshot) => work(observing(snapshot, report))),
    async get<Row>(sql: string, parameters: SqlParameters = {}) {
      const result = await reader.get<Row>(sql, parameters);
      report({ sql, parameters, result });
      return result;
    },
    async all<Row>(sql: string, parameters: SqlParameters = {}) {
      const result = await reader.all<Row>(sql, parameters);
      report({ sql, parameters, result });
      return result;
    },
  };
}
