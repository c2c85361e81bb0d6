import type { Queries } from '../driver.ts';

/** The most networks that are kept for an account: those it signed in from last. */
const maxPlaces = 100;

/** Networks that accounts have signed in from. */
export interface LoginPlaces {
  /** Whether an account has signed in from there. The query takes as long for an unknown account. */
  isKnown(userId: string, network: string): Promise<boolean>;
  /** Notes a login. */
  note(userId: string, network: string, now: number): Promise<void>;
  /** Removes places whose last login was at or before that moment; returns how many. */
  remove(places: { lastLoginBy: number; limit: number }): Promise<number>;
}

export function loginPlaces(queries: Queries): LoginPlaces {
  return {
    async isKnown(userId, network) {
      const row = await queries.get(
        'SELECT 1 FROM login_places WHERE user_id = @userId AND network = @network',
        { userId, network },
      );
      return row !== undefined;
    },

    async note(userId, network, now) {
      await queries.run(
        `INSERT INTO login_places (user_id, network, last_login_at) VALUES (@userId, @network, @now)
         ON CONFLICT (user_id, network) DO UPDATE SET last_login_at = excluded.last_login_at`,
        { userId, network, now },
      );
      // A login adds one at most, so one at most is too many.
      await queries.run(
        `DELETE FROM login_places WHERE user_id = @userId AND network IN (
           SELECT network FROM login_places WHERE user_id = @userId
           ORDER BY last_login_at DESC, network LIMIT 1 OFFSET ${maxPlaces}
         )`,
        { userId },
      );
    },

    remove: ({ lastLoginBy, limit }) =>
      queries.run(
        `DELETE FROM login_places WHERE (user_id, network) IN (
           SELECT user_id, network FROM login_places WHERE last_login_at <= @lastLoginBy
           ORDER BY last_login_at LIMIT CAST(@limit AS INTEGER)
         )`,
        { lastLoginBy, limit },
      ),
  };
}
