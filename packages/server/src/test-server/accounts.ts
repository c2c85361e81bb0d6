import { randomUUID } from 'node:crypto';
import { contractOperation, type OperationId } from '../contract/contract.ts';
import { createRequestValidator } from '../contract/validation.ts';
import { userScopes } from '../domain/access.ts';
import { newApiKey } from '../domain/accounts/api-keys.ts';
import { actorOf } from '../domain/accounts/auth.ts';
import { digest } from '../domain/accounts/secrets.ts';
import { type Actor, serverItself } from '../domain/actor.ts';
import type { Services } from '../domain/services.ts';
import type { Scope, Shape } from '../domain/shapes.ts';
import { TestFeatureError } from '../faults/fault-kinds.ts';
import { ServiceError } from '../generated/rules/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { createIds } from '../lib/ids.ts';
import type { Repositories, Store } from '../store/store.ts';

/** A new account. By default an active user of the tier of new accounts, `enterprise`. */
export interface NewTestAccount
  extends Partial<Pick<Shape<'User'>, 'email' | 'name' | 'role' | 'tier' | 'status'>> {
  /** At least 12 characters. @default correct horse battery */
  password?: string;
  /** Scopes of its API key. @default every scope of an ordinary account */
  scopes?: Scope[];
}

/** A new document. Only the vault is required. */
export interface NewTestDocument {
  /** Id of a vault of the account. */
  vaultId: string;
  /** @default document.txt */
  fileName?: string;
  /** @default text/plain */
  mimeType?: string;
  /** The ciphertext in base64. @default three bytes, which nothing decrypts */
  encryptedData?: string;
  /** How the content is encrypted. @default invented values */
  encryptionMetadata?: Shape<'EncryptionMetadata'>;
}

/** An account of the test server, with its credentials. */
export interface TestAccount {
  /** Id of the user. */
  readonly id: string;
  /** Email address to log in with. */
  readonly email: string;
  /** Password to log in with. */
  readonly password: string;
  /** An API key with the requested scopes. */
  readonly apiKey: string;
  /**
   * Creates a vault of the account without a request. Its event is emitted.
   *
   * @throws TestFeatureError for values that the service rejects
   * @example
   * const vault = await service.account.createVault({ name: 'Taxes' });
   */
  createVault(vault?: Partial<Shape<'CreateVault'>>): Promise<Shape<'Vault'>>;
  /**
   * Creates a document in a vault of the account without a request. Its event is emitted.
   *
   * @throws TestFeatureError for values that the service rejects
   * @example
   * const document = await service.account.createDocument({ vaultId: vault.id, fileName: 'return.txt' });
   */
  createDocument(document: NewTestDocument): Promise<Shape<'Document'>>;
}

type Credentials = Pick<TestAccount, 'id' | 'email' | 'password' | 'apiKey'>;

export interface TestAccountsOptions {
  readonly services: Services;
  readonly store: Store;
  readonly clock: Clock;
}

/** The password of accounts for which none is given. */
export const defaultPassword = 'correct horse battery';

/** Creates accounts and their data without requests. */
export class TestAccounts {
  readonly #services: Services;
  readonly #store: Store;
  readonly #clock: Clock;

  constructor({ services, store, clock }: TestAccountsOptions) {
    this.#services = services;
    this.#store = store;
    this.#clock = clock;
  }

  /** @throws TestFeatureError for values that the service rejects */
  create(account: NewTestAccount): Promise<TestAccount> {
    return explainRejection(async () => this.withData(await this.#insert(account)));
  }

  /** Inserts an account and its API key in one transaction. */
  async #insert(account: NewTestAccount): Promise<Credentials> {
    const { name = 'Ada', password = defaultPassword, scopes = [...userScopes] } = account;
    const { email = `${randomUUID()}@example.com`, role, tier, status } = account;
    const profile = validBody('register', { email, password, name });
    const ids = createIds(this.#clock);
    const id = ids.resource();
    const { key, record } = newApiKey({
      keyId: ids.prefixed('key'),
      userId: id,
      name: 'Test',
      scopes,
      createdAt: this.#clock.now(),
      expiresAt: null,
    });
    const beforeCommit = (tx: Repositories) => tx.apiKeys.insert(record, digest(key));
    await this.#services.users.create({ ...serverItself, beforeCommit }, profile, {
      id,
      role,
      tier,
      status,
    });
    return { id, email, password, apiKey: key };
  }

  /** Returns an account with the functions that create its data. */
  withData(account: Credentials): TestAccount {
    const { vaults, documents } = this.#services;
    return {
      ...account,
      createVault: (vault = {}) =>
        explainRejection(async () => {
          const body = validBody('createVault', { name: 'Vault', ...vault });
          return vaults.create(await this.#actor(account), body);
        }),
      createDocument: (document) =>
        explainRejection(async () => {
          const body = validBody('createDocument', withDefaults(document));
          return documents.create(await this.#actor(account), body);
        }),
    };
  }

  async #actor({ id, email }: Credentials): Promise<Actor> {
    const user = await this.#store.users.find(id);
    if (!user) throw new TestFeatureError(`the account ${email} does not exist any more`);
    const scopes = [...userScopes];
    return actorOf(serverItself, { ...user, userId: id }, { scopes, keyId: null, sessionId: null });
  }
}

/** Turns a rejection of the service into a TestFeatureError: it is a mistake of the test. */
async function explainRejection<Result>(create: () => Promise<Result>): Promise<Result> {
  try {
    return await create();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new TestFeatureError(error.message, { cause: error });
  }
}

/** @throws ServiceError VALIDATION_ERROR */
function validBody<Body extends object>(id: OperationId, body: Body): Body {
  return createRequestValidator(contractOperation(id)).body(body) as Body;
}

function withDefaults(document: NewTestDocument): Shape<'CreateDocument'> {
  const { encryptedData = 'c2Vh' } = document;
  return {
    fileName: 'document.txt',
    mimeType: 'text/plain',
    encryptionMetadata: { algorithm: 'AES-256-GCM', iv: 'AAAA', authTag: 'AAAA' },
    ...document,
    encryptedData,
    sizeBytes: Buffer.from(encryptedData, 'base64').length,
  };
}
