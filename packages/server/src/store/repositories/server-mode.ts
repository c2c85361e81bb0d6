import type { Queries } from '../driver.ts';

export type ServerMode = 'development' | 'production';

/** The mode of the last server that used the database. Commands take their defaults from it. */
export interface ServerModeRepository {
  /** Returns undefined before the first start. */
  find(): Promise<ServerMode | undefined>;
  save(mode: ServerMode): Promise<void>;
}

export function serverModeRepository(queries: Queries): ServerModeRepository {
  return {
    async find() {
      const row = await queries.get<{ mode: ServerMode }>(
        'SELECT mode FROM server_mode WHERE id = 1',
      );
      return row?.mode;
    },

    async save(mode) {
      await queries.run(
        `INSERT INTO server_mode (id, mode) VALUES (1, @mode)
         ON CONFLICT (id) DO UPDATE SET mode = excluded.mode`,
        { mode },
      );
    },
  };
}
