import { fold } from '../../../lib/case-folding.ts';
import type { Queries, SqlParameters } from '../../driver.ts';
import { inSnapshot, listRows, orderAndPage, type SortedPageRequest } from '../../lists/listing.ts';
import { scanRows } from '../../lists/scan.ts';
import { decode, type Row, Table } from '../../table.ts';

export type Tier = 'free' | 'paid' | 'enterprise';

export interface UserRecord {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
  readonly role: 'user' | 'admin';
  readonly tier: Tier;
  readonly status: 'active' | 'suspended';
  readonly instanceId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The columns of an account that each request reads with its credentials. */
export type HolderAccount = Pick<UserRecord, 'email' | 'role' | 'tier' | 'status' | 'instanceId'>;

/** The columns of `HolderAccount`. `u` is the account. */
export const holderAccount = `u.email AS email, u.role AS role, u.tier AS tier, u.status AS status,
  u.instance_id AS "instanceId"`;

export interface UserFilter extends SortedPageRequest<typeof sortColumns> {
  /** Part of the name or of the email address, in any case. */
  readonly search?: string | undefined;
  readonly tier?: Tier | undefined;
  readonly role?: UserRecord['role'] | undefined;
  readonly status?: UserRecord['status'] | undefined;
}

export interface Belongings {
  readonly userId: string;
  /** The session that stays; null: none. */
  readonly sessionId: string | null;
  readonly limit: number;
}

/** The first rows of each kind stay: the deletion of a usual account is one transaction. */
const afterFirst = 'LIMIT @limit OFFSET @limit';

/** One kind after the other. The credentials that the account is removed with stay. */
const belongings = [
  `DELETE FROM deliveries WHERE id IN (
     SELECT d.id FROM webhooks w CROSS JOIN deliveries d
     WHERE d.webhook_id = w.id AND w.user_id = @userId ${afterFirst}
   )`,
  `DELETE FROM idempotency_outcomes WHERE user_id = @userId AND call_hash IN (
     SELECT call_hash FROM idempotency_outcomes WHERE user_id = @userId ${afterFirst}
   )`,
  `DELETE FROM refresh_tokens WHERE hash IN (
     SELECT t.hash FROM sessions s CROSS JOIN refresh_tokens t
     WHERE t.session_id = s.id AND s.user_id = @userId ${afterFirst}
   )`,
  `DELETE FROM sessions WHERE id IN (
     SELECT id FROM sessions WHERE user_id = @userId AND id IS DISTINCT FROM @sessionId
     ${afterFirst}
   )`,
  `DELETE FROM consents WHERE id IN (
     SELECT id FROM consents WHERE user_id = @userId ${afterFirst}
   )`,
  `DELETE FROM api_keys WHERE key_id IN (
     SELECT key_id FROM api_keys WHERE user_id = @userId AND revoked_at IS NOT NULL
     ${afterFirst}
   )`,
];

/** After the other kinds, which a caller can do without. */
const vaults = `DELETE FROM vaults WHERE id IN (
  SELECT id FROM vaults WHERE user_id = @userId ORDER BY created_at, id ${afterFirst}
)`;

/** Ids of accounts contain the time of their creation. */
const sortColumns = { createdAt: 'id', email: 'email_folded' } as const;

/** Returns the test of a filter; undefined when all accounts match. */
function matchOf({ search, ...equal }: Pick<UserFilter, 'search' | 'tier' | 'role' | 'status'>) {
  const given = (['tier', 'role', 'status'] as const).filter((name) => equal[name] !== undefined);
  if (given.length === 0 && !search) return undefined;
  const part = fold(search ?? '');
  return (user: UserRecord) =>
    given.every((name) => user[name] === equal[name]) &&
    (fold(user.name).includes(part) || fold(user.email).includes(part));
}

const users = new Table<UserRecord, typeof sortColumns>({
  name: 'users',
  columns: `id, email, name, password_hash, role, tier, status, instance_id, created_at, updated_at`,
  sortColumns,
});

const insertion = `${users.insertionWith({ email_folded: '@emailFolded' })}
  ON CONFLICT (email_folded) DO NOTHING`;

const changes = users.update(
  'email, email_folded, name, password_hash, role, tier, status, updated_at',
);

function toParameters(user: UserRecord): SqlParameters {
  return { ...user, emailFolded: fold(user.email) };
}

type Standing = Pick<UserRecord, 'role' | 'status'>;

function isActiveAdministrator({ role, status }: Standing): boolean {
  return role === 'admin' && status === 'active';
}

export function userRepository(queries: Queries) {
  return {
    /** Returns false and stores nothing when the email address is taken. */
    async insert(user: UserRecord) {
      return (await queries.run(insertion, toParameters(user))) === 1;
    },

    find: (id: string) => users.find(queries, id),

    findByEmail: (email: string) =>
      users.first(queries, `email_folded = @email ${queries.dialect.lock()}`, {
        email: fold(email),
      }),

    /** Lists all accounts. A filter reads all of them in batches, so it must not run inside a transaction. */
    async list({ search, tier, role, status, ...request }: UserFilter) {
      const matches = matchOf({ search, tier, role, status });
      const list = {
        table: 'users',
        columns: users.columns,
        ...orderAndPage(request, sortColumns),
      };
      if (matches) return scanRows<UserRecord>(queries, { ...list, matches });
      return inSnapshot(queries, request, async (snapshot) => {
        const counted = await snapshot.get<{ total: number }>(
          '/* all rows */ SELECT COUNT(*) AS total FROM users',
        );
        return listRows<UserRecord>(snapshot, {
          ...list,
          where: [],
          parameters: {},
          totalCount: counted?.total ?? 0,
        });
      });
    },

    /** Whether an account other than this one is an active administrator. */
    async hasOtherAdministrator(id: string) {
      const other = await queries.get(
        `SELECT id FROM users WHERE role = 'admin' AND status = 'active' AND id <> @id ORDER BY id LIMIT 1
         ${queries.dialect.lock()}`,
        { id },
      );
      return other !== undefined;
    },

    /**
     * Updates everything except the instance and createdAt. The webhooks of an account that stops being an active
     * administrator receive its own events alone from then on.
     */
    async save(user: UserRecord) {
      const before = await queries.get<Standing>('SELECT role, status FROM users WHERE id = @id', {
        id: user.id,
      });
      await queries.run(changes, toParameters(user));
      if (!before || !isActiveAdministrator(before) || isActiveAdministrator(user)) return;
      // A later promotion does not bring `all` back. Apps with `admin:*` read only what their scopes list.
      await queries.run(
        `UPDATE webhooks SET accounts = 'own', narrowed = 1
         WHERE user_id = @id AND (accounts = 'all' OR access_id IS NOT NULL)`,
        { id: user.id },
      );
    },

    /**
     * Removes at most `limit` rows of each kind that an account can have thousands of: deliveries, outcomes of
     * idempotent calls, sessions with their tokens, consents, API keys, vaults. The first `limit` rows of a kind
     * stay.
     *
     * @returns whether there may be more
     */
    async removeBelongings({ userId, sessionId, limit }: Belongings) {
      for (const removal of belongings) {
        if ((await queries.run(removal, { userId, sessionId, limit })) >= limit) return true;
      }
      return (await queries.run(vaults, { userId, limit })) >= limit;
    },

    /** Removes the account with everything that it still owns, in one statement. */
    async delete(id: string) {
      await queries.run('DELETE FROM users WHERE id = @id', { id });
    },

    async isEmpty() {
      return (await queries.get('SELECT 1 FROM users LIMIT 1')) === undefined;
    },

    /** Returns the accounts created after this one, in the order of creation. */
    following: (id: string, limit: number) =>
      users.all(queries, 'id > @id ORDER BY id LIMIT @limit', { id, limit }),
  };
}

/** The account that a development server created. */
export interface DevelopmentAccountRecord {
  readonly userId: string;
  readonly email: string;
  readonly keyId: string;
  /** Whether the printed password is still valid. */
  readonly hasPrintedPassword: boolean;
  /** Whether the printed API key is still valid. */
  readonly hasPrintedKey: boolean;
}

/** Marks the account whose password and API key were printed. */
export function developmentAccountRepository(queries: Queries) {
  return {
    /** Marks an account with its first password. Deleting the account removes the mark. */
    async mark({ userId, keyId }: { readonly userId: string; readonly keyId: string }) {
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
      return (
        row &&
        decode<DevelopmentAccountRecord>(row, { flags: ['hasPrintedPassword', 'hasPrintedKey'] })
      );
    },

    async unmark() {
      await queries.run('DELETE FROM development_account WHERE id = 1');
    },
  };
}
