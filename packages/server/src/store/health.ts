import type { Queries } from './driver.ts';

export interface Health {
  /** Writes a row, the same one each time: whether it can be written is the point. */
  probe(now: number): Promise<void>;
}

export function health(queries: Queries): Health {
  return {
    async probe(now) {
      await queries.run(
        `INSERT INTO health_probe (id, written_at) VALUES (1, @now)
         ON CONFLICT (id) DO UPDATE SET written_at = excluded.written_at`,
        { now },
      );
    },
  };
}
