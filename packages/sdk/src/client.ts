import { type ClientFetch, createFetch, grantAccess } from './http/access.ts';
import { Api } from './http/api.ts';
import type { ApiPromise } from './http/api-promise.ts';
import { apiKeyCredentials } from './http/credentials.ts';
import { Door } from './http/door.ts';
import { Session } from './http/session.ts';
import { memoryTokenStore } from './http/token-store.ts';
import {
  type CallOptions,
  type DocumentVaultOptions,
  resolveOptions,
  type Settings,
} from './options.ts';
import { ApiKeys } from './resources/api-keys.ts';
import { Auth } from './resources/auth.ts';
import { Consents } from './resources/consents.ts';
import { Documents } from './resources/documents.ts';
import { Instances } from './resources/instances.ts';
import type { OpenApiDocument } from './resources/openapi-document.ts';
import { Shares } from './resources/shares.ts';
import { Users } from './resources/users.ts';
import { Vaults } from './resources/vaults.ts';
import { Webhooks } from './resources/webhooks.ts';

/**
 * The service answers a used refresh token with the same successor for 10 seconds: an answer that
 * was lost must be asked for again within them, in milliseconds.
 */
const refreshTimeout = 4_000;

/**
 * A client of the document vault. It authenticates by API key or, as the default, by the session of
 * a user who logs in. Make one and keep it: it knows the session and the state of the rate limit.
 *
 * Every method rejects with a `VaultError` and nothing else. Beside the errors that its description
 * names, these are `AuthenticationError` (no valid credentials), `PermissionError` (a scope is
 * missing, the account is suspended or the address blocked), `RateLimitError`, `ServerError`,
 * `ConnectionError`, `TimeoutError`, `AbortError`, `SessionExpiredError` and `UsageError` (an id that
 * is no segment of a path, an option out of range).
 *
 * @example
 * const client = new DocumentVault({ baseUrl: 'https://vault.example.com', apiKey });
 */
export class DocumentVault {
  /** Accounts and sessions. */
  readonly auth: Auth;
  /** The vaults of the account. */
  readonly vaults: Vaults;
  /** The documents of the account: upload, download, share. */
  readonly documents: Documents;
  /** Share links. */
  readonly shares: Shares;
  /** Instances of the service, their health and their figures. */
  readonly instances: Instances;
  /** The user that the credentials belong to. */
  readonly users: Users;
  /** The consents of the account. */
  readonly consents: Consents;
  /** The API keys of the account. */
  readonly apiKeys: ApiKeys;
  /** The webhooks of the account and their deliveries. */
  readonly webhooks: Webhooks;
  /**
   * The client's transport as a `fetch`, for other libraries: it adds credentials, refreshes the
   * session, retries and times out. It takes a path, or a URL under `baseUrl`.
   *
   * @example
   * const response = await client.fetch('/api/v1/users/me');
   */
  readonly fetch: ClientFetch;
  readonly #api: Api;

  /**
   * Makes a client. Nothing is sent.
   *
   * @throws UsageError when an option is missing or wrong
   */
  constructor(options: DocumentVaultOptions) {
    const settings = resolveOptions(options ?? {});
    const { apiKey, baseUrl } = settings;
    const session = apiKey === undefined ? this.#createSession(settings) : undefined;
    const door = new Door(settings, session ?? apiKeyCredentials(apiKey ?? ''));
    const api = new Api(door, baseUrl);
    this.#api = api;
    this.auth = new Auth(api, session);
    this.vaults = new Vaults(api);
    this.documents = new Documents(api);
    this.shares = new Shares(api);
    this.instances = new Instances(api);
    this.users = new Users(api);
    this.consents = new Consents(api);
    this.apiKeys = new ApiKeys(api);
    this.webhooks = new Webhooks(api);
    this.fetch = createFetch(door, baseUrl);
    grantAccess(this, door, baseUrl);
  }

  /** Returns the OpenAPI document of the service. Needs no credentials. */
  openapi(options?: CallOptions): ApiPromise<OpenApiDocument> {
    return this.#api.call('get', '/openapi/v1.json', {}, options);
  }

  #createSession({ session = {}, clock, timeout }: Settings): Session {
    return new Session({
      clock,
      store: session.store ?? memoryTokenStore(),
      onExpired: () => session.onExpired?.(),
      refresh: (refreshToken) =>
        this.#api.call(
          'post',
          '/auth/refresh',
          { body: { refreshToken } },
          { timeout: Math.min(timeout, refreshTimeout) },
        ),
    });
  }
}
