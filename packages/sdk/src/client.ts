import type { OpenApiDocument } from './generated/types.ts';
import { type ClientFetch, createFetch, grantAccess } from './http/access.ts';
import { Api } from './http/api.ts';
import { apiKeyCredentials, memoryTokenStore } from './http/credentials.ts';
import type { ApiPromise } from './http/responses.ts';
import { SessionCredentials } from './http/session.ts';
import { Transport } from './http/transport.ts';
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
import { Events } from './resources/events.ts';
import { Instances } from './resources/instances.ts';
import { Shares } from './resources/shares.ts';
import { Users } from './resources/users.ts';
import { Vaults } from './resources/vaults.ts';
import { Webhooks } from './resources/webhooks.ts';

/**
 * A used refresh token returns the same successor for 10 seconds. When a response is lost, the retry
 * has to arrive within that time, so a refresh times out early, in milliseconds.
 */
const refreshTimeout = 4_000;

/**
 * A client of the document vault. It authenticates by an API key or, without one, by the session of a
 * user who logs in. Create one client and keep it: it holds the session and the state of the rate
 * limit.
 *
 * Every method rejects only with a {@link VaultError}. Beside the errors in its description, each
 * method can throw {@link AuthenticationError}, {@link PermissionError} (missing scope, suspended
 * account, blocked address), {@link RateLimitError}, {@link ServerError}, {@link ConnectionError},
 * {@link TimeoutError}, {@link AbortError}, {@link SessionExpiredError} and {@link UsageError} (an id
 * that is not valid in a path, an option out of range).
 *
 * @example
 * const client = new DocumentVault({ baseUrl: 'https://vault.example.com', apiKey });
 */
export class DocumentVault {
  /** Accounts, logins and sessions. */
  readonly auth: Auth;
  /** The vaults of the account. */
  readonly vaults: Vaults;
  /** The documents of the account: upload, download, list. */
  readonly documents: Documents;
  /** The shares of documents. */
  readonly shares: Shares;
  /** Instances of the service, their health and statistics. */
  readonly instances: Instances;
  /** The user that the credentials belong to. */
  readonly users: Users;
  /** The consents of the account. */
  readonly consents: Consents;
  /** The API keys of the account. */
  readonly apiKeys: ApiKeys;
  /** The webhooks of the account and their deliveries. */
  readonly webhooks: Webhooks;
  /** The events of the account of the last 30 days. */
  readonly events: Events;
  /**
   * The client's transport as a `fetch`, for other libraries: it adds credentials, refreshes the
   * session, retries and times out. It takes a path, or a URL below `baseUrl`.
   *
   * @example
   * const response = await client.fetch('/api/v1/users/me');
   */
  readonly fetch: ClientFetch;
  readonly #api: Api;

  /**
   * Creates a client. It sends nothing.
   *
   * @throws {@link UsageError} when an option is missing or invalid
   */
  constructor(options: DocumentVaultOptions) {
    const settings = resolveOptions(options ?? {});
    const { apiKey, baseUrl } = settings;
    const session = apiKey === undefined ? this.#createSession(settings) : undefined;
    const transport = new Transport(settings, session ?? apiKeyCredentials(apiKey ?? ''));
    const api = new Api(transport, baseUrl);
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
    this.events = new Events(api);
    this.fetch = createFetch(transport, baseUrl);
    grantAccess(this, transport, baseUrl);
  }

  /**
   * Returns the OpenAPI document of the service. Needs no credentials.
   *
   * @example
   * const { info } = await client.openapi();
   */
  openapi(options?: CallOptions): ApiPromise<OpenApiDocument> {
    return this.#api.call('get', '/openapi/v1.json', {}, options);
  }

  #createSession({ session = {}, clock, timeout }: Settings): SessionCredentials {
    return new SessionCredentials({
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
