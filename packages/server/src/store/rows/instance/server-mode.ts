import type { Queries } from '../../driver.ts';

export type ServerMode = 'development' | 'production';

/** The mode of the last server that used the database. Commands take their defaults from it. */
export function serverModeRepository(queries: Queries) {
  return {
    /** Returns undefined before the first start. */
    async find() {
      const row = await queries.get<{ mode: ServerMode }>(
        'SELECT mode FROM server_mode WHERE id = 1',
      );
      return row?.mode;
    },

    async save(mode: ServerMode) {
      await queries.run(
        `INSERT INTO server_mode (id, mode) VALUES (1, @mode)
         ON CONFLICT (id) DO UPDATE SET mode = excluded.mode`,
        { mode },
      );
    },
  };
}
