import type { Queries } from '../../driver.ts';
import type { Sealer } from '../../sealing.ts';

export interface SigningKeyRecord {
  readonly kid: string;
  /** JSON Web Keys (RFC 7517) as JSON text. */
  readonly publicJwk: string;
  readonly privateJwk: string;
  readonly createdAt: number;
  /** The key signs from this moment until that of the next key. */
  readonly signsFrom: number;
}

type Stored = Omit<SigningKeyRecord, 'privateJwk'> & { readonly privateJwk: Uint8Array };

export function signingKeyRepository(queries: Queries, sealer: Sealer) {
  return {
    async insert(key: SigningKeyRecord) {
      await queries.run(
        `INSERT INTO signing_keys (kid, public_jwk, private_jwk, created_at, signs_from)
         VALUES (@kid, @publicJwk, @privateJwk, @createdAt, @signsFrom)`,
        {
          ...key,
          privateJwk: sealer.seal(key.privateJwk, 'signing_keys.private_jwk', [key.kid]),
        },
      );
    },

    async delete(kid: string) {
      await queries.run('DELETE FROM signing_keys WHERE kid = @kid', { kid });
    },

    /** Returns all keys. The key that signs last comes first. */
    async list() {
      const rows = await queries.all<Stored>(
        `SELECT kid, public_jwk AS "publicJwk", private_jwk AS "privateJwk", created_at AS "createdAt",
           signs_from AS "signsFrom"
         FROM signing_keys ORDER BY signs_from DESC, created_at DESC, kid DESC`,
      );
      return rows.map((row) => ({
        ...row,
        privateJwk: sealer
          .open(row.privateJwk, 'signing_keys.private_jwk', [row.kid])
          .toString('utf8'),
      }));
    },

    /** Returns a named secret of this server. `create` makes it on first use. */
    async secret(name: string, create: () => Uint8Array) {
      const stored = await queries.get<{ value: Uint8Array }>(
        'SELECT value FROM server_secrets WHERE name = @name',
        { name },
      );
      if (stored) return sealer.open(stored.value, 'server_secrets.value', [name]);
      const value = create();
      await queries.run('INSERT INTO server_secrets (name, value) VALUES (@name, @value)', {
        name,
        value: sealer.seal(value, 'server_secrets.value', [name]),
      });
      return value;
    },
  };
}
