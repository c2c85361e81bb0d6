import type { AccountKeys, Secret } from './crypto/keyring.ts';
import { rethrow } from './errors.ts';
import type { OpenApiDocument } from './generated/types.ts';
import { type ClientFetch, grantAccess } from './http/access.ts';
import { createApi } from './http/api.ts';
import type { ApiPromise } from './http/api-result.ts';
import { clientFetch } from './http/client-fetch.ts';
import { givenCredentials } from './http/credentials.ts';
import { createSession, type Session } from './http/session.ts';
import { createTransport } from './http/transport.ts';
import { type CallOptions, type DocumentVaultOptions, resolveOptions } from './options.ts';
import { AccountLock } from './resources/account-lock.ts';
import { type ApiKeys, createApiKeys } from './resources/api-keys.ts';
import { type Auth, createAuth } from './resources/auth.ts';
import { type Consents, createConsents } from './resources/consents.ts';
import { createDocuments, type Documents } from './resources/documents.ts';
import { createEvents, type Events } from './resources/events.ts';
import { createInstances, type Instances } from './resources/instances.ts';
import { createKeyrings, type Keyrings } from './resources/keyring.ts';
import { createShares, type Shares } from './resources/shares.ts';
import type { UnlockOptions } from './resources/unlocking.ts';
import { createUploads, type Uploads } from './resources/uploads.ts';
import { createUsers, type Users } from './resources/users.ts';
import { createVaults, type Vaults } from './resources/vaults.ts';
import { createWebhooks, type Webhooks } from './resources/webhooks.ts';

/**
 * A client of the document vault. It authenticates by an API key, by access tokens that your program obtains, or by
 * the session of a user who logs in. Create one client and keep it: it holds the session and the state of the rate
 * limit.
 *
 * Every method rejects only with a {@link VaultError}. Beside the errors in its description, each
 * method can throw {@link AuthenticationError}, {@link PermissionError} (missing scope, suspended
 * account, blocked address), {@link RateLimitError}, {@link ServerError}, {@link ConnectionError},
 * {@link TimeoutError}, {@link AbortError}, {@link SessionExpiredError} and {@link UsageError} (an id
 * that is not valid in a path, an option out of range).
 *
 * @example
 * const client = new DocumentVault(); // VAULT_URL and VAULT_API_KEY of the environment
 * const ofUser = new DocumentVault({ baseUrl: 'https://vault.example.com', session: {} });
 */
export class DocumentVault {
  /** Accounts, logins and sessions. */
  declare readonly auth: Auth;
  /** The vaults of the account. */
  declare readonly vaults: Vaults;
  /** The keyring of the account: its passphrase, recovery keys and passkeys. */
  declare readonly keyring: Keyrings;
  /** The documents of the account: upload, download, list. */
  declare readonly documents: Documents;
  /** Uploads in parts, below {@link Documents.upload}. */
  declare readonly uploads: Uploads;
  /** The shares of documents. */
  declare readonly shares: Shares;
  /** Instances of the service, their health and statistics. */
  declare readonly instances: Instances;
  /** The user that the credentials belong to. */
  declare readonly users: Users;
  /** The consents of the account. */
  declare readonly consents: Consents;
  /** The API keys of the account. */
  declare readonly apiKeys: ApiKeys;
  /** The webhooks of the account and their deliveries. */
  declare readonly webhooks: Webhooks;
  /** The events of the account of the last 30 days. */
  declare readonly events: Events;
  /**
   * The client's transport as a `fetch`, for other libraries: it adds credentials, refreshes the
   * session, retries and times out. It takes a path, or a URL below `baseUrl`.
   *
   * @example
   * const response = await client.fetch('/api/v1/users/me');
   */
  declare readonly fetch: ClientFetch;
  /**
   * Returns the OpenAPI document of the service. Needs no credentials.
   *
   * @example
   * const { info } = await client.openapi();
   */
  declare readonly openapi: (options?: CallOptions) => ApiPromise<OpenApiDocument>;
  readonly #lock: AccountLock;

  /**
   * Creates a client. It sends nothing.
   *
   * @throws {@link UsageError} when an option is missing or invalid, or no credentials are given
   */
  constructor(options: DocumentVaultOptions = {}) {
    const settings = resolveOptions(options);
    const given = givenCredentials(settings);
    const session = given ? undefined : createSession(settings, () => api);
    const transport = createTransport(settings, given ?? (session as Session));
    const api = createApi(transport);
    this.auth = createAuth(api, session);
    this.vaults = createVaults(api);
    this.uploads = createUploads(api);
    this.#lock = new AccountLock(api);
    this.keyring = createKeyrings(api, this.#lock);
    this.documents = createDocuments(api, this.uploads, this.#lock);
    this.shares = createShares(api, this.documents.get, this.#lock);
    this.instances = createInstances(api);
    this.users = createUsers(api);
    this.consents = createConsents(api);
    this.apiKeys = createApiKeys(api);
    this.webhooks = createWebhooks(api);
    this.events = createEvents(api);
    this.openapi = api.call('GET', '/openapi/v1.json');
    this.fetch = (input, init) => clientFetch(transport, input, init).catch(rethrow());
    grantAccess(this, api, session);
  }

  /**
   * Opens the keyring of the account, by one request; kept keys need none. Uploads and downloads need no `cipher` then.
   * The keys are in the memory of this client until {@link DocumentVault.lock}, or until another user logs in.
   * Needs the scope `documents:read`.
   *
   * @param secret - the passphrase, a recovery key, the output of a passkey's PRF extension, or what
   * {@link DocumentVault.keep} returned
   * @throws {@link UsageError} for an invalid secret, such as a recovery key with a typing error, and for kept keys
   * that were lost; nothing was sent
   * @throws {@link LockedError} when `lock` was called or another user logged in meanwhile
   * @throws {@link NotFoundError} when the account has no keyring: `client.keyring.create` makes one
   * @throws {@link DecryptionError} with the reason `key` for a wrong secret and for kept keys of another account, and
   * with `keys` when the service has changed the keyring. With kept keys of a replaced keyring, the first call that
   * needs them rejects with {@link LockedError}
   * @example
   * await client.unlock({ passphrase });
   */
  unlock(secret: Secret | { kept: AccountKeys }, options?: UnlockOptions): Promise<void> {
    return this.#lock.unlock(secret, options);
  }

  /**
   * Forgets the keys of the account. Running calls complete; later ones reject with {@link LockedError}.
   *
   * @example
   * client.lock();
   */
  lock(): void {
    this.#lock.lock();
  }

  /**
   * Returns the keys of the account, for a later {@link DocumentVault.unlock} without the passphrase. Store them in
   * IndexedDB: JSON and `localStorage` lose them. Scripts of the page cannot read these keys, but they can decrypt and
   * copy the keys of the vaults with them. A stolen disk may reveal them. IndexedDB can fail to delete them: keep a mark
   * in `localStorage` that your app requires to use them, and remove the mark first.
   *
   * @throws {@link LockedError} when the client is locked
   * @example
   * const kept = client.keep();
   * database.transaction('keys', 'readwrite').objectStore('keys').put(kept, 'kept');
   */
  keep(): AccountKeys {
    return this.#lock.account;
  }
}
