import type { Queries } from '../driver.ts';

/** The account that a server in development made, with what is still known of it. */
export interface DevelopmentAccountRecord {
  readonly userId: string;
  readonly email: string;
  readonly keyId: string;
  /** Whether the account still has the password that was printed. */
  readonly hasPrintedPassword: boolean;
  /** Whether the API key that was printed is not revoked. */
  readonly hasPrintedKey: boolean;
}

/** The mark of the account whose password and API key a server in development printed. */
export interface DevelopmentAccounts {
  /** Marks an account that has its first password. The mark is removed with the account. */
  mark(account: { readonly userId: string; readonly keyId: string }): Promise<void>;
  find(): Promise<DevelopmentAccountRecord | undefined>;
  unmark(): Promise<void>;
}

type Row = Pick<DevelopmentAccountRecord, 'userId' | 'email' | 'keyId'> & {
  readonly hasPrintedPassword: number;
  readonly hasPrintedKey: number;
};

export function developmentAccounts(queries: Queries): DevelopmentAccounts {
  return {
    async mark({ userId, keyId }) {
      await queries.run(
        `INSERT INTO development_account (id, user_id, key_id, password_hash)
         SELECT 1, id, @keyId, password_hash FROM users WHERE id = @userId`,
        { userId, keyId },
      );
    },

    async find() {
      const row = await queries.get<Row>(
        `SELECT u.id AS "userId", u.email AS email, a.key_id AS "keyId",
           CASE WHEN u.password_hash = a.password_hash THEN 1 ELSE 0 END AS "hasPrintedPassword",
           CASE WHEN k.key_id IS NOT NULL AND k.revoked_at IS NULL THEN 1 ELSE 0 END AS "hasPrintedKey"
         FROM development_account a JOIN users u ON u.id = a.user_id
         LEFT JOIN api_keys k ON k.key_id = a.key_id
         WHERE a.id = 1`,
      );
      if (row === undefined) return undefined;
      const { hasPrintedPassword, hasPrintedKey, ...account } = row;
      return {
        ...account,
        hasPrintedPassword: hasPrintedPassword === 1,
        hasPrintedKey: hasPrintedKey === 1,
      };
    },

    async unmark() {
      await queries.run('DELETE FROM development_account WHERE id = 1');
    },
  };
}
