import { UsageError } from '../errors.ts';
import type {
  CreateVault,
  Document,
  EncryptionMetadata,
  Scope,
  User,
  Vault,
} from '../generated/types.ts';
import { userScopes } from './actor.ts';
import { testContract } from './contract.ts';
import { issueApiKey } from './operations/api-keys.ts';
import { register } from './operations/users.ts';
import { Failure } from './responses.ts';
import { perform } from './service.ts';
import type { State } from './state.ts';
import { validateBody } from './validation.ts';

/** An account to be; what is left out is made up: an active user of the tier `enterprise`. */
export interface NewTestAccount
  extends Partial<Pick<User, 'email' | 'name' | 'role' | 'tier' | 'status'>> {
  /** 12 characters at least. @default correct horse battery */
  password?: string;
  /** What its API key allows. @default every scope of an ordinary account */
  scopes?: Scope[];
}

/** A document to be; what is left out is made up. */
export interface NewTestDocument {
  /** The vault to put it in; it must be one of the account. */
  vaultId: string;
  /** @default document.txt */
  fileName?: string;
  /** @default text/plain */
  mimeType?: string;
  /** The ciphertext in base64. `await cipher.seal(…)` has it together with its metadata. @default three bytes */
  encryptedData?: string;
  /** What decrypting it needs besides the passphrase. @default made up */
  encryptionMetadata?: EncryptionMetadata;
}

/** An account of the test vault, with all that a client needs to be it. */
export interface TestAccount {
  /** Id of its user. */
  readonly id: string;
  /** What it logs in with. */
  readonly email: string;
  /** What it logs in with. */
  readonly password: string;
  /** A key of the account, with the scopes that were asked for. */
  readonly apiKey: string;
  /**
   * Puts a vault into the account, without a request.
   *
   * @throws UsageError for what the service would refuse
   */
  createVault(vault?: Partial<CreateVault>): Vault;
  /**
   * Puts a document into a vault of the account, without a request.
   *
   * @throws UsageError for what the service would refuse
   */
  createDocument(document: NewTestDocument): Document;
}

/** @throws UsageError for what the service would refuse */
export function createAccount(state: State, given: NewTestAccount = {}): TestAccount {
  const { scopes = [...userScopes], ...profile } = given;
  const name = profile.name ?? 'Ada';
  const requestId = state.ids.prefixed('req');
  const {
    // No two accounts have one address.
    email = `${requestId}@example.com`,
    password = 'correct horse battery',
  } = profile;
  const input = { ...profile, email, password, name };
  const { user, key } = usable(() => {
    validate('register', { email, password, name });
    const user = register(state, { requestId, userAgent: null }, input);
    return { user, key: issueApiKey(state, user.id, { name: 'Test', scopes }).key };
  });
  const { id: userId } = user;
  return {
    id: userId,
    email,
    password,
    apiKey: key,
    createVault: (vault = {}) =>
      usable(() => {
        const body = { name: 'Vault', ...vault };
        validate('createVault', body);
        return perform('createVault', state, { userId, body }) as Vault;
      }),
    createDocument: (document) =>
      usable(() => {
        const body = documentOf(document);
        validate('createDocument', body);
        return perform('createDocument', state, { userId, body }) as Document;
      }),
  };
}

function validate(id: 'register' | 'createVault' | 'createDocument', body: object): void {
  const operation = testContract.operations.find((candidate) => candidate.id === id);
  if (operation) validateBody(operation, body);
}

/** Says what the service refuses as what it is here: a mistake of the test. */
function usable<Result>(create: () => Result): Result {
  try {
    return create();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}

function documentOf(document: NewTestDocument) {
  const { encryptedData = 'c2Vh' } = document;
  return {
    fileName: 'document.txt',
    mimeType: 'text/plain',
    encryptionMetadata: { algorithm: 'AES-256-GCM', iv: 'AAAA', authTag: 'AAAA' },
    ...document,
    encryptedData,
    sizeBytes: atob(encryptedData).length,
  };
}
