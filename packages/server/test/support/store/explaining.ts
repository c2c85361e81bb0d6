import type { Queries } from '../../../src/store/driver.ts';

/** Runs queries on `reader`, and adds the steps of each query plan to `steps`. */
export function explaining(reader: Queries, steps: string[]): Queries {
  async function explain(...[sql, parameters]: Parameters<Queries['get']>): Promise<void> {
    const plan = await reader.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, parameters);
    steps.push(...plan.map(({ detail }) => detail));
  }
  return {
    dialect: reader.dialect,
    run: (sql, parameters) => reader.run(sql, parameters),
    insert: (sql, parameters) => reader.insert(sql, parameters),
    snapshot: (work) => reader.snapshot((snapshot) => work(explaining(snapshot, steps))),
    async get(sql, parameters) {
      await explain(sql, parameters);
      return reader.get(sql, parameters);
    },
    async all(sql, parameters) {
      await explain(sql, parameters);
      return reader.all(sql, parameters);
    },
  };
}
