import type { Queries } from '../../../src/store/driver.ts';

/** Answers queries as `reader` does, and collects in `steps` how SQLite goes about them. */
export function explaining(reader: Queries, steps: string[]): Queries {
  async function explain(...[sql, parameters]: Parameters<Queries['get']>): Promise<void> {
    const plan = await reader.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, parameters);
    steps.push(...plan.map(({ detail }) => detail));
  }
  return {
    dialect: reader.dialect,
    run: (sql, parameters) => reader.run(sql, parameters),
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
