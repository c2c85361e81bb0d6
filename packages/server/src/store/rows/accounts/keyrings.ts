import type { Queries } from '../../driver.ts';
import { Table } from '../../table.ts';

/** A way to get at the account key. */
export interface UnlockerRecord {
  readonly id: string;
  readonly type: 'passphrase' | 'recoveryKey' | 'passkey';
}

/** The keyring of an account. Its contents are opaque to the service. */
export interface KeyringRecord {
  readonly userId: string;
  readonly version: number;
  readonly publicKey: string;
  readonly privateKey: string;
  readonly unlockers: readonly UnlockerRecord[];
}

const keyrings = new Table<KeyringRecord>({
  name: 'keyrings',
  columns: 'user_id, version, public_key, private_key, unlockers',
  json: ['unlockers'],
  key: 'user_id',
});

const changes = keyrings.update('version, public_key, private_key, unlockers');

export function keyringRepository(queries: Queries) {
  return {
    insert: (keyring: KeyringRecord) => keyrings.insert(queries, keyring),

    find: (userId: string) => keyrings.find(queries, userId),

    async save(keyring: KeyringRecord) {
      await queries.run(changes, keyrings.parametersOf(keyring));
    },
  };
}
