import type {
  CreateVault,
  Document,
  EncryptionMetadata,
  Scope,
  User,
  Vault,
} from '@document-vault/sdk';
import { UsageError } from '@document-vault/sdk';
import { ServiceError } from './generated/rules/errors.ts';
import { userScopes } from './generated/rules/scopes.ts';
import { issueApiKey } from './operations/api-keys.ts';
import { register } from './operations/users.ts';
import { perform } from './service.ts';
import type { State } from './state.ts';
import { validateBody } from './validation.ts';

/** A new account. By default an active user of the tier `enterprise`. */
export interface NewTestAccount
  extends Partial<Pick<User, 'email' | 'name' | 'role' | 'tier' | 'status'>> {
  /** At least 12 characters. @default correct horse battery */
  password?: string;
  /** Scopes of its API key. @default every scope of an ordinary account */
  scopes?: Scope[];
}

/** A new document. Only the vault is required. */
export interface NewTestDocument {
  /** Id of a vault of the account. */
  vaultId: string;
  /** Id of the document, to which an encrypted content is bound. @default a new one */
  id?: string;
  /** @default document.txt */
  fileName?: string;
  /** @default text/plain */
  mimeType?: string;
  /** The ciphertext in base64. @default three bytes, which nothing decrypts */
  encryptedData?: string;
  /** Bytes of the ciphertext. @default the length of `encryptedData` */
  sizeBytes?: number;
  /** How the content is encrypted. @default invented values */
  encryptionMetadata?: EncryptionMetadata;
}

/** An account of the test vault, with its credentials. */
export interface TestAccount {
  /** Id of the user. */
  readonly id: string;
  /** E-mail address for `auth.login`. */
  readonly email: string;
  /** Password for `auth.login`. */
  readonly password: string;
  /** An API key with the requested scopes. */
  readonly apiKey: string;
  /**
   * Creates a vault of the account without a request.
   *
   * @throws UsageError for values that the service rejects
   * @example
   * const vault = service.account.createVault({ name: 'Taxes' });
   */
  createVault(vault?: Partial<CreateVault>): Vault;
  /**
   * Creates a document in a vault of the account without a request.
   *
   * @throws UsageError for values that the service rejects
   * @example
   * const document = service.account.createDocument({ vaultId: vault.id, fileName: 'return.txt' });
   */
  createDocument(document: NewTestDocument): Document;
}

/** @throws UsageError for values that the service rejects */
export function createAccount(state: State, given: NewTestAccount = {}): TestAccount {
  const { scopes = [...userScopes], ...profile } = given;
  const name = profile.name ?? 'Ada';
  const requestId = state.ids.prefixed('req');
  const {
    // E-mail addresses are unique.
    email = `${requestId}@example.com`,
    password = 'correct horse battery',
  } = profile;
  const input = { ...profile, email, password, name };
  const { user, key } = usable(() => {
    validateBody('register', { email, password, name });
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
        validateBody('createVault', body);
        return perform('createVault', state, { userId, body }) as Vault;
      }),
    createDocument: (document) =>
      usable(() => {
        const body = documentOf(document);
        validateBody('createDocument', body);
        return perform('createDocument', state, { userId, body }) as Document;
      }),
  };
}

/** Turns a rejection of the service into a UsageError: it is a mistake of the test. */
function usable<Result>(create: () => Result): Result {
  try {
    return create();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}

function documentOf(document: NewTestDocument) {
  const { encryptedData = 'c2Vh' } = document;
  return {
    fileName: 'document.txt',
    mimeType: 'text/plain',
    encryptionMetadata: { algorithm: 'AES-256-GCM', iv: 'AAAA', authTag: 'AAAA' },
    sizeBytes: atob(encryptedData).length,
    ...document,
    encryptedData,
  };
}
