import { fold } from '../../case-folding.ts';
import type { Queries, SqlParameters } from '../driver.ts';

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

export interface Users {
  /** Answers false, and stores nothing, when the email address is taken. */
  insert(user: UserRecord): Promise<boolean>;
  find(id: string): Promise<UserRecord | undefined>;
  findByEmail(email: string): Promise<UserRecord | undefined>;
  /** Writes everything but the instance and createdAt. */
  save(user: UserRecord): Promise<void>;
  /** Removes the account with everything that it owns. */
  delete(id: string): Promise<void>;
  isEmpty(): Promise<boolean>;
  /** The accounts made after that one, in the order in which they were made. */
  following(id: string, limit: number): Promise<UserRecord[]>;
}

const columns = `id, email, name, password_hash AS "passwordHash", role, tier, status,
  instance_id AS "instanceId", created_at AS "createdAt", updated_at AS "updatedAt"`;

function toParameters(user: UserRecord): SqlParameters {
  return { ...user, emailFolded: fold(user.email) };
}

export function users(queries: Queries): Users {
  return {
    async insert(user) {
      const inserted = await queries.run(
        `INSERT INTO users (id, email, email_folded, name, password_hash, role, tier, status, instance_id,
           created_at, updated_at)
         VALUES (@id, @email, @emailFolded, @name, @passwordHash, @role, @tier, @status, @instanceId,
           @createdAt, @updatedAt)
         ON CONFLICT (email_folded) DO NOTHING`,
        toParameters(user),
      );
      return inserted === 1;
    },

    find: (id) => queries.get<UserRecord>(`SELECT ${columns} FROM users WHERE id = @id`, { id }),

    findByEmail: (email) =>
      queries.get<UserRecord>(`SELECT ${columns} FROM users WHERE email_folded = @email`, {
        email: fold(email),
      }),

    async save(user) {
      await queries.run(
        `UPDATE users SET email = @email, email_folded = @emailFolded, name = @name, password_hash = @passwordHash,
           role = @role, tier = @tier, status = @status, updated_at = @updatedAt
         WHERE id = @id`,
        toParameters(user),
      );
    },

    async delete(id) {
      await queries.run('DELETE FROM users WHERE id = @id', { id });
    },

    async isEmpty() {
      return (await queries.get('SELECT 1 FROM users LIMIT 1')) === undefined;
    },

    following: (id, limit) =>
      queries.all<UserRecord>(
        `SELECT ${columns} FROM users WHERE id > @id ORDER BY id LIMIT CAST(@limit AS INTEGER)`,
        { id, limit },
      ),
  };
}
