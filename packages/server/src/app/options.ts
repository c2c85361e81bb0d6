import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { SigningKeyPair } from '../domain/accounts/access-tokens.ts';
import type { PasswordCost } from '../domain/accounts/secrets.ts';
import type { Faults } from '../faults/faults.ts';
import type { Clock } from '../lib/clock.ts';
import type { ObjectStore } from '../store/contents/s3/object-store.ts';
import type { DatabaseStatus } from '../store/driver.ts';
import type { Store } from '../store/store.ts';

export interface AppOptions {
  readonly config: Config;
  readonly store: Store;
  /** Where contents are stored; undefined: in the database. */
  readonly objects: ObjectStore | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns the server's public address, which is known once it listens. */
  readonly baseUrl: () => string;
  /** The state of the database, for operators. */
  readonly databaseStatus: DatabaseStatus;
  /** Undefined in production. */
  readonly faults: Faults | undefined;
  /** The cost of hashing passwords. Only tests set it. Default: OWASP's choice. */
  readonly passwordCost?: PasswordCost | undefined;
  /** Makes the keys that sign access tokens. Only tests set it. Default: a new RSA key. */
  readonly newSigningKey?: (() => Promise<SigningKeyPair>) | undefined;
}
