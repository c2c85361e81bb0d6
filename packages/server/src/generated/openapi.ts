// Generated from openapi/ by `npm run generate`. Do not edit.

export interface paths {
  "/auth/register": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Register an account
     * @description Creates a user account on the free tier (in development: enterprise) and emits `user.created`. Log in afterwards to get tokens.
     *
     *     An operator can close registration, and an administrator every instance; it then returns 403. An address that has an account already is a `VALIDATION_ERROR` with the constraint `unique`.
     *
     *     The operation takes no `Idempotency-Key`: it has no account to keep the key under, and a repetition is refused as `unique`.
     */
    post: operations["register"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/auth/login": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Log in
     * @description Starts a session: exchanges e-mail address and password for an access token (1 hour) and a refresh token (30 days), and emits `user.login`. An account has at most 500 sessions: a login above that ends the oldest one.
     *
     *     An unknown address and a wrong password get the same response in the same time. Failed logins are throttled by address and by account with 429, whether there is such an account or not: after 10 wrong passwords for an account, which then may try once a minute, and after 50 from an address, then once in 12 seconds. A login that succeeds gives the account its attempts back, and the address it came from counts apart from then on, so that others cannot lock the user out. A suspended account gets 403 only after the right password.
     *
     *     The operation takes no `Idempotency-Key`: the response is a secret and is never stored.
     */
    post: operations["login"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/auth/refresh": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Exchange a refresh token for a new pair
     * @description Returns a new access token and a new refresh token. The old refresh token is used up.
     *
     *     Within 10 seconds of its exchange an old refresh token gets the same successor again, so that a lost response or a second browser tab does not end the session. Used later than that it is taken for stolen: its session ends at once, with all its access and refresh tokens. When the exchange fails with 401, the user must log in again.
     *
     *     The operation takes no `Idempotency-Key`: the response is a secret and is never stored.
     */
    post: operations["refresh"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/auth/logout": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Log out
     * @description Ends the session of the refresh token: its access and refresh tokens are not valid from the next request on. The account's sign-ins on the pages of OAuth end too. A token that is not valid any more returns 204 too.
     *
     *     The operation takes no `Idempotency-Key`: it can be repeated as it is.
     */
    post: operations["logout"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/auth/validate": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Validate an API key
     * @description Returns the scopes, name and expiry of the key in the header `X-Api-Key`. An invalid key returns 401.
     */
    get: operations["validateApiKey"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/auth/sessions": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the sessions of the account
     * @description Lists where the account is logged in: its sessions that have neither ended nor expired, newest first unless sorted otherwise. Needs a signed-in user. API keys are not taken. Administrators see their own sessions only.
     */
    get: operations["listSessions"];
    put?: never;
    post?: never;
    /**
     * End all other sessions
     * @description Ends every session of the account but the caller's: "sign out everywhere else". Their access and refresh tokens are not valid from the next request on. API keys stay valid. Needs a signed-in user. API keys are not taken.
     */
    delete: operations["endOtherSessions"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/auth/sessions/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * End a session
     * @description Ends one session of the account, which may be the caller's: then the account's sign-ins on the pages of OAuth end too. Its access and refresh tokens are not valid from the next request on. A session that has ended, has expired or belongs to another account is 404, for administrators too. Needs a signed-in user. API keys are not taken.
     */
    delete: operations["endSession"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/.well-known/jwks.json": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get the public keys of access tokens
     * @description Returns the JSON Web Key Set (RFC 7517) that verifies access tokens. It needs no credentials. While keys rotate, it contains the old and the new key. Caches may keep the response for 300 seconds: a new key is published at least that long before it signs, unless an operator replaces a compromised key at once.
     */
    get: operations["getJwks"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/api-keys": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List API keys
     * @description Lists the API keys of the account, expired ones too, newest first unless sorted otherwise. Revoked keys are left out. Secret values are never shown. Needs a signed-in user, or an API key with `admin:*`.
     */
    get: operations["listApiKeys"];
    put?: never;
    /**
     * Create an API key
     * @description Creates an API key and returns its secret value, once. Needs a signed-in user, or an API key with `admin:*`. The session or key must still be valid when the new key is stored.
     *
     *     A key cannot get a scope that its creator does not have: that is a `VALIDATION_ERROR` (constraint `grantable`). Rotate keys about every 90 days, keep one per environment, and never embed one in code that reaches a browser. The tier limits the keys of an account: one more is a `VALIDATION_ERROR` (field `body`, constraint `accountRows`).
     *
     *     A repeated `Idempotency-Key` returns the same secret again while the key is usable. Once the key was revoked or has expired, it is a `VALIDATION_ERROR` (field `Idempotency-Key`, constraint `usable`).
     */
    post: operations["createApiKey"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/api-keys/{keyId}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Revoke an API key
     * @description Revokes the key at once and for good. Needs a signed-in user, or an API key with `admin:*`.
     */
    delete: operations["revokeApiKey"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/oauth/clients": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List OAuth clients
     * @description Lists the clients of the account, disabled ones too, newest first unless sorted otherwise. Secrets are never shown. Needs a signed-in user, or an API key with `admin:*`.
     */
    get: operations["listOAuthClients"];
    put?: never;
    /**
     * Register an OAuth client
     * @description Registers an application and returns its id and, once, its secret. Needs a signed-in user, or an API key with `admin:*`.
     *
     *     A confidential client runs where only its owner can read its secret, such as a web server. A public client runs on the devices of its users and has no secret. Type and `tokenEndpointAuthMethod` cannot be changed later.
     *
     *     Each address in `redirectUris` is one of these, without fragment, user name and password (constraint `redirectUri`):
     *
     *     - `https`, on this device only for clients without the addresses of native apps below;
     *     - `http` on this device: `127.0.0.1`, `[::1]` or `localhost`;
     *     - a private-use scheme with a dot, such as `com.example.app:/callback` (RFC 8252, section 7.1).
     *
     *     A client cannot get a scope that its creator does not have (constraint `grantable`). `authorization_code` needs a redirect URI (constraint `required`). `refresh_token` needs `authorization_code` or the device grant, and `client_credentials` a confidential client (constraint `grantType`). The tier limits the clients of an account: one more is a `VALIDATION_ERROR` (field `body`, constraint `accountRows`).
     *
     *     A repeated `Idempotency-Key` returns the same secret again while the secret is valid. Afterwards it is a `VALIDATION_ERROR` (field `Idempotency-Key`, constraint `usable`).
     */
    post: operations["createOAuthClient"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/oauth/clients/{clientId}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get an OAuth client
     * @description Returns one client without its secret. Needs a signed-in user, or an API key with `admin:*`.
     */
    get: operations["getOAuthClient"];
    /**
     * Change an OAuth client
     * @description Changes the fields that are sent and leaves the rest; lists are replaced as a whole. The rules are those of registration. `disabled: true` refuses the client at once, `false` admits it again. Needs a signed-in user, or an API key with `admin:*`.
     *
     *     Only administrators can send `verified`. Of another account's client they can change `verified` and `disabled` alone: any other field is 403 `INSUFFICIENT_PERMISSIONS`, because a client can act as its owner. When a caller who is no administrator changes `name` or `redirectUris`, the client is no longer verified.
     */
    put: operations["updateOAuthClient"];
    post?: never;
    /**
     * Delete an OAuth client
     * @description Deletes the client for good. Its id is not used again. Needs a signed-in user, or an API key with `admin:*`.
     */
    delete: operations["deleteOAuthClient"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/oauth/clients/{clientId}/secret": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Rotate the secret of an OAuth client
     * @description Makes a new secret and returns it, once. The present secret stays valid for 24 hours, so that the client can be changed without an interruption; a secret before it ends at once. Needs a signed-in user, or an API key with `admin:*`. Only the owner of the client can do this: an administrator of another account gets 403 `INSUFFICIENT_PERMISSIONS`.
     *
     *     A client without a secret is a `VALIDATION_ERROR` (field `clientId`, constraint `secret`). A repeated `Idempotency-Key` returns the same secret again while the secret is valid. Afterwards it is a `VALIDATION_ERROR` (field `Idempotency-Key`, constraint `usable`).
     */
    post: operations["rotateOAuthClientSecret"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/vaults": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List vaults
     * @description Lists the vaults of the account, newest first unless sorted otherwise. Filters can be combined.
     */
    get: operations["listVaults"];
    put?: never;
    /**
     * Create a vault
     * @description Creates an empty, active vault and emits `vault.created`. Names need not be unique. The tier limits the vaults of an account: one more is a `VALIDATION_ERROR` (field `body`, constraint `accountRows`).
     */
    post: operations["createVault"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/vaults/search": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Search vaults
     * @description Finds the vaults whose name or description contains the text, without regard to case, newest first.
     */
    get: operations["searchVaults"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/vaults/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get a vault
     * @description Returns one vault.
     */
    get: operations["getVault"];
    /**
     * Change a vault
     * @description Changes the fields that are sent and leaves the rest. `null` empties `description` or `category`. Emits `vault.updated` when a value has changed. A change with which the account would hold more bytes than its tier allows is a `VALIDATION_ERROR` (field `body`, constraint `accountQuota`), unless it frees bytes.
     */
    put: operations["updateVault"];
    post?: never;
    /**
     * Delete a vault
     * @description Deletes the vault with its documents and their shares, for good. Emits `vault.deleted` alone, which contains the number of documents.
     */
    delete: operations["deleteVault"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/vaults/{id}/keys": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Store the keys of a vault
     * @description Stores the first key of a vault, begins a new generation, or seals the present keys anew. `version` is one more than the present version; of two calls with the same version, one succeeds and the other gets a `VALIDATION_ERROR` (field `version`, constraint `version`). A first key and a new generation emit `vault.updated` with the change `keys`.
     *
     *     From then on, an upload to the vault under `keyDerivation: VAULT_KEY` has this `generation` as its `keyGeneration`. Only the owner of the vault can call this: administrators get 403 for the vault of another account.
     */
    put: operations["updateVaultKeys"];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/vault-keys": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the vault keys of the account
     * @description Lists the keys of the caller's own vaults, by the ids of the vaults. A vault without keys has no row. Administrators see the keys of their own vaults only.
     */
    get: operations["listVaultKeys"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/documents": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List documents
     * @description Lists the documents of the account without their content, newest first unless sorted otherwise. Filters can be combined.
     */
    get: operations["listDocuments"];
    put?: never;
    /**
     * Upload a document
     * @description Stores a document that the client has encrypted, and emits `document.uploaded`. The response leaves the content out. The content is either in `encryptedData`, or was sent in parts before (`uploadId`, see *Large documents*).
     *
     *     `sizeBytes` must equal the decoded length of `encryptedData` or the length of the upload (constraint `decodedLength`). An `uploadId` that does not name an open upload of the account is 404; parts that have not arrived are a `VALIDATION_ERROR` (field `uploadId`, constraint `missingParts`), and so is another vault than that of the upload (field `vaultId`, constraint `sameVault`). An upload becomes one document; the same request again, also while the first one runs, returns this document. Content above the size limit has the constraint `maxDecodedLength`. A vault that is not active refuses the document (field `vaultId`, constraint `active`). An upload that would fill the vault or the instance beyond its quota is refused too (field `encryptedData`, constraint `vaultQuota` or `instanceQuota`) and, for the vault, emits `vault.quota.exceeded`. So is an upload with which the account would hold more bytes than its tier allows, names and metadata included (field `encryptedData`, constraint `accountQuota`), or more documents (field `body`, constraint `accountRows`). Reaching 80 % of the quota emits `vault.quota.warning` or `instance.quota.warning`.
     */
    post: operations["createDocument"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/documents/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get a document
     * @description Returns one document with its encrypted content, or without it (`content=false`). Content above 32 MiB (unless the service is configured otherwise) is left out: `encryptedData` is null, and `contentUrl` names where to read it.
     */
    get: operations["getDocument"];
    /**
     * Change the metadata of a document
     * @description Changes the fields that are sent and leaves the rest; the content never changes. A new `vaultId` moves the document, under the same conditions as an upload to that vault, and only to a vault of the same account (constraint `sameAccount`). A move that would fill the vault beyond its quota is refused (field `vaultId`, constraint `vaultQuota`) and emits `vault.quota.exceeded`. Emits `document.updated` when a value has changed. A change with which the account would hold more bytes than its tier allows is a `VALIDATION_ERROR` (field `body`, constraint `accountQuota`), unless it frees bytes.
     *
     *     `encryptionMetadata` wraps the document's own key anew, for example under a new passphrase, without encrypting the content again. A document under the key of its vault (`keyDerivation: VAULT_KEY`) moves only together with it, because each vault has its own key (field `encryptionMetadata`, constraint `required`). The event names the change and never contains keys. To credentials without `documents:read`, the response contains only `algorithm`, `iv` and `authTag` of it.
     */
    put: operations["updateDocument"];
    post?: never;
    /**
     * Delete a document
     * @description Deletes the document and its shares, for good, and emits `document.deleted`.
     */
    delete: operations["deleteDocument"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/documents/{id}/content": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the content of a document
     * @description Returns the ciphertext as bytes, whole or one range of it. The content of a document never changes, and neither does its `ETag`. The request counts towards the hourly limit alone, not towards that of the minute.
     */
    get: operations["getDocumentContent"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/documents/{id}/share": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Share a document
     * @description Creates a share link, returns its token, once, and emits `document.shared`. Without a body the link ends after 7 days, has no cap and asks for credentials. The tier limits the shares of an account: one more is a `VALIDATION_ERROR` (field `body`, constraint `accountRows`).
     *
     *     Only the account of the document shares it: that of another account is 403 with `admin:*`. A share that an app makes ends with its access: with the user's grant, with its client, and when it loses `documents:share`. A share that has ended is not replayed for its idempotency key (constraint `usable`).
     */
    post: operations["shareDocument"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/documents/{id}/shares": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the shares of a document
     * @description Lists the shares of a document, revoked and spent ones too, newest first unless sorted otherwise. Tokens are never shown. A share is removed 30 days after its `expiresAt`.
     */
    get: operations["listDocumentShares"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/documents/{id}/shares/{shareId}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Revoke a share
     * @description Ends the share at once: `isActive` becomes `false` and its token opens nothing any more. Revoking a share again returns 204 too.
     */
    delete: operations["revokeDocumentShare"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/documents/{id}/shares/{shareId}/accesses": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the accesses to a share
     * @description Lists when a share was opened, from which address and by which agent, newest first. Reading the content of an opened share, in ranges or as a whole, is no further access. An access is kept for 90 days, but not longer than its share.
     */
    get: operations["listShareAccesses"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/documents/share/{token}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Open a shared document
     * @description Returns the shared document with its encrypted content, counts the access and emits `document.share.accessed`. With `content=false` the content is left out; the access still counts, and `contentUrl` returns the ciphertext without a further one. With a cap of *n*, exactly *n* accesses succeed, however many arrive at once.
     *
     *     A share with the access `authenticated` needs credentials with `documents:share`, of any account. Without credentials the response is 401 `MISSING_AUTH`. A share with the access `anyone` needs none; credentials that are sent nevertheless are checked.
     *
     *     `encryptionMetadata` holds only `algorithm`, `iv` and `authTag`: what the key of a link needs. Salt, iterations, key derivation, wrapped key and further properties are returned only to credentials with `documents:read` of the account that owns the document, because they allow guessing the passphrase offline. Other accounts and visitors without credentials therefore open a document by the key of a link, and content that is encrypted under the derived key itself (no `wrappedKey`) not at all.
     *
     *     A token that is spent, expired, revoked or unknown, or whose owner is suspended, returns 404, always with the same body.
     */
    get: operations["openShare"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/contents/{ticket}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the content of a shared document
     * @description Returns the ciphertext of an opened share as bytes, whole or one range of it. The ticket comes from `contentUrl` of the opened share. It is valid for 24 hours, and ends earlier when the share is revoked or expires, the document is deleted or its owner is suspended. Reading counts no access and emits no event: the opening did.
     *
     *     The ticket of an `authenticated` share also needs credentials with `documents:share`. A ticket that is unknown, altered or no longer valid returns 404, always with the same body. The request counts towards the hourly limit alone, not towards that of the minute.
     */
    get: operations["getSharedContent"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/uploads": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Begin an upload in parts
     * @description Begins an upload whose content is sent in parts, in any order and in parallel. When all parts have arrived, `POST /api/v1/documents` with `uploadId` makes the document.
     *
     *     Vault and quotas are checked here as for `POST /api/v1/documents`, so that a refusal costs no bytes; the field is `sizeBytes`. The declared bytes are reserved until the upload ends: they count towards the quotas of the vault and of the account. An account has at most 20 open uploads (field `body`, constraint `accountRows`, `details.resource` `uploads`).
     */
    post: operations["createUpload"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/uploads/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get an open upload
     * @description Lists the parts that have arrived, so that a client can resume. An upload that has expired, was given up or has become a document is 404.
     */
    get: operations["getUpload"];
    put?: never;
    post?: never;
    /**
     * Give up an upload
     * @description Removes the upload with its parts and frees the bytes that it has reserved. Its id stays used.
     */
    delete: operations["deleteUpload"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/uploads/{id}/parts/{part}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Send a part
     * @description Stores one part of the content. Every part has exactly `partBytes` bytes, and the last one the rest (field `body`, constraint `partBytes`); a number that the upload does not have is refused too (field `part`, constraint `partNumber`). Parts may be sent in any order and in parallel. A part may be sent again: the last one that arrived whole counts.
     *
     *     With `Content-Digest`, the service compares the SHA-256 of the bytes that arrived (field `Content-Digest`, constraint `digest`).
     *
     *     The first acceptance of a part counts towards no rate limit. Repeated parts and refused requests count as other requests do.
     */
    put: operations["uploadPart"];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/instances": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List instances
     * @description Lists the instances that the caller may see: the one of the account, and with `admin:*` all. Newest first unless sorted otherwise.
     */
    get: operations["listInstances"];
    put?: never;
    /**
     * Create an instance
     * @description Creates an instance. Needs `instances:write` and the role `admin`: without the role the response is 403 `INSUFFICIENT_PERMISSIONS` with `requiredRole` in `details`.
     */
    post: operations["createInstance"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/instances/statistics": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get statistics
     * @description Counts the vaults, documents, shares, webhooks and deliveries of the account, for each instance that the caller may see: the one of the account, and with `admin:*` all. `account=all` counts those of every account.
     */
    get: operations["getInstanceStatistics"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/instances/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get an instance
     * @description Returns one instance. An account sees its own, and with `admin:*` all.
     */
    get: operations["getInstance"];
    /**
     * Change an instance
     * @description Changes the fields that are sent and leaves the rest. Needs `instances:write` and the role `admin`: without the role the response is 403 `INSUFFICIENT_PERMISSIONS` with `requiredRole` in `details`. Without `admin:*`, an instance other than that of the account is 404.
     */
    put: operations["updateInstance"];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/instances/{id}/health": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get the health of an instance
     * @description Returns the health of an instance with every check. A degraded instance returns 200 too: the status is in the body.
     */
    get: operations["getInstanceHealth"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/instances/{id}/statistics/history": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get the history of an instance
     * @description Returns figures of an instance by hour or by day, the earliest first, of the last 90 days. An account sees its own instance, and with `admin:*` all.
     *
     *     A point is missing for a time in which no server ran: it is a gap, not a zero. Each server process adds what it has counted once a minute and when it stops. A process that is killed loses at most a minute.
     */
    get: operations["getInstanceHistory"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/users/me": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get the current user
     * @description Returns the user whose credentials are sent, with what the account uses of its limits.
     */
    get: operations["getCurrentUser"];
    /**
     * Change the current user
     * @description Changes the fields that are sent and leaves the rest. Emits `user.updated` when a value has changed.
     *
     *     `email` and `password` need `currentPassword`, also when the caller uses an API key. It is checked whenever it is sent; a wrong one is a `VALIDATION_ERROR` (field `currentPassword`, constraint `match`). Wrong passwords are throttled with failed logins (429).
     *
     *     A new password ends every other session of the account at once. The caller's session goes on; when the caller uses an API key, all sessions end. API keys stay valid unless `revokeApiKeys` is `true`: then all keys of the account are revoked in the same transaction, the caller's key included. The secrets of its OAuth clients end with them, and its clients that authenticate with keys are disabled.
     *
     *     An address that another account has is a `VALIDATION_ERROR` (field `email`, constraint `unique`).
     */
    put: operations["updateCurrentUser"];
    post?: never;
    /**
     * Delete the current user
     * @description Deletes the account for good, with everything it owns: vaults, documents, shares, consents, API keys, sessions, and webhooks with their deliveries. Its credentials are not valid any more. A large account is removed in steps: when the call is interrupted, part of it may be gone; send it again. Emits `user.deleted`, which webhooks of administrators with `accounts: all` receive, together with the account's events that are not delivered yet.
     *
     *     A wrong `password` is a `VALIDATION_ERROR` (field `password`, constraint `match`). Wrong passwords are throttled with failed logins (429). The last active administrator cannot be deleted: `VALIDATION_ERROR` with the field `role` and the constraint `lastAdministrator`.
     */
    delete: operations["deleteCurrentUser"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/keyring": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get the keyring of the account
     * @description Returns the keyring of the account whose credentials are sent, never that of another. 404 until the account has one.
     */
    get: operations["getKeyring"];
    /**
     * Store the keyring of the account
     * @description Stores the first keyring of the account, or replaces the present one. `version` is one more than the present version; of two calls with the same version, one succeeds and the other gets a `VALIDATION_ERROR` (field `version`, constraint `version`). Emits `user.updated` with the change `keyring`.
     *
     *     The first keyring needs no password. Each later one needs a signed-in user and `currentPassword`: API keys get 403, and a wrong password is a `VALIDATION_ERROR` (field `currentPassword`, constraint `match`), throttled with failed logins (429). Apps get 403 always.
     *
     *     Another `publicKey` means that the account starts anew, for example because every secret is lost. It needs `replace: true` (field `replace`, constraint `required`) and removes the vault keys of the account: `sealed` becomes `null`. The documents stay, and no client can decrypt them any more. Each vault goes on with its next generation.
     */
    put: operations["updateKeyring"];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/users": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List accounts
     * @description Lists the accounts of all instances, newest first unless sorted otherwise. For administrators. A filter or a search reads every account, so it takes longer than a list without one.
     */
    get: operations["listUsers"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/users/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get an account
     * @description Returns an account, with what it uses of its limits. For administrators.
     */
    get: operations["getUser"];
    /**
     * Change role, tier or status of an account
     * @description Changes the fields that are sent and leaves the rest. For administrators.
     *
     *     A suspended account cannot use its sessions and API keys: from the next request on they return 403 `ACCOUNT_SUSPENDED`, until the account is `active` again. A change of the role applies to all credentials from the next request on: an API key of an account that is no administrator no longer has `admin:*`.
     *
     *     The last active administrator can neither be suspended nor lose the role: 400 `VALIDATION_ERROR` with the constraint `lastAdministrator`. A change emits `user.updated`, whose `context` names the administrator.
     */
    put: operations["administerUser"];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/consents": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List consents
     * @description Lists the consents of the account, revoked and expired ones too, newest first unless sorted otherwise.
     */
    get: operations["listConsents"];
    put?: never;
    /**
     * Grant a consent
     * @description Records a consent of the caller and emits `consent.granted`. When `expiresAt` passes, its status becomes `expired` and `consent.expired` is emitted. The tier limits the consents of an account: one more is a `VALIDATION_ERROR` (field `body`, constraint `accountRows`).
     */
    post: operations["createConsent"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/consents/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Change, revoke or renew a consent
     * @description - `{"status": "revoked", "reason": …}` revokes a granted consent and emits `consent.revoked`. The reason is optional. Revoking a revoked consent changes nothing. An expired consent cannot be revoked: `VALIDATION_ERROR` (field `status`, constraint `transition`).
     *     - A later `expiresAt` renews the consent, as does `{"status": "granted"}` on a revoked or expired one; `consent.renewed` is emitted. Without `expiresAt`, an end that is still ahead stays, and one that has passed is moved so that the consent lasts from now as long as it did before. `{"status": "granted"}` on a granted consent changes nothing. Only the account of the consent renews it: another caller gets 403, with `admin:*` too.
     *     - `description` and `metadata` can be changed at any time and emit nothing. Those of a consent with a `clientId` cannot be changed by an app: the response is 403.
     *
     *     An `expiresAt` that is not later than the present one, or not in the future, is a `VALIDATION_ERROR` (constraint `future`). So is any `expiresAt` for a granted consent without an end.
     *
     *     A consent reads as `expired` from the moment of its end; `consent.expired` is emitted once, soon after it. A change with which the account would hold more bytes than its tier allows is a `VALIDATION_ERROR` (field `body`, constraint `accountQuota`), unless it frees bytes.
     */
    put: operations["updateConsent"];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/webhooks": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List webhooks
     * @description Lists the webhooks of the account, newest first unless sorted otherwise. Secrets are never shown.
     */
    get: operations["listWebhooks"];
    put?: never;
    /**
     * Register a webhook
     * @description Registers an address that receives events from now on. See *Webhooks* above for signatures and retries. Without a `secret`, the service generates one and returns it in this response alone, and for a repeated `Idempotency-Key`.
     *
     *     A webhook receives the events of its account. With `accounts: all`, which needs `admin:*`, it receives those of every account for as long as its account is an administrator; each attempt checks this again. A webhook of an app receives only events whose resource the app may read at that moment, and none of other accounts: subscribing to another type is 403. It ends with the access of the app, until its user sets another `url`. An address that the service may not connect to is a `VALIDATION_ERROR` (field `url`, constraint `allowedTarget`), and so is a reserved header (constraint `allowedHeader`). An account has as many webhooks as its tier allows (by default 10 free, 100 paid, 1,000 enterprise): one more is a `VALIDATION_ERROR` (field `body`, constraint `accountRows`).
     */
    post: operations["createWebhook"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/webhooks/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get a webhook
     * @description Returns one webhook without its secret.
     */
    get: operations["getWebhook"];
    /**
     * Change a webhook
     * @description Changes the fields that are sent and leaves the rest; `events`, `headers` and `metadata` are replaced as a whole. Every attempt from then on uses the new `url`, `headers` and `secret`, also those of deliveries that wait already. After a new `secret`, attempts are signed with the previous one too until `previousSecretExpiresAt` (see *Webhooks* above); a webhook without a previous secret takes a time only together with a new `secret`, otherwise the response is a `VALIDATION_ERROR` (field `secret`, constraint `required`). A change of who chose the `url`, an app or its user, ends the previous secret. `active: false` pauses the queue of the webhook, which loses nothing until it is full (see `active` of the webhook). When the operator of the service has lost the key that sealed the secrets, webhooks are inactive: `active: true` without a new `secret` is then a `VALIDATION_ERROR` (field `secret`, constraint `required`). Only the account of the webhook changes it: with `admin:*`, only `active` of others can be set, and any other field is 403. For a new `url`, `events`, `headers` or `secret` an app must be able to read the event types before and after the change; otherwise the response is 403. An app sets the `secret` and the `headers` only of webhooks whose `url` it has chosen; otherwise the response is 403. An app that chooses the `url` of a webhook with `headers` sends new ones together with it, or `null`; otherwise the response is a `VALIDATION_ERROR` (field `headers`, constraint `required`). When the access of the app that chose the `url` has ended, `active: true` without another `url` is a `VALIDATION_ERROR` (field `url`, constraint `required`). The app may know the secret: a new `url` of anyone else without a new `secret` is a `VALIDATION_ERROR` (field `secret`, constraint `required`). A change with which the account would hold more bytes than its tier allows is a `VALIDATION_ERROR` (field `body`, constraint `accountQuota`), unless it frees bytes.
     */
    put: operations["updateWebhook"];
    post?: never;
    /**
     * Delete a webhook
     * @description Deletes the webhook with its waiting deliveries and its log, for good.
     */
    delete: operations["deleteWebhook"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/webhooks/{id}/secret": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Rotate the secret of a webhook
     * @description Replaces the secret of a webhook, by default by a generated one, which only this response contains, and that to a repeated `Idempotency-Key`. Attempts are signed with the present secret too for 24 hours, or until `previousSecretExpiresAt`, so that the receiver can be changed meanwhile; see *Webhooks* above. An earlier previous secret expires at once. The same rules as for a new `secret` in `PUT` hold. A repeated `Idempotency-Key` returns the same secret again.
     */
    post: operations["rotateWebhookSecret"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/webhooks/{id}/test": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send a test event
     * @description Sends an example event to the webhook, signed and logged like any other. The delivery is marked `test`, its event has `context.test` and the header `X-Service-Test: true`. It is attempted once and does not count in `stats`. An event type that the webhook does not subscribe to is a `VALIDATION_ERROR` (field `eventType`, constraint `subscribed`) without `allowUnsubscribed`. While the queue of the webhook is full, a test is a `VALIDATION_ERROR` (field `id`, constraint `queueFull`).
     */
    post: operations["testWebhook"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/webhooks/{id}/deliveries": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List deliveries
     * @description Lists the deliveries of a webhook, newest first unless sorted otherwise. Finished deliveries are kept for 30 days after their end, waiting ones as long as they wait. Of the finished ones a webhook keeps the latest, as many as its queue may hold (see `active` of the webhook).
     */
    get: operations["listDeliveries"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/webhooks/{id}/deliveries/retry-failed": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Retry all failed deliveries
     * @description Starts one new attempt of every failed delivery of the webhook and returns their number. Test deliveries are left out. While deliveries of an earlier call still wait to be attempted, also because the webhook is switched off, another call is refused with a `VALIDATION_ERROR` (field `id`, constraint `inProgress`).
     */
    post: operations["retryFailedDeliveries"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/webhooks/{id}/deliveries/{deliveryId}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get a delivery
     * @description Returns one delivery with the event that it carries and every attempt. Because the event shows its resource, the scope that reads this resource is needed too (`vaults:read`, `documents:read`, `consents:read`, `users:read`, `instances:read`; `documents:share` for events of shares). Test deliveries need `webhooks:read` alone.
     */
    get: operations["getDelivery"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/webhooks/{id}/deliveries/{deliveryId}/retry": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Retry a delivery
     * @description Starts one new attempt at once. A finished delivery is opened again for that one attempt; when that one fails, the delivery has failed. Of a delivery that still waits, the attempt replaces the next automatic one, and the schedule goes on after it. Attempts keep their count, and send the same bytes. While the webhook is switched off the attempt waits with the rest of its queue.
     *
     *     Refused with a `VALIDATION_ERROR` for the field `deliveryId`: a test delivery, and one that the webhook may not receive any more because its app lost a scope (constraint `retryable`); and a delivery whose attempt is under way (constraint `inProgress`).
     */
    post: operations["retryDelivery"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/events": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List events
     * @description Lists the events of the account, newest first, for the 30 days that they are kept. An event looks as webhooks receive it and is listed with or without a webhook. An event shows its resource, so the scope that reads this resource is needed too: `vaults:read`, `documents:read`, `consents:read`, `users:read`, `instances:read`; `documents:share` for events of shares. Events of other resources are omitted; a `type` whose scope is missing returns 403. Events of instances, which belong to no account, are listed with `account=all`. Events of `POST /api/v1/webhooks/{id}/test` are not listed: they contain examples.
     *
     *     Use it for an activity page, or to catch up after a receiver was down.
     *
     *     Every page has a `cursor`. With `after`, the events follow that were committed after that cursor was issued: oldest first, each once, with `hasMore` and without `pagination`. Store the cursor of each page, of an empty one too: it is valid for 30 days. The first page can contain events that follow again after its cursor: skip their ids.
     */
    get: operations["listEvents"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/api/v1/events/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get an event
     * @description Returns one event as webhooks receive it. An event shows its resource, so the scope that reads this resource is needed too: `vaults:read`, `documents:read`, `consents:read`, `users:read`, `instances:read`; `documents:share` for events of shares. An event is unknown 30 days after its `timestamp`; so is an event of `POST /api/v1/webhooks/{id}/test`.
     */
    get: operations["getEvent"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/openapi/v1.json": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get this document
     * @description Returns this OpenAPI document with the address of the responding server. When `If-None-Match` has the `ETag` of the present document, the response is 304. No other request gets that status.
     */
    get: operations["getOpenApiDocument"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export interface webhooks {
  "vault.created": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * A vault was created
     * @description Emitted once when `POST /api/v1/vaults` or its GraphQL mutation has created a vault.
     *
     *     `data.object` is the new vault, empty and active.
     */
    post: operations["onVaultCreated"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "vault.updated": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * A vault was changed
     * @description Emitted when a call that updates a vault changed at least one of its fields; a call that leaves every value as it was emits nothing. The first key of a vault and a new generation of its keys are the change `keys`; of them, `data.previous` has the generation alone. Uploading, moving and deleting documents changes the counters of a vault without emitting this event.
     *
     *     `data.object` is the vault after the change, `data.changes` names the changed fields and `data.previous` holds their former values.
     */
    post: operations["onVaultUpdated"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "vault.deleted": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * A vault was deleted
     * @description Emitted once when a vault has been deleted. Its documents and shares are deleted in the same transaction and emit no events of their own.
     *
     *     `data.object` holds the id of the vault and the number of documents that were deleted with it.
     */
    post: operations["onVaultDeleted"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "vault.quota.warning": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * A vault reached 80 % of its storage quota
     * @description Emitted once when stored documents take a vault from below 80 % of its storage quota to 80 % or more. It is emitted again only after usage had fallen below 80 %. Where a lower quota has taken it there, the next stored document emits it.
     *
     *     `data.object` is the vault after the change, with its `usage`.
     */
    post: operations["onVaultQuotaWarning"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "vault.quota.exceeded": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * An upload would have exceeded the storage quota of a vault
     * @description Emitted for each document that is refused (VALIDATION_ERROR, constraint `vaultQuota`) because it would take its vault past 100 % of the storage quota.
     *
     *     `data.object` is the vault with its `usage`, both without the refused document.
     */
    post: operations["onVaultQuotaExceeded"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "document.uploaded": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * A document was uploaded
     * @description Emitted once when `POST /api/v1/documents` has stored a document.
     *
     *     `data.object` is the document without its content and with the summary of its encryption metadata.
     */
    post: operations["onDocumentUploaded"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "document.updated": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * The metadata of a document was changed
     * @description Emitted when a call that updates a document changed its file name or media type or moved it to another vault; a call that leaves every value as it was emits nothing. The content of a document never changes.
     *
     *     `data.object` is the document after the change, `data.changes` names the changed fields and `data.previous` holds their former values.
     */
    post: operations["onDocumentUpdated"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "document.deleted": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * A document was deleted
     * @description Emitted once when a single document has been deleted. Deleting a vault emits `vault.deleted` alone.
     *
     *     `data.object` holds the ids of the document and of its vault.
     */
    post: operations["onDocumentDeleted"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "document.shared": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * A document was shared
     * @description Emitted once when a share of a document has been created.
     *
     *     `data.object` is the new share. Its `shareToken` is not part of it: only the caller that created the share gets the token.
     */
    post: operations["onDocumentShared"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "document.share.accessed": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * A shared document was opened
     * @description Emitted for each counted access to a shared document. Refused accesses (spent, expired, revoked or unknown token) emit nothing.
     *
     *     `data.object` is the access record. `context.userId` is the user who opened the share, `null` when the share is open to anyone and was opened without credentials.
     */
    post: operations["onDocumentShareAccessed"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "document.share.expired": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * A share link expired
     * @description Emitted once by the sweeper after the `expiresAt` of an active share has passed. The share itself stops working exactly at that moment. A share that was revoked or spent before does not expire, nor does one whose document is gone.
     *
     *     `data.object` holds the ids of the share and its document, and the moment of expiry. No user and no request triggered the event: `context.userId` and `context.requestId` are `null`.
     */
    post: operations["onDocumentShareExpired"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "consent.granted": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * A consent was granted
     * @description Emitted once when `POST /api/v1/consents` or its GraphQL mutation has recorded a consent.
     *
     *     `data.object` is the new consent.
     */
    post: operations["onConsentGranted"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "consent.revoked": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * A consent was revoked
     * @description Emitted when an update sets the `status` of a consent to `revoked`. Revoking a consent that is revoked already emits nothing.
     *
     *     `data.object` holds the id of the consent and the reason given.
     */
    post: operations["onConsentRevoked"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "consent.expired": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * The period of a consent ended
     * @description Emitted once by the sweeper after the `expiresAt` of a granted consent has passed.
     *
     *     `data.object` is the consent, its `status` now `expired`. No user and no request triggered the event: `context.userId` and `context.requestId` are `null`.
     */
    post: operations["onConsentExpired"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "consent.renewed": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * A consent was renewed
     * @description Emitted when an update gives a consent a later `expiresAt`, or sets the `status` of a revoked or expired consent to `granted`.
     *
     *     `data.object` is the consent after the renewal.
     */
    post: operations["onConsentRenewed"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "user.created": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * A user was registered
     * @description Emitted once when `POST /auth/register` or the operator's command line has created a user. It reaches webhooks with `accounts: all` alone, since a new account has none yet.
     *
     *     `data.object` is the new user. After a registration `context.userId` is the new user's own id; on the command line it is `null`.
     */
    post: operations["onUserCreated"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "user.updated": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * The profile of a user was changed
     * @description Emitted when `PUT /api/v1/users/me` changed at least one field, when `PUT /api/v1/keyring` stored a keyring, or when the operator changed the tier or status of the account.
     *
     *     `data.object` is the user after the change, `data.changes` names the changed fields and `data.previous` holds their former values. A changed password is named in `data.changes`; its value is in neither object. Of a keyring, `data.previous` has the `version` alone.
     */
    post: operations["onUserUpdated"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "user.deleted": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * An account was deleted
     * @description Emitted once when an account has been deleted, by `DELETE /api/v1/users/me` or by the operator. It reaches webhooks with `accounts: all` alone, since those of the account are deleted with it.
     *
     *     `data.object` holds the id the user had.
     */
    post: operations["onUserDeleted"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "user.login": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * A user logged in
     * @description Emitted for each successful `POST /auth/login`. Failed logins and token refreshes emit nothing.
     *
     *     `data.object` says who logged in, when, how and from where.
     */
    post: operations["onUserLogin"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "instance.health.degraded": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * The health of an instance degraded
     * @description Emitted once when the health monitor finds an instance degraded that was healthy before. It reaches webhooks with `accounts: all` alone, since no single account owns an instance.
     *
     *     `data.object` is the health report with every check. No user and no request triggered the event: `context.userId` and `context.requestId` are `null`.
     */
    post: operations["onInstanceHealthDegraded"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "instance.health.recovered": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * An instance recovered
     * @description Emitted once when the health monitor finds an instance healthy that was degraded before. It reaches webhooks with `accounts: all` alone, since no single account owns an instance.
     *
     *     `data.object` is the health report with every check. No user and no request triggered the event: `context.userId` and `context.requestId` are `null`.
     */
    post: operations["onInstanceHealthRecovered"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "instance.quota.warning": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * An instance reached 80 % of its storage quota
     * @description Emitted once when stored documents take an instance from below 80 % of its storage quota to 80 % or more. It is emitted again only after usage had fallen below 80 %. Where a lower quota has taken it there, the next stored document emits it. It reaches webhooks with `accounts: all` alone, since no single account owns an instance.
     *
     *     `data.object` is the usage of the instance.
     */
    post: operations["onInstanceQuotaWarning"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export interface components {
  schemas: {
    /** @description A vault: a named container of encrypted documents that belongs to one user. */
    Vault: {
      /**
       * Format: uuid
       * @description Vault id (UUIDv7).
       * @example 019cadd6-a210-7670-891a-985ccc8c71a2
       */
      id: string;
      /**
       * @description Name of the vault. White space at both ends is removed before the length counts.
       * @example Taxes
       */
      name: string;
      /**
       * @description Free text about the vault; `null` when there is none.
       * @example Returns and receipts
       * @example null
       */
      description: string | null;
      /**
       * @description Category of the vault, for filtering: lower-case letters, digits, `_` and `-`. `null` when there is none.
       * @example personal
       * @example health
       * @example null
       */
      category: string | null;
      /**
       * Format: uuid
       * @description The owner.
       * @example 019cadd4-5698-781e-b05b-ef3e60cf1f3b
       */
      userId: string;
      /**
       * Format: uuid
       * @description The instance that stores the vault.
       * @example 019b8d2b-8c00-7db1-baa7-76cb5c5c64ab
       */
      instanceId: string;
      /** @description `true` on creation. An inactive vault refuses new documents; everything else still works. */
      isActive: boolean;
      /**
       * @description Number of documents in the vault; 0 on creation.
       * @example 12
       */
      documentCount: number;
      /**
       * Format: int64
       * @description Sum of `sizeBytes` of the documents, in bytes; 0 on creation.
       * @example 5242880
       */
      totalSize: number;
      /**
       * Format: date-time
       * @description When the vault was created.
       * @example 2026-03-02T09:17:30.512Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description When the vault itself was last changed; equal to `createdAt` until then. Adding and removing documents does not count as a change.
       * @example 2026-03-02T10:02:58.377Z
       */
      updatedAt: string;
    };
    /** @description A new vault. A name is enough. */
    CreateVault: {
      /**
       * Format: name
       * @description Name of the vault. White space at both ends is removed before the length counts.
       * @example Taxes
       */
      name: string;
      /**
       * @description Free text about the vault; `null` when there is none.
       * @example Returns and receipts
       */
      description?: string | null;
      /**
       * @description Category of the vault, for filtering: lower-case letters, digits, `_` and `-`. `null` when there is none.
       * @example personal
       */
      category?: string | null;
    };
    /** @description The fields to change; a field that is not sent stays as it is. */
    UpdateVault: {
      /**
       * Format: name
       * @description Name of the vault. White space at both ends is removed before the length counts.
       * @example Taxes 2025
       */
      name?: string;
      /**
       * @description Free text about the vault; `null` when there is none.
       * @example Returns and receipts, closed
       * @example null
       */
      description?: string | null;
      /**
       * @description Category of the vault, for filtering: lower-case letters, digits, `_` and `-`. `null` when there is none.
       * @example personal
       * @example null
       */
      category?: string | null;
      /** @description `false` closes the vault for new documents, `true` opens it again. */
      isActive?: boolean;
    };
    /** @description One page of vaults. */
    VaultPage: {
      /** @description The items of the page, in the requested order. Empty past the end. */
      data: components["schemas"]["Vault"][];
      pagination: components["schemas"]["Pagination"];
    };
    /** @description A document without its content. */
    Document: {
      /**
       * Format: uuid
       * @description Document id (UUIDv7).
       * @example 019cadd9-1528-7f5e-848b-0eb02474ebdb
       */
      id: string;
      /**
       * Format: uuid
       * @description The vault of the document.
       * @example 019cadd6-a210-7670-891a-985ccc8c71a2
       */
      vaultId: string;
      /**
       * Format: file-name
       * @description File name, without `/` and `\`. It is not `.` or `..`, which name folders. The rules of names apply: it has a visible character, and no invisible ones, which can disguise an extension. A client that encrypts names too puts the ciphertext here.
       * @example tax-return.pdf
       */
      fileName: string;
      /**
       * Format: int64
       * @description Length of the decoded encrypted content, in bytes.
       * @example 198
       */
      sizeBytes: number;
      /**
       * @description Media type of the plaintext as the client declares it: `type/subtype` without parameters.
       * @example application/pdf
       */
      mimeType: string;
      encryptionMetadata: components["schemas"]["EncryptionMetadata"];
      /**
       * Format: date-time
       * @description When the document was uploaded.
       * @example 2026-03-02T09:20:11.048Z
       */
      uploadedAt: string;
      /**
       * Format: date-time
       * @description When the document was last changed; equal to `uploadedAt` until then.
       * @example 2026-03-02T10:02:58.377Z
       */
      updatedAt: string;
      /**
       * Format: uri-reference
       * @description Where the ciphertext can be read as bytes, whole or by `Range`: a path on this service. See *Large documents*.
       * @example /api/v1/documents/019cadd9-1528-7f5e-848b-0eb02474ebdb/content
       */
      contentUrl: string;
    };
    /** @description A document with its encrypted content. */
    DocumentWithContent: components["schemas"]["Document"] & {
      /**
       * Format: byte
       * @description The encrypted content. Base64 with padding (RFC 4648, section 4), without line breaks. At most 32 MiB once decoded, unless the service is configured otherwise. An empty string stands for empty content. `null` for content above that size: read it from `contentUrl`. Absent with `content=false`.
       * @example KEBBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RlZmLpx+bd47g04NZJQ6MQbXoUyToCvxW/RDROSY1sShgyJTB1jDdwInWmr5+3RO2nVlnBoO6t29kAKhlju4X+8iThRoZOFspI58te9i2C+X6ajcpcyzYohzbZIxE8+49OULBOtP8oMtftrF6kUbbonvBO4fm/EvOqQYxVkqNreSW/H2hXBh2sXwsaPn04sMTXOKc9BIwjMbBqB3rsXOnI
       */
      encryptedData?: string | null;
    };
    /** @description A new document. The client has encrypted the content already. It has either `encryptedData` or `uploadId`. */
    CreateDocument: {
      /**
       * @description Id of the new document, a UUIDv7 that the client has made, so that it can bind the ciphertext to it (in lower case). An id that was ever used, in any account, is refused (constraint `unique`). Default: the service makes one.
       * @example 019cadd9-1528-7f5e-848b-0eb02474ebdb
       */
      id?: string;
      /**
       * @description The vault to put the document in. It must belong to the caller and be active.
       * @example 019cadd6-a210-7670-891a-985ccc8c71a2
       */
      vaultId: string;
      /**
       * Format: file-name
       * @description File name, without `/` and `\`. It is not `.` or `..`, which name folders. The rules of names apply: it has a visible character, and no invisible ones, which can disguise an extension. A client that encrypts names too puts the ciphertext here.
       * @example tax-return.pdf
       */
      fileName: string;
      /**
       * Format: byte
       * @description The encrypted content. Base64 with padding (RFC 4648, section 4), without line breaks. At most 32 MiB once decoded, unless the service is configured otherwise; an empty string is the encryption of an empty file. Required unless `uploadId` is given.
       * @example KEBBQkNERUZHSElKS0xNTk9QUVJTVFVWV1hZWltcXV5fYGFiY2RlZmLpx+bd47g04NZJQ6MQbXoUyToCvxW/RDROSY1sShgyJTB1jDdwInWmr5+3RO2nVlnBoO6t29kAKhlju4X+8iThRoZOFspI58te9i2C+X6ajcpcyzYohzbZIxE8+49OULBOtP8oMtftrF6kUbbonvBO4fm/EvOqQYxVkqNreSW/H2hXBh2sXwsaPn04sMTXOKc9BIwjMbBqB3rsXOnI
       */
      encryptedData?: string;
      /**
       * @description In place of `encryptedData`: an upload that has all of its parts. Its id becomes the id of the document, so `id` is not given either.
       * @example 019cadd9-4b10-7c02-9d1e-5a7f3c2b8e64
       */
      uploadId?: string;
      /**
       * Format: int64
       * @description Length of the decoded `encryptedData` or of the upload, in bytes. It must match exactly: it is the guard against a truncated upload.
       * @example 198
       */
      sizeBytes: number;
      /**
       * @description Media type of the plaintext as the client declares it: `type/subtype` without parameters.
       * @example application/pdf
       */
      mimeType: string;
      encryptionMetadata: components["schemas"]["EncryptionMetadata"];
    };
    /** @description The fields to change; a field that is not sent stays as it is. The content never changes. */
    UpdateDocument: {
      /**
       * Format: file-name
       * @description File name, without `/` and `\`. It is not `.` or `..`, which name folders. The rules of names apply: it has a visible character, and no invisible ones, which can disguise an extension. A client that encrypts names too puts the ciphertext here.
       * @example tax-return-2025.pdf
       */
      fileName?: string;
      /**
       * @description Media type of the plaintext as the client declares it: `type/subtype` without parameters.
       * @example application/pdf
       */
      mimeType?: string;
      /**
       * @description Moves the document to another active vault of the same account. A document under `keyDerivation: VAULT_KEY` needs `encryptionMetadata` with it: its key is wrapped anew for the other vault.
       * @example 019cae01-5fe8-7a14-a3c0-71b65d1f0e92
       */
      vaultId?: string;
      encryptionMetadata?: components["schemas"]["UpdateEncryptionMetadata"];
    };
    /** @description The document's own key, wrapped anew: under the key of the vault, another passphrase, or a key that is not derived. The properties replace the present ones together. With `keyDerivation`, `iterations` is given too, and `keyGeneration` for `VAULT_KEY` or `salt` for everything else; without it, none of them, and the present ones are removed. Everything else in `encryptionMetadata` stays. A document without `wrappedKey` is refused (constraint `wrappedKey`): its content is encrypted under the derived key itself. */
    UpdateEncryptionMetadata: {
      /**
       * @description Where the key comes from that wraps the document's own one: `PBKDF2` derives it from a passphrase, `VAULT_KEY` is the key of the vault (`iterations` is 1). Absent when the key was not derived.
       * @example PBKDF2
       */
      keyDerivation?: string;
      /**
       * @description Iterations of the key derivation; absent when the key was not derived.
       * @example 600000
       */
      iterations?: number;
      /**
       * Format: byte
       * @description Salt of the key derivation. Base64 with padding (RFC 4648, section 4), without line breaks. PBKDF2 cannot be repeated without it.
       * @example K8mQBZRzRI5uvUQqoWv6oA==
       */
      salt?: string;
      /**
       * @description Generation of the vault key that wraps the document's own key, with `keyDerivation: VAULT_KEY` alone. It is the present `generation` of the vault, otherwise the upload is refused (constraint `keyGeneration`).
       * @example 1
       */
      keyGeneration?: number;
      /**
       * Format: byte
       * @description The document's own key, wrapped for this document alone (AES-256-GCM). Base64 with padding (RFC 4648, section 4), without line breaks.
       * @example gIGCg4SFhoeIiYqLeuKIcgbKGHZWOpDC9/xAgGUiWmcCtQVcztYusHw0/sX1TpaWvpXNh9hAs2gtnjYi
       */
      wrappedKey: string;
    };
    /** @description The beginning of an upload in parts. */
    CreateUpload: {
      /**
       * @description Id of the upload and of the later document, a UUIDv7 that the client has made, so that it can bind the ciphertext to it (in lower case). An id that was ever used, in any account, is refused (constraint `unique`). Default: the service makes one.
       * @example 019cadd9-4b10-7c02-9d1e-5a7f3c2b8e64
       */
      id?: string;
      /**
       * @description The vault to put the document in. It must belong to the caller and be active.
       * @example 019cadd6-a210-7670-891a-985ccc8c71a2
       */
      vaultId: string;
      /**
       * Format: int64
       * @description Length of the ciphertext, in bytes. At most 16 GiB, unless the service is configured otherwise (constraint `maximum`).
       * @example 20971520
       */
      sizeBytes: number;
    };
    /** @description An open upload. */
    Upload: {
      /**
       * Format: uuid
       * @description Upload id (UUIDv7); later the id of the document.
       * @example 019cadd9-4b10-7c02-9d1e-5a7f3c2b8e64
       */
      id: string;
      /**
       * Format: uuid
       * @description The vault that the bytes are reserved in.
       * @example 019cadd6-a210-7670-891a-985ccc8c71a2
       */
      vaultId: string;
      /**
       * Format: int64
       * @description Length of the ciphertext, in bytes.
       * @example 20971520
       */
      sizeBytes: number;
      /**
       * Format: int64
       * @description Bytes of every part except the last one, which has the rest. The service chooses it.
       * @example 8388608
       */
      partBytes: number;
      /** @description The parts that have arrived, in order. */
      parts: components["schemas"]["UploadPart"][];
      /**
       * Format: date-time
       * @description When the service removes the upload, 24 hours after its beginning.
       * @example 2026-03-03T09:20:25.104Z
       */
      expiresAt: string;
    };
    /** @description A part that has arrived. */
    UploadPart: {
      /**
       * @description Number of the part, from 0.
       * @example 0
       */
      part: number;
      /**
       * Format: int64
       * @description Bytes of the part.
       * @example 8388608
       */
      sizeBytes: number;
      /**
       * Format: byte
       * @description SHA-256 of the part, base64.
       * @example n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=
       */
      sha256: string;
    };
    /** @description One page of documents. */
    DocumentPage: {
      /** @description The items of the page, in the requested order. Empty past the end. */
      data: components["schemas"]["Document"][];
      pagination: components["schemas"]["Pagination"];
    };
    /** @description What a client needs to decrypt the content, except its secret. The service stores it and never uses it. Further properties are allowed and kept; as JSON in UTF-8, all of it together has at most 16 KiB. */
    EncryptionMetadata: {
      /**
       * @description Cipher of the content. `AES256_GCM_HKDF_1MB` is a ciphertext stream of segments, bound to the id of the document; the SDK writes it.
       * @example AES256_GCM_HKDF_1MB
       */
      algorithm: string;
      /**
       * @description Where the key comes from that wraps the document's own one: `PBKDF2` derives it from a passphrase, `VAULT_KEY` is the key of the vault (`iterations` is 1). Absent when the key was not derived.
       * @example PBKDF2
       */
      keyDerivation?: string;
      /**
       * @description Iterations of the key derivation; absent when the key was not derived.
       * @example 600000
       */
      iterations?: number;
      /**
       * Format: byte
       * @description Salt of the key derivation. Base64 with padding (RFC 4648, section 4), without line breaks. PBKDF2 cannot be repeated without it.
       * @example K8mQBZRzRI5uvUQqoWv6oA==
       */
      salt?: string;
      /**
       * @description Generation of the vault key that wraps the document's own key, with `keyDerivation: VAULT_KEY` alone. It is the present `generation` of the vault, otherwise the upload is refused (constraint `keyGeneration`).
       * @example 1
       */
      keyGeneration?: number;
      /**
       * Format: byte
       * @description The document's own key, wrapped for this document alone (AES-256-GCM) by the key that `keyDerivation` names; absent when the content is encrypted under that key itself. Base64 with padding (RFC 4648, section 4), without line breaks.
       * @example gIGCg4SFhoeIiYqLeuKIcgbKGHZWOpDC9/xAgGUiWmcCtQVcztYusHw0/sX1TpaWvpXNh9hAs2gtnjYi
       */
      wrappedKey?: string;
      /**
       * Format: byte
       * @description Initialisation vector (nonce) of the encryption, or the nonce prefix of a ciphertext stream. Base64 with padding (RFC 4648, section 4), without line breaks.
       * @example YGFiY2RlZg==
       */
      iv: string;
      /**
       * Format: byte
       * @description Authentication tag of the content, or of the last segment of a ciphertext stream. Base64 with padding (RFC 4648, section 4), without line breaks.
       * @example 1zinPQSMIzGwagd67FzpyA==
       */
      authTag: string;
    } & {
      [key: string]: unknown;
    };
    /** @description The part of `encryptionMetadata` that events carry. */
    EncryptionSummary: {
      /**
       * @description Cipher of the content.
       * @example AES256_GCM_HKDF_1MB
       */
      algorithm: string;
      /**
       * @description How the key was derived from a passphrase; absent when the key was not derived.
       * @example PBKDF2
       */
      keyDerivation?: string;
    };
    /** @description The keys of an account as its clients have encrypted them. The service stores it and cannot open it. */
    Keyring: {
      /**
       * Format: uuid
       * @description The account.
       * @example 019cadd4-5698-781e-b05b-ef3e60cf1f3b
       */
      userId: string;
      /**
       * @description Number of the change: 1 for the first keyring, and one more with each `PUT`.
       * @example 1
       */
      version: number;
      /**
       * @description Public key of the account: a point of P-256, uncompressed. 65 bytes. Base64 with padding (RFC 4648, section 4), without line breaks.
       * @example BJ9BY8qOviwltPILpxlLX4zOfa1krK/4GGu3ASUWCr89CBhsUYtQH1vtQ6dJUA0rgUR1vAnHVTNdLJ2mAxCzleI=
       */
      publicKey: string;
      /**
       * @description Private key of the account (PKCS #8), encrypted under the account key. 166 bytes. Base64 with padding (RFC 4648, section 4), without line breaks.
       * @example EXq7gunagu9RNfN1IFokPfcTfF/HiReZYC5P4xrzXeG5MJYtvSCKz0BG5zbndVdJvnDfiqS0QNG3xT6sZZ8ngHXe/I8502lpU51KfxaGlMxKAsSC/oqxRjYlTM3CnxuhpYZGT2Bbo7nxksDRoFRmoWUjCUyu4lgHkLlIPqStsJdRNqYw0w9unpi2MVyl/IrOIgOBy5I5eUp2YPA7fcyNlrr+bWeBdA==
       */
      privateKey: string;
      /** @description The ways to get at the account key: exactly one passphrase, and any recovery keys and passkeys. */
      unlockers: components["schemas"]["Unlocker"][];
    };
    /** @description The whole keyring after the change, at most 16 KiB as JSON (constraint `maxBytes`). */
    UpdateKeyring: {
      /**
       * @description One more than the present `version`; 1 for the first keyring. Any other is refused (constraint `version`): another client has changed the keyring, so read it again.
       * @example 1
       */
      version: number;
      /**
       * @description Public key of the account: a point of P-256, uncompressed. 65 bytes. Base64 with padding (RFC 4648, section 4), without line breaks.
       * @example BJ9BY8qOviwltPILpxlLX4zOfa1krK/4GGu3ASUWCr89CBhsUYtQH1vtQ6dJUA0rgUR1vAnHVTNdLJ2mAxCzleI=
       */
      publicKey: string;
      /**
       * @description Private key of the account (PKCS #8), encrypted under the account key. 166 bytes. Base64 with padding (RFC 4648, section 4), without line breaks.
       * @example EXq7gunagu9RNfN1IFokPfcTfF/HiReZYC5P4xrzXeG5MJYtvSCKz0BG5zbndVdJvnDfiqS0QNG3xT6sZZ8ngHXe/I8502lpU51KfxaGlMxKAsSC/oqxRjYlTM3CnxuhpYZGT2Bbo7nxksDRoFRmoWUjCUyu4lgHkLlIPqStsJdRNqYw0w9unpi2MVyl/IrOIgOBy5I5eUp2YPA7fcyNlrr+bWeBdA==
       */
      privateKey: string;
      /** @description The ways to get at the account key: exactly one passphrase (constraint `passphrase`), and any recovery keys and passkeys. Their ids differ (constraint `unique`). */
      unlockers: components["schemas"]["Unlocker"][];
      /**
       * Format: password
       * @description The password of the account, needed unless `version` is 1.
       * @example correct horse battery staple
       */
      currentPassword?: string;
      /**
       * @description `true` confirms another `publicKey`, which needs it: all vault keys of the account are removed. No effect with the same `publicKey`.
       * @example true
       */
      replace?: boolean;
    };
    /** @description A way to get at the account key: the key wrapped by a secret, which never leaves the client. `kdf`, `iterations` and `salt` belong to a passphrase, `credentialId` to a passkey. */
    Unlocker: {
      /**
       * @description Id of the unlocker, a UUID in lower case that the client has made.
       * @example 5a1f0c86-2f0d-4e0b-9f0e-3c1b8a7d6e52
       */
      id: string;
      /**
       * @description The kind of secret.
       * @example passphrase
       * @enum {string}
       */
      type: "passphrase" | "recoveryKey" | "passkey";
      /**
       * Format: name
       * @description What the user calls it.
       * @example Passphrase
       */
      label: string;
      /**
       * Format: date-time
       * @description When the client made it.
       * @example 2026-03-02T09:16:20.004Z
       */
      createdAt: string;
      /**
       * @description The account key, encrypted under the key of the secret. 60 bytes. Base64 with padding (RFC 4648, section 4), without line breaks.
       * @example ST6jfI1/m8tLX6RRTvfO2lKSBNEhZOkYPvO/SV2AH2Prg/bABFyHRyucBn7eUxNYdITp+0PhB7a5dIAC
       */
      wrappedKey: string;
      /**
       * @description How the key is derived from the passphrase (RFC 8018, section 5.2).
       * @example PBKDF2-SHA256
       * @enum {string}
       */
      kdf?: "PBKDF2-SHA256";
      /**
       * @description Iterations of the derivation.
       * @example 600000
       */
      iterations?: number;
      /**
       * @description Salt of the derivation. 16 bytes. Base64 with padding (RFC 4648, section 4), without line breaks.
       * @example 7BjqyNdYseulLTwQ05rcbQ==
       */
      salt?: string;
      /**
       * Format: byte
       * @description Id of the passkey (WebAuthn), at most 1,023 bytes. Base64 with padding (RFC 4648, section 4), without line breaks.
       * @example EixZcIO9Q4t/bXKvddAllIiZZHcRuAa90s2C+mlxPbM=
       */
      credentialId?: string;
    };
    /** @description The keys of a vault as its owner's client has encrypted them. The service stores them and cannot open them. */
    VaultKeys: {
      /**
       * Format: uuid
       * @description The vault.
       * @example 019cadd6-a210-7670-891a-985ccc8c71a2
       */
      vaultId: string;
      /**
       * @description Number of the change: 1 for the first key, and one more with each `PUT`.
       * @example 1
       */
      version: number;
      /**
       * @description Number of the newest key of the vault, from 1. New documents have it as `keyGeneration`.
       * @example 1
       */
      generation: number;
      /**
       * Format: byte
       * @description The keys of all generations, encrypted under the account key. At most 32 KiB. Base64 with padding (RFC 4648, section 4), without line breaks. `null` after the keyring was replaced: the keys up to `generation` are lost, and the next `PUT` begins the next generation.
       * @example aIUIYWtnIl+FPVTED/e5uNMBDtl4r2T+gI0/uQkF+iEO3D0PCrhbnq2dlgCw6YEL3CbS2vKSNmPpzSa7xsG0onaTbwHJS4BCWpcOd6fwKW2XGOHHxomG6S+mYvxUdDUDpu27tow=
       */
      sealed: string | null;
      /**
       * Format: byte
       * @description The keys as the owner has encrypted them for a member; `null` for the owner.
       * @example null
       */
      grant: string | null;
      /**
       * @description Whether the owner should begin a new generation, because a member has left.
       * @example false
       */
      rotationDue: boolean;
    };
    /** @description The keys of a vault after the change. */
    UpdateVaultKeys: {
      /**
       * @description One more than the present `version`; 1 for the first key. Any other is refused (constraint `version`): another client has changed the keys, so read them again.
       * @example 1
       */
      version: number;
      /**
       * @description The present `generation` or the next one; 1 for the first key (constraint `generation`).
       * @example 1
       */
      generation: number;
      /**
       * Format: byte
       * @description The keys of all generations, encrypted under the account key. At most 32 KiB. Base64 with padding (RFC 4648, section 4), without line breaks. More is refused (constraint `maxDecodedLength`).
       * @example aIUIYWtnIl+FPVTED/e5uNMBDtl4r2T+gI0/uQkF+iEO3D0PCrhbnq2dlgCw6YEL3CbS2vKSNmPpzSa7xsG0onaTbwHJS4BCWpcOd6fwKW2XGOHHxomG6S+mYvxUdDUDpu27tow=
       */
      sealed: string;
    };
    /** @description One page of vault keys. */
    VaultKeysPage: {
      /** @description The items of the page, in the requested order. Empty past the end. */
      data: components["schemas"]["VaultKeys"][];
      pagination: components["schemas"]["Pagination"];
    };
    /** @description A share link of a document. Its token is shown once, by the call that creates the share. */
    Share: {
      /**
       * Format: uuid
       * @description Share id (UUIDv7).
       * @example 019cade2-c462-73c1-a294-ac3cddc695e0
       */
      id: string;
      /**
       * Format: uuid
       * @description The shared document.
       * @example 019cadd9-1528-7f5e-848b-0eb02474ebdb
       */
      documentId: string;
      /** @description What the holder of the link may do. */
      permissions: components["schemas"]["SharePermission"][];
      access: components["schemas"]["ShareAccessMode"];
      /**
       * Format: date-time
       * @description When the link ends.
       * @example 2026-03-09T09:30:45.000Z
       */
      expiresAt: string;
      /**
       * @description How many accesses the link allows; `null` for no cap.
       * @example 3
       * @example null
       */
      maxAccessCount: number | null;
      /**
       * @description Accesses so far; 0 on creation.
       * @example 0
       */
      accessCount: number;
      /** @description `true` on creation; `false` once the share is revoked, spent or expired. */
      isActive: boolean;
      /**
       * Format: date-time
       * @description When the share was created.
       * @example 2026-03-02T09:30:45.730Z
       */
      createdAt: string;
    };
    /** @description A new share with its token. This is the only response that contains the token. */
    CreatedShare: components["schemas"]["Share"] & {
      /**
       * @description Random token that opens the document, base64url. The service stores only a hash of it.
       * @example mePKGsZIi5YwGs8c5IioV81_gOw94C3iodGOEbCUAFk
       */
      shareToken: string;
    };
    /** @description The terms of a new share. Every field is optional. */
    CreateShare: {
      /**
       * @description What the holder of the link may do.
       * @default [
       *       "read"
       *     ]
       */
      permissions: components["schemas"]["SharePermission"][];
      /**
       * Format: date-time
       * @description When the link ends: in the future and at most 365 days away. Default: 7 days from now.
       * @example 2026-03-09T09:30:45.000Z
       */
      expiresAt?: string;
      /**
       * @description How many accesses the link allows; `null` for no cap.
       * @default null
       * @example 3
       * @example null
       */
      maxAccessCount: number | null;
      /** @default authenticated */
      access: components["schemas"]["ShareAccessMode"];
    };
    /** @description One page of shares. */
    SharePage: {
      /** @description The items of the page, in the requested order. Empty past the end. */
      data: components["schemas"]["Share"][];
      pagination: components["schemas"]["Pagination"];
    };
    /** @description A document as a share link opens it, with its encrypted content. Opened without credentials with `documents:read` of the owner of the document, its `encryptionMetadata` holds only `algorithm`, `iv` and `authTag`. Its `contentUrl` is a ticket for this share and content: it is valid for 24 hours, and ends with the share by revocation and expiry, not by the cap on accesses. */
    SharedDocument: components["schemas"]["DocumentWithContent"];
    /**
     * @description A permission of a share.
     * @enum {string}
     */
    SharePermission: "read";
    /**
     * @description Who may use the link: `authenticated`, callers with credentials for `documents:share`; `anyone`, every caller with the token. Credentials that are sent are checked either way.
     * @enum {string}
     */
    ShareAccessMode: "authenticated" | "anyone";
    /** @description An instance: one installation of the service with its own storage. */
    Instance: {
      /**
       * Format: uuid
       * @description Instance id (UUIDv7).
       * @example 019b8d2b-8c00-7db1-baa7-76cb5c5c64ab
       */
      id: string;
      /**
       * @description Name of the instance. White space at both ends is removed before the length counts.
       * @example Main
       */
      name: string;
      /**
       * @description Where the instance runs: lower-case letters, digits and `-`.
       * @example eu-central
       */
      region: string;
      /**
       * @description Version of the software that the instance runs.
       * @example 1.0.0
       */
      version: string;
      /** @description Health of the instance at its last check. */
      status: components["schemas"]["HealthStatus"];
      /** @description `true` on creation. An inactive instance takes no new accounts; those that it has go on as before. New accounts belong to the oldest active instance. */
      isActive: boolean;
      /**
       * Format: int64
       * @description How many bytes of encrypted content the instance may hold.
       * @example 1073741824000
       */
      quotaBytes: number;
      /**
       * Format: int64
       * @description Bytes of encrypted content in the instance.
       * @example 482133
       */
      usedBytes: number;
      /**
       * Format: date-time
       * @description When the instance was created.
       * @example 2026-01-05T08:00:00.000Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description When the instance was last changed; equal to `createdAt` until then.
       * @example 2026-01-05T08:00:00.000Z
       */
      updatedAt: string;
    };
    /** @description A new instance. */
    CreateInstance: {
      /**
       * Format: name
       * @description Name of the instance. White space at both ends is removed before the length counts.
       * @example Main
       */
      name: string;
      /**
       * @description Where the instance runs: lower-case letters, digits and `-`.
       * @default default
       * @example eu-central
       */
      region: string;
      /**
       * Format: int64
       * @description How many bytes of encrypted content the instance may hold. Default: as the service is configured.
       * @example 1073741824000
       */
      quotaBytes?: number;
    };
    /** @description The fields to change; a field that is not sent stays as it is. */
    UpdateInstance: {
      /**
       * Format: name
       * @description Name of the instance. White space at both ends is removed before the length counts.
       * @example Main
       */
      name?: string;
      /**
       * @description Where the instance runs: lower-case letters, digits and `-`.
       * @example eu-central
       */
      region?: string;
      /**
       * Format: int64
       * @description How many bytes of encrypted content the instance may hold. A value below `usedBytes` removes nothing and refuses further uploads.
       * @example 1073741824000
       */
      quotaBytes?: number;
      /** @description `false` closes the instance for new accounts, `true` opens it again. */
      isActive?: boolean;
    };
    /** @description One page of instances. */
    InstancePage: {
      /** @description The items of the page, in the requested order. Empty past the end. */
      data: components["schemas"]["Instance"][];
      pagination: components["schemas"]["Pagination"];
    };
    /** @description Health of an instance. */
    InstanceHealth: {
      /**
       * Format: uuid
       * @description The instance.
       * @example 019b8d2b-8c00-7db1-baa7-76cb5c5c64ab
       */
      instanceId: string;
      /** @description `degraded` as soon as one check is. */
      status: components["schemas"]["HealthStatus"];
      /** @description The checks: a write to the store, free disk space, the backlog of webhook deliveries. */
      checks: components["schemas"]["HealthCheck"][];
      /**
       * Format: date-time
       * @description When the checks ran.
       * @example 2026-03-02T10:02:58.377Z
       */
      checkedAt: string;
    };
    /** @description One check of an instance. */
    HealthCheck: {
      /**
       * @description What was checked.
       * @example store
       * @example disk
       * @example deliveries
       */
      name: string;
      status: components["schemas"]["HealthStatus"];
      /**
       * @description How long the check took, in milliseconds.
       * @example 2
       */
      durationMs: number;
      /**
       * @description What is wrong; absent when there is nothing to say.
       * @example The oldest due delivery has waited for 312 s
       */
      message?: string;
    };
    /**
     * @description Health of an instance or of one check.
     * @enum {string}
     */
    HealthStatus: "healthy" | "degraded";
    /** @description Counts for every instance that the caller may see: the sum, then each instance. They count the rows of the accounts that `account` selects. */
    InstanceStatistics: {
      /**
       * @description Number of instances.
       * @example 1
       */
      instances: number;
      /**
       * @description Number of vaults.
       * @example 4
       */
      vaults: number;
      /**
       * @description Number of documents.
       * @example 31
       */
      documents: number;
      /**
       * Format: int64
       * @description Bytes of encrypted content.
       * @example 482133
       */
      usedBytes: number;
      /**
       * @description Number of shares that can still be used.
       * @example 2
       */
      activeShares: number;
      /**
       * @description Number of webhooks.
       * @example 1
       */
      webhooks: number;
      deliveries: components["schemas"]["DeliveryCounts"];
      /** @description The same figures for each instance. */
      perInstance: components["schemas"]["InstanceFigures"][];
    };
    /** @description Figures of one instance. */
    InstanceFigures: {
      /**
       * Format: uuid
       * @description The instance.
       * @example 019b8d2b-8c00-7db1-baa7-76cb5c5c64ab
       */
      instanceId: string;
      /**
       * @description Number of vaults.
       * @example 4
       */
      vaults: number;
      /**
       * @description Number of documents.
       * @example 31
       */
      documents: number;
      /**
       * Format: int64
       * @description Bytes of encrypted content.
       * @example 482133
       */
      usedBytes: number;
      /**
       * @description Number of shares that can still be used.
       * @example 2
       */
      activeShares: number;
      /**
       * @description Number of webhooks.
       * @example 1
       */
      webhooks: number;
      deliveries: components["schemas"]["DeliveryCounts"];
    };
    /** @description Figures of an instance over time. */
    InstanceHistory: {
      /**
       * Format: uuid
       * @description The instance.
       * @example 019b8d2b-8c00-7db1-baa7-76cb5c5c64ab
       */
      instanceId: string;
      /**
       * Format: date-time
       * @description The earliest time of the points.
       * @example 2026-03-02T00:00:00.000Z
       */
      from: string;
      /**
       * Format: date-time
       * @description The time before which the points start.
       * @example 2026-03-03T00:00:00.000Z
       */
      to: string;
      /**
       * @description Length of a point.
       * @example hour
       * @enum {string}
       */
      step: "hour" | "day";
      /** @description The points, the earliest first. Times in which no server ran have none. */
      data: components["schemas"]["InstancePoint"][];
    };
    /** @description Figures of an hour or a day. */
    InstancePoint: {
      /**
       * Format: date-time
       * @description When the hour or the day begins.
       * @example 2026-03-02T09:00:00.000Z
       */
      start: string;
      /**
       * @description Number of documents at the first record of this time, within a minute of its begin while a server runs.
       * @example 30
       */
      documents: number;
      /**
       * Format: int64
       * @description Bytes of encrypted content at the same moment.
       * @example 470211
       */
      usedBytes: number;
      /**
       * @description Requests with valid credentials of accounts of the instance.
       * @example 212
       */
      requests: number;
      deliveries: components["schemas"]["EndedDeliveries"];
    };
    /** @description Number of webhook deliveries that ended, by outcome, without test deliveries. */
    EndedDeliveries: {
      /**
       * @description Acknowledged by the receiver.
       * @example 8
       */
      succeeded: number;
      /**
       * @description Given up after the last attempt.
       * @example 0
       */
      failed: number;
    };
    /** @description Number of webhook deliveries by status. Test deliveries do not count, and neither do those that are past their retention. */
    DeliveryCounts: {
      /**
       * @description Not attempted yet.
       * @example 0
       */
      pending: number;
      /**
       * @description Failed at least once, with attempts left.
       * @example 1
       */
      retrying: number;
      /**
       * @description Acknowledged by the receiver.
       * @example 42
       */
      succeeded: number;
      /**
       * @description Given up after the last attempt.
       * @example 0
       */
      failed: number;
    };
    /** @description A user account. */
    User: {
      /**
       * Format: uuid
       * @description User id (UUIDv7).
       * @example 019cadd4-5698-781e-b05b-ef3e60cf1f3b
       */
      id: string;
      /**
       * Format: email
       * @description E-mail address, the name to log in with. Unique without regard to case.
       * @example ada@example.com
       */
      email: string;
      /**
       * @description Name of the person. White space at both ends is removed before the length counts.
       * @example Ada Berger
       */
      name: string;
      /**
       * @description `admin` sees every account and may manage instances.
       * @example user
       * @enum {string}
       */
      role: "user" | "admin";
      tier: components["schemas"]["Tier"];
      /**
       * @description A suspended account's calls return 403 `ACCOUNT_SUSPENDED`. Its shares return 404, and deliveries to its webhooks wait. Both go on when the account is resumed.
       * @example active
       * @enum {string}
       */
      status: "active" | "suspended";
      /**
       * Format: uuid
       * @description The instance that stores the account.
       * @example 019b8d2b-8c00-7db1-baa7-76cb5c5c64ab
       */
      instanceId: string;
      /**
       * Format: date-time
       * @description When the user registered.
       * @example 2026-03-02T09:15:00.120Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description When the profile was last changed; equal to `createdAt` until then.
       * @example 2026-03-02T09:15:00.120Z
       */
      updatedAt: string;
    };
    /** @description A user account, with what it uses of its limits. */
    CurrentUser: components["schemas"]["User"] & {
      usage: components["schemas"]["AccountUsage"];
    };
    /** @description One page of accounts. */
    UserPage: {
      /** @description The items of the page, in the requested order. Empty past the end. */
      data: components["schemas"]["User"][];
      pagination: components["schemas"]["Pagination"];
    };
    /** @description What an account contains, and what its tier allows. A request that would exceed a limit is a `VALIDATION_ERROR`: with the constraint `accountQuota` for `bytes`, `accountRows` for the others. `details.resource` is the name of the limit here. */
    AccountUsage: {
      /** @description Bytes of contents, names, descriptions, metadata and webhook settings, and the declared bytes of open uploads. The content of a deleted document counts until the sweeper has erased it, about a minute later. Users, sessions, events and deliveries are not counted. */
      bytes: components["schemas"]["UsageOfLimit"];
      /** @description Vaults. */
      vaults: components["schemas"]["UsageOfLimit"];
      /** @description Documents. */
      documents: components["schemas"]["UsageOfLimit"];
      /** @description Shares. Those that have ended count until they are removed, 30 days after they expire or with their document. */
      shares: components["schemas"]["UsageOfLimit"];
      /** @description Consents in every status. */
      consents: components["schemas"]["UsageOfLimit"];
      /** @description API keys that are not revoked. */
      keys: components["schemas"]["UsageOfLimit"];
      /** @description Webhooks. */
      webhooks: components["schemas"]["UsageOfLimit"];
      /** @description Open uploads. Their declared bytes count in `bytes`. */
      uploads: components["schemas"]["UsageOfLimit"];
      /** @description OAuth clients, disabled ones too. */
      clients: components["schemas"]["UsageOfLimit"];
    };
    /** @description How much of a limit is used. */
    UsageOfLimit: {
      /**
       * Format: int64
       * @description What the account contains. Above `limit` when the limit was lowered.
       * @example 3
       */
      used: number;
      /**
       * Format: int64
       * @description What the account may hold, by its tier.
       * @example 100
       */
      limit: number;
    };
    /** @description The fields to change; a field that is not sent stays as it is. */
    UpdateUser: {
      /**
       * Format: name
       * @description Name of the person. White space at both ends is removed before the length counts.
       * @example Ada Berger
       */
      name?: string;
      /**
       * Format: email
       * @description New e-mail address. It must not belong to another account. `currentPassword` is needed with it.
       * @example ada@example.com
       */
      email?: string;
      /**
       * Format: password
       * @description New password. `currentPassword` is needed with it. It is compared in the Unicode form NFC, in which its length is counted too.
       * @example correct horse battery staple
       */
      password?: string;
      /**
       * Format: password
       * @description The password so far, needed with `email` and `password`.
       * @example correct horse battery staple
       */
      currentPassword?: string;
      /**
       * @description Whether to revoke every API key of the account, the caller's included. `false` when it is not sent. `password` is needed with it. The consents of apps, with their access, and the secrets of all OAuth clients of the account end too, and clients that authenticate with keys are disabled.
       * @example true
       */
      revokeApiKeys?: boolean;
    };
    /** @description The fields to change; a field that is not sent stays as it is. */
    AdministerUser: {
      /**
       * @description `admin` sees every account and may manage instances and accounts.
       * @example user
       * @enum {string}
       */
      role?: "user" | "admin";
      tier?: components["schemas"]["Tier"];
      /**
       * @description `suspended` rejects all sessions and API keys of the account until it is `active` again.
       * @example active
       * @enum {string}
       */
      status?: "active" | "suspended";
    };
    /** @description Confirmation of the deletion of an account. */
    DeleteUser: {
      /**
       * Format: password
       * @description The password of the account.
       * @example correct horse battery staple
       */
      password: string;
    };
    /**
     * @description Rate-limit and storage tier of an account.
     * @enum {string}
     */
    Tier: "free" | "paid" | "enterprise";
    /** @description A new account. */
    RegisterRequest: {
      /**
       * Format: email
       * @description E-mail address. It must not belong to another account.
       * @example ada@example.com
       */
      email: string;
      /**
       * Format: password
       * @description Password of the new account. It is compared in the Unicode form NFC, in which its length is counted too.
       * @example correct horse battery staple
       */
      password: string;
      /**
       * Format: name
       * @description Name of the person. White space at both ends is removed before the length counts.
       * @example Ada Berger
       */
      name: string;
    };
    /** @description Credentials of a user. */
    LoginRequest: {
      /**
       * @description E-mail address of the account, without regard to case.
       * @example ada@example.com
       */
      email: string;
      /**
       * Format: password
       * @description Password of the account.
       * @example correct horse battery staple
       */
      password: string;
    };
    /** @description A refresh token to exchange. */
    RefreshRequest: {
      /**
       * @description Opaque refresh token.
       * @example lR6_Km1uyu1eD1vssG0QKMxOTUSAzE444aEwxguA44k
       */
      refreshToken: string;
    };
    /** @description A refresh token to revoke. */
    LogoutRequest: {
      /**
       * @description Opaque refresh token.
       * @example lR6_Km1uyu1eD1vssG0QKMxOTUSAzE444aEwxguA44k
       */
      refreshToken: string;
    };
    /** @description A new pair of tokens. */
    TokenPair: {
      /**
       * @description JWT (RS256) for `Authorization: Bearer`.
       * @example eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6IjIwMjYtMDMifQ.eyJzdWIiOiIwMTljYWRkNC01Njk4LTc4MWUtYjA1Yi1lZjNlNjBjZjFmM2IifQ.c2lnbmF0dXJl
       */
      accessToken: string;
      /**
       * @description Opaque token for `POST /auth/refresh`, valid for 30 days and for one use.
       * @example lR6_Km1uyu1eD1vssG0QKMxOTUSAzE444aEwxguA44k
       */
      refreshToken: string;
      /**
       * @description Lifetime of the access token, in seconds.
       * @example 3600
       */
      expiresIn: number;
    };
    /** @description A login of the account that is still valid. */
    Session: {
      /**
       * Format: uuid
       * @description Session id, the `sid` of its access tokens. Not a secret.
       * @example 019cadd5-4f16-7c3e-9a53-0b8f4a1c7d20
       */
      id: string;
      /**
       * Format: date-time
       * @description When the user logged in.
       * @example 2026-03-02T09:16:04.310Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description When the session was last used, exact to the minute.
       * @example 2026-03-02T10:02:58.377Z
       */
      lastUsedAt: string;
      /**
       * Format: date-time
       * @description When the session ends unless it is refreshed before: 30 days after its last refresh.
       * @example 2026-04-01T09:16:04.310Z
       */
      expiresAt: string;
      /**
       * @description Address of the client at `lastUsedAt`. IPv4 or IPv6, without a port.
       * @example 203.0.113.24
       */
      ipAddress: string;
      /**
       * @description The first 512 characters of the `User-Agent` header at `lastUsedAt`; `null` when there was none.
       * @example Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0
       */
      userAgent: string | null;
      /**
       * @description Whether this is the session of the request.
       * @example true
       */
      current: boolean;
    };
    /** @description One page of sessions. */
    SessionPage: {
      /** @description The items of the page, in the requested order. Empty past the end. */
      data: components["schemas"]["Session"][];
      pagination: components["schemas"]["Pagination"];
    };
    /** @description The public keys that verify access tokens (RFC 7517). */
    JsonWebKeySet: {
      /** @description The current key and, while a rotation overlaps, the one before or after it. */
      keys: components["schemas"]["JsonWebKey"][];
    };
    /** @description An RSA public key that verifies access tokens (RFC 7517). */
    JsonWebKey: {
      /**
       * @description Key type.
       * @constant
       */
      kty: "RSA";
      /**
       * @description Use of the key: signatures.
       * @constant
       */
      use: "sig";
      /**
       * @description Algorithm of the key.
       * @constant
       */
      alg: "RS256";
      /**
       * @description Key id; the `kid` in the header of an access token names it.
       * @example 2026-03
       */
      kid: string;
      /**
       * @description Modulus, base64url.
       * @example KlSN3qJ5WlnJ3QNXBo2PItfD_nhzL3YGXvFgWwD80jOFNkRgIqWlLSvn_kKyFotzwcSmiuzwvywdrysNlbVXVI2YmdvOlBKdiuhNTltPSEQN7VIXXKHE1OXK2gQbHavRD06s7M6ILYyo3L7iv-xtiKcMbwlStPZ9qTrvmj-vXTDw2BV4-D4aCvWe-g4RGHoYI7W5Q-AlqRSuCusIq-z8d3-GYIMHSQ3dXCJ7-Hl8KcbuIeutii5aRwzFiRvH6KdFL9DZdRry7GO0jmexmSxDuiGAtquj7u0kQLUZXCUnWJbp0lmOBsjneZjPca8wB-k9HUalYeQd0RA2dXva4P_SxQ
       */
      n: string;
      /**
       * @description Exponent, base64url.
       * @example AQAB
       */
      e: string;
    };
    /** @description An API key without its secret value. */
    ApiKey: {
      /**
       * @description API key id. Not a secret.
       * @example key_7c0d2f5b1e9a4836b2d7f04c8a61e35d
       */
      keyId: string;
      /**
       * @description Name to recognise the key by. White space at both ends is removed before the length counts.
       * @example Backup job
       */
      name: string;
      /**
       * @description What the key may do.
       * @example [
       *       "vaults:read",
       *       "documents:read"
       *     ]
       */
      scopes: components["schemas"]["Scope"][];
      /**
       * @description First characters of the key, to recognise it by.
       * @example service_sk_0123
       */
      prefix: string;
      /**
       * Format: date-time
       * @description When the key was created.
       * @example 2026-03-02T09:16:20.004Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description When the key was last used, exact to the minute; `null` before its first use.
       * @example 2026-03-02T10:02:58.377Z
       */
      lastUsedAt: string | null;
      /**
       * Format: date-time
       * @description When the key ends; `null` when it does not.
       * @example 2026-05-31T00:00:00.000Z
       */
      expiresAt: string | null;
    };
    /** @description A new API key with its secret value. This is the only response that contains the value. */
    CreatedApiKey: components["schemas"]["ApiKey"] & {
      /**
       * @description The secret value, for the header `X-Api-Key`. The service stores only a hash of it.
       * @example service_sk_0123456789abcdefghijABCDEFGHIJ0123456789
       */
      key: string;
    };
    /** @description A new API key. */
    CreateApiKey: {
      /**
       * Format: name
       * @description Name to recognise the key by. White space at both ends is removed before the length counts.
       * @example Backup job
       */
      name: string;
      /**
       * @description What the key may do. A key never gets a scope that its creator does not have.
       * @example [
       *       "vaults:read",
       *       "documents:read"
       *     ]
       */
      scopes: components["schemas"]["Scope"][];
      /**
       * Format: date-time
       * @description When the key ends, in the future. Not sent or `null`: it does not end.
       * @example 2026-05-31T00:00:00.000Z
       */
      expiresAt?: string | null;
    };
    /** @description One page of API keys. */
    ApiKeyPage: {
      /** @description The items of the page, in the requested order. Empty past the end. */
      data: components["schemas"]["ApiKey"][];
      pagination: components["schemas"]["Pagination"];
    };
    /**
     * @description A grant of OAuth 2.0 (RFC 6749; RFC 8628 for devices).
     * @enum {string}
     */
    OAuthGrantType: "authorization_code" | "refresh_token" | "client_credentials" | "urn:ietf:params:oauth:grant-type:device_code";
    /**
     * @description How a client authenticates at the token endpoint (RFC 7591, section 2). Public clients use `none`, confidential clients one of the others.
     * @enum {string}
     */
    OAuthClientAuthMethod: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none";
    /** @description Public keys that verify the assertions of a client (RFC 7517, section 5). */
    ClientKeySet: {
      /** @description The keys. Private and symmetric keys are refused. */
      keys: components["schemas"]["ClientKey"][];
    };
    /** @description A public key (RFC 7517). RSA keys have `n` of at least 2,048 bits and `e`, elliptic curves `crv`, `x` and `y`, and `OKP` keys `crv` and `x` (constraint `publicKey`). */
    ClientKey: {
      /**
       * @description Type of the key.
       * @enum {string}
       */
      kty: "RSA" | "EC" | "OKP";
      /**
       * @description Id of the key.
       * @example 2026-03
       */
      kid?: string;
      /**
       * @description Use of the key.
       * @enum {string}
       */
      use?: "sig";
      /**
       * @description Algorithm of the key.
       * @enum {string}
       */
      alg?: "RS256" | "PS256" | "ES256" | "EdDSA" | "Ed25519";
      /** @description Operations of the key. */
      key_ops?: "verify"[];
      /** @description As Web Crypto exports keys; without meaning here. */
      ext?: boolean;
      /** @description Modulus of an RSA key, base64url. */
      n?: string;
      /** @description Exponent of an RSA key, base64url. */
      e?: string;
      /**
       * @description Curve of the key.
       * @enum {string}
       */
      crv?: "P-256" | "Ed25519";
      /** @description First coordinate, base64url. */
      x?: string;
      /** @description Second coordinate, base64url. */
      y?: string;
    };
    /** @description A client of OAuth 2.0, without its secret. */
    OAuthClient: {
      /**
       * Format: uuid
       * @description Client id (UUIDv7). Not a secret.
       * @example 019cadf0-7a31-7b52-8d0e-6c1f9b2a4e83
       */
      clientId: string;
      /**
       * Format: uuid
       * @description The account that owns the client.
       * @example 019cadd4-5698-781e-b05b-ef3e60cf1f3b
       */
      userId: string;
      /**
       * @description Name of the application, as users see it when they are asked for their consent. White space at both ends is removed before the length counts.
       * @example Tax Assistant
       */
      name: string;
      /** @description Whether an administrator has confirmed who owns the client. The consent page shows it. */
      verified: boolean;
      /**
       * @description `confidential`: keeps a secret, on a server. `public`: runs on the devices of its users and has no secret.
       * @enum {string}
       */
      type: "confidential" | "public";
      /**
       * @description Addresses that users may be sent back to. A request must name one of them exactly; only the port of `http` on `127.0.0.1` and `[::1]` is free.
       * @example [
       *       "https://tax.example.com/callback"
       *     ]
       */
      redirectUris: string[];
      /**
       * @description The scopes that the client may ask for.
       * @example [
       *       "vaults:read",
       *       "documents:read"
       *     ]
       */
      scopes: components["schemas"]["Scope"][];
      /**
       * @description The grants that the client may use.
       * @example [
       *       "authorization_code",
       *       "refresh_token"
       *     ]
       */
      grantTypes: components["schemas"]["OAuthGrantType"][];
      tokenEndpointAuthMethod: components["schemas"]["OAuthClientAuthMethod"];
      /** @description Public keys that verify the assertions of the client; `null` when there are none. */
      jwks: components["schemas"]["ClientKeySet"] | null;
      /** @description Whether the client must push its authorization requests (RFC 9126). */
      requirePar: boolean;
      /** @description Whether the client is refused everywhere. */
      disabled: boolean;
      /**
       * Format: date-time
       * @description Until when the secret before the last rotation is valid; `null` when none is.
       * @example 2026-03-03T10:02:58.377Z
       * @example null
       */
      previousSecretExpiresAt: string | null;
      /**
       * Format: date-time
       * @description When the client was registered.
       * @example 2026-03-02T09:16:20.004Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description When the client was last changed; equal to `createdAt` until then.
       * @example 2026-03-02T09:16:20.004Z
       */
      updatedAt: string;
    };
    /** @description A new client. */
    CreateOAuthClient: {
      /**
       * Format: name
       * @description Name of the application, as users see it when they are asked for their consent. White space at both ends is removed before the length counts. The rules of names apply; U+200C, U+200D and spaces other than U+0020, U+00A0 and U+3000 are refused too.
       * @example Tax Assistant
       */
      name: string;
      /**
       * @description `confidential`: keeps a secret, on a server. `public`: runs on the devices of its users and has no secret.
       * @enum {string}
       */
      type: "confidential" | "public";
      /**
       * @description Addresses that users may be sent back to. A request must name one of them exactly; only the port of `http` on `127.0.0.1` and `[::1]` is free.
       * @default []
       * @example [
       *       "https://tax.example.com/callback"
       *     ]
       */
      redirectUris: string[];
      /**
       * @description The scopes that the client may ask for. A client never gets a scope that its creator does not have.
       * @example [
       *       "vaults:read",
       *       "documents:read"
       *     ]
       */
      scopes: components["schemas"]["Scope"][];
      /**
       * @description The grants that the client may use. Not sent: `authorization_code` and `refresh_token`.
       * @default [
       *       "authorization_code",
       *       "refresh_token"
       *     ]
       * @example [
       *       "authorization_code",
       *       "refresh_token"
       *     ]
       */
      grantTypes: components["schemas"]["OAuthGrantType"][];
      /** @description How the client authenticates. Not sent: `client_secret_basic` for a confidential client, `none` for a public one. Another method than those of the type is refused (constraint `clientType`). */
      tokenEndpointAuthMethod?: components["schemas"]["OAuthClientAuthMethod"];
      /** @description Public keys of the client. Required for `private_key_jwt`; other methods do not use them. */
      jwks?: components["schemas"]["ClientKeySet"];
      /**
       * @description Whether the client must push its authorization requests (RFC 9126).
       * @default false
       */
      requirePar: boolean;
    };
    /** @description The fields to change; a field that is not sent stays as it is. */
    UpdateOAuthClient: {
      /**
       * Format: name
       * @description Name of the application, as users see it when they are asked for their consent. White space at both ends is removed before the length counts. The rules of names apply; U+200C, U+200D and spaces other than U+0020, U+00A0 and U+3000 are refused too.
       * @example Tax Assistant
       */
      name?: string;
      /**
       * @description Addresses that users may be sent back to. A request must name one of them exactly; only the port of `http` on `127.0.0.1` and `[::1]` is free.
       * @example [
       *       "https://tax.example.com/callback"
       *     ]
       */
      redirectUris?: string[];
      /**
       * @description The scopes that the client may ask for. A client never gets a scope that its creator does not have.
       * @example [
       *       "vaults:read",
       *       "documents:read"
       *     ]
       */
      scopes?: components["schemas"]["Scope"][];
      /**
       * @description The grants that the client may use.
       * @example [
       *       "authorization_code",
       *       "refresh_token"
       *     ]
       */
      grantTypes?: components["schemas"]["OAuthGrantType"][];
      /** @description New public keys of the client. */
      jwks?: components["schemas"]["ClientKeySet"];
      /** @description Whether the client must push its authorization requests (RFC 9126). */
      requirePar?: boolean;
      /** @description `true` refuses the client everywhere, `false` admits it again. */
      disabled?: boolean;
      /** @description Whether an administrator has confirmed who owns the client. The consent page shows it. Only administrators can send it. */
      verified?: boolean;
    };
    /** @description A new client with its secret. No other response contains this secret. */
    CreatedOAuthClient: components["schemas"]["OAuthClient"] & {
      /**
       * @description The secret: `service_cs_` and 40 letters and digits. The service stores only a hash of it. `null` for a client without a secret.
       * @example service_cs_0123456789abcdefghijABCDEFGHIJ0123456789
       */
      clientSecret: string | null;
    };
    /** @description A new secret of a client. No other response contains it. */
    RotatedClientSecret: {
      /**
       * Format: uuid
       * @description Client id (UUIDv7). Not a secret.
       * @example 019cadf0-7a31-7b52-8d0e-6c1f9b2a4e83
       */
      clientId: string;
      /**
       * @description The secret: `service_cs_` and 40 letters and digits. The service stores only a hash of it.
       * @example service_cs_0123456789abcdefghijABCDEFGHIJ0123456789
       */
      clientSecret: string;
      /**
       * Format: date-time
       * @description Until when the secret before this one is valid; `null` when a password change had ended it.
       * @example 2026-03-03T10:02:58.377Z
       * @example null
       */
      previousSecretExpiresAt: string | null;
    };
    /** @description One page of OAuth clients. */
    OAuthClientPage: {
      /** @description The items of the page, in the requested order. Empty past the end. */
      data: components["schemas"]["OAuthClient"][];
      pagination: components["schemas"]["Pagination"];
    };
    /** @description The facts of a valid API key. */
    ApiKeyValidation: {
      /**
       * @description Always `true`: an invalid key returns 401.
       * @constant
       */
      valid: true;
      /**
       * @description API key id. Not a secret.
       * @example key_7c0d2f5b1e9a4836b2d7f04c8a61e35d
       */
      keyId: string;
      /**
       * @description Name to recognise the key by. White space at both ends is removed before the length counts.
       * @example Backup job
       */
      name: string;
      /**
       * @description What the key may do.
       * @example [
       *       "vaults:read",
       *       "documents:read"
       *     ]
       */
      scopes: components["schemas"]["Scope"][];
      /**
       * Format: date-time
       * @description When the key ends; `null` when it does not.
       * @example 2026-05-31T00:00:00.000Z
       */
      expiresAt: string | null;
    };
    /**
     * @description A permission of an API key or token. `admin:*` allows every operation and sees every account.
     * @enum {string}
     */
    Scope: "vaults:read" | "vaults:write" | "documents:read" | "documents:write" | "documents:share" | "instances:read" | "instances:write" | "users:read" | "users:write" | "webhooks:read" | "webhooks:write" | "consents:read" | "consents:write" | "admin:*";
    /** @description A consent that a user has given. */
    Consent: {
      /**
       * Format: uuid
       * @description Consent id (UUIDv7).
       * @example 019cbebc-548c-7845-b813-fc1fa399c84c
       */
      id: string;
      /**
       * Format: uuid
       * @description The user who gave the consent.
       * @example 019cadd4-5698-781e-b05b-ef3e60cf1f3b
       */
      userId: string;
      /**
       * @description What the consent is for. White space at both ends is removed before the length counts.
       * @example Preparation of the tax return
       */
      purpose: string;
      /**
       * @description Free text; `null` when there is none.
       * @example Access to the documents of the vault Taxes
       * @example null
       */
      description: string | null;
      /**
       * @description Who receives the consent. White space at both ends is removed before the length counts.
       * @example Linden Tax Advisers
       */
      grantedTo: string;
      /**
       * @description What the consent covers, in the words of the caller; `null` when it names nothing in particular.
       * @example [
       *       "documents:read"
       *     ]
       * @example null
       */
      scopes: string[] | null;
      status: components["schemas"]["ConsentStatus"];
      /**
       * Format: date-time
       * @description When the consent was given, or last renewed.
       * @example 2026-03-05T16:02:19.404Z
       */
      grantedAt: string;
      /**
       * Format: date-time
       * @description When the consent ends; `null` when it has no end.
       * @example 2026-06-05T16:00:00.000Z
       */
      expiresAt: string | null;
      /**
       * Format: date-time
       * @description When the consent was revoked; `null` while it is not.
       * @example 2026-04-01T07:11:52.610Z
       */
      revokedAt: string | null;
      /**
       * @description Why the consent was revoked; `null` while it is not, or when no reason was given.
       * @example The return is filed
       */
      revocationReason: string | null;
      /**
       * @description Free-form data of the caller, at most 50 properties and 16 KiB as JSON in UTF-8; `null` when there is none.
       * @example {
       *       "ticket": "T-4711"
       *     }
       * @example null
       */
      metadata: {
        [key: string]: unknown;
      } | null;
      /**
       * @description The app that the user gave access to by this consent. It can be deleted by now. Revoking the consent ends the access at once; once revoked or expired, it cannot be renewed. Null for a consent that concerns no app.
       * @example 019cadf0-7a31-7b52-8d0e-6c1f9b2a4e83
       */
      clientId: string | null;
      /**
       * Format: date-time
       * @description When the consent was first given.
       * @example 2026-03-05T16:02:19.404Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description When the consent was last changed; equal to `createdAt` until then.
       * @example 2026-03-05T16:02:19.404Z
       */
      updatedAt: string;
    };
    /** @description A new consent of the caller. */
    CreateConsent: {
      /**
       * Format: name
       * @description What the consent is for. White space at both ends is removed before the length counts.
       * @example Preparation of the tax return
       */
      purpose: string;
      /**
       * @description Free text; `null` when there is none.
       * @example Access to the documents of the vault Taxes
       */
      description?: string | null;
      /**
       * Format: name
       * @description Who receives the consent. White space at both ends is removed before the length counts.
       * @example Linden Tax Advisers
       */
      grantedTo: string;
      /**
       * @description What the consent covers, in the words of the caller; `null` when it names nothing in particular.
       * @example [
       *       "documents:read"
       *     ]
       * @example null
       */
      scopes?: string[] | null;
      /**
       * Format: date-time
       * @description When the consent ends, in the future. Not sent or `null`: it has no end.
       * @example 2026-06-05T16:00:00.000Z
       */
      expiresAt?: string | null;
      /**
       * @description Free-form data of the caller, at most 50 properties and 16 KiB as JSON in UTF-8; `null` when there is none.
       * @example {
       *       "ticket": "T-4711"
       *     }
       * @example null
       */
      metadata?: {
        [key: string]: unknown;
      } | null;
    };
    /** @description The fields to change; a field that is not sent stays as it is. One call either revokes or renews, never both. */
    UpdateConsent: {
      /**
       * @description `revoked` revokes a granted consent. `granted` renews a revoked or expired one.
       * @example revoked
       * @enum {string}
       */
      status?: "revoked" | "granted";
      /**
       * @description Why the consent is revoked; only together with `status: "revoked"`.
       * @example The return is filed
       */
      reason?: string;
      /**
       * Format: date-time
       * @description A later end, which renews the consent; never together with `status: "revoked"`.
       * @example 2027-06-05T16:00:00.000Z
       */
      expiresAt?: string;
      /**
       * @description Free text; `null` when there is none.
       * @example Access to the documents of the vault Taxes
       * @example null
       */
      description?: string | null;
      /**
       * @description Free-form data of the caller, at most 50 properties and 16 KiB as JSON in UTF-8; `null` when there is none.
       * @example {
       *       "ticket": "T-4711"
       *     }
       * @example null
       */
      metadata?: {
        [key: string]: unknown;
      } | null;
    };
    /** @description One page of consents. */
    ConsentPage: {
      /** @description The items of the page, in the requested order. Empty past the end. */
      data: components["schemas"]["Consent"][];
      pagination: components["schemas"]["Pagination"];
    };
    /**
     * @description State of a consent.
     * @enum {string}
     */
    ConsentStatus: "granted" | "revoked" | "expired";
    /** @description A webhook: an address that receives events. Its secret is not returned. */
    Webhook: {
      /**
       * Format: uuid
       * @description Webhook id (UUIDv7).
       * @example 019cadde-04b2-7c3d-9e55-4a0b8c6d2f17
       */
      id: string;
      /**
       * Format: uri
       * @description Where events are sent, by HTTP POST. `https` only; `http` and private or loopback addresses only where the service is configured to allow them (development).
       * @example https://receiver.example.com/hooks/vault
       */
      url: string;
      /**
       * @description The event types to receive.
       * @example [
       *       "vault.created",
       *       "document.uploaded"
       *     ]
       */
      events: components["schemas"]["EventType"][];
      /**
       * @description Whose events the webhook receives: `own`, those of its account; `all`, those of every account and of instances. `all` lasts as long as its account is an active administrator; each attempt checks it again.
       * @enum {string}
       */
      accounts: "own" | "all";
      /**
       * @description Free text; `null` when there is none.
       * @example Archive of the finance team
       * @example null
       */
      description: string | null;
      /**
       * @description Headers added to each delivery, at most 20 and 16 KiB as JSON in UTF-8; `null` when there are none. Names are HTTP tokens; values are visible Latin-1 characters, spaces and tabs. `X-Service-*`, `webhook-*`, `Host`, `Content-Length`, `Content-Type`, `Content-Encoding`, `Accept-Encoding`, `Expect`, `traceparent`, `tracestate` and hop-by-hop headers are reserved and refused in any letter case. Values are returned only to callers of the account with `webhooks:write`, and to an app only where it has chosen the `url`; others, administrators too, get `***` for each value.
       * @example {
       *       "X-Team": "archive"
       *     }
       * @example null
       */
      headers: {
        [key: string]: string;
      } | null;
      /** @description While `false`, deliveries wait in the queue. They also wait while the account is suspended. A queue holds as many deliveries as the tier of the account allows (free 5,000, paid 50,000, enterprise 500,000, unless the service is configured otherwise). `document.share.accessed`, which strangers can cause, uses at most half of it, as do the events of other accounts in the queue of a webhook with `accounts: all`. Events beyond that are not queued, and `stats.droppedDeliveries` counts them. Changes that are made at the same moment can exceed a limit by their own events. */
      active: boolean;
      /**
       * @description Free-form data of the caller, at most 50 properties and 16 KiB as JSON in UTF-8; `null` when there is none.
       * @example {
       *       "ticket": "T-4711"
       *     }
       * @example null
       */
      metadata: {
        [key: string]: unknown;
      } | null;
      /**
       * Format: date-time
       * @description Until when attempts are signed with the previous secret too, after a rotation; `null` when there is none.
       * @example null
       * @example 2026-03-03T10:02:58.377Z
       */
      previousSecretExpiresAt: string | null;
      /**
       * Format: date-time
       * @description When the webhook was registered.
       * @example 2026-03-02T09:16:20.004Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description When the webhook was last changed; equal to `createdAt` until then.
       * @example 2026-03-02T09:16:20.004Z
       */
      updatedAt: string;
      stats: components["schemas"]["WebhookStats"];
      health: components["schemas"]["WebhookHealth"];
    };
    /** @description A new webhook, and its secret when the service has generated it. Only this response contains the secret, and that to a repeated `Idempotency-Key`. */
    CreatedWebhook: components["schemas"]["Webhook"] & {
      /**
       * @description The generated secret; absent when the request had one.
       * @example whsec_YW4gZXhhbXBsZSwgbm90IGEgcmVhbCBzZWNyZXQh
       */
      secret?: string;
    };
    /** @description How to rotate the secret of a webhook. */
    RotateWebhookSecret: {
      /**
       * @description The new secret, 32 to 256 characters without white space at either end. Without it, the service generates one.
       * @example whsec_YW5vdGhlciBleGFtcGxlLCBub3QgYSBzZWNyZXQu
       */
      secret?: string;
      /**
       * Format: date-time
       * @description Until when attempts are signed with the present secret too, in the future and at most 7 days away. `null`: not at all. Not sent: 24 hours from now.
       * @example 2026-03-03T10:02:58.377Z
       */
      previousSecretExpiresAt?: string | null;
    };
    /** @description The new secret of a webhook. */
    RotatedWebhookSecret: {
      /**
       * @description The generated secret; absent when the request had one.
       * @example whsec_YW5vdGhlciBleGFtcGxlLCBub3QgYSBzZWNyZXQu
       */
      secret?: string;
      /**
       * Format: date-time
       * @description Until when attempts are signed with the previous secret too; `null` when there is none.
       * @example 2026-03-03T10:02:58.377Z
       */
      previousSecretExpiresAt: string | null;
    };
    /**
     * @description State of a webhook: the first value whose condition is true. `paused`: it is switched off. `failing`: its latest three attempts have failed, or its latest one has and a delivery has waited for more than 5 minutes. `new`: nothing was attempted yet. `healthy`: no other condition is true. Test deliveries do not count.
     * @example healthy
     * @enum {string}
     */
    WebhookHealth: "new" | "healthy" | "failing" | "paused";
    /** @description A new webhook. */
    CreateWebhook: {
      /**
       * Format: uri
       * @description Where events are sent, by HTTP POST. `https` only; `http` and private or loopback addresses only where the service is configured to allow them (development). It is stored in its normal form: scheme and host in lower case, an international name in punycode.
       * @example https://receiver.example.com/hooks/vault
       */
      url: string;
      /**
       * @description The event types to receive.
       * @example [
       *       "vault.created",
       *       "document.uploaded"
       *     ]
       */
      events: components["schemas"]["EventType"][];
      /**
       * @description Key of the signatures, 32 to 256 characters without white space at either end. Without it, the service generates one: `whsec_` and the base64 of 30 random bytes.
       * @example whsec_YW4gZXhhbXBsZSwgbm90IGEgcmVhbCBzZWNyZXQh
       */
      secret?: string;
      /**
       * @description Free text; `null` when there is none.
       * @example Archive of the finance team
       */
      description?: string | null;
      /**
       * @description Headers added to each delivery, at most 20 and 16 KiB as JSON in UTF-8; `null` when there are none. Names are HTTP tokens; values are visible Latin-1 characters, spaces and tabs. `X-Service-*`, `webhook-*`, `Host`, `Content-Length`, `Content-Type`, `Content-Encoding`, `Accept-Encoding`, `Expect`, `traceparent`, `tracestate` and hop-by-hop headers are reserved and refused in any letter case.
       * @example {
       *       "X-Team": "archive"
       *     }
       * @example null
       */
      headers?: {
        [key: string]: string;
      } | null;
      /**
       * @description `false` registers the webhook switched off.
       * @default true
       */
      active: boolean;
      /**
       * @description Free-form data of the caller, at most 50 properties and 16 KiB as JSON in UTF-8; `null` when there is none.
       * @example {
       *       "ticket": "T-4711"
       *     }
       * @example null
       */
      metadata?: {
        [key: string]: unknown;
      } | null;
      /**
       * @description `all` receives the events of every account. It needs an administrator's credentials with `admin:*`, and is the default with them. The default is `own` otherwise.
       * @enum {string}
       */
      accounts?: "own" | "all";
    };
    /** @description The fields to change; a field that is not sent stays as it is. */
    UpdateWebhook: {
      /**
       * Format: uri
       * @description Where events are sent, by HTTP POST. `https` only; `http` and private or loopback addresses only where the service is configured to allow them (development). It is stored in its normal form: scheme and host in lower case, an international name in punycode.
       * @example https://receiver.example.com/hooks/vault
       */
      url?: string;
      /**
       * @description The event types to receive.
       * @example [
       *       "vault.created",
       *       "document.uploaded"
       *     ]
       */
      events?: components["schemas"]["EventType"][];
      /**
       * @description New key of the signatures, 32 to 256 characters without white space at either end. It is never returned. The present secret becomes the previous one, in place of an earlier one.
       * @example whsec_YW4gZXhhbXBsZSwgbm90IGEgcmVhbCBzZWNyZXQh
       */
      secret?: string;
      /**
       * Format: date-time
       * @description Until when attempts are signed with the previous secret too, in the future and at most 7 days away. `null` ends that at once. Not sent with a new `secret`: 24 hours from now, or at once with a new `url`.
       * @example 2026-03-03T10:02:58.377Z
       */
      previousSecretExpiresAt?: string | null;
      /**
       * @description Free text; `null` when there is none.
       * @example Archive of the finance team
       * @example null
       */
      description?: string | null;
      /**
       * @description Headers added to each delivery, at most 20 and 16 KiB as JSON in UTF-8; `null` when there are none. Names are HTTP tokens; values are visible Latin-1 characters, spaces and tabs. `X-Service-*`, `webhook-*`, `Host`, `Content-Length`, `Content-Type`, `Content-Encoding`, `Accept-Encoding`, `Expect`, `traceparent`, `tracestate` and hop-by-hop headers are reserved and refused in any letter case.
       * @example {
       *       "X-Team": "archive"
       *     }
       * @example null
       */
      headers?: {
        [key: string]: string;
      } | null;
      /** @description `false` pauses the webhook, `true` resumes it. */
      active?: boolean;
      /**
       * @description Free-form data of the caller, at most 50 properties and 16 KiB as JSON in UTF-8; `null` when there is none.
       * @example {
       *       "ticket": "T-4711"
       *     }
       * @example null
       */
      metadata?: {
        [key: string]: unknown;
      } | null;
      /**
       * @description `all` needs an administrator's credentials with `admin:*`, and so does a new `url`, `events`, `headers` or `secret` of such a webhook. While the `url` is one that an app chose, `all` is 403. `own` removes the waiting deliveries of other accounts.
       * @enum {string}
       */
      accounts?: "own" | "all";
    };
    /** @description One page of webhooks. */
    WebhookPage: {
      /** @description The items of the page, in the requested order. Empty past the end. */
      data: components["schemas"]["Webhook"][];
      pagination: components["schemas"]["Pagination"];
    };
    /** @description How the deliveries of a webhook went since it was registered, those that are no longer listed included. Test deliveries do not count. */
    WebhookStats: {
      /**
       * @description Number of deliveries.
       * @example 43
       */
      totalDeliveries: number;
      /**
       * @description Number of deliveries that were given up after their last attempt. One that is still being retried does not count, although its error is `lastError`. One that is retried by hand counts again when that fails.
       * @example 1
       */
      failedDeliveries: number;
      /**
       * @description `failedDeliveries / totalDeliveries`; 0 while there are none.
       * @example 0.0233
       */
      failureRate: number;
      /**
       * @description Number of events that were not queued, because the queue was full. They are stored as events, and are not delivered.
       * @example 0
       */
      droppedDeliveries: number;
      /**
       * Format: date-time
       * @description When the latest event was dropped; `null` when none was.
       * @example null
       */
      lastDroppedAt: string | null;
      /**
       * @description Error of the latest failed attempt, also of a delivery that is still being retried; `null` when none has failed.
       * @example status 503
       */
      lastError: string | null;
      /**
       * Format: date-time
       * @description When the latest attempt started; `null` before the first.
       * @example 2026-03-02T10:02:58.377Z
       */
      lastDeliveryAt: string | null;
      /**
       * @description Number of failed attempts since the latest success, or since the webhook was registered. Attempts of deliveries that are still being retried count.
       * @example 0
       */
      consecutiveFailures: number;
      /**
       * Format: date-time
       * @description When the first of these attempts started; `null` when the latest attempt succeeded, and before the first.
       * @example null
       */
      failingSince: string | null;
      /**
       * Format: date-time
       * @description When the latest successful attempt started; `null` before the first.
       * @example 2026-03-02T09:17:30.890Z
       */
      lastSuccessAt: string | null;
      /**
       * Format: date-time
       * @description When the delivery was created that has waited longest for its next attempt; `null` when none waits.
       * @example null
       */
      oldestPendingAt: string | null;
    };
    /** @description What to send as a test. */
    TestWebhook: {
      /** @description The event type to send an example of. Default: the first type that the webhook subscribes to. */
      eventType?: components["schemas"]["EventType"];
      /**
       * @description Whether `eventType` may be a type that the webhook does not subscribe to. Otherwise such a type is refused (constraint `subscribed`), because the webhook would never receive real events of it.
       * @default false
       */
      allowUnsubscribed: boolean;
    };
    /** @description The delivery of one event to one webhook. */
    Delivery: {
      /**
       * @description Delivery id.
       * @example dlv_0e1c9b36f44390073200db56857b6236
       */
      id: string;
      /**
       * Format: uuid
       * @description The webhook.
       * @example 019cadde-04b2-7c3d-9e55-4a0b8c6d2f17
       */
      webhookId: string;
      /**
       * @description The event.
       * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
       */
      eventId: string;
      eventType: components["schemas"]["EventType"];
      status: components["schemas"]["DeliveryStatus"];
      /**
       * @description Status of the receiver's response to the latest attempt; `null` without a response or before the first attempt.
       * @example 200
       * @example null
       */
      statusCode: number | null;
      /**
       * @description How long the latest attempt took, in milliseconds; `null` before the first.
       * @example 84
       * @example null
       */
      durationMs: number | null;
      /**
       * @description Number of the latest attempt: 1 for the first, 0 before it.
       * @example 1
       */
      attemptNumber: number;
      /**
       * @description Why the latest attempt failed; `null` when it did not.
       * @example status 503
       */
      error: string | null;
      /**
       * Format: date-time
       * @description When the next attempt is due; `null` when none is.
       * @example 2026-03-02T10:02:58.377Z
       */
      nextAttemptAt: string | null;
      /**
       * Format: date-time
       * @description When the event happened that is delivered.
       * @example 2026-03-02T09:17:30.512Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @description When the delivery succeeded or was given up; `null` until then.
       * @example 2026-03-02T10:02:58.377Z
       */
      completedAt: string | null;
      /** @description `true` for a delivery that `POST /api/v1/webhooks/{id}/test` has caused. It is not retried and not counted. */
      test: boolean;
    };
    /** @description A delivery with the event that it carries and every attempt. */
    DeliveryDetail: components["schemas"]["Delivery"] & {
      payload: components["schemas"]["Event"];
      /** @description The latest 10 attempts, oldest first. */
      attempts: components["schemas"]["DeliveryAttempt"][];
    };
    /** @description One attempt of a delivery. */
    DeliveryAttempt: {
      /**
       * @description Number of the attempt, from 1.
       * @example 1
       */
      attemptNumber: number;
      /**
       * Format: date-time
       * @description When the attempt started.
       * @example 2026-03-02T09:17:30.512Z
       */
      startedAt: string;
      /**
       * @description Status of the receiver's response; `null` without a response.
       * @example 200
       * @example null
       */
      statusCode: number | null;
      /**
       * @description How long the attempt took, in milliseconds; `null` while it runs.
       * @example 84
       * @example null
       */
      durationMs: number | null;
      /**
       * @description Why the attempt failed; `null` when it did not.
       * @example status 503
       */
      error: string | null;
      /**
       * @description The first 2 KiB of the receiver's response, as UTF-8; `null` without one. Words of 8 or more characters from the webhook's own header values are masked as `***`.
       * @example ok
       */
      responseBody: string | null;
      /** @description `true` when a caller asked for the attempt. */
      manual: boolean;
    };
    /** @description One page of deliveries. */
    DeliveryPage: {
      /** @description The items of the page, in the requested order. Empty past the end. */
      data: components["schemas"]["Delivery"][];
      pagination: components["schemas"]["Pagination"];
    };
    /**
     * @description State of a delivery: `pending`, not attempted yet; `retrying`, failed at least once with attempts left; `succeeded`, acknowledged with a 2xx status; `failed`, given up.
     * @enum {string}
     */
    DeliveryStatus: "pending" | "retrying" | "succeeded" | "failed";
    /** @description What a retry of all failed deliveries has started. */
    RetryResult: {
      /**
       * @description Number of deliveries that were started again.
       * @example 3
       */
      retried: number;
    };
    /**
     * @description Type of an event. New types may be added.
     * @enum {string}
     */
    EventType: "vault.created" | "vault.updated" | "vault.deleted" | "vault.quota.warning" | "vault.quota.exceeded" | "document.uploaded" | "document.updated" | "document.deleted" | "document.shared" | "document.share.accessed" | "document.share.expired" | "consent.granted" | "consent.revoked" | "consent.expired" | "consent.renewed" | "user.created" | "user.updated" | "user.deleted" | "user.login" | "instance.health.degraded" | "instance.health.recovered" | "instance.quota.warning";
    /** @description Who and what caused an event. */
    EventContext: {
      /**
       * Format: uuid
       * @description The user who triggered the event; `null` when no user did, for example when the service noticed an expiry by itself or when a shared document was opened without credentials.
       * @example 019cadd4-5698-781e-b05b-ef3e60cf1f3b
       */
      userId: string | null;
      /**
       * Format: uuid
       * @description The instance on which the event happened.
       * @example 019b8d2b-8c00-7db1-baa7-76cb5c5c64ab
       */
      instanceId: string;
      /**
       * @description The `X-Request-Id` of the request that triggered the event (`req_` prefix); `null` when no request did.
       * @example req_11993c0d74f19bf15acac07994a2e87d
       */
      requestId: string | null;
      /**
       * @description Client address of the request that triggered the event; absent when no request did. IPv4 or IPv6, without a port.
       * @example 203.0.113.24
       */
      ipAddress?: string;
      /**
       * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent: nothing happened, and `data` is an example. Absent for every other event.
       * @constant
       */
      test?: true;
    };
    /** @description How much of its storage quota a vault uses. */
    VaultUsage: {
      /**
       * Format: int64
       * @description Bytes of encrypted content stored in the vault; equal to its `totalSize`.
       * @example 84213760
       */
      usedBytes: number;
      /**
       * Format: int64
       * @description Bytes the vault may hold, by the tier of its owner.
       * @example 104857600
       */
      quotaBytes: number;
      /**
       * @description `100 * usedBytes / quotaBytes`, rounded down to two decimals. Above 100 when the quota was lowered below what is stored.
       * @example 80.31
       */
      percentage: number;
    };
    /** @description A vault together with its storage usage. */
    VaultWithUsage: components["schemas"]["Vault"] & {
      usage: components["schemas"]["VaultUsage"];
    };
    /** @description The former values of the changed fields of a vault, and of no others. */
    PreviousVault: {
      /** @description Name before the change. */
      name?: string;
      /** @description Description before the change; `null` when there was none. */
      description?: string | null;
      /** @description Category before the change; `null` when there was none. */
      category?: string | null;
      /** @description Whether the vault was active before the change. */
      isActive?: boolean;
      /** @description `generation` of the keys before the change; `null` when there were none. */
      keys?: number | null;
    };
    /** @description What remains to be said of a deleted vault. */
    DeletedVault: {
      /**
       * Format: uuid
       * @description The id the vault had.
       * @example 019cadd6-a210-7670-891a-985ccc8c71a2
       */
      id: string;
      /**
       * @description Number of documents that were deleted with the vault.
       * @example 17
       */
      documentCount: number;
    };
    /** @description A document as events carry it: its metadata without the content, and of its encryption metadata the algorithm and the key derivation alone. */
    DocumentEventObject: {
      /**
       * Format: uuid
       * @description Document id (UUIDv7).
       * @example 019cadd9-1528-7f5e-848b-0eb02474ebdb
       */
      id: string;
      /**
       * Format: uuid
       * @description The vault of the document.
       * @example 019cadd6-a210-7670-891a-985ccc8c71a2
       */
      vaultId: string;
      /**
       * @description File name. A client that encrypts names too puts the ciphertext here.
       * @example tax-return.pdf
       */
      fileName: string;
      /**
       * Format: int64
       * @description Length of the decoded encrypted content, in bytes.
       * @example 482133
       */
      sizeBytes: number;
      /**
       * @description Media type of the plaintext, as the client declared it.
       * @example application/pdf
       */
      mimeType: string;
      encryptionMetadata: components["schemas"]["EncryptionSummary"];
      /**
       * Format: date-time
       * @description When the document was uploaded.
       * @example 2026-03-02T09:20:11.048Z
       */
      uploadedAt: string;
      /**
       * Format: date-time
       * @description When the document was last changed; equal to `uploadedAt` until then.
       * @example 2026-03-02T09:20:11.048Z
       */
      updatedAt: string;
    };
    /** @description The former values of the changed fields of a document, and of no others. */
    PreviousDocument: {
      /** @description File name before the change. */
      fileName?: string;
      /** @description Media type before the change. */
      mimeType?: string;
      /**
       * Format: uuid
       * @description The vault of the document before it was moved.
       */
      vaultId?: string;
      /** @description Algorithm and key derivation before the key was wrapped anew. Keys are in no event. */
      encryptionMetadata?: components["schemas"]["EncryptionSummary"];
    };
    /** @description What remains to be said of a deleted document. */
    DeletedDocument: {
      /**
       * Format: uuid
       * @description The id the document had.
       * @example 019cadd9-1528-7f5e-848b-0eb02474ebdb
       */
      id: string;
      /**
       * Format: uuid
       * @description The vault that contained it.
       * @example 019cadd6-a210-7670-891a-985ccc8c71a2
       */
      vaultId: string;
    };
    /** @description One counted access to a shared document. */
    ShareAccess: {
      /**
       * Format: uuid
       * @description The share that was used.
       * @example 019cade2-c462-73c1-a294-ac3cddc695e0
       */
      shareId: string;
      /**
       * Format: uuid
       * @description The document that was opened.
       * @example 019cadd9-1528-7f5e-848b-0eb02474ebdb
       */
      documentId: string;
      /**
       * @description Accesses of this share so far, this one included.
       * @example 1
       */
      accessCount: number;
      /**
       * Format: date-time
       * @description When the document was opened.
       * @example 2026-03-03T14:05:52.381Z
       */
      accessedAt: string;
      /**
       * @description Address of the caller. IPv4 or IPv6, without a port.
       * @example 198.51.100.7
       */
      ipAddress: string;
      /**
       * @description The first 512 characters of the `User-Agent` header of the request; `null` when it had none.
       * @example Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0
       */
      userAgent: string | null;
    };
    /** @description One page of accesses to a share. */
    ShareAccessPage: {
      /** @description The accesses of the page, newest first. Empty past the end. */
      data: components["schemas"]["ShareAccess"][];
      pagination: components["schemas"]["Pagination"];
    };
    /** @description A share whose link has expired. */
    ExpiredShare: {
      /**
       * Format: uuid
       * @description Share id.
       * @example 019cade2-c462-73c1-a294-ac3cddc695e0
       */
      id: string;
      /**
       * Format: uuid
       * @description The document that was shared.
       * @example 019cadd9-1528-7f5e-848b-0eb02474ebdb
       */
      documentId: string;
      /**
       * Format: date-time
       * @description The moment of expiry; the event follows it by at most one run of the sweeper.
       * @example 2026-03-09T09:30:45.000Z
       */
      expiresAt: string;
    };
    /** @description A consent that was revoked. */
    RevokedConsent: {
      /**
       * Format: uuid
       * @description Consent id.
       * @example 019cbebc-548c-7845-b813-fc1fa399c84c
       */
      id: string;
      /**
       * @description The reason given for the revocation; `null` when none was given.
       * @example The tax return for 2025 is finished
       */
      reason: string | null;
    };
    /** @description The former values of the changed fields of a user, and of no others. A password never appears: when nothing but the password changed, the object is empty. */
    PreviousUser: {
      /** @description Name before the change. */
      name?: string;
      /**
       * Format: email
       * @description E-mail address before the change.
       */
      email?: string;
      /**
       * @description Role before the change.
       * @enum {string}
       */
      role?: "user" | "admin";
      /** @description Tier before the change. */
      tier?: components["schemas"]["Tier"];
      /**
       * @description Status before the change.
       * @enum {string}
       */
      status?: "active" | "suspended";
      /** @description `version` of the keyring before the change; `null` when there was none. */
      keyring?: number | null;
    };
    /** @description What remains to be said of a deleted user. */
    DeletedUser: {
      /**
       * Format: uuid
       * @description The id the user had.
       * @example 019cadd4-5698-781e-b05b-ef3e60cf1f3b
       */
      id: string;
    };
    /** @description One successful login. */
    UserLogin: {
      /**
       * Format: uuid
       * @description The user who logged in.
       * @example 019cadd4-5698-781e-b05b-ef3e60cf1f3b
       */
      userId: string;
      /**
       * Format: email
       * @description The e-mail address of the account.
       * @example ada@example.com
       */
      email: string;
      /**
       * @description How the user proved who they are.
       * @enum {string}
       */
      method: "password";
      /**
       * @description Address of the caller. IPv4 or IPv6, without a port.
       * @example 203.0.113.24
       */
      ipAddress: string;
      /**
       * @description The first 512 characters of the `User-Agent` header of the request; `null` when it had none.
       * @example document-vault-sdk/1.0.0
       */
      userAgent: string | null;
      /**
       * Format: date-time
       * @description When the login succeeded.
       * @example 2026-03-02T09:16:04.310Z
       */
      loggedInAt: string;
    };
    /** @description How much of its storage quota an instance uses. */
    InstanceUsage: {
      /**
       * Format: uuid
       * @description The instance.
       * @example 019b8d2b-8c00-7db1-baa7-76cb5c5c64ab
       */
      instanceId: string;
      /**
       * Format: int64
       * @description Bytes of encrypted content stored on the instance.
       * @example 859322736640
       */
      usedBytes: number;
      /**
       * Format: int64
       * @description Bytes the instance may hold.
       * @example 1073741824000
       */
      quotaBytes: number;
      /**
       * @description `100 * usedBytes / quotaBytes`, rounded down to two decimals. Above 100 when the quota was lowered below what is stored.
       * @example 80.03
       */
      percentage: number;
    };
    /** @description A vault was created. */
    VaultCreatedEvent: {
      /** @description Unique id of the event, the same on every attempt and for every webhook. A receiver ignores an id that it has handled already. */
      id: string;
      /**
       * @description The event type. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "vault.created";
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /**
       * @description Version of the interface that shaped the event.
       * @constant
       */
      apiVersion: "v1";
      /** @description What the event is about. */
      data: {
        object: components["schemas"]["Vault"];
      };
      context: components["schemas"]["EventContext"];
    };
    /** @description Fields of a vault were changed. */
    VaultUpdatedEvent: {
      /** @description Unique id of the event, the same on every attempt and for every webhook. A receiver ignores an id that it has handled already. */
      id: string;
      /**
       * @description The event type. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "vault.updated";
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /**
       * @description Version of the interface that shaped the event.
       * @constant
       */
      apiVersion: "v1";
      /** @description The resource and what changed in it. */
      data: {
        object: components["schemas"]["Vault"];
        previous: components["schemas"]["PreviousVault"];
        /** @description Names of the changed fields. `updatedAt` changes every time and is not named. */
        changes: ("name" | "description" | "category" | "isActive" | "keys")[];
      };
      context: components["schemas"]["EventContext"];
    };
    /** @description A vault was deleted with all its documents and shares. */
    VaultDeletedEvent: {
      /** @description Unique id of the event, the same on every attempt and for every webhook. A receiver ignores an id that it has handled already. */
      id: string;
      /**
       * @description The event type. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "vault.deleted";
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /**
       * @description Version of the interface that shaped the event.
       * @constant
       */
      apiVersion: "v1";
      /** @description What the event is about. */
      data: {
        object: components["schemas"]["DeletedVault"];
      };
      context: components["schemas"]["EventContext"];
    };
    /** @description The storage of a vault reached 80 % of its quota. */
    VaultQuotaWarningEvent: {
      /** @description Unique id of the event, the same on every attempt and for every webhook. A receiver ignores an id that it has handled already. */
      id: string;
      /**
       * @description The event type. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "vault.quota.warning";
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /**
       * @description Version of the interface that shaped the event.
       * @constant
       */
      apiVersion: "v1";
      /** @description What the event is about. */
      data: {
        object: components["schemas"]["VaultWithUsage"];
      };
      context: components["schemas"]["EventContext"];
    };
    /** @description A document was refused because it would have exceeded the storage quota of a vault. */
    VaultQuotaExceededEvent: {
      /** @description Unique id of the event, the same on every attempt and for every webhook. A receiver ignores an id that it has handled already. */
      id: string;
      /**
       * @description The event type. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "vault.quota.exceeded";
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /**
       * @description Version of the interface that shaped the event.
       * @constant
       */
      apiVersion: "v1";
      /** @description What the event is about. */
      data: {
        object: components["schemas"]["VaultWithUsage"];
      };
      context: components["schemas"]["EventContext"];
    };
    /** @description A document was uploaded. */
    DocumentUploadedEvent: {
      /** @description Unique id of the event, the same on every attempt and for every webhook. A receiver ignores an id that it has handled already. */
      id: string;
      /**
       * @description The event type. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "document.uploaded";
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /**
       * @description Version of the interface that shaped the event.
       * @constant
       */
      apiVersion: "v1";
      /** @description What the event is about. */
      data: {
        object: components["schemas"]["DocumentEventObject"];
      };
      context: components["schemas"]["EventContext"];
    };
    /** @description Metadata of a document was changed, or the document was moved to another vault. */
    DocumentUpdatedEvent: {
      /** @description Unique id of the event, the same on every attempt and for every webhook. A receiver ignores an id that it has handled already. */
      id: string;
      /**
       * @description The event type. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "document.updated";
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /**
       * @description Version of the interface that shaped the event.
       * @constant
       */
      apiVersion: "v1";
      /** @description The resource and what changed in it. */
      data: {
        object: components["schemas"]["DocumentEventObject"];
        previous: components["schemas"]["PreviousDocument"];
        /** @description Names of the changed fields. `updatedAt` changes every time and is not named. `encryptionMetadata` stands for a key that was wrapped anew. */
        changes: ("fileName" | "mimeType" | "vaultId" | "encryptionMetadata")[];
      };
      context: components["schemas"]["EventContext"];
    };
    /** @description A document was deleted. */
    DocumentDeletedEvent: {
      /** @description Unique id of the event, the same on every attempt and for every webhook. A receiver ignores an id that it has handled already. */
      id: string;
      /**
       * @description The event type. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "document.deleted";
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /**
       * @description Version of the interface that shaped the event.
       * @constant
       */
      apiVersion: "v1";
      /** @description What the event is about. */
      data: {
        object: components["schemas"]["DeletedDocument"];
      };
      context: components["schemas"]["EventContext"];
    };
    /** @description A share link for a document was created. */
    DocumentSharedEvent: {
      /** @description Unique id of the event, the same on every attempt and for every webhook. A receiver ignores an id that it has handled already. */
      id: string;
      /**
       * @description The event type. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "document.shared";
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /**
       * @description Version of the interface that shaped the event.
       * @constant
       */
      apiVersion: "v1";
      /** @description What the event is about. */
      data: {
        object: components["schemas"]["Share"];
      };
      context: components["schemas"]["EventContext"];
    };
    /** @description A shared document was opened. */
    DocumentShareAccessedEvent: {
      /** @description Unique id of the event, the same on every attempt and for every webhook. A receiver ignores an id that it has handled already. */
      id: string;
      /**
       * @description The event type. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "document.share.accessed";
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /**
       * @description Version of the interface that shaped the event.
       * @constant
       */
      apiVersion: "v1";
      /** @description What the event is about. */
      data: {
        object: components["schemas"]["ShareAccess"];
      };
      context: components["schemas"]["EventContext"];
    };
    /** @description A share link passed its expiry. */
    DocumentShareExpiredEvent: {
      /** @description Unique id of the event, the same on every attempt and for every webhook. A receiver ignores an id that it has handled already. */
      id: string;
      /**
       * @description The event type. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "document.share.expired";
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /**
       * @description Version of the interface that shaped the event.
       * @constant
       */
      apiVersion: "v1";
      /** @description What the event is about. */
      data: {
        object: components["schemas"]["ExpiredShare"];
      };
      context: components["schemas"]["EventContext"];
    };
    /** @description A consent was granted. */
    ConsentGrantedEvent: {
      /** @description Unique id of the event, the same on every attempt and for every webhook. A receiver ignores an id that it has handled already. */
      id: string;
      /**
       * @description The event type. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "consent.granted";
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /**
       * @description Version of the interface that shaped the event.
       * @constant
       */
      apiVersion: "v1";
      /** @description What the event is about. */
      data: {
        object: components["schemas"]["Consent"];
      };
      context: components["schemas"]["EventContext"];
    };
    /** @description A consent was revoked. */
    ConsentRevokedEvent: {
      /** @description Unique id of the event, the same on every attempt and for every webhook. A receiver ignores an id that it has handled already. */
      id: string;
      /**
       * @description The event type. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "consent.revoked";
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /**
       * @description Version of the interface that shaped the event.
       * @constant
       */
      apiVersion: "v1";
      /** @description What the event is about. */
      data: {
        object: components["schemas"]["RevokedConsent"];
      };
      context: components["schemas"]["EventContext"];
    };
    /** @description The period of a consent ended. */
    ConsentExpiredEvent: {
      /** @description Unique id of the event, the same on every attempt and for every webhook. A receiver ignores an id that it has handled already. */
      id: string;
      /**
       * @description The event type. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "consent.expired";
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /**
       * @description Version of the interface that shaped the event.
       * @constant
       */
      apiVersion: "v1";
      /** @description What the event is about. */
      data: {
        object: components["schemas"]["Consent"];
      };
      context: components["schemas"]["EventContext"];
    };
    /** @description A consent was renewed. */
    ConsentRenewedEvent: {
      /** @description Unique id of the event, the same on every attempt and for every webhook. A receiver ignores an id that it has handled already. */
      id: string;
      /**
       * @description The event type. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "consent.renewed";
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /**
       * @description Version of the interface that shaped the event.
       * @constant
       */
      apiVersion: "v1";
      /** @description What the event is about. */
      data: {
        object: components["schemas"]["Consent"];
      };
      context: components["schemas"]["EventContext"];
    };
    /** @description A user was registered. */
    UserCreatedEvent: {
      /** @description Unique id of the event, the same on every attempt and for every webhook. A receiver ignores an id that it has handled already. */
      id: string;
      /**
       * @description The event type. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "user.created";
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /**
       * @description Version of the interface that shaped the event.
       * @constant
       */
      apiVersion: "v1";
      /** @description What the event is about. */
      data: {
        object: components["schemas"]["User"];
      };
      context: components["schemas"]["EventContext"];
    };
    /** @description The profile of a user was changed. */
    UserUpdatedEvent: {
      /** @description Unique id of the event, the same on every attempt and for every webhook. A receiver ignores an id that it has handled already. */
      id: string;
      /**
       * @description The event type. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "user.updated";
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /**
       * @description Version of the interface that shaped the event.
       * @constant
       */
      apiVersion: "v1";
      /** @description The resource and what changed in it. */
      data: {
        object: components["schemas"]["User"];
        previous: components["schemas"]["PreviousUser"];
        /** @description Names of the changed fields. `updatedAt` changes every time and is not named. */
        changes: ("name" | "email" | "password" | "role" | "tier" | "status" | "keyring")[];
      };
      context: components["schemas"]["EventContext"];
    };
    /** @description An account was deleted with everything it owned. */
    UserDeletedEvent: {
      /** @description Unique id of the event, the same on every attempt and for every webhook. A receiver ignores an id that it has handled already. */
      id: string;
      /**
       * @description The event type. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "user.deleted";
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /**
       * @description Version of the interface that shaped the event.
       * @constant
       */
      apiVersion: "v1";
      /** @description What the event is about. */
      data: {
        object: components["schemas"]["DeletedUser"];
      };
      context: components["schemas"]["EventContext"];
    };
    /** @description A user logged in. */
    UserLoginEvent: {
      /** @description Unique id of the event, the same on every attempt and for every webhook. A receiver ignores an id that it has handled already. */
      id: string;
      /**
       * @description The event type. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "user.login";
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /**
       * @description Version of the interface that shaped the event.
       * @constant
       */
      apiVersion: "v1";
      /** @description What the event is about. */
      data: {
        object: components["schemas"]["UserLogin"];
      };
      context: components["schemas"]["EventContext"];
    };
    /** @description The health of an instance degraded. */
    InstanceHealthDegradedEvent: {
      /** @description Unique id of the event, the same on every attempt and for every webhook. A receiver ignores an id that it has handled already. */
      id: string;
      /**
       * @description The event type. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "instance.health.degraded";
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /**
       * @description Version of the interface that shaped the event.
       * @constant
       */
      apiVersion: "v1";
      /** @description What the event is about. */
      data: {
        object: components["schemas"]["InstanceHealth"];
      };
      context: components["schemas"]["EventContext"];
    };
    /** @description An instance recovered. */
    InstanceHealthRecoveredEvent: {
      /** @description Unique id of the event, the same on every attempt and for every webhook. A receiver ignores an id that it has handled already. */
      id: string;
      /**
       * @description The event type. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "instance.health.recovered";
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /**
       * @description Version of the interface that shaped the event.
       * @constant
       */
      apiVersion: "v1";
      /** @description What the event is about. */
      data: {
        object: components["schemas"]["InstanceHealth"];
      };
      context: components["schemas"]["EventContext"];
    };
    /** @description The storage of an instance reached 80 % of its quota. */
    InstanceQuotaWarningEvent: {
      /** @description Unique id of the event, the same on every attempt and for every webhook. A receiver ignores an id that it has handled already. */
      id: string;
      /**
       * @description The event type. (enum property replaced by openapi-typescript)
       * @enum {string}
       */
      type: "instance.quota.warning";
      /**
       * Format: date-time
       * @description When the event happened.
       */
      timestamp: string;
      /**
       * @description Version of the interface that shaped the event.
       * @constant
       */
      apiVersion: "v1";
      /** @description What the event is about. */
      data: {
        object: components["schemas"]["InstanceUsage"];
      };
      context: components["schemas"]["EventContext"];
    };
    /** @description Any event that the service sends; `type` names it. Events are delivered at least once and in no guaranteed order: `id` recognises repetitions, `timestamp` orders. New properties and new event types may be added, and receivers tolerate both. */
    Event: components["schemas"]["VaultCreatedEvent"] | components["schemas"]["VaultUpdatedEvent"] | components["schemas"]["VaultDeletedEvent"] | components["schemas"]["VaultQuotaWarningEvent"] | components["schemas"]["VaultQuotaExceededEvent"] | components["schemas"]["DocumentUploadedEvent"] | components["schemas"]["DocumentUpdatedEvent"] | components["schemas"]["DocumentDeletedEvent"] | components["schemas"]["DocumentSharedEvent"] | components["schemas"]["DocumentShareAccessedEvent"] | components["schemas"]["DocumentShareExpiredEvent"] | components["schemas"]["ConsentGrantedEvent"] | components["schemas"]["ConsentRevokedEvent"] | components["schemas"]["ConsentExpiredEvent"] | components["schemas"]["ConsentRenewedEvent"] | components["schemas"]["UserCreatedEvent"] | components["schemas"]["UserUpdatedEvent"] | components["schemas"]["UserDeletedEvent"] | components["schemas"]["UserLoginEvent"] | components["schemas"]["InstanceHealthDegradedEvent"] | components["schemas"]["InstanceHealthRecoveredEvent"] | components["schemas"]["InstanceQuotaWarningEvent"];
    /** @description One page of events. */
    EventPage: {
      /** @description The events of the page: newest first, with `after` oldest first. Empty past the end. */
      data: components["schemas"]["Event"][];
      pagination?: components["schemas"]["Pagination"];
      /**
       * @description For `after`: where the events begin that are committed after this page.
       * @example c1_9nXz0aH6wJYFv2c3b1dO4kR8mT5uVgWxQyZsLpEoNAI
       */
      cursor: string;
      /** @description With `after`: whether more events are available now. */
      hasMore?: boolean;
    };
    /** @description Where a page stands in its list. */
    Pagination: {
      /**
       * @description Number of this page, from 1.
       * @example 1
       */
      page: number;
      /**
       * @description Items per page, as requested.
       * @example 20
       */
      pageSize: number;
      /**
       * @description Number of pages; 0 when the list is empty.
       * @example 3
       */
      totalPages: number;
      /**
       * @description Number of items on all pages.
       * @example 42
       */
      totalCount: number;
      /** @description Whether a page follows. */
      hasNextPage: boolean;
      /** @description Whether a page precedes. */
      hasPreviousPage: boolean;
    };
    /** @description The body of every error response. */
    Error: {
      /** @description What went wrong. */
      error: {
        code: components["schemas"]["ErrorCode"];
        /**
         * @description What went wrong, for people. The wording may change.
         * @example name is required.
         */
        message: string;
        details: components["schemas"]["ErrorDetails"];
        /**
         * @description Id of the request, as in the header `X-Request-Id`.
         * @example req_11993c0d74f19bf15acac07994a2e87d
         */
        requestId: string;
        /**
         * Format: date-time
         * @description When the error happened.
         * @example 2026-03-02T09:17:30.512Z
         */
        timestamp: string;
        /**
         * @description Seconds to wait before the next call; only with `RATE_LIMIT_EXCEEDED`.
         * @example 42
         */
        retryAfter?: number;
      };
    };
    /**
     * @description What went wrong, for programs.
     *
     *     | Code | Status | Meaning |
     *     |---|---|---|
     *     | `INVALID_API_KEY` | 401 | The API key is malformed, unknown, revoked or expired |
     *     | `EXPIRED_TOKEN` | 401 | The access token has expired: refresh it and repeat the call |
     *     | `INVALID_TOKEN` | 401 | The token or the login is not valid |
     *     | `MISSING_AUTH` | 401 | No credentials were sent |
     *     | `INSUFFICIENT_PERMISSIONS` | 403 | The key or token lacks the scope, or the user the role |
     *     | `ACCOUNT_SUSPENDED` | 403 | The account is suspended |
     *     | `IP_BLOCKED` | 403 | The address of the caller is blocked |
     *     | `NOT_FOUND` | 404 | There is no such resource for this caller |
     *     | `VALIDATION_ERROR` | 400 | The request is not valid |
     *     | `RANGE_NOT_SATISFIABLE` | 416 | The range of the content begins after its end; only of content |
     *     | `RATE_LIMIT_EXCEEDED` | 429 | Too many requests: wait for `retryAfter` seconds |
     *     | `INTERNAL_ERROR` | 500 | The service failed |
     * @enum {string}
     */
    ErrorCode: "INVALID_API_KEY" | "EXPIRED_TOKEN" | "INVALID_TOKEN" | "MISSING_AUTH" | "INSUFFICIENT_PERMISSIONS" | "ACCOUNT_SUSPENDED" | "IP_BLOCKED" | "NOT_FOUND" | "VALIDATION_ERROR" | "RANGE_NOT_SATISFIABLE" | "RATE_LIMIT_EXCEEDED" | "INTERNAL_ERROR";
    /** @description Facts about the error; empty when there are none. `VALIDATION_ERROR` has `field`, `constraint` and `violations`; `NOT_FOUND` names the id that was not found, for example `vaultId` (its first 500 characters), and of an unknown path its `method` and `path`. */
    ErrorDetails: {
      /**
       * @description Dotted path of the offending value, for example `encryptionMetadata.iv`; the name of a query parameter or header; `body` for the body as a whole. Of the first violation.
       * @example name
       */
      field?: string;
      /**
       * @description The rule that was broken: the JSON Schema keyword (`required`, `maxLength`, `enum`, …) or a rule of the service (`unique`, `future`, `vaultQuota`, …; see *Errors*). Of the first violation.
       * @example required
       */
      constraint?: string;
      /** @description All violations, in `VALIDATION_ERROR`. */
      violations?: components["schemas"]["Violation"][];
      /**
       * @description The limit that was reached, as `usage` of `GET /api/v1/users/me` names it. With the constraints `accountRows` and `accountQuota`.
       * @example webhooks
       */
      resource?: string;
    } & {
      [key: string]: unknown;
    };
    /** @description One broken rule. */
    Violation: {
      /**
       * @description Dotted path of the offending value, for example `encryptionMetadata.iv`; the name of a query parameter or header; `body` for the body as a whole.
       * @example name
       */
      field: string;
      /**
       * @description The rule that was broken: the JSON Schema keyword (`required`, `maxLength`, `enum`, …) or a rule of the service (`unique`, `future`, `vaultQuota`, …; see *Errors*).
       * @example required
       */
      constraint: string;
      /**
       * @description What is wrong, for people.
       * @example name is required.
       */
      message: string;
    };
    /** @description This document (OpenAPI 3.1). */
    OpenApiDocument: {
      /**
       * @description Version of the OpenAPI Specification.
       * @example 3.1.1
       */
      openapi: string;
      /** @description Title, description and version of the interface. */
      info: {
        [key: string]: unknown;
      };
      /** @description The operations by path and method. */
      paths: {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
  };
  responses: {
    /** @description Done. The response has no body. */
    NoContent: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
        "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
        "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
        "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
        "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
        "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
        "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
        "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
        "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
        "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content?: never;
    };
    /** @description `VALIDATION_ERROR`: a parameter, a header or the body is not valid. `details` names the first violation and lists all of them. */
    BadRequest: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
        "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
        "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
        "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
        "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
        "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
        "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
        "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
        "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
        "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The credentials are missing (`MISSING_AUTH`) or not valid (`INVALID_API_KEY`, `INVALID_TOKEN`, `EXPIRED_TOKEN`). `INVALID_TOKEN` is also returned for an access token whose session has ended. */
    Unauthorized: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
        "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
        "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
        "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
        "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
        "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
        "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
        "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
        "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
        "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description `INVALID_API_KEY`: the key is malformed, unknown, revoked or expired; the response does not say which. `MISSING_AUTH`: no key was sent. */
    InvalidApiKey: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
        "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
        "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
        "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
        "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
        "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
        "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
        "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
        "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
        "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description `INVALID_TOKEN`: the address is unknown or the password is wrong; the response does not say which. */
    InvalidLogin: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
        "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
        "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
        "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
        "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
        "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
        "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
        "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
        "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
        "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description `INVALID_TOKEN`: the refresh token is unknown, expired, revoked or was used before. The user must log in again. */
    InvalidRefreshToken: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
        "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
        "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
        "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
        "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
        "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
        "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
        "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
        "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
        "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The credentials lack a scope or role (`INSUFFICIENT_PERMISSIONS`), the account is suspended (`ACCOUNT_SUSPENDED`), or the address of the caller is blocked (`IP_BLOCKED`). */
    Forbidden: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
        "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
        "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
        "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
        "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
        "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
        "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
        "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
        "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
        "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The account is suspended (`ACCOUNT_SUSPENDED`) or the address of the caller is blocked (`IP_BLOCKED`). */
    AccountForbidden: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
        "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
        "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
        "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
        "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
        "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
        "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
        "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
        "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
        "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description Registration or every instance is closed (`INSUFFICIENT_PERMISSIONS`), or the address of the caller is blocked (`IP_BLOCKED`). */
    RegistrationForbidden: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
        "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
        "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
        "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
        "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
        "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
        "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
        "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
        "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
        "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description `IP_BLOCKED`: the address of the caller is blocked. */
    Blocked: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
        "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
        "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
        "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
        "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
        "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
        "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
        "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
        "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
        "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description `NOT_FOUND`: there is no such resource, or it belongs to another account. */
    NotFound: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
        "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
        "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
        "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
        "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
        "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
        "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
        "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
        "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
        "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The whole ciphertext. */
    Content: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
        "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
        "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
        "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
        "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
        "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
        "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
        "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
        "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
        "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        "Accept-Ranges": components["headers"]["Accept-Ranges"];
        ETag: components["headers"]["Content-ETag"];
        "Repr-Digest": components["headers"]["Repr-Digest"];
        "Content-Disposition": components["headers"]["Content-Disposition"];
        [name: string]: unknown;
      };
      content: {
        "application/octet-stream": string;
      };
    };
    /** @description The range of the ciphertext that was asked for. */
    PartialContent: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
        "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
        "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
        "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
        "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
        "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
        "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
        "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
        "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
        "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        "Accept-Ranges": components["headers"]["Accept-Ranges"];
        ETag: components["headers"]["Content-ETag"];
        "Repr-Digest": components["headers"]["Repr-Digest"];
        "Content-Disposition": components["headers"]["Content-Disposition"];
        "Content-Range": components["headers"]["Content-Range"];
        [name: string]: unknown;
      };
      content: {
        "application/octet-stream": string;
      };
    };
    /** @description The caller has this content already. The response has no body. */
    NotModified: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
        "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
        "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
        "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
        "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
        "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
        "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
        "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
        "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
        "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        "Accept-Ranges": components["headers"]["Accept-Ranges"];
        ETag: components["headers"]["Content-ETag"];
        "Repr-Digest": components["headers"]["Repr-Digest"];
        [name: string]: unknown;
      };
      content?: never;
    };
    /** @description `RANGE_NOT_SATISFIABLE`: the range begins at or after the end of the content. `Content-Range` has the length. */
    RangeNotSatisfiable: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
        "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
        "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
        "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
        "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
        "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
        "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
        "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
        "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
        "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        "Accept-Ranges": components["headers"]["Accept-Ranges"];
        "Content-Range": components["headers"]["Content-Range"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description `RATE_LIMIT_EXCEEDED`: a limit is used up. `retryAfter` and `Retry-After` say how many seconds to wait. */
    TooManyRequests: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
        "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
        "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
        "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
        "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
        "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
        "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
        "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
        "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
        "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        "Retry-After": components["headers"]["Retry-After"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description `INTERNAL_ERROR`: the service failed. The response says nothing about the cause; quote the request id to the operator. */
    InternalError: {
      headers: {
        "X-Request-Id": components["headers"]["X-Request-Id"];
        "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
        "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
        "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
        "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
        "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
        "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
        "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
        "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
        "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
        "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
        RateLimit: components["headers"]["RateLimit"];
        "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
        [name: string]: unknown;
      };
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    /** @description The receiver has accepted the event. Any 2xx status within 10 seconds acknowledges it; anything else (a redirect too) is a failed attempt and is repeated after 1 minute, 5 minutes, 15 minutes, 1 hour and 4 hours. The body is ignored. */
    EventAcknowledged: {
      headers: {
        [name: string]: unknown;
      };
      content?: never;
    };
    /** @description The receiver returns 401 when the signature is missing or wrong. The service counts it as a failed attempt. */
    InvalidSignature: {
      headers: {
        [name: string]: unknown;
      };
      content?: never;
    };
  };
  parameters: {
    /**
     * @description Number of the page, from 1. A page past the end is empty.
     * @example 1
     */
    Page: number;
    /**
     * @description Items per page.
     * @example 20
     */
    PageSize: number;
    /** @description Direction of the order. Default: `desc` when sorting by a time, `asc` otherwise. Ties are broken by id, so that pages never overlap. */
    SortOrder: "asc" | "desc";
    /** @description Whose rows. Without it, those of the caller's account. `all` stands for every account, an id for that account: both need `admin:*`, unless the id is the caller's own. An unknown id gives an empty page. */
    Account: string;
    /**
     * @description A value of the caller that is unique to this call: 1 to 255 printable ASCII characters. A repetition with the same value within 24 hours gets the stored response and changes nothing. See *Idempotency*.
     * @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e
     */
    IdempotencyKey: string;
    /**
     * @description Vault id.
     * @example 019cadd6-a210-7670-891a-985ccc8c71a2
     */
    VaultId: string;
    /**
     * @description Document id.
     * @example 019cadd9-1528-7f5e-848b-0eb02474ebdb
     */
    DocumentId: string;
    /**
     * @description Share id.
     * @example 019cade2-c462-73c1-a294-ac3cddc695e0
     */
    ShareId: string;
    /**
     * @description Token of the share.
     * @example mePKGsZIi5YwGs8c5IioV81_gOw94C3iodGOEbCUAFk
     */
    ShareToken: string;
    /** @description `false` leaves `encryptedData` out of the response. Read the ciphertext from `contentUrl`, whole or by `Range`. */
    WithContent: boolean;
    /**
     * @description Upload id: the id of the later document.
     * @example 019cadd9-4b10-7c02-9d1e-5a7f3c2b8e64
     */
    UploadId: string;
    /**
     * @description Number of the part, from 0.
     * @example 0
     */
    PartNumber: string;
    /**
     * @description The ticket in the `contentUrl` of an opened share.
     * @example AZyt4sRicwFkomPq7zAD3AGcvSKZ2CVc5gZhqnOvDWEcE5yqgi0TqAJaz8G6d0dOHQ
     */
    ContentTicket: string;
    /**
     * @description SHA-256 of the body (RFC 9530). The service refuses a body with another digest. Other algorithms beside `sha-256` are ignored.
     * @example sha-256=:n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=:
     */
    ContentDigest: string;
    /**
     * @description One range of bytes (RFC 9110, section 14.2), as `bytes=0-1048575`, `bytes=1048576-` or `bytes=-16`. A header that is not valid, uses another unit or names several ranges is ignored.
     * @example bytes=0-1048575
     */
    Range: string;
    /**
     * @description `Range` counts only while the content has this strong `ETag` (RFC 9110, section 13.1.5); otherwise the response is the whole content.
     * @example "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"
     */
    IfRange: string;
    /**
     * @description With the `ETag` of the content, the response is 304 without a body (RFC 9110, section 13.1.2).
     * @example "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"
     */
    IfNoneMatch: string;
    /**
     * @description Instance id.
     * @example 019b8d2b-8c00-7db1-baa7-76cb5c5c64ab
     */
    InstanceId: string;
    /**
     * @description Webhook id.
     * @example 019cadde-04b2-7c3d-9e55-4a0b8c6d2f17
     */
    WebhookId: string;
    /**
     * @description Delivery id.
     * @example dlv_0e1c9b36f44390073200db56857b6236
     */
    DeliveryId: string;
    /**
     * @description Event id.
     * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
     */
    EventId: string;
    /**
     * @description Consent id.
     * @example 019cbebc-548c-7845-b813-fc1fa399c84c
     */
    ConsentId: string;
    /**
     * @description API key id (not the key itself).
     * @example key_7c0d2f5b1e9a4836b2d7f04c8a61e35d
     */
    KeyId: string;
    /**
     * @description Session id.
     * @example 019cadd5-4f16-7c3e-9a53-0b8f4a1c7d20
     */
    SessionId: string;
    /**
     * @description Account id.
     * @example 019cadd4-5698-781e-b05b-ef3e60cf1f3b
     */
    UserId: string;
    /**
     * @description Signature of the delivery: `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the raw request body, keyed by the secret of the webhook. It is verified over the received bytes, never over re-serialised JSON, and compared in constant time. A receiver verifies this header or `webhook-signature`.
     * @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3
     */
    WebhookSignature: string;
    /**
     * @description The `id` of the event, the same on every attempt. It is part of what `webhook-signature` signs.
     * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
     */
    StandardWebhookId: string;
    /**
     * @description When this attempt started, in seconds since 1970.
     * @example 1772443050
     */
    StandardWebhookTimestamp: string;
    /**
     * @description Signatures of this attempt, separated by a space: each is `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the raw body, joined by `.`. One of them is right under the key that the receiver uses. See *Webhooks* above for the keys of a secret.
     * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
     */
    StandardWebhookSignature: string;
    /**
     * @description The `id` of the event, for logs and routing. The header is not signed: decide by the `id` in the body.
     * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
     */
    WebhookEventId: string;
    /**
     * @description The `type` of the event, for logs and routing. The header is not signed: decide by the `type` in the body.
     * @example vault.created
     */
    WebhookEventType: components["schemas"]["EventType"];
    /**
     * @description Id of the delivery: one event to one webhook, the same on every attempt.
     * @example dlv_0e1c9b36f44390073200db56857b6236
     */
    WebhookDeliveryId: string;
    /**
     * @description Name and version of the sender, unless the webhook's own `headers` name another.
     * @example document-vault-webhooks/1.0.0
     */
    WebhookUserAgent: string;
    /**
     * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent; absent for every other event. The header is not signed: decide by `context.test` in the body.
     * @example true
     */
    WebhookTest: "true";
    /**
     * @description The `traceparent` (W3C Trace Context, version 00) of the request that caused the event, the same on every attempt; absent when it had no valid one. The header is not signed, and the sender of that request chose it.
     * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
     */
    WebhookTraceparent: string;
    /**
     * @description The `tracestate` that the request sent with its `traceparent`; absent when it had no valid one of at most 512 characters. The header is not signed.
     * @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7
     */
    WebhookTracestate: string;
    /**
     * @description Client id.
     * @example 019cadf0-7a31-7b52-8d0e-6c1f9b2a4e83
     */
    OAuthClientId: string;
  };
  requestBodies: never;
  headers: {
    /**
     * @description Id of the request, for support and logs.
     * @example req_11993c0d74f19bf15acac07994a2e87d
     */
    "X-Request-Id": string;
    /**
     * @description Requests per hour that the tier allows.
     * @example 10000
     */
    "X-RateLimit-Limit": number;
    /**
     * @description Requests left in the current hour.
     * @example 9987
     */
    "X-RateLimit-Remaining": number;
    /**
     * @description When the current hour ends, in seconds since the Unix epoch.
     * @example 1772445600
     */
    "X-RateLimit-Reset": number;
    /**
     * @description The tier whose limits apply.
     * @example paid
     */
    "X-RateLimit-Tier": components["schemas"]["Tier"];
    /**
     * @description The same as `X-RateLimit-Limit`.
     * @example 10000
     */
    "X-Rate-Limit-Limit": number;
    /**
     * @description The same as `X-RateLimit-Remaining`.
     * @example 9987
     */
    "X-Rate-Limit-Remaining": number;
    /**
     * @description The same moment as `X-RateLimit-Reset`, as an ISO 8601 timestamp.
     * @example 2026-03-02T10:00:00.000Z
     */
    "X-Rate-Limit-Reset": string;
    /**
     * @description Requests that the tier allows in a minute.
     * @example 100
     */
    "X-RateLimit-Minute-Limit": number;
    /**
     * @description Requests left in the current minute.
     * @example 98
     */
    "X-RateLimit-Minute-Remaining": number;
    /**
     * @description When the current minute ends, in seconds since the Unix epoch.
     * @example 1772443140
     */
    "X-RateLimit-Minute-Reset": number;
    /**
     * @description Requests left (`r`) and seconds until the end (`t`) of the current hour and minute, as draft-ietf-httpapi-ratelimit-headers writes them.
     * @example "hour";r=9987;t=2460, "minute";r=98;t=60
     */
    RateLimit: string;
    /**
     * @description Requests (`q`) that the tier allows in an hour and in a minute, and the seconds of both (`w`), as draft-ietf-httpapi-ratelimit-headers writes them.
     * @example "hour";q=10000;w=3600, "minute";q=100;w=60
     */
    "RateLimit-Policy": string;
    /**
     * @description Seconds to wait before the next call, as `error.retryAfter`.
     * @example 42
     */
    "Retry-After": number;
    /**
     * @description `true` when the response is the stored outcome of an earlier call with the same `Idempotency-Key`; absent otherwise.
     * @example true
     */
    "Idempotency-Replayed": "true";
    /** @description How long caches may keep the response (RFC 9111). */
    "Cache-Control": "public, max-age=300";
    /** @description Stands for this version of the document (RFC 9110, section 8.8.3). */
    ETag: string;
    /**
     * @description Ranges of bytes can be requested (RFC 9110, section 14.3).
     * @example bytes
     */
    "Accept-Ranges": "bytes";
    /**
     * @description The range in the body and the length of the content (RFC 9110, section 14.4).
     * @example bytes 0-1048575/10737418240
     */
    "Content-Range": string;
    /**
     * @description Stands for this content (RFC 9110, section 8.8.3): a strong tag, which never changes.
     * @example "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"
     */
    "Content-ETag": string;
    /**
     * @description SHA-256 of the whole content (RFC 9530), also with a range; absent for content that was sent in parts.
     * @example sha-256=:n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=:
     */
    "Repr-Digest": string;
    /**
     * @description Keeps browsers from showing the ciphertext.
     * @example attachment
     */
    "Content-Disposition": string;
  };
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  register: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RegisterRequest"];
      };
    };
    responses: {
      /** @description The new account. */
      201: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["User"];
        };
      };
      400: components["responses"]["BadRequest"];
      403: components["responses"]["RegistrationForbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  login: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["LoginRequest"];
      };
    };
    responses: {
      /** @description A pair of tokens. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TokenPair"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["InvalidLogin"];
      403: components["responses"]["AccountForbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  refresh: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RefreshRequest"];
      };
    };
    responses: {
      /** @description A new pair of tokens. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["TokenPair"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["InvalidRefreshToken"];
      403: components["responses"]["AccountForbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  logout: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["LogoutRequest"];
      };
    };
    responses: {
      204: components["responses"]["NoContent"];
      400: components["responses"]["BadRequest"];
      403: components["responses"]["Blocked"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  validateApiKey: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The key is valid. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ApiKeyValidation"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["InvalidApiKey"];
      403: components["responses"]["AccountForbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  listSessions: {
    parameters: {
      query?: {
        /**
         * @description Number of the page, from 1. A page past the end is empty.
         * @example 1
         */
        page?: components["parameters"]["Page"];
        /**
         * @description Items per page.
         * @example 20
         */
        pageSize?: components["parameters"]["PageSize"];
        /**
         * @description What to sort by.
         * @example createdAt
         */
        sortBy?: "createdAt";
        /** @description Direction of the order. Default: `desc` when sorting by a time, `asc` otherwise. Ties are broken by id, so that pages never overlap. */
        sortOrder?: components["parameters"]["SortOrder"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of sessions. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SessionPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["AccountForbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  endOtherSessions: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["AccountForbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  endSession: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Session id.
         * @example 019cadd5-4f16-7c3e-9a53-0b8f4a1c7d20
         */
        id: components["parameters"]["SessionId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["AccountForbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  getJwks: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The key set. */
      200: {
        headers: {
          "Cache-Control": components["headers"]["Cache-Control"];
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["JsonWebKeySet"];
        };
      };
      400: components["responses"]["BadRequest"];
      403: components["responses"]["Blocked"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  listApiKeys: {
    parameters: {
      query?: {
        /**
         * @description Number of the page, from 1. A page past the end is empty.
         * @example 1
         */
        page?: components["parameters"]["Page"];
        /**
         * @description Items per page.
         * @example 20
         */
        pageSize?: components["parameters"]["PageSize"];
        /**
         * @description What to sort by.
         * @example createdAt
         */
        sortBy?: "createdAt" | "name";
        /** @description Direction of the order. Default: `desc` when sorting by a time, `asc` otherwise. Ties are broken by id, so that pages never overlap. */
        sortOrder?: components["parameters"]["SortOrder"];
        /** @description Whose rows. Without it, those of the caller's account. `all` stands for every account, an id for that account: both need `admin:*`, unless the id is the caller's own. An unknown id gives an empty page. */
        account?: components["parameters"]["Account"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of API keys. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ApiKeyPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  createApiKey: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A value of the caller that is unique to this call: 1 to 255 printable ASCII characters. A repetition with the same value within 24 hours gets the stored response and changes nothing. See *Idempotency*.
         * @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e
         */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateApiKey"];
      };
    };
    responses: {
      /** @description The new key with its secret value. */
      201: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CreatedApiKey"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  revokeApiKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description API key id (not the key itself).
         * @example key_7c0d2f5b1e9a4836b2d7f04c8a61e35d
         */
        keyId: components["parameters"]["KeyId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  listOAuthClients: {
    parameters: {
      query?: {
        /**
         * @description Number of the page, from 1. A page past the end is empty.
         * @example 1
         */
        page?: components["parameters"]["Page"];
        /**
         * @description Items per page.
         * @example 20
         */
        pageSize?: components["parameters"]["PageSize"];
        /**
         * @description What to sort by.
         * @example createdAt
         */
        sortBy?: "createdAt" | "name";
        /** @description Direction of the order. Default: `desc` when sorting by a time, `asc` otherwise. Ties are broken by id, so that pages never overlap. */
        sortOrder?: components["parameters"]["SortOrder"];
        /** @description Whose rows. Without it, those of the caller's account. `all` stands for every account, an id for that account: both need `admin:*`, unless the id is the caller's own. An unknown id gives an empty page. */
        account?: components["parameters"]["Account"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of clients. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["OAuthClientPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  createOAuthClient: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A value of the caller that is unique to this call: 1 to 255 printable ASCII characters. A repetition with the same value within 24 hours gets the stored response and changes nothing. See *Idempotency*.
         * @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e
         */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateOAuthClient"];
      };
    };
    responses: {
      /** @description The new client with its secret. */
      201: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CreatedOAuthClient"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  getOAuthClient: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Client id.
         * @example 019cadf0-7a31-7b52-8d0e-6c1f9b2a4e83
         */
        clientId: components["parameters"]["OAuthClientId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The client. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["OAuthClient"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  updateOAuthClient: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Client id.
         * @example 019cadf0-7a31-7b52-8d0e-6c1f9b2a4e83
         */
        clientId: components["parameters"]["OAuthClientId"];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UpdateOAuthClient"];
      };
    };
    responses: {
      /** @description The changed client. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["OAuthClient"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  deleteOAuthClient: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Client id.
         * @example 019cadf0-7a31-7b52-8d0e-6c1f9b2a4e83
         */
        clientId: components["parameters"]["OAuthClientId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  rotateOAuthClientSecret: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A value of the caller that is unique to this call: 1 to 255 printable ASCII characters. A repetition with the same value within 24 hours gets the stored response and changes nothing. See *Idempotency*.
         * @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e
         */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path: {
        /**
         * @description Client id.
         * @example 019cadf0-7a31-7b52-8d0e-6c1f9b2a4e83
         */
        clientId: components["parameters"]["OAuthClientId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The new secret. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RotatedClientSecret"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  listVaults: {
    parameters: {
      query?: {
        /**
         * @description Number of the page, from 1. A page past the end is empty.
         * @example 1
         */
        page?: components["parameters"]["Page"];
        /**
         * @description Items per page.
         * @example 20
         */
        pageSize?: components["parameters"]["PageSize"];
        /**
         * @description What to sort by. Over all accounts (`account=all`), other orders than `createdAt` take at most 100,000 vaults: above, they are a `VALIDATION_ERROR` (constraint `sortableRows`).
         * @example createdAt
         */
        sortBy?: "createdAt" | "updatedAt" | "name" | "documentCount" | "totalSize";
        /** @description Direction of the order. Default: `desc` when sorting by a time, `asc` otherwise. Ties are broken by id, so that pages never overlap. */
        sortOrder?: components["parameters"]["SortOrder"];
        /** @description Whose rows. Without it, those of the caller's account. `all` stands for every account, an id for that account: both need `admin:*`, unless the id is the caller's own. An unknown id gives an empty page. */
        account?: components["parameters"]["Account"];
        /** @description Only vaults of this category. */
        category?: string;
        /** @description Only active (`true`) or only inactive (`false`) vaults. */
        isActive?: boolean;
        /** @description Only vaults whose name contains this text, without regard to case. An empty text filters nothing. */
        search?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of vaults. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["VaultPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  createVault: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A value of the caller that is unique to this call: 1 to 255 printable ASCII characters. A repetition with the same value within 24 hours gets the stored response and changes nothing. See *Idempotency*.
         * @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e
         */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateVault"];
      };
    };
    responses: {
      /** @description The new vault. */
      201: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Vault"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  searchVaults: {
    parameters: {
      query: {
        /**
         * @description The text to look for.
         * @example receipts
         */
        search: string;
        /**
         * @description Number of the page, from 1. A page past the end is empty.
         * @example 1
         */
        page?: components["parameters"]["Page"];
        /**
         * @description Items per page.
         * @example 20
         */
        pageSize?: components["parameters"]["PageSize"];
        /** @description Whose rows. Without it, those of the caller's account. `all` stands for every account, an id for that account: both need `admin:*`, unless the id is the caller's own. An unknown id gives an empty page. */
        account?: components["parameters"]["Account"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of vaults. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["VaultPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  getVault: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Vault id.
         * @example 019cadd6-a210-7670-891a-985ccc8c71a2
         */
        id: components["parameters"]["VaultId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The vault. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Vault"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  updateVault: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Vault id.
         * @example 019cadd6-a210-7670-891a-985ccc8c71a2
         */
        id: components["parameters"]["VaultId"];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UpdateVault"];
      };
    };
    responses: {
      /** @description The changed vault. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Vault"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  deleteVault: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Vault id.
         * @example 019cadd6-a210-7670-891a-985ccc8c71a2
         */
        id: components["parameters"]["VaultId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  updateVaultKeys: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Vault id.
         * @example 019cadd6-a210-7670-891a-985ccc8c71a2
         */
        id: components["parameters"]["VaultId"];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UpdateVaultKeys"];
      };
    };
    responses: {
      /** @description The stored keys. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["VaultKeys"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  listVaultKeys: {
    parameters: {
      query?: {
        /**
         * @description Number of the page, from 1. A page past the end is empty.
         * @example 1
         */
        page?: components["parameters"]["Page"];
        /**
         * @description Items per page.
         * @example 20
         */
        pageSize?: components["parameters"]["PageSize"];
        /** @description Only the keys of this vault. A vault that the caller does not have gives an empty page. */
        vaultId?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of vault keys. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["VaultKeysPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  listDocuments: {
    parameters: {
      query?: {
        /**
         * @description Number of the page, from 1. A page past the end is empty.
         * @example 1
         */
        page?: components["parameters"]["Page"];
        /**
         * @description Items per page.
         * @example 20
         */
        pageSize?: components["parameters"]["PageSize"];
        /**
         * @description What to sort by. Over all accounts (`account=all`), other orders than `uploadedAt` take at most 100,000 documents: above, they are a `VALIDATION_ERROR` (constraint `sortableRows`).
         * @example uploadedAt
         */
        sortBy?: "uploadedAt" | "updatedAt" | "fileName" | "sizeBytes";
        /** @description Direction of the order. Default: `desc` when sorting by a time, `asc` otherwise. Ties are broken by id, so that pages never overlap. */
        sortOrder?: components["parameters"]["SortOrder"];
        /** @description Whose rows. Without it, those of the caller's account. `all` stands for every account, an id for that account: both need `admin:*`, unless the id is the caller's own. An unknown id gives an empty page. */
        account?: components["parameters"]["Account"];
        /** @description Only documents of this vault. A vault that the caller does not have gives an empty page. */
        vaultId?: string;
        /** @description Only documents of this media type. */
        mimeType?: string;
        /** @description Only documents whose file name contains this text, without regard to case. An empty text filters nothing. */
        search?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of documents. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DocumentPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  createDocument: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A value of the caller that is unique to this call: 1 to 255 printable ASCII characters. A repetition with the same value within 24 hours gets the stored response and changes nothing. See *Idempotency*.
         * @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e
         */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateDocument"];
      };
    };
    responses: {
      /** @description The new document. */
      201: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Document"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  getDocument: {
    parameters: {
      query?: {
        /** @description `false` leaves `encryptedData` out of the response. Read the ciphertext from `contentUrl`, whole or by `Range`. */
        content?: components["parameters"]["WithContent"];
      };
      header?: never;
      path: {
        /**
         * @description Document id.
         * @example 019cadd9-1528-7f5e-848b-0eb02474ebdb
         */
        id: components["parameters"]["DocumentId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The document. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DocumentWithContent"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  updateDocument: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Document id.
         * @example 019cadd9-1528-7f5e-848b-0eb02474ebdb
         */
        id: components["parameters"]["DocumentId"];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UpdateDocument"];
      };
    };
    responses: {
      /** @description The changed document. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Document"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  deleteDocument: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Document id.
         * @example 019cadd9-1528-7f5e-848b-0eb02474ebdb
         */
        id: components["parameters"]["DocumentId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  getDocumentContent: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description One range of bytes (RFC 9110, section 14.2), as `bytes=0-1048575`, `bytes=1048576-` or `bytes=-16`. A header that is not valid, uses another unit or names several ranges is ignored.
         * @example bytes=0-1048575
         */
        Range?: components["parameters"]["Range"];
        /**
         * @description `Range` counts only while the content has this strong `ETag` (RFC 9110, section 13.1.5); otherwise the response is the whole content.
         * @example "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"
         */
        "If-Range"?: components["parameters"]["IfRange"];
        /**
         * @description With the `ETag` of the content, the response is 304 without a body (RFC 9110, section 13.1.2).
         * @example "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"
         */
        "If-None-Match"?: components["parameters"]["IfNoneMatch"];
      };
      path: {
        /**
         * @description Document id.
         * @example 019cadd9-1528-7f5e-848b-0eb02474ebdb
         */
        id: components["parameters"]["DocumentId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: components["responses"]["Content"];
      206: components["responses"]["PartialContent"];
      304: components["responses"]["NotModified"];
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      416: components["responses"]["RangeNotSatisfiable"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  shareDocument: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A value of the caller that is unique to this call: 1 to 255 printable ASCII characters. A repetition with the same value within 24 hours gets the stored response and changes nothing. See *Idempotency*.
         * @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e
         */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path: {
        /**
         * @description Document id.
         * @example 019cadd9-1528-7f5e-848b-0eb02474ebdb
         */
        id: components["parameters"]["DocumentId"];
      };
      cookie?: never;
    };
    /** @description The terms of the share. May be left out. */
    requestBody?: {
      content: {
        "application/json": components["schemas"]["CreateShare"];
      };
    };
    responses: {
      /** @description The new share with its token. */
      201: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CreatedShare"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  listDocumentShares: {
    parameters: {
      query?: {
        /**
         * @description Number of the page, from 1. A page past the end is empty.
         * @example 1
         */
        page?: components["parameters"]["Page"];
        /**
         * @description Items per page.
         * @example 20
         */
        pageSize?: components["parameters"]["PageSize"];
        /**
         * @description What to sort by.
         * @example createdAt
         */
        sortBy?: "createdAt" | "expiresAt";
        /** @description Direction of the order. Default: `desc` when sorting by a time, `asc` otherwise. Ties are broken by id, so that pages never overlap. */
        sortOrder?: components["parameters"]["SortOrder"];
      };
      header?: never;
      path: {
        /**
         * @description Document id.
         * @example 019cadd9-1528-7f5e-848b-0eb02474ebdb
         */
        id: components["parameters"]["DocumentId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of shares. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SharePage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  revokeDocumentShare: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Document id.
         * @example 019cadd9-1528-7f5e-848b-0eb02474ebdb
         */
        id: components["parameters"]["DocumentId"];
        /**
         * @description Share id.
         * @example 019cade2-c462-73c1-a294-ac3cddc695e0
         */
        shareId: components["parameters"]["ShareId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  listShareAccesses: {
    parameters: {
      query?: {
        /**
         * @description Number of the page, from 1. A page past the end is empty.
         * @example 1
         */
        page?: components["parameters"]["Page"];
        /**
         * @description Items per page.
         * @example 20
         */
        pageSize?: components["parameters"]["PageSize"];
      };
      header?: never;
      path: {
        /**
         * @description Document id.
         * @example 019cadd9-1528-7f5e-848b-0eb02474ebdb
         */
        id: components["parameters"]["DocumentId"];
        /**
         * @description Share id.
         * @example 019cade2-c462-73c1-a294-ac3cddc695e0
         */
        shareId: components["parameters"]["ShareId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of accesses. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ShareAccessPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  openShare: {
    parameters: {
      query?: {
        /** @description `false` leaves `encryptedData` out of the response. Read the ciphertext from `contentUrl`, whole or by `Range`. */
        content?: components["parameters"]["WithContent"];
      };
      header?: never;
      path: {
        /**
         * @description Token of the share.
         * @example mePKGsZIi5YwGs8c5IioV81_gOw94C3iodGOEbCUAFk
         */
        token: components["parameters"]["ShareToken"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The shared document. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SharedDocument"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  getSharedContent: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description One range of bytes (RFC 9110, section 14.2), as `bytes=0-1048575`, `bytes=1048576-` or `bytes=-16`. A header that is not valid, uses another unit or names several ranges is ignored.
         * @example bytes=0-1048575
         */
        Range?: components["parameters"]["Range"];
        /**
         * @description `Range` counts only while the content has this strong `ETag` (RFC 9110, section 13.1.5); otherwise the response is the whole content.
         * @example "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"
         */
        "If-Range"?: components["parameters"]["IfRange"];
        /**
         * @description With the `ETag` of the content, the response is 304 without a body (RFC 9110, section 13.1.2).
         * @example "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"
         */
        "If-None-Match"?: components["parameters"]["IfNoneMatch"];
      };
      path: {
        /**
         * @description The ticket in the `contentUrl` of an opened share.
         * @example AZyt4sRicwFkomPq7zAD3AGcvSKZ2CVc5gZhqnOvDWEcE5yqgi0TqAJaz8G6d0dOHQ
         */
        ticket: components["parameters"]["ContentTicket"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: components["responses"]["Content"];
      206: components["responses"]["PartialContent"];
      304: components["responses"]["NotModified"];
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      416: components["responses"]["RangeNotSatisfiable"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  createUpload: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A value of the caller that is unique to this call: 1 to 255 printable ASCII characters. A repetition with the same value within 24 hours gets the stored response and changes nothing. See *Idempotency*.
         * @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e
         */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateUpload"];
      };
    };
    responses: {
      /** @description The new upload. */
      201: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Upload"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  getUpload: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Upload id: the id of the later document.
         * @example 019cadd9-4b10-7c02-9d1e-5a7f3c2b8e64
         */
        id: components["parameters"]["UploadId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The upload. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Upload"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  deleteUpload: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Upload id: the id of the later document.
         * @example 019cadd9-4b10-7c02-9d1e-5a7f3c2b8e64
         */
        id: components["parameters"]["UploadId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  uploadPart: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description SHA-256 of the body (RFC 9530). The service refuses a body with another digest. Other algorithms beside `sha-256` are ignored.
         * @example sha-256=:n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=:
         */
        "Content-Digest"?: components["parameters"]["ContentDigest"];
      };
      path: {
        /**
         * @description Upload id: the id of the later document.
         * @example 019cadd9-4b10-7c02-9d1e-5a7f3c2b8e64
         */
        id: components["parameters"]["UploadId"];
        /**
         * @description Number of the part, from 0.
         * @example 0
         */
        part: components["parameters"]["PartNumber"];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/octet-stream": string;
      };
    };
    responses: {
      204: components["responses"]["NoContent"];
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  listInstances: {
    parameters: {
      query?: {
        /**
         * @description Number of the page, from 1. A page past the end is empty.
         * @example 1
         */
        page?: components["parameters"]["Page"];
        /**
         * @description Items per page.
         * @example 20
         */
        pageSize?: components["parameters"]["PageSize"];
        /**
         * @description What to sort by.
         * @example createdAt
         */
        sortBy?: "createdAt" | "updatedAt" | "name";
        /** @description Direction of the order. Default: `desc` when sorting by a time, `asc` otherwise. Ties are broken by id, so that pages never overlap. */
        sortOrder?: components["parameters"]["SortOrder"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of instances. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["InstancePage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  createInstance: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A value of the caller that is unique to this call: 1 to 255 printable ASCII characters. A repetition with the same value within 24 hours gets the stored response and changes nothing. See *Idempotency*.
         * @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e
         */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateInstance"];
      };
    };
    responses: {
      /** @description The new instance. */
      201: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Instance"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  getInstanceStatistics: {
    parameters: {
      query?: {
        /** @description Whose rows. Without it, those of the caller's account. `all` stands for every account, an id for that account: both need `admin:*`, unless the id is the caller's own. An unknown id gives an empty page. */
        account?: components["parameters"]["Account"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The statistics. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["InstanceStatistics"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  getInstance: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Instance id.
         * @example 019b8d2b-8c00-7db1-baa7-76cb5c5c64ab
         */
        id: components["parameters"]["InstanceId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The instance. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Instance"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  updateInstance: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Instance id.
         * @example 019b8d2b-8c00-7db1-baa7-76cb5c5c64ab
         */
        id: components["parameters"]["InstanceId"];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UpdateInstance"];
      };
    };
    responses: {
      /** @description The changed instance. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Instance"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  getInstanceHealth: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Instance id.
         * @example 019b8d2b-8c00-7db1-baa7-76cb5c5c64ab
         */
        id: components["parameters"]["InstanceId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The health. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["InstanceHealth"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  getInstanceHistory: {
    parameters: {
      query?: {
        /** @description Only points that start at this time or later, at most 90 days before `to` (constraint `range`). When it is not sent: 7 days before `to`, and 90 days with `step=day`. */
        from?: string;
        /** @description Only points that start before this time. When it is not sent: now. It must not be earlier than `from` (constraint `notBeforeFrom`). */
        to?: string;
        /**
         * @description Length of a point: an hour, or a day in UTC.
         * @example hour
         */
        step?: "hour" | "day";
      };
      header?: never;
      path: {
        /**
         * @description Instance id.
         * @example 019b8d2b-8c00-7db1-baa7-76cb5c5c64ab
         */
        id: components["parameters"]["InstanceId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The points. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["InstanceHistory"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  getCurrentUser: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The user. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CurrentUser"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  updateCurrentUser: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UpdateUser"];
      };
    };
    responses: {
      /** @description The changed user. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CurrentUser"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  deleteCurrentUser: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["DeleteUser"];
      };
    };
    responses: {
      204: components["responses"]["NoContent"];
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  getKeyring: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The keyring. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Keyring"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  updateKeyring: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UpdateKeyring"];
      };
    };
    responses: {
      /** @description The stored keyring. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Keyring"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  listUsers: {
    parameters: {
      query?: {
        /**
         * @description Number of the page, from 1. A page past the end is empty.
         * @example 1
         */
        page?: components["parameters"]["Page"];
        /**
         * @description Items per page.
         * @example 20
         */
        pageSize?: components["parameters"]["PageSize"];
        /** @description What to sort by. E-mail addresses are compared without regard to case. */
        sortBy?: "createdAt" | "email";
        /** @description Direction of the order. Default: `desc` when sorting by a time, `asc` otherwise. Ties are broken by id, so that pages never overlap. */
        sortOrder?: components["parameters"]["SortOrder"];
        /** @description Only accounts whose name or e-mail address contains this text, without regard to case. An empty text filters nothing. */
        search?: string;
        /** @description Only accounts of this tier. */
        tier?: components["schemas"]["Tier"];
        /** @description Only accounts with this role. */
        role?: "user" | "admin";
        /** @description Only accounts with this status. */
        status?: "active" | "suspended";
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of accounts. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["UserPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  getUser: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Account id.
         * @example 019cadd4-5698-781e-b05b-ef3e60cf1f3b
         */
        id: components["parameters"]["UserId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The account. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CurrentUser"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  administerUser: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Account id.
         * @example 019cadd4-5698-781e-b05b-ef3e60cf1f3b
         */
        id: components["parameters"]["UserId"];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AdministerUser"];
      };
    };
    responses: {
      /** @description The account after the change. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CurrentUser"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  listConsents: {
    parameters: {
      query?: {
        /**
         * @description Number of the page, from 1. A page past the end is empty.
         * @example 1
         */
        page?: components["parameters"]["Page"];
        /**
         * @description Items per page.
         * @example 20
         */
        pageSize?: components["parameters"]["PageSize"];
        /**
         * @description What to sort by.
         * @example createdAt
         */
        sortBy?: "createdAt" | "updatedAt";
        /** @description Direction of the order. Default: `desc` when sorting by a time, `asc` otherwise. Ties are broken by id, so that pages never overlap. */
        sortOrder?: components["parameters"]["SortOrder"];
        /** @description Whose rows. Without it, those of the caller's account. `all` stands for every account, an id for that account: both need `admin:*`, unless the id is the caller's own. An unknown id gives an empty page. */
        account?: components["parameters"]["Account"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of consents. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ConsentPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  createConsent: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A value of the caller that is unique to this call: 1 to 255 printable ASCII characters. A repetition with the same value within 24 hours gets the stored response and changes nothing. See *Idempotency*.
         * @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e
         */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateConsent"];
      };
    };
    responses: {
      /** @description The new consent. */
      201: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Consent"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  updateConsent: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Consent id.
         * @example 019cbebc-548c-7845-b813-fc1fa399c84c
         */
        id: components["parameters"]["ConsentId"];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UpdateConsent"];
      };
    };
    responses: {
      /** @description The changed consent. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Consent"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  listWebhooks: {
    parameters: {
      query?: {
        /**
         * @description Number of the page, from 1. A page past the end is empty.
         * @example 1
         */
        page?: components["parameters"]["Page"];
        /**
         * @description Items per page.
         * @example 20
         */
        pageSize?: components["parameters"]["PageSize"];
        /**
         * @description What to sort by.
         * @example createdAt
         */
        sortBy?: "createdAt" | "updatedAt";
        /** @description Direction of the order. Default: `desc` when sorting by a time, `asc` otherwise. Ties are broken by id, so that pages never overlap. */
        sortOrder?: components["parameters"]["SortOrder"];
        /** @description Whose rows. Without it, those of the caller's account. `all` stands for every account, an id for that account: both need `admin:*`, unless the id is the caller's own. An unknown id gives an empty page. */
        account?: components["parameters"]["Account"];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of webhooks. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["WebhookPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  createWebhook: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A value of the caller that is unique to this call: 1 to 255 printable ASCII characters. A repetition with the same value within 24 hours gets the stored response and changes nothing. See *Idempotency*.
         * @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e
         */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateWebhook"];
      };
    };
    responses: {
      /** @description The new webhook, with its secret when the service generated it. */
      201: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CreatedWebhook"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  getWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Webhook id.
         * @example 019cadde-04b2-7c3d-9e55-4a0b8c6d2f17
         */
        id: components["parameters"]["WebhookId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The webhook. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Webhook"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  updateWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Webhook id.
         * @example 019cadde-04b2-7c3d-9e55-4a0b8c6d2f17
         */
        id: components["parameters"]["WebhookId"];
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UpdateWebhook"];
      };
    };
    responses: {
      /** @description The changed webhook, without its secret. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Webhook"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  deleteWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Webhook id.
         * @example 019cadde-04b2-7c3d-9e55-4a0b8c6d2f17
         */
        id: components["parameters"]["WebhookId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: components["responses"]["NoContent"];
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  rotateWebhookSecret: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A value of the caller that is unique to this call: 1 to 255 printable ASCII characters. A repetition with the same value within 24 hours gets the stored response and changes nothing. See *Idempotency*.
         * @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e
         */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path: {
        /**
         * @description Webhook id.
         * @example 019cadde-04b2-7c3d-9e55-4a0b8c6d2f17
         */
        id: components["parameters"]["WebhookId"];
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["RotateWebhookSecret"];
      };
    };
    responses: {
      /** @description The new secret, when the service generated it. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RotatedWebhookSecret"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  testWebhook: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A value of the caller that is unique to this call: 1 to 255 printable ASCII characters. A repetition with the same value within 24 hours gets the stored response and changes nothing. See *Idempotency*.
         * @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e
         */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path: {
        /**
         * @description Webhook id.
         * @example 019cadde-04b2-7c3d-9e55-4a0b8c6d2f17
         */
        id: components["parameters"]["WebhookId"];
      };
      cookie?: never;
    };
    /** @description What to send. May be left out. */
    requestBody?: {
      content: {
        "application/json": components["schemas"]["TestWebhook"];
      };
    };
    responses: {
      /** @description The delivery of the test event. */
      201: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Delivery"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  listDeliveries: {
    parameters: {
      query?: {
        /**
         * @description Number of the page, from 1. A page past the end is empty.
         * @example 1
         */
        page?: components["parameters"]["Page"];
        /**
         * @description Items per page.
         * @example 20
         */
        pageSize?: components["parameters"]["PageSize"];
        /**
         * @description What to sort by.
         * @example createdAt
         */
        sortBy?: "createdAt";
        /** @description Direction of the order. Default: `desc` when sorting by a time, `asc` otherwise. Ties are broken by id, so that pages never overlap. */
        sortOrder?: components["parameters"]["SortOrder"];
        /** @description Only deliveries in this state. */
        status?: components["schemas"]["DeliveryStatus"];
        /** @description Only deliveries of this event type. */
        eventType?: components["schemas"]["EventType"];
      };
      header?: never;
      path: {
        /**
         * @description Webhook id.
         * @example 019cadde-04b2-7c3d-9e55-4a0b8c6d2f17
         */
        id: components["parameters"]["WebhookId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of deliveries. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DeliveryPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  retryFailedDeliveries: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A value of the caller that is unique to this call: 1 to 255 printable ASCII characters. A repetition with the same value within 24 hours gets the stored response and changes nothing. See *Idempotency*.
         * @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e
         */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path: {
        /**
         * @description Webhook id.
         * @example 019cadde-04b2-7c3d-9e55-4a0b8c6d2f17
         */
        id: components["parameters"]["WebhookId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description How many deliveries were started. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RetryResult"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  getDelivery: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Webhook id.
         * @example 019cadde-04b2-7c3d-9e55-4a0b8c6d2f17
         */
        id: components["parameters"]["WebhookId"];
        /**
         * @description Delivery id.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        deliveryId: components["parameters"]["DeliveryId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The delivery. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["DeliveryDetail"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  retryDelivery: {
    parameters: {
      query?: never;
      header?: {
        /**
         * @description A value of the caller that is unique to this call: 1 to 255 printable ASCII characters. A repetition with the same value within 24 hours gets the stored response and changes nothing. See *Idempotency*.
         * @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e
         */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path: {
        /**
         * @description Webhook id.
         * @example 019cadde-04b2-7c3d-9e55-4a0b8c6d2f17
         */
        id: components["parameters"]["WebhookId"];
        /**
         * @description Delivery id.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        deliveryId: components["parameters"]["DeliveryId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The delivery, due now. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Delivery"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  listEvents: {
    parameters: {
      query?: {
        /**
         * @description Number of the page, from 1. A page past the end is empty.
         * @example 1
         */
        page?: components["parameters"]["Page"];
        /**
         * @description Items per page.
         * @example 20
         */
        pageSize?: components["parameters"]["PageSize"];
        /** @description Whose rows. Without it, those of the caller's account. `all` stands for every account, an id for that account: both need `admin:*`, unless the id is the caller's own. An unknown id gives an empty page. */
        account?: components["parameters"]["Account"];
        /** @description Only events of this type. */
        type?: components["schemas"]["EventType"];
        /** @description Only events with this `timestamp` or a later one. */
        since?: string;
        /** @description The `cursor` of an earlier page: the events that were committed after it follow, oldest first. It must not be combined with `since`, `until` or a `page` other than 1 (constraint `exclusive`). A cursor is refused (constraint `cursorExpired`) when events could be missing: it is older than 30 days, or the service has restored or changed its database since. */
        after?: string;
        /** @description Only events with this `timestamp` or an earlier one. It must not be earlier than `since` (constraint `notBeforeSince`). */
        until?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of events. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["EventPage"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  getEvent: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /**
         * @description Event id.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        id: components["parameters"]["EventId"];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The event. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Event"];
        };
      };
      400: components["responses"]["BadRequest"];
      401: components["responses"]["Unauthorized"];
      403: components["responses"]["Forbidden"];
      404: components["responses"]["NotFound"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  getOpenApiDocument: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The document. */
      200: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["OpenApiDocument"];
        };
      };
      /** @description The caller has the present document. The response has no body. */
      304: {
        headers: {
          "X-Request-Id": components["headers"]["X-Request-Id"];
          "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
          "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
          "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
          "X-RateLimit-Tier": components["headers"]["X-RateLimit-Tier"];
          "X-Rate-Limit-Limit": components["headers"]["X-Rate-Limit-Limit"];
          "X-Rate-Limit-Remaining": components["headers"]["X-Rate-Limit-Remaining"];
          "X-Rate-Limit-Reset": components["headers"]["X-Rate-Limit-Reset"];
          "X-RateLimit-Minute-Limit": components["headers"]["X-RateLimit-Minute-Limit"];
          "X-RateLimit-Minute-Remaining": components["headers"]["X-RateLimit-Minute-Remaining"];
          "X-RateLimit-Minute-Reset": components["headers"]["X-RateLimit-Minute-Reset"];
          RateLimit: components["headers"]["RateLimit"];
          "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
          ETag: components["headers"]["ETag"];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      403: components["responses"]["Blocked"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
  onVaultCreated: {
    parameters: {
      query?: never;
      header: {
        /**
         * @description Signature of the delivery: `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the raw request body, keyed by the secret of the webhook. It is verified over the received bytes, never over re-serialised JSON, and compared in constant time. A receiver verifies this header or `webhook-signature`.
         * @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3
         */
        "X-Service-Signature": components["parameters"]["WebhookSignature"];
        /**
         * @description The `id` of the event, the same on every attempt. It is part of what `webhook-signature` signs.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "webhook-id": components["parameters"]["StandardWebhookId"];
        /**
         * @description When this attempt started, in seconds since 1970.
         * @example 1772443050
         */
        "webhook-timestamp": components["parameters"]["StandardWebhookTimestamp"];
        /**
         * @description Signatures of this attempt, separated by a space: each is `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the raw body, joined by `.`. One of them is right under the key that the receiver uses. See *Webhooks* above for the keys of a secret.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": components["parameters"]["StandardWebhookSignature"];
        /**
         * @description The `id` of the event, for logs and routing. The header is not signed: decide by the `id` in the body.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "X-Service-Event-Id": components["parameters"]["WebhookEventId"];
        /**
         * @description The `type` of the event, for logs and routing. The header is not signed: decide by the `type` in the body.
         * @example vault.created
         */
        "X-Service-Event-Type": components["parameters"]["WebhookEventType"];
        /**
         * @description Id of the delivery: one event to one webhook, the same on every attempt.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        "X-Service-Delivery-Id": components["parameters"]["WebhookDeliveryId"];
        /**
         * @description Name and version of the sender, unless the webhook's own `headers` name another.
         * @example document-vault-webhooks/1.0.0
         */
        "User-Agent": components["parameters"]["WebhookUserAgent"];
        /**
         * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent; absent for every other event. The header is not signed: decide by `context.test` in the body.
         * @example true
         */
        "X-Service-Test"?: components["parameters"]["WebhookTest"];
        /**
         * @description The `traceparent` (W3C Trace Context, version 00) of the request that caused the event, the same on every attempt; absent when it had no valid one. The header is not signed, and the sender of that request chose it.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent?: components["parameters"]["WebhookTraceparent"];
        /**
         * @description The `tracestate` that the request sent with its `traceparent`; absent when it had no valid one of at most 512 characters. The header is not signed.
         * @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7
         */
        tracestate?: components["parameters"]["WebhookTracestate"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The event, signed byte for byte. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc",
         *       "type": "vault.created",
         *       "timestamp": "2026-03-02T09:17:30.512Z",
         *       "apiVersion": "v1",
         *       "data": {
         *         "object": {
         *           "id": "019cadd6-a210-7670-891a-985ccc8c71a2",
         *           "name": "Taxes",
         *           "description": null,
         *           "category": "personal",
         *           "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *           "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *           "isActive": true,
         *           "documentCount": 0,
         *           "totalSize": 0,
         *           "createdAt": "2026-03-02T09:17:30.512Z",
         *           "updatedAt": "2026-03-02T09:17:30.512Z"
         *         }
         *       },
         *       "context": {
         *         "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *         "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *         "requestId": "req_11993c0d74f19bf15acac07994a2e87d",
         *         "ipAddress": "203.0.113.24"
         *       }
         *     }
         */
        "application/json": components["schemas"]["VaultCreatedEvent"];
      };
    };
    responses: {
      200: components["responses"]["EventAcknowledged"];
      401: components["responses"]["InvalidSignature"];
    };
  };
  onVaultUpdated: {
    parameters: {
      query?: never;
      header: {
        /**
         * @description Signature of the delivery: `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the raw request body, keyed by the secret of the webhook. It is verified over the received bytes, never over re-serialised JSON, and compared in constant time. A receiver verifies this header or `webhook-signature`.
         * @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3
         */
        "X-Service-Signature": components["parameters"]["WebhookSignature"];
        /**
         * @description The `id` of the event, the same on every attempt. It is part of what `webhook-signature` signs.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "webhook-id": components["parameters"]["StandardWebhookId"];
        /**
         * @description When this attempt started, in seconds since 1970.
         * @example 1772443050
         */
        "webhook-timestamp": components["parameters"]["StandardWebhookTimestamp"];
        /**
         * @description Signatures of this attempt, separated by a space: each is `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the raw body, joined by `.`. One of them is right under the key that the receiver uses. See *Webhooks* above for the keys of a secret.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": components["parameters"]["StandardWebhookSignature"];
        /**
         * @description The `id` of the event, for logs and routing. The header is not signed: decide by the `id` in the body.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "X-Service-Event-Id": components["parameters"]["WebhookEventId"];
        /**
         * @description The `type` of the event, for logs and routing. The header is not signed: decide by the `type` in the body.
         * @example vault.created
         */
        "X-Service-Event-Type": components["parameters"]["WebhookEventType"];
        /**
         * @description Id of the delivery: one event to one webhook, the same on every attempt.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        "X-Service-Delivery-Id": components["parameters"]["WebhookDeliveryId"];
        /**
         * @description Name and version of the sender, unless the webhook's own `headers` name another.
         * @example document-vault-webhooks/1.0.0
         */
        "User-Agent": components["parameters"]["WebhookUserAgent"];
        /**
         * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent; absent for every other event. The header is not signed: decide by `context.test` in the body.
         * @example true
         */
        "X-Service-Test"?: components["parameters"]["WebhookTest"];
        /**
         * @description The `traceparent` (W3C Trace Context, version 00) of the request that caused the event, the same on every attempt; absent when it had no valid one. The header is not signed, and the sender of that request chose it.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent?: components["parameters"]["WebhookTraceparent"];
        /**
         * @description The `tracestate` that the request sent with its `traceparent`; absent when it had no valid one of at most 512 characters. The header is not signed.
         * @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7
         */
        tracestate?: components["parameters"]["WebhookTracestate"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The event, signed byte for byte. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_92db8dbee3342c26c74bba21fdfa01e8",
         *       "type": "vault.updated",
         *       "timestamp": "2026-03-04T18:41:07.266Z",
         *       "apiVersion": "v1",
         *       "data": {
         *         "object": {
         *           "id": "019cadd6-a210-7670-891a-985ccc8c71a2",
         *           "name": "Taxes",
         *           "description": "Returns, assessments and receipts",
         *           "category": "personal",
         *           "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *           "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *           "isActive": true,
         *           "documentCount": 1,
         *           "totalSize": 482133,
         *           "createdAt": "2026-03-02T09:17:30.512Z",
         *           "updatedAt": "2026-03-04T18:41:07.266Z"
         *         },
         *         "previous": {
         *           "description": null
         *         },
         *         "changes": [
         *           "description"
         *         ]
         *       },
         *       "context": {
         *         "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *         "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *         "requestId": "req_45675a7ee484fe0bf4e405130e2fc7ec",
         *         "ipAddress": "203.0.113.24"
         *       }
         *     }
         */
        "application/json": components["schemas"]["VaultUpdatedEvent"];
      };
    };
    responses: {
      200: components["responses"]["EventAcknowledged"];
      401: components["responses"]["InvalidSignature"];
    };
  };
  onVaultDeleted: {
    parameters: {
      query?: never;
      header: {
        /**
         * @description Signature of the delivery: `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the raw request body, keyed by the secret of the webhook. It is verified over the received bytes, never over re-serialised JSON, and compared in constant time. A receiver verifies this header or `webhook-signature`.
         * @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3
         */
        "X-Service-Signature": components["parameters"]["WebhookSignature"];
        /**
         * @description The `id` of the event, the same on every attempt. It is part of what `webhook-signature` signs.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "webhook-id": components["parameters"]["StandardWebhookId"];
        /**
         * @description When this attempt started, in seconds since 1970.
         * @example 1772443050
         */
        "webhook-timestamp": components["parameters"]["StandardWebhookTimestamp"];
        /**
         * @description Signatures of this attempt, separated by a space: each is `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the raw body, joined by `.`. One of them is right under the key that the receiver uses. See *Webhooks* above for the keys of a secret.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": components["parameters"]["StandardWebhookSignature"];
        /**
         * @description The `id` of the event, for logs and routing. The header is not signed: decide by the `id` in the body.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "X-Service-Event-Id": components["parameters"]["WebhookEventId"];
        /**
         * @description The `type` of the event, for logs and routing. The header is not signed: decide by the `type` in the body.
         * @example vault.created
         */
        "X-Service-Event-Type": components["parameters"]["WebhookEventType"];
        /**
         * @description Id of the delivery: one event to one webhook, the same on every attempt.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        "X-Service-Delivery-Id": components["parameters"]["WebhookDeliveryId"];
        /**
         * @description Name and version of the sender, unless the webhook's own `headers` name another.
         * @example document-vault-webhooks/1.0.0
         */
        "User-Agent": components["parameters"]["WebhookUserAgent"];
        /**
         * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent; absent for every other event. The header is not signed: decide by `context.test` in the body.
         * @example true
         */
        "X-Service-Test"?: components["parameters"]["WebhookTest"];
        /**
         * @description The `traceparent` (W3C Trace Context, version 00) of the request that caused the event, the same on every attempt; absent when it had no valid one. The header is not signed, and the sender of that request chose it.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent?: components["parameters"]["WebhookTraceparent"];
        /**
         * @description The `tracestate` that the request sent with its `traceparent`; absent when it had no valid one of at most 512 characters. The header is not signed.
         * @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7
         */
        tracestate?: components["parameters"]["WebhookTracestate"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The event, signed byte for byte. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_09ffa313136df8382572faa8da69e237",
         *       "type": "vault.deleted",
         *       "timestamp": "2026-09-03T07:55:20.019Z",
         *       "apiVersion": "v1",
         *       "data": {
         *         "object": {
         *           "id": "019cadd6-a210-7670-891a-985ccc8c71a2",
         *           "documentCount": 17
         *         }
         *       },
         *       "context": {
         *         "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *         "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *         "requestId": "req_01620f795dd6071537911daf83b52345",
         *         "ipAddress": "203.0.113.24"
         *       }
         *     }
         */
        "application/json": components["schemas"]["VaultDeletedEvent"];
      };
    };
    responses: {
      200: components["responses"]["EventAcknowledged"];
      401: components["responses"]["InvalidSignature"];
    };
  };
  onVaultQuotaWarning: {
    parameters: {
      query?: never;
      header: {
        /**
         * @description Signature of the delivery: `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the raw request body, keyed by the secret of the webhook. It is verified over the received bytes, never over re-serialised JSON, and compared in constant time. A receiver verifies this header or `webhook-signature`.
         * @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3
         */
        "X-Service-Signature": components["parameters"]["WebhookSignature"];
        /**
         * @description The `id` of the event, the same on every attempt. It is part of what `webhook-signature` signs.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "webhook-id": components["parameters"]["StandardWebhookId"];
        /**
         * @description When this attempt started, in seconds since 1970.
         * @example 1772443050
         */
        "webhook-timestamp": components["parameters"]["StandardWebhookTimestamp"];
        /**
         * @description Signatures of this attempt, separated by a space: each is `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the raw body, joined by `.`. One of them is right under the key that the receiver uses. See *Webhooks* above for the keys of a secret.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": components["parameters"]["StandardWebhookSignature"];
        /**
         * @description The `id` of the event, for logs and routing. The header is not signed: decide by the `id` in the body.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "X-Service-Event-Id": components["parameters"]["WebhookEventId"];
        /**
         * @description The `type` of the event, for logs and routing. The header is not signed: decide by the `type` in the body.
         * @example vault.created
         */
        "X-Service-Event-Type": components["parameters"]["WebhookEventType"];
        /**
         * @description Id of the delivery: one event to one webhook, the same on every attempt.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        "X-Service-Delivery-Id": components["parameters"]["WebhookDeliveryId"];
        /**
         * @description Name and version of the sender, unless the webhook's own `headers` name another.
         * @example document-vault-webhooks/1.0.0
         */
        "User-Agent": components["parameters"]["WebhookUserAgent"];
        /**
         * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent; absent for every other event. The header is not signed: decide by `context.test` in the body.
         * @example true
         */
        "X-Service-Test"?: components["parameters"]["WebhookTest"];
        /**
         * @description The `traceparent` (W3C Trace Context, version 00) of the request that caused the event, the same on every attempt; absent when it had no valid one. The header is not signed, and the sender of that request chose it.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent?: components["parameters"]["WebhookTraceparent"];
        /**
         * @description The `tracestate` that the request sent with its `traceparent`; absent when it had no valid one of at most 512 characters. The header is not signed.
         * @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7
         */
        tracestate?: components["parameters"]["WebhookTracestate"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The event, signed byte for byte. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_8a74dfe0a01755058e5deeaf9fb39757",
         *       "type": "vault.quota.warning",
         *       "timestamp": "2026-07-12T11:08:33.871Z",
         *       "apiVersion": "v1",
         *       "data": {
         *         "object": {
         *           "id": "019cadd6-a210-7670-891a-985ccc8c71a2",
         *           "name": "Taxes",
         *           "description": "Returns, assessments and receipts",
         *           "category": "personal",
         *           "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *           "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *           "isActive": true,
         *           "documentCount": 14,
         *           "totalSize": 84213760,
         *           "createdAt": "2026-03-02T09:17:30.512Z",
         *           "updatedAt": "2026-03-04T18:41:07.266Z",
         *           "usage": {
         *             "usedBytes": 84213760,
         *             "quotaBytes": 104857600,
         *             "percentage": 80.31
         *           }
         *         }
         *       },
         *       "context": {
         *         "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *         "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *         "requestId": "req_466d0cb89597e29333ea8a30d49ce6f1",
         *         "ipAddress": "203.0.113.24"
         *       }
         *     }
         */
        "application/json": components["schemas"]["VaultQuotaWarningEvent"];
      };
    };
    responses: {
      200: components["responses"]["EventAcknowledged"];
      401: components["responses"]["InvalidSignature"];
    };
  };
  onVaultQuotaExceeded: {
    parameters: {
      query?: never;
      header: {
        /**
         * @description Signature of the delivery: `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the raw request body, keyed by the secret of the webhook. It is verified over the received bytes, never over re-serialised JSON, and compared in constant time. A receiver verifies this header or `webhook-signature`.
         * @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3
         */
        "X-Service-Signature": components["parameters"]["WebhookSignature"];
        /**
         * @description The `id` of the event, the same on every attempt. It is part of what `webhook-signature` signs.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "webhook-id": components["parameters"]["StandardWebhookId"];
        /**
         * @description When this attempt started, in seconds since 1970.
         * @example 1772443050
         */
        "webhook-timestamp": components["parameters"]["StandardWebhookTimestamp"];
        /**
         * @description Signatures of this attempt, separated by a space: each is `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the raw body, joined by `.`. One of them is right under the key that the receiver uses. See *Webhooks* above for the keys of a secret.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": components["parameters"]["StandardWebhookSignature"];
        /**
         * @description The `id` of the event, for logs and routing. The header is not signed: decide by the `id` in the body.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "X-Service-Event-Id": components["parameters"]["WebhookEventId"];
        /**
         * @description The `type` of the event, for logs and routing. The header is not signed: decide by the `type` in the body.
         * @example vault.created
         */
        "X-Service-Event-Type": components["parameters"]["WebhookEventType"];
        /**
         * @description Id of the delivery: one event to one webhook, the same on every attempt.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        "X-Service-Delivery-Id": components["parameters"]["WebhookDeliveryId"];
        /**
         * @description Name and version of the sender, unless the webhook's own `headers` name another.
         * @example document-vault-webhooks/1.0.0
         */
        "User-Agent": components["parameters"]["WebhookUserAgent"];
        /**
         * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent; absent for every other event. The header is not signed: decide by `context.test` in the body.
         * @example true
         */
        "X-Service-Test"?: components["parameters"]["WebhookTest"];
        /**
         * @description The `traceparent` (W3C Trace Context, version 00) of the request that caused the event, the same on every attempt; absent when it had no valid one. The header is not signed, and the sender of that request chose it.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent?: components["parameters"]["WebhookTraceparent"];
        /**
         * @description The `tracestate` that the request sent with its `traceparent`; absent when it had no valid one of at most 512 characters. The header is not signed.
         * @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7
         */
        tracestate?: components["parameters"]["WebhookTracestate"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The event, signed byte for byte. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_1ce7bc18a31ab07f097fda0eddcacb3d",
         *       "type": "vault.quota.exceeded",
         *       "timestamp": "2026-08-20T19:26:54.302Z",
         *       "apiVersion": "v1",
         *       "data": {
         *         "object": {
         *           "id": "019cadd6-a210-7670-891a-985ccc8c71a2",
         *           "name": "Taxes",
         *           "description": "Returns, assessments and receipts",
         *           "category": "personal",
         *           "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *           "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *           "isActive": true,
         *           "documentCount": 18,
         *           "totalSize": 104120320,
         *           "createdAt": "2026-03-02T09:17:30.512Z",
         *           "updatedAt": "2026-03-04T18:41:07.266Z",
         *           "usage": {
         *             "usedBytes": 104120320,
         *             "quotaBytes": 104857600,
         *             "percentage": 99.29
         *           }
         *         }
         *       },
         *       "context": {
         *         "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *         "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *         "requestId": "req_02699f3b25702131476f282d81214b70",
         *         "ipAddress": "203.0.113.24"
         *       }
         *     }
         */
        "application/json": components["schemas"]["VaultQuotaExceededEvent"];
      };
    };
    responses: {
      200: components["responses"]["EventAcknowledged"];
      401: components["responses"]["InvalidSignature"];
    };
  };
  onDocumentUploaded: {
    parameters: {
      query?: never;
      header: {
        /**
         * @description Signature of the delivery: `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the raw request body, keyed by the secret of the webhook. It is verified over the received bytes, never over re-serialised JSON, and compared in constant time. A receiver verifies this header or `webhook-signature`.
         * @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3
         */
        "X-Service-Signature": components["parameters"]["WebhookSignature"];
        /**
         * @description The `id` of the event, the same on every attempt. It is part of what `webhook-signature` signs.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "webhook-id": components["parameters"]["StandardWebhookId"];
        /**
         * @description When this attempt started, in seconds since 1970.
         * @example 1772443050
         */
        "webhook-timestamp": components["parameters"]["StandardWebhookTimestamp"];
        /**
         * @description Signatures of this attempt, separated by a space: each is `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the raw body, joined by `.`. One of them is right under the key that the receiver uses. See *Webhooks* above for the keys of a secret.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": components["parameters"]["StandardWebhookSignature"];
        /**
         * @description The `id` of the event, for logs and routing. The header is not signed: decide by the `id` in the body.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "X-Service-Event-Id": components["parameters"]["WebhookEventId"];
        /**
         * @description The `type` of the event, for logs and routing. The header is not signed: decide by the `type` in the body.
         * @example vault.created
         */
        "X-Service-Event-Type": components["parameters"]["WebhookEventType"];
        /**
         * @description Id of the delivery: one event to one webhook, the same on every attempt.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        "X-Service-Delivery-Id": components["parameters"]["WebhookDeliveryId"];
        /**
         * @description Name and version of the sender, unless the webhook's own `headers` name another.
         * @example document-vault-webhooks/1.0.0
         */
        "User-Agent": components["parameters"]["WebhookUserAgent"];
        /**
         * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent; absent for every other event. The header is not signed: decide by `context.test` in the body.
         * @example true
         */
        "X-Service-Test"?: components["parameters"]["WebhookTest"];
        /**
         * @description The `traceparent` (W3C Trace Context, version 00) of the request that caused the event, the same on every attempt; absent when it had no valid one. The header is not signed, and the sender of that request chose it.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent?: components["parameters"]["WebhookTraceparent"];
        /**
         * @description The `tracestate` that the request sent with its `traceparent`; absent when it had no valid one of at most 512 characters. The header is not signed.
         * @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7
         */
        tracestate?: components["parameters"]["WebhookTracestate"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The event, signed byte for byte. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_3172cd0627a3e985c45f59bd11936125",
         *       "type": "document.uploaded",
         *       "timestamp": "2026-03-02T09:20:11.048Z",
         *       "apiVersion": "v1",
         *       "data": {
         *         "object": {
         *           "id": "019cadd9-1528-7f5e-848b-0eb02474ebdb",
         *           "vaultId": "019cadd6-a210-7670-891a-985ccc8c71a2",
         *           "fileName": "tax-return.pdf",
         *           "sizeBytes": 482133,
         *           "mimeType": "application/pdf",
         *           "encryptionMetadata": {
         *             "algorithm": "AES256_GCM_HKDF_1MB",
         *             "keyDerivation": "PBKDF2"
         *           },
         *           "uploadedAt": "2026-03-02T09:20:11.048Z",
         *           "updatedAt": "2026-03-02T09:20:11.048Z"
         *         }
         *       },
         *       "context": {
         *         "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *         "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *         "requestId": "req_517bd6e212180adee86364d95f854f74",
         *         "ipAddress": "203.0.113.24"
         *       }
         *     }
         */
        "application/json": components["schemas"]["DocumentUploadedEvent"];
      };
    };
    responses: {
      200: components["responses"]["EventAcknowledged"];
      401: components["responses"]["InvalidSignature"];
    };
  };
  onDocumentUpdated: {
    parameters: {
      query?: never;
      header: {
        /**
         * @description Signature of the delivery: `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the raw request body, keyed by the secret of the webhook. It is verified over the received bytes, never over re-serialised JSON, and compared in constant time. A receiver verifies this header or `webhook-signature`.
         * @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3
         */
        "X-Service-Signature": components["parameters"]["WebhookSignature"];
        /**
         * @description The `id` of the event, the same on every attempt. It is part of what `webhook-signature` signs.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "webhook-id": components["parameters"]["StandardWebhookId"];
        /**
         * @description When this attempt started, in seconds since 1970.
         * @example 1772443050
         */
        "webhook-timestamp": components["parameters"]["StandardWebhookTimestamp"];
        /**
         * @description Signatures of this attempt, separated by a space: each is `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the raw body, joined by `.`. One of them is right under the key that the receiver uses. See *Webhooks* above for the keys of a secret.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": components["parameters"]["StandardWebhookSignature"];
        /**
         * @description The `id` of the event, for logs and routing. The header is not signed: decide by the `id` in the body.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "X-Service-Event-Id": components["parameters"]["WebhookEventId"];
        /**
         * @description The `type` of the event, for logs and routing. The header is not signed: decide by the `type` in the body.
         * @example vault.created
         */
        "X-Service-Event-Type": components["parameters"]["WebhookEventType"];
        /**
         * @description Id of the delivery: one event to one webhook, the same on every attempt.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        "X-Service-Delivery-Id": components["parameters"]["WebhookDeliveryId"];
        /**
         * @description Name and version of the sender, unless the webhook's own `headers` name another.
         * @example document-vault-webhooks/1.0.0
         */
        "User-Agent": components["parameters"]["WebhookUserAgent"];
        /**
         * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent; absent for every other event. The header is not signed: decide by `context.test` in the body.
         * @example true
         */
        "X-Service-Test"?: components["parameters"]["WebhookTest"];
        /**
         * @description The `traceparent` (W3C Trace Context, version 00) of the request that caused the event, the same on every attempt; absent when it had no valid one. The header is not signed, and the sender of that request chose it.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent?: components["parameters"]["WebhookTraceparent"];
        /**
         * @description The `tracestate` that the request sent with its `traceparent`; absent when it had no valid one of at most 512 characters. The header is not signed.
         * @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7
         */
        tracestate?: components["parameters"]["WebhookTracestate"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The event, signed byte for byte. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_f6e3f34d5624d41769689ec0499774b7",
         *       "type": "document.updated",
         *       "timestamp": "2026-03-02T09:24:38.590Z",
         *       "apiVersion": "v1",
         *       "data": {
         *         "object": {
         *           "id": "019cadd9-1528-7f5e-848b-0eb02474ebdb",
         *           "vaultId": "019cadd6-a210-7670-891a-985ccc8c71a2",
         *           "fileName": "tax-return-2025.pdf",
         *           "sizeBytes": 482133,
         *           "mimeType": "application/pdf",
         *           "encryptionMetadata": {
         *             "algorithm": "AES256_GCM_HKDF_1MB",
         *             "keyDerivation": "PBKDF2"
         *           },
         *           "uploadedAt": "2026-03-02T09:20:11.048Z",
         *           "updatedAt": "2026-03-02T09:24:38.590Z"
         *         },
         *         "previous": {
         *           "fileName": "tax-return.pdf"
         *         },
         *         "changes": [
         *           "fileName"
         *         ]
         *       },
         *       "context": {
         *         "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *         "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *         "requestId": "req_8cf1c2321f0ef30eb5058d7c210cf90d",
         *         "ipAddress": "203.0.113.24"
         *       }
         *     }
         */
        "application/json": components["schemas"]["DocumentUpdatedEvent"];
      };
    };
    responses: {
      200: components["responses"]["EventAcknowledged"];
      401: components["responses"]["InvalidSignature"];
    };
  };
  onDocumentDeleted: {
    parameters: {
      query?: never;
      header: {
        /**
         * @description Signature of the delivery: `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the raw request body, keyed by the secret of the webhook. It is verified over the received bytes, never over re-serialised JSON, and compared in constant time. A receiver verifies this header or `webhook-signature`.
         * @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3
         */
        "X-Service-Signature": components["parameters"]["WebhookSignature"];
        /**
         * @description The `id` of the event, the same on every attempt. It is part of what `webhook-signature` signs.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "webhook-id": components["parameters"]["StandardWebhookId"];
        /**
         * @description When this attempt started, in seconds since 1970.
         * @example 1772443050
         */
        "webhook-timestamp": components["parameters"]["StandardWebhookTimestamp"];
        /**
         * @description Signatures of this attempt, separated by a space: each is `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the raw body, joined by `.`. One of them is right under the key that the receiver uses. See *Webhooks* above for the keys of a secret.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": components["parameters"]["StandardWebhookSignature"];
        /**
         * @description The `id` of the event, for logs and routing. The header is not signed: decide by the `id` in the body.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "X-Service-Event-Id": components["parameters"]["WebhookEventId"];
        /**
         * @description The `type` of the event, for logs and routing. The header is not signed: decide by the `type` in the body.
         * @example vault.created
         */
        "X-Service-Event-Type": components["parameters"]["WebhookEventType"];
        /**
         * @description Id of the delivery: one event to one webhook, the same on every attempt.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        "X-Service-Delivery-Id": components["parameters"]["WebhookDeliveryId"];
        /**
         * @description Name and version of the sender, unless the webhook's own `headers` name another.
         * @example document-vault-webhooks/1.0.0
         */
        "User-Agent": components["parameters"]["WebhookUserAgent"];
        /**
         * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent; absent for every other event. The header is not signed: decide by `context.test` in the body.
         * @example true
         */
        "X-Service-Test"?: components["parameters"]["WebhookTest"];
        /**
         * @description The `traceparent` (W3C Trace Context, version 00) of the request that caused the event, the same on every attempt; absent when it had no valid one. The header is not signed, and the sender of that request chose it.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent?: components["parameters"]["WebhookTraceparent"];
        /**
         * @description The `tracestate` that the request sent with its `traceparent`; absent when it had no valid one of at most 512 characters. The header is not signed.
         * @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7
         */
        tracestate?: components["parameters"]["WebhookTracestate"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The event, signed byte for byte. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_42bfa896517c3265507a708fff647c22",
         *       "type": "document.deleted",
         *       "timestamp": "2026-09-02T17:12:09.645Z",
         *       "apiVersion": "v1",
         *       "data": {
         *         "object": {
         *           "id": "019cadd9-1528-7f5e-848b-0eb02474ebdb",
         *           "vaultId": "019cadd6-a210-7670-891a-985ccc8c71a2"
         *         }
         *       },
         *       "context": {
         *         "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *         "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *         "requestId": "req_70b035f82b815803ed63751cc887cd8e",
         *         "ipAddress": "203.0.113.24"
         *       }
         *     }
         */
        "application/json": components["schemas"]["DocumentDeletedEvent"];
      };
    };
    responses: {
      200: components["responses"]["EventAcknowledged"];
      401: components["responses"]["InvalidSignature"];
    };
  };
  onDocumentShared: {
    parameters: {
      query?: never;
      header: {
        /**
         * @description Signature of the delivery: `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the raw request body, keyed by the secret of the webhook. It is verified over the received bytes, never over re-serialised JSON, and compared in constant time. A receiver verifies this header or `webhook-signature`.
         * @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3
         */
        "X-Service-Signature": components["parameters"]["WebhookSignature"];
        /**
         * @description The `id` of the event, the same on every attempt. It is part of what `webhook-signature` signs.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "webhook-id": components["parameters"]["StandardWebhookId"];
        /**
         * @description When this attempt started, in seconds since 1970.
         * @example 1772443050
         */
        "webhook-timestamp": components["parameters"]["StandardWebhookTimestamp"];
        /**
         * @description Signatures of this attempt, separated by a space: each is `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the raw body, joined by `.`. One of them is right under the key that the receiver uses. See *Webhooks* above for the keys of a secret.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": components["parameters"]["StandardWebhookSignature"];
        /**
         * @description The `id` of the event, for logs and routing. The header is not signed: decide by the `id` in the body.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "X-Service-Event-Id": components["parameters"]["WebhookEventId"];
        /**
         * @description The `type` of the event, for logs and routing. The header is not signed: decide by the `type` in the body.
         * @example vault.created
         */
        "X-Service-Event-Type": components["parameters"]["WebhookEventType"];
        /**
         * @description Id of the delivery: one event to one webhook, the same on every attempt.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        "X-Service-Delivery-Id": components["parameters"]["WebhookDeliveryId"];
        /**
         * @description Name and version of the sender, unless the webhook's own `headers` name another.
         * @example document-vault-webhooks/1.0.0
         */
        "User-Agent": components["parameters"]["WebhookUserAgent"];
        /**
         * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent; absent for every other event. The header is not signed: decide by `context.test` in the body.
         * @example true
         */
        "X-Service-Test"?: components["parameters"]["WebhookTest"];
        /**
         * @description The `traceparent` (W3C Trace Context, version 00) of the request that caused the event, the same on every attempt; absent when it had no valid one. The header is not signed, and the sender of that request chose it.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent?: components["parameters"]["WebhookTraceparent"];
        /**
         * @description The `tracestate` that the request sent with its `traceparent`; absent when it had no valid one of at most 512 characters. The header is not signed.
         * @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7
         */
        tracestate?: components["parameters"]["WebhookTracestate"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The event, signed byte for byte. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_8eb5612452bfc00e2e90e03c5ee7ef68",
         *       "type": "document.shared",
         *       "timestamp": "2026-03-02T09:30:45.730Z",
         *       "apiVersion": "v1",
         *       "data": {
         *         "object": {
         *           "id": "019cade2-c462-73c1-a294-ac3cddc695e0",
         *           "documentId": "019cadd9-1528-7f5e-848b-0eb02474ebdb",
         *           "permissions": [
         *             "read"
         *           ],
         *           "access": "anyone",
         *           "expiresAt": "2026-03-09T09:30:45.000Z",
         *           "maxAccessCount": 3,
         *           "accessCount": 0,
         *           "isActive": true,
         *           "createdAt": "2026-03-02T09:30:45.730Z"
         *         }
         *       },
         *       "context": {
         *         "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *         "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *         "requestId": "req_cc86664025d1da73f296b7701dd14519",
         *         "ipAddress": "203.0.113.24"
         *       }
         *     }
         */
        "application/json": components["schemas"]["DocumentSharedEvent"];
      };
    };
    responses: {
      200: components["responses"]["EventAcknowledged"];
      401: components["responses"]["InvalidSignature"];
    };
  };
  onDocumentShareAccessed: {
    parameters: {
      query?: never;
      header: {
        /**
         * @description Signature of the delivery: `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the raw request body, keyed by the secret of the webhook. It is verified over the received bytes, never over re-serialised JSON, and compared in constant time. A receiver verifies this header or `webhook-signature`.
         * @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3
         */
        "X-Service-Signature": components["parameters"]["WebhookSignature"];
        /**
         * @description The `id` of the event, the same on every attempt. It is part of what `webhook-signature` signs.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "webhook-id": components["parameters"]["StandardWebhookId"];
        /**
         * @description When this attempt started, in seconds since 1970.
         * @example 1772443050
         */
        "webhook-timestamp": components["parameters"]["StandardWebhookTimestamp"];
        /**
         * @description Signatures of this attempt, separated by a space: each is `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the raw body, joined by `.`. One of them is right under the key that the receiver uses. See *Webhooks* above for the keys of a secret.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": components["parameters"]["StandardWebhookSignature"];
        /**
         * @description The `id` of the event, for logs and routing. The header is not signed: decide by the `id` in the body.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "X-Service-Event-Id": components["parameters"]["WebhookEventId"];
        /**
         * @description The `type` of the event, for logs and routing. The header is not signed: decide by the `type` in the body.
         * @example vault.created
         */
        "X-Service-Event-Type": components["parameters"]["WebhookEventType"];
        /**
         * @description Id of the delivery: one event to one webhook, the same on every attempt.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        "X-Service-Delivery-Id": components["parameters"]["WebhookDeliveryId"];
        /**
         * @description Name and version of the sender, unless the webhook's own `headers` name another.
         * @example document-vault-webhooks/1.0.0
         */
        "User-Agent": components["parameters"]["WebhookUserAgent"];
        /**
         * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent; absent for every other event. The header is not signed: decide by `context.test` in the body.
         * @example true
         */
        "X-Service-Test"?: components["parameters"]["WebhookTest"];
        /**
         * @description The `traceparent` (W3C Trace Context, version 00) of the request that caused the event, the same on every attempt; absent when it had no valid one. The header is not signed, and the sender of that request chose it.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent?: components["parameters"]["WebhookTraceparent"];
        /**
         * @description The `tracestate` that the request sent with its `traceparent`; absent when it had no valid one of at most 512 characters. The header is not signed.
         * @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7
         */
        tracestate?: components["parameters"]["WebhookTracestate"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The event, signed byte for byte. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_509975502661d22416f47e812cb1041c",
         *       "type": "document.share.accessed",
         *       "timestamp": "2026-03-03T14:05:52.381Z",
         *       "apiVersion": "v1",
         *       "data": {
         *         "object": {
         *           "shareId": "019cade2-c462-73c1-a294-ac3cddc695e0",
         *           "documentId": "019cadd9-1528-7f5e-848b-0eb02474ebdb",
         *           "accessCount": 1,
         *           "accessedAt": "2026-03-03T14:05:52.381Z",
         *           "ipAddress": "198.51.100.7",
         *           "userAgent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
         *         }
         *       },
         *       "context": {
         *         "userId": null,
         *         "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *         "requestId": "req_adf9ad6d8951e486b213ac4883375949",
         *         "ipAddress": "198.51.100.7"
         *       }
         *     }
         */
        "application/json": components["schemas"]["DocumentShareAccessedEvent"];
      };
    };
    responses: {
      200: components["responses"]["EventAcknowledged"];
      401: components["responses"]["InvalidSignature"];
    };
  };
  onDocumentShareExpired: {
    parameters: {
      query?: never;
      header: {
        /**
         * @description Signature of the delivery: `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the raw request body, keyed by the secret of the webhook. It is verified over the received bytes, never over re-serialised JSON, and compared in constant time. A receiver verifies this header or `webhook-signature`.
         * @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3
         */
        "X-Service-Signature": components["parameters"]["WebhookSignature"];
        /**
         * @description The `id` of the event, the same on every attempt. It is part of what `webhook-signature` signs.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "webhook-id": components["parameters"]["StandardWebhookId"];
        /**
         * @description When this attempt started, in seconds since 1970.
         * @example 1772443050
         */
        "webhook-timestamp": components["parameters"]["StandardWebhookTimestamp"];
        /**
         * @description Signatures of this attempt, separated by a space: each is `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the raw body, joined by `.`. One of them is right under the key that the receiver uses. See *Webhooks* above for the keys of a secret.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": components["parameters"]["StandardWebhookSignature"];
        /**
         * @description The `id` of the event, for logs and routing. The header is not signed: decide by the `id` in the body.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "X-Service-Event-Id": components["parameters"]["WebhookEventId"];
        /**
         * @description The `type` of the event, for logs and routing. The header is not signed: decide by the `type` in the body.
         * @example vault.created
         */
        "X-Service-Event-Type": components["parameters"]["WebhookEventType"];
        /**
         * @description Id of the delivery: one event to one webhook, the same on every attempt.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        "X-Service-Delivery-Id": components["parameters"]["WebhookDeliveryId"];
        /**
         * @description Name and version of the sender, unless the webhook's own `headers` name another.
         * @example document-vault-webhooks/1.0.0
         */
        "User-Agent": components["parameters"]["WebhookUserAgent"];
        /**
         * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent; absent for every other event. The header is not signed: decide by `context.test` in the body.
         * @example true
         */
        "X-Service-Test"?: components["parameters"]["WebhookTest"];
        /**
         * @description The `traceparent` (W3C Trace Context, version 00) of the request that caused the event, the same on every attempt; absent when it had no valid one. The header is not signed, and the sender of that request chose it.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent?: components["parameters"]["WebhookTraceparent"];
        /**
         * @description The `tracestate` that the request sent with its `traceparent`; absent when it had no valid one of at most 512 characters. The header is not signed.
         * @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7
         */
        tracestate?: components["parameters"]["WebhookTracestate"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The event, signed byte for byte. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_60f895a13e00233913c893c065bd5686",
         *       "type": "document.share.expired",
         *       "timestamp": "2026-03-09T09:31:00.007Z",
         *       "apiVersion": "v1",
         *       "data": {
         *         "object": {
         *           "id": "019cade2-c462-73c1-a294-ac3cddc695e0",
         *           "documentId": "019cadd9-1528-7f5e-848b-0eb02474ebdb",
         *           "expiresAt": "2026-03-09T09:30:45.000Z"
         *         }
         *       },
         *       "context": {
         *         "userId": null,
         *         "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *         "requestId": null
         *       }
         *     }
         */
        "application/json": components["schemas"]["DocumentShareExpiredEvent"];
      };
    };
    responses: {
      200: components["responses"]["EventAcknowledged"];
      401: components["responses"]["InvalidSignature"];
    };
  };
  onConsentGranted: {
    parameters: {
      query?: never;
      header: {
        /**
         * @description Signature of the delivery: `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the raw request body, keyed by the secret of the webhook. It is verified over the received bytes, never over re-serialised JSON, and compared in constant time. A receiver verifies this header or `webhook-signature`.
         * @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3
         */
        "X-Service-Signature": components["parameters"]["WebhookSignature"];
        /**
         * @description The `id` of the event, the same on every attempt. It is part of what `webhook-signature` signs.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "webhook-id": components["parameters"]["StandardWebhookId"];
        /**
         * @description When this attempt started, in seconds since 1970.
         * @example 1772443050
         */
        "webhook-timestamp": components["parameters"]["StandardWebhookTimestamp"];
        /**
         * @description Signatures of this attempt, separated by a space: each is `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the raw body, joined by `.`. One of them is right under the key that the receiver uses. See *Webhooks* above for the keys of a secret.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": components["parameters"]["StandardWebhookSignature"];
        /**
         * @description The `id` of the event, for logs and routing. The header is not signed: decide by the `id` in the body.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "X-Service-Event-Id": components["parameters"]["WebhookEventId"];
        /**
         * @description The `type` of the event, for logs and routing. The header is not signed: decide by the `type` in the body.
         * @example vault.created
         */
        "X-Service-Event-Type": components["parameters"]["WebhookEventType"];
        /**
         * @description Id of the delivery: one event to one webhook, the same on every attempt.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        "X-Service-Delivery-Id": components["parameters"]["WebhookDeliveryId"];
        /**
         * @description Name and version of the sender, unless the webhook's own `headers` name another.
         * @example document-vault-webhooks/1.0.0
         */
        "User-Agent": components["parameters"]["WebhookUserAgent"];
        /**
         * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent; absent for every other event. The header is not signed: decide by `context.test` in the body.
         * @example true
         */
        "X-Service-Test"?: components["parameters"]["WebhookTest"];
        /**
         * @description The `traceparent` (W3C Trace Context, version 00) of the request that caused the event, the same on every attempt; absent when it had no valid one. The header is not signed, and the sender of that request chose it.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent?: components["parameters"]["WebhookTraceparent"];
        /**
         * @description The `tracestate` that the request sent with its `traceparent`; absent when it had no valid one of at most 512 characters. The header is not signed.
         * @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7
         */
        tracestate?: components["parameters"]["WebhookTracestate"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The event, signed byte for byte. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_978b18df4f509523c6654f64fbfaca58",
         *       "type": "consent.granted",
         *       "timestamp": "2026-03-05T16:02:19.404Z",
         *       "apiVersion": "v1",
         *       "data": {
         *         "object": {
         *           "id": "019cbebc-548c-7845-b813-fc1fa399c84c",
         *           "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *           "purpose": "Preparation of the tax return",
         *           "description": "Access to the documents of the vault Taxes",
         *           "grantedTo": "Linden Tax Advisers",
         *           "scopes": [
         *             "documents:read"
         *           ],
         *           "status": "granted",
         *           "grantedAt": "2026-03-05T16:02:19.404Z",
         *           "expiresAt": "2026-06-05T16:00:00.000Z",
         *           "revokedAt": null,
         *           "revocationReason": null,
         *           "metadata": null,
         *           "clientId": null,
         *           "createdAt": "2026-03-05T16:02:19.404Z",
         *           "updatedAt": "2026-03-05T16:02:19.404Z"
         *         }
         *       },
         *       "context": {
         *         "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *         "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *         "requestId": "req_6e404c9ece93b177c1c25a7d30645d23",
         *         "ipAddress": "203.0.113.24"
         *       }
         *     }
         */
        "application/json": components["schemas"]["ConsentGrantedEvent"];
      };
    };
    responses: {
      200: components["responses"]["EventAcknowledged"];
      401: components["responses"]["InvalidSignature"];
    };
  };
  onConsentRevoked: {
    parameters: {
      query?: never;
      header: {
        /**
         * @description Signature of the delivery: `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the raw request body, keyed by the secret of the webhook. It is verified over the received bytes, never over re-serialised JSON, and compared in constant time. A receiver verifies this header or `webhook-signature`.
         * @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3
         */
        "X-Service-Signature": components["parameters"]["WebhookSignature"];
        /**
         * @description The `id` of the event, the same on every attempt. It is part of what `webhook-signature` signs.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "webhook-id": components["parameters"]["StandardWebhookId"];
        /**
         * @description When this attempt started, in seconds since 1970.
         * @example 1772443050
         */
        "webhook-timestamp": components["parameters"]["StandardWebhookTimestamp"];
        /**
         * @description Signatures of this attempt, separated by a space: each is `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the raw body, joined by `.`. One of them is right under the key that the receiver uses. See *Webhooks* above for the keys of a secret.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": components["parameters"]["StandardWebhookSignature"];
        /**
         * @description The `id` of the event, for logs and routing. The header is not signed: decide by the `id` in the body.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "X-Service-Event-Id": components["parameters"]["WebhookEventId"];
        /**
         * @description The `type` of the event, for logs and routing. The header is not signed: decide by the `type` in the body.
         * @example vault.created
         */
        "X-Service-Event-Type": components["parameters"]["WebhookEventType"];
        /**
         * @description Id of the delivery: one event to one webhook, the same on every attempt.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        "X-Service-Delivery-Id": components["parameters"]["WebhookDeliveryId"];
        /**
         * @description Name and version of the sender, unless the webhook's own `headers` name another.
         * @example document-vault-webhooks/1.0.0
         */
        "User-Agent": components["parameters"]["WebhookUserAgent"];
        /**
         * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent; absent for every other event. The header is not signed: decide by `context.test` in the body.
         * @example true
         */
        "X-Service-Test"?: components["parameters"]["WebhookTest"];
        /**
         * @description The `traceparent` (W3C Trace Context, version 00) of the request that caused the event, the same on every attempt; absent when it had no valid one. The header is not signed, and the sender of that request chose it.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent?: components["parameters"]["WebhookTraceparent"];
        /**
         * @description The `tracestate` that the request sent with its `traceparent`; absent when it had no valid one of at most 512 characters. The header is not signed.
         * @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7
         */
        tracestate?: components["parameters"]["WebhookTracestate"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The event, signed byte for byte. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_f13efbdaf90ac3b942b0ab100448bd91",
         *       "type": "consent.revoked",
         *       "timestamp": "2026-09-01T08:30:15.528Z",
         *       "apiVersion": "v1",
         *       "data": {
         *         "object": {
         *           "id": "019cbebc-548c-7845-b813-fc1fa399c84c",
         *           "reason": "The tax return for 2025 is finished"
         *         }
         *       },
         *       "context": {
         *         "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *         "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *         "requestId": "req_7ed2d668af30ad21c51c97ac6021d22a",
         *         "ipAddress": "203.0.113.24"
         *       }
         *     }
         */
        "application/json": components["schemas"]["ConsentRevokedEvent"];
      };
    };
    responses: {
      200: components["responses"]["EventAcknowledged"];
      401: components["responses"]["InvalidSignature"];
    };
  };
  onConsentExpired: {
    parameters: {
      query?: never;
      header: {
        /**
         * @description Signature of the delivery: `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the raw request body, keyed by the secret of the webhook. It is verified over the received bytes, never over re-serialised JSON, and compared in constant time. A receiver verifies this header or `webhook-signature`.
         * @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3
         */
        "X-Service-Signature": components["parameters"]["WebhookSignature"];
        /**
         * @description The `id` of the event, the same on every attempt. It is part of what `webhook-signature` signs.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "webhook-id": components["parameters"]["StandardWebhookId"];
        /**
         * @description When this attempt started, in seconds since 1970.
         * @example 1772443050
         */
        "webhook-timestamp": components["parameters"]["StandardWebhookTimestamp"];
        /**
         * @description Signatures of this attempt, separated by a space: each is `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the raw body, joined by `.`. One of them is right under the key that the receiver uses. See *Webhooks* above for the keys of a secret.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": components["parameters"]["StandardWebhookSignature"];
        /**
         * @description The `id` of the event, for logs and routing. The header is not signed: decide by the `id` in the body.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "X-Service-Event-Id": components["parameters"]["WebhookEventId"];
        /**
         * @description The `type` of the event, for logs and routing. The header is not signed: decide by the `type` in the body.
         * @example vault.created
         */
        "X-Service-Event-Type": components["parameters"]["WebhookEventType"];
        /**
         * @description Id of the delivery: one event to one webhook, the same on every attempt.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        "X-Service-Delivery-Id": components["parameters"]["WebhookDeliveryId"];
        /**
         * @description Name and version of the sender, unless the webhook's own `headers` name another.
         * @example document-vault-webhooks/1.0.0
         */
        "User-Agent": components["parameters"]["WebhookUserAgent"];
        /**
         * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent; absent for every other event. The header is not signed: decide by `context.test` in the body.
         * @example true
         */
        "X-Service-Test"?: components["parameters"]["WebhookTest"];
        /**
         * @description The `traceparent` (W3C Trace Context, version 00) of the request that caused the event, the same on every attempt; absent when it had no valid one. The header is not signed, and the sender of that request chose it.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent?: components["parameters"]["WebhookTraceparent"];
        /**
         * @description The `tracestate` that the request sent with its `traceparent`; absent when it had no valid one of at most 512 characters. The header is not signed.
         * @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7
         */
        tracestate?: components["parameters"]["WebhookTracestate"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The event, signed byte for byte. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_b4e295540ff1aef03b7d6585b28e8a0e",
         *       "type": "consent.expired",
         *       "timestamp": "2026-06-05T16:00:12.093Z",
         *       "apiVersion": "v1",
         *       "data": {
         *         "object": {
         *           "id": "019cbebc-548c-7845-b813-fc1fa399c84c",
         *           "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *           "purpose": "Preparation of the tax return",
         *           "description": "Access to the documents of the vault Taxes",
         *           "grantedTo": "Linden Tax Advisers",
         *           "scopes": [
         *             "documents:read"
         *           ],
         *           "status": "expired",
         *           "grantedAt": "2026-03-05T16:02:19.404Z",
         *           "expiresAt": "2026-06-05T16:00:00.000Z",
         *           "revokedAt": null,
         *           "revocationReason": null,
         *           "metadata": null,
         *           "clientId": null,
         *           "createdAt": "2026-03-05T16:02:19.404Z",
         *           "updatedAt": "2026-06-05T16:00:12.093Z"
         *         }
         *       },
         *       "context": {
         *         "userId": null,
         *         "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *         "requestId": null
         *       }
         *     }
         */
        "application/json": components["schemas"]["ConsentExpiredEvent"];
      };
    };
    responses: {
      200: components["responses"]["EventAcknowledged"];
      401: components["responses"]["InvalidSignature"];
    };
  };
  onConsentRenewed: {
    parameters: {
      query?: never;
      header: {
        /**
         * @description Signature of the delivery: `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the raw request body, keyed by the secret of the webhook. It is verified over the received bytes, never over re-serialised JSON, and compared in constant time. A receiver verifies this header or `webhook-signature`.
         * @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3
         */
        "X-Service-Signature": components["parameters"]["WebhookSignature"];
        /**
         * @description The `id` of the event, the same on every attempt. It is part of what `webhook-signature` signs.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "webhook-id": components["parameters"]["StandardWebhookId"];
        /**
         * @description When this attempt started, in seconds since 1970.
         * @example 1772443050
         */
        "webhook-timestamp": components["parameters"]["StandardWebhookTimestamp"];
        /**
         * @description Signatures of this attempt, separated by a space: each is `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the raw body, joined by `.`. One of them is right under the key that the receiver uses. See *Webhooks* above for the keys of a secret.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": components["parameters"]["StandardWebhookSignature"];
        /**
         * @description The `id` of the event, for logs and routing. The header is not signed: decide by the `id` in the body.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "X-Service-Event-Id": components["parameters"]["WebhookEventId"];
        /**
         * @description The `type` of the event, for logs and routing. The header is not signed: decide by the `type` in the body.
         * @example vault.created
         */
        "X-Service-Event-Type": components["parameters"]["WebhookEventType"];
        /**
         * @description Id of the delivery: one event to one webhook, the same on every attempt.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        "X-Service-Delivery-Id": components["parameters"]["WebhookDeliveryId"];
        /**
         * @description Name and version of the sender, unless the webhook's own `headers` name another.
         * @example document-vault-webhooks/1.0.0
         */
        "User-Agent": components["parameters"]["WebhookUserAgent"];
        /**
         * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent; absent for every other event. The header is not signed: decide by `context.test` in the body.
         * @example true
         */
        "X-Service-Test"?: components["parameters"]["WebhookTest"];
        /**
         * @description The `traceparent` (W3C Trace Context, version 00) of the request that caused the event, the same on every attempt; absent when it had no valid one. The header is not signed, and the sender of that request chose it.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent?: components["parameters"]["WebhookTraceparent"];
        /**
         * @description The `tracestate` that the request sent with its `traceparent`; absent when it had no valid one of at most 512 characters. The header is not signed.
         * @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7
         */
        tracestate?: components["parameters"]["WebhookTracestate"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The event, signed byte for byte. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_b4bb93a11ee8766c9e25216b9b0b3bc9",
         *       "type": "consent.renewed",
         *       "timestamp": "2026-06-06T10:47:36.811Z",
         *       "apiVersion": "v1",
         *       "data": {
         *         "object": {
         *           "id": "019cbebc-548c-7845-b813-fc1fa399c84c",
         *           "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *           "purpose": "Preparation of the tax return",
         *           "description": "Access to the documents of the vault Taxes",
         *           "grantedTo": "Linden Tax Advisers",
         *           "scopes": [
         *             "documents:read"
         *           ],
         *           "status": "granted",
         *           "grantedAt": "2026-06-06T10:47:36.811Z",
         *           "expiresAt": "2027-06-05T16:00:00.000Z",
         *           "revokedAt": null,
         *           "revocationReason": null,
         *           "metadata": null,
         *           "clientId": null,
         *           "createdAt": "2026-03-05T16:02:19.404Z",
         *           "updatedAt": "2026-06-06T10:47:36.811Z"
         *         }
         *       },
         *       "context": {
         *         "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *         "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *         "requestId": "req_c723ba7e0ab8c03284b0f3535848a66b",
         *         "ipAddress": "203.0.113.24"
         *       }
         *     }
         */
        "application/json": components["schemas"]["ConsentRenewedEvent"];
      };
    };
    responses: {
      200: components["responses"]["EventAcknowledged"];
      401: components["responses"]["InvalidSignature"];
    };
  };
  onUserCreated: {
    parameters: {
      query?: never;
      header: {
        /**
         * @description Signature of the delivery: `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the raw request body, keyed by the secret of the webhook. It is verified over the received bytes, never over re-serialised JSON, and compared in constant time. A receiver verifies this header or `webhook-signature`.
         * @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3
         */
        "X-Service-Signature": components["parameters"]["WebhookSignature"];
        /**
         * @description The `id` of the event, the same on every attempt. It is part of what `webhook-signature` signs.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "webhook-id": components["parameters"]["StandardWebhookId"];
        /**
         * @description When this attempt started, in seconds since 1970.
         * @example 1772443050
         */
        "webhook-timestamp": components["parameters"]["StandardWebhookTimestamp"];
        /**
         * @description Signatures of this attempt, separated by a space: each is `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the raw body, joined by `.`. One of them is right under the key that the receiver uses. See *Webhooks* above for the keys of a secret.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": components["parameters"]["StandardWebhookSignature"];
        /**
         * @description The `id` of the event, for logs and routing. The header is not signed: decide by the `id` in the body.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "X-Service-Event-Id": components["parameters"]["WebhookEventId"];
        /**
         * @description The `type` of the event, for logs and routing. The header is not signed: decide by the `type` in the body.
         * @example vault.created
         */
        "X-Service-Event-Type": components["parameters"]["WebhookEventType"];
        /**
         * @description Id of the delivery: one event to one webhook, the same on every attempt.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        "X-Service-Delivery-Id": components["parameters"]["WebhookDeliveryId"];
        /**
         * @description Name and version of the sender, unless the webhook's own `headers` name another.
         * @example document-vault-webhooks/1.0.0
         */
        "User-Agent": components["parameters"]["WebhookUserAgent"];
        /**
         * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent; absent for every other event. The header is not signed: decide by `context.test` in the body.
         * @example true
         */
        "X-Service-Test"?: components["parameters"]["WebhookTest"];
        /**
         * @description The `traceparent` (W3C Trace Context, version 00) of the request that caused the event, the same on every attempt; absent when it had no valid one. The header is not signed, and the sender of that request chose it.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent?: components["parameters"]["WebhookTraceparent"];
        /**
         * @description The `tracestate` that the request sent with its `traceparent`; absent when it had no valid one of at most 512 characters. The header is not signed.
         * @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7
         */
        tracestate?: components["parameters"]["WebhookTracestate"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The event, signed byte for byte. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_eaf6d439bcbeb22ef0d2902fa7b4c794",
         *       "type": "user.created",
         *       "timestamp": "2026-03-02T09:15:00.120Z",
         *       "apiVersion": "v1",
         *       "data": {
         *         "object": {
         *           "id": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *           "email": "ada@example.com",
         *           "name": "Ada Berger",
         *           "role": "user",
         *           "tier": "free",
         *           "status": "active",
         *           "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *           "createdAt": "2026-03-02T09:15:00.120Z",
         *           "updatedAt": "2026-03-02T09:15:00.120Z"
         *         }
         *       },
         *       "context": {
         *         "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *         "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *         "requestId": "req_fcd25b5ddf1f8e4d6e18348b28e09691",
         *         "ipAddress": "203.0.113.24"
         *       }
         *     }
         */
        "application/json": components["schemas"]["UserCreatedEvent"];
      };
    };
    responses: {
      200: components["responses"]["EventAcknowledged"];
      401: components["responses"]["InvalidSignature"];
    };
  };
  onUserUpdated: {
    parameters: {
      query?: never;
      header: {
        /**
         * @description Signature of the delivery: `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the raw request body, keyed by the secret of the webhook. It is verified over the received bytes, never over re-serialised JSON, and compared in constant time. A receiver verifies this header or `webhook-signature`.
         * @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3
         */
        "X-Service-Signature": components["parameters"]["WebhookSignature"];
        /**
         * @description The `id` of the event, the same on every attempt. It is part of what `webhook-signature` signs.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "webhook-id": components["parameters"]["StandardWebhookId"];
        /**
         * @description When this attempt started, in seconds since 1970.
         * @example 1772443050
         */
        "webhook-timestamp": components["parameters"]["StandardWebhookTimestamp"];
        /**
         * @description Signatures of this attempt, separated by a space: each is `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the raw body, joined by `.`. One of them is right under the key that the receiver uses. See *Webhooks* above for the keys of a secret.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": components["parameters"]["StandardWebhookSignature"];
        /**
         * @description The `id` of the event, for logs and routing. The header is not signed: decide by the `id` in the body.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "X-Service-Event-Id": components["parameters"]["WebhookEventId"];
        /**
         * @description The `type` of the event, for logs and routing. The header is not signed: decide by the `type` in the body.
         * @example vault.created
         */
        "X-Service-Event-Type": components["parameters"]["WebhookEventType"];
        /**
         * @description Id of the delivery: one event to one webhook, the same on every attempt.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        "X-Service-Delivery-Id": components["parameters"]["WebhookDeliveryId"];
        /**
         * @description Name and version of the sender, unless the webhook's own `headers` name another.
         * @example document-vault-webhooks/1.0.0
         */
        "User-Agent": components["parameters"]["WebhookUserAgent"];
        /**
         * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent; absent for every other event. The header is not signed: decide by `context.test` in the body.
         * @example true
         */
        "X-Service-Test"?: components["parameters"]["WebhookTest"];
        /**
         * @description The `traceparent` (W3C Trace Context, version 00) of the request that caused the event, the same on every attempt; absent when it had no valid one. The header is not signed, and the sender of that request chose it.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent?: components["parameters"]["WebhookTraceparent"];
        /**
         * @description The `tracestate` that the request sent with its `traceparent`; absent when it had no valid one of at most 512 characters. The header is not signed.
         * @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7
         */
        tracestate?: components["parameters"]["WebhookTracestate"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The event, signed byte for byte. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_89eeeabf9681397cbacdaddf8bc6ba89",
         *       "type": "user.updated",
         *       "timestamp": "2026-04-11T06:22:41.953Z",
         *       "apiVersion": "v1",
         *       "data": {
         *         "object": {
         *           "id": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *           "email": "ada.berger@example.com",
         *           "name": "Ada Berger",
         *           "role": "user",
         *           "tier": "free",
         *           "status": "active",
         *           "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *           "createdAt": "2026-03-02T09:15:00.120Z",
         *           "updatedAt": "2026-04-11T06:22:41.953Z"
         *         },
         *         "previous": {
         *           "email": "ada@example.com"
         *         },
         *         "changes": [
         *           "email",
         *           "password"
         *         ]
         *       },
         *       "context": {
         *         "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *         "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *         "requestId": "req_9897c75d8c47399f6122f3e5629d9f6d",
         *         "ipAddress": "203.0.113.24"
         *       }
         *     }
         */
        "application/json": components["schemas"]["UserUpdatedEvent"];
      };
    };
    responses: {
      200: components["responses"]["EventAcknowledged"];
      401: components["responses"]["InvalidSignature"];
    };
  };
  onUserDeleted: {
    parameters: {
      query?: never;
      header: {
        /**
         * @description Signature of the delivery: `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the raw request body, keyed by the secret of the webhook. It is verified over the received bytes, never over re-serialised JSON, and compared in constant time. A receiver verifies this header or `webhook-signature`.
         * @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3
         */
        "X-Service-Signature": components["parameters"]["WebhookSignature"];
        /**
         * @description The `id` of the event, the same on every attempt. It is part of what `webhook-signature` signs.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "webhook-id": components["parameters"]["StandardWebhookId"];
        /**
         * @description When this attempt started, in seconds since 1970.
         * @example 1772443050
         */
        "webhook-timestamp": components["parameters"]["StandardWebhookTimestamp"];
        /**
         * @description Signatures of this attempt, separated by a space: each is `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the raw body, joined by `.`. One of them is right under the key that the receiver uses. See *Webhooks* above for the keys of a secret.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": components["parameters"]["StandardWebhookSignature"];
        /**
         * @description The `id` of the event, for logs and routing. The header is not signed: decide by the `id` in the body.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "X-Service-Event-Id": components["parameters"]["WebhookEventId"];
        /**
         * @description The `type` of the event, for logs and routing. The header is not signed: decide by the `type` in the body.
         * @example vault.created
         */
        "X-Service-Event-Type": components["parameters"]["WebhookEventType"];
        /**
         * @description Id of the delivery: one event to one webhook, the same on every attempt.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        "X-Service-Delivery-Id": components["parameters"]["WebhookDeliveryId"];
        /**
         * @description Name and version of the sender, unless the webhook's own `headers` name another.
         * @example document-vault-webhooks/1.0.0
         */
        "User-Agent": components["parameters"]["WebhookUserAgent"];
        /**
         * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent; absent for every other event. The header is not signed: decide by `context.test` in the body.
         * @example true
         */
        "X-Service-Test"?: components["parameters"]["WebhookTest"];
        /**
         * @description The `traceparent` (W3C Trace Context, version 00) of the request that caused the event, the same on every attempt; absent when it had no valid one. The header is not signed, and the sender of that request chose it.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent?: components["parameters"]["WebhookTraceparent"];
        /**
         * @description The `tracestate` that the request sent with its `traceparent`; absent when it had no valid one of at most 512 characters. The header is not signed.
         * @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7
         */
        tracestate?: components["parameters"]["WebhookTracestate"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The event, signed byte for byte. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_479cf41b68d06ba6abd093eaf000be61",
         *       "type": "user.deleted",
         *       "timestamp": "2026-09-04T09:00:03.470Z",
         *       "apiVersion": "v1",
         *       "data": {
         *         "object": {
         *           "id": "019cadd4-5698-781e-b05b-ef3e60cf1f3b"
         *         }
         *       },
         *       "context": {
         *         "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *         "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *         "requestId": "req_792a201f43c308821a7ef7dfca46781b",
         *         "ipAddress": "203.0.113.24"
         *       }
         *     }
         */
        "application/json": components["schemas"]["UserDeletedEvent"];
      };
    };
    responses: {
      200: components["responses"]["EventAcknowledged"];
      401: components["responses"]["InvalidSignature"];
    };
  };
  onUserLogin: {
    parameters: {
      query?: never;
      header: {
        /**
         * @description Signature of the delivery: `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the raw request body, keyed by the secret of the webhook. It is verified over the received bytes, never over re-serialised JSON, and compared in constant time. A receiver verifies this header or `webhook-signature`.
         * @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3
         */
        "X-Service-Signature": components["parameters"]["WebhookSignature"];
        /**
         * @description The `id` of the event, the same on every attempt. It is part of what `webhook-signature` signs.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "webhook-id": components["parameters"]["StandardWebhookId"];
        /**
         * @description When this attempt started, in seconds since 1970.
         * @example 1772443050
         */
        "webhook-timestamp": components["parameters"]["StandardWebhookTimestamp"];
        /**
         * @description Signatures of this attempt, separated by a space: each is `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the raw body, joined by `.`. One of them is right under the key that the receiver uses. See *Webhooks* above for the keys of a secret.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": components["parameters"]["StandardWebhookSignature"];
        /**
         * @description The `id` of the event, for logs and routing. The header is not signed: decide by the `id` in the body.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "X-Service-Event-Id": components["parameters"]["WebhookEventId"];
        /**
         * @description The `type` of the event, for logs and routing. The header is not signed: decide by the `type` in the body.
         * @example vault.created
         */
        "X-Service-Event-Type": components["parameters"]["WebhookEventType"];
        /**
         * @description Id of the delivery: one event to one webhook, the same on every attempt.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        "X-Service-Delivery-Id": components["parameters"]["WebhookDeliveryId"];
        /**
         * @description Name and version of the sender, unless the webhook's own `headers` name another.
         * @example document-vault-webhooks/1.0.0
         */
        "User-Agent": components["parameters"]["WebhookUserAgent"];
        /**
         * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent; absent for every other event. The header is not signed: decide by `context.test` in the body.
         * @example true
         */
        "X-Service-Test"?: components["parameters"]["WebhookTest"];
        /**
         * @description The `traceparent` (W3C Trace Context, version 00) of the request that caused the event, the same on every attempt; absent when it had no valid one. The header is not signed, and the sender of that request chose it.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent?: components["parameters"]["WebhookTraceparent"];
        /**
         * @description The `tracestate` that the request sent with its `traceparent`; absent when it had no valid one of at most 512 characters. The header is not signed.
         * @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7
         */
        tracestate?: components["parameters"]["WebhookTracestate"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The event, signed byte for byte. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_8b4f8f7bf4865ab972897adeade14679",
         *       "type": "user.login",
         *       "timestamp": "2026-03-02T09:16:04.310Z",
         *       "apiVersion": "v1",
         *       "data": {
         *         "object": {
         *           "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *           "email": "ada@example.com",
         *           "method": "password",
         *           "ipAddress": "203.0.113.24",
         *           "userAgent": "document-vault-sdk/1.0.0",
         *           "loggedInAt": "2026-03-02T09:16:04.310Z"
         *         }
         *       },
         *       "context": {
         *         "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *         "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *         "requestId": "req_ae5d9de3288b909582ae5bbf65f66556",
         *         "ipAddress": "203.0.113.24"
         *       }
         *     }
         */
        "application/json": components["schemas"]["UserLoginEvent"];
      };
    };
    responses: {
      200: components["responses"]["EventAcknowledged"];
      401: components["responses"]["InvalidSignature"];
    };
  };
  onInstanceHealthDegraded: {
    parameters: {
      query?: never;
      header: {
        /**
         * @description Signature of the delivery: `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the raw request body, keyed by the secret of the webhook. It is verified over the received bytes, never over re-serialised JSON, and compared in constant time. A receiver verifies this header or `webhook-signature`.
         * @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3
         */
        "X-Service-Signature": components["parameters"]["WebhookSignature"];
        /**
         * @description The `id` of the event, the same on every attempt. It is part of what `webhook-signature` signs.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "webhook-id": components["parameters"]["StandardWebhookId"];
        /**
         * @description When this attempt started, in seconds since 1970.
         * @example 1772443050
         */
        "webhook-timestamp": components["parameters"]["StandardWebhookTimestamp"];
        /**
         * @description Signatures of this attempt, separated by a space: each is `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the raw body, joined by `.`. One of them is right under the key that the receiver uses. See *Webhooks* above for the keys of a secret.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": components["parameters"]["StandardWebhookSignature"];
        /**
         * @description The `id` of the event, for logs and routing. The header is not signed: decide by the `id` in the body.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "X-Service-Event-Id": components["parameters"]["WebhookEventId"];
        /**
         * @description The `type` of the event, for logs and routing. The header is not signed: decide by the `type` in the body.
         * @example vault.created
         */
        "X-Service-Event-Type": components["parameters"]["WebhookEventType"];
        /**
         * @description Id of the delivery: one event to one webhook, the same on every attempt.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        "X-Service-Delivery-Id": components["parameters"]["WebhookDeliveryId"];
        /**
         * @description Name and version of the sender, unless the webhook's own `headers` name another.
         * @example document-vault-webhooks/1.0.0
         */
        "User-Agent": components["parameters"]["WebhookUserAgent"];
        /**
         * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent; absent for every other event. The header is not signed: decide by `context.test` in the body.
         * @example true
         */
        "X-Service-Test"?: components["parameters"]["WebhookTest"];
        /**
         * @description The `traceparent` (W3C Trace Context, version 00) of the request that caused the event, the same on every attempt; absent when it had no valid one. The header is not signed, and the sender of that request chose it.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent?: components["parameters"]["WebhookTraceparent"];
        /**
         * @description The `tracestate` that the request sent with its `traceparent`; absent when it had no valid one of at most 512 characters. The header is not signed.
         * @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7
         */
        tracestate?: components["parameters"]["WebhookTracestate"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The event, signed byte for byte. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_00a1060242f7f4e60e201ea50a421397",
         *       "type": "instance.health.degraded",
         *       "timestamp": "2026-07-01T02:14:30.006Z",
         *       "apiVersion": "v1",
         *       "data": {
         *         "object": {
         *           "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *           "status": "degraded",
         *           "checks": [
         *             {
         *               "name": "store",
         *               "status": "healthy",
         *               "durationMs": 2
         *             },
         *             {
         *               "name": "disk",
         *               "status": "healthy",
         *               "durationMs": 1
         *             },
         *             {
         *               "name": "deliveries",
         *               "status": "degraded",
         *               "durationMs": 4,
         *               "message": "The oldest due delivery has waited for 312 s"
         *             }
         *           ],
         *           "checkedAt": "2026-07-01T02:14:30.002Z"
         *         }
         *       },
         *       "context": {
         *         "userId": null,
         *         "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *         "requestId": null
         *       }
         *     }
         */
        "application/json": components["schemas"]["InstanceHealthDegradedEvent"];
      };
    };
    responses: {
      200: components["responses"]["EventAcknowledged"];
      401: components["responses"]["InvalidSignature"];
    };
  };
  onInstanceHealthRecovered: {
    parameters: {
      query?: never;
      header: {
        /**
         * @description Signature of the delivery: `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the raw request body, keyed by the secret of the webhook. It is verified over the received bytes, never over re-serialised JSON, and compared in constant time. A receiver verifies this header or `webhook-signature`.
         * @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3
         */
        "X-Service-Signature": components["parameters"]["WebhookSignature"];
        /**
         * @description The `id` of the event, the same on every attempt. It is part of what `webhook-signature` signs.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "webhook-id": components["parameters"]["StandardWebhookId"];
        /**
         * @description When this attempt started, in seconds since 1970.
         * @example 1772443050
         */
        "webhook-timestamp": components["parameters"]["StandardWebhookTimestamp"];
        /**
         * @description Signatures of this attempt, separated by a space: each is `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the raw body, joined by `.`. One of them is right under the key that the receiver uses. See *Webhooks* above for the keys of a secret.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": components["parameters"]["StandardWebhookSignature"];
        /**
         * @description The `id` of the event, for logs and routing. The header is not signed: decide by the `id` in the body.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "X-Service-Event-Id": components["parameters"]["WebhookEventId"];
        /**
         * @description The `type` of the event, for logs and routing. The header is not signed: decide by the `type` in the body.
         * @example vault.created
         */
        "X-Service-Event-Type": components["parameters"]["WebhookEventType"];
        /**
         * @description Id of the delivery: one event to one webhook, the same on every attempt.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        "X-Service-Delivery-Id": components["parameters"]["WebhookDeliveryId"];
        /**
         * @description Name and version of the sender, unless the webhook's own `headers` name another.
         * @example document-vault-webhooks/1.0.0
         */
        "User-Agent": components["parameters"]["WebhookUserAgent"];
        /**
         * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent; absent for every other event. The header is not signed: decide by `context.test` in the body.
         * @example true
         */
        "X-Service-Test"?: components["parameters"]["WebhookTest"];
        /**
         * @description The `traceparent` (W3C Trace Context, version 00) of the request that caused the event, the same on every attempt; absent when it had no valid one. The header is not signed, and the sender of that request chose it.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent?: components["parameters"]["WebhookTraceparent"];
        /**
         * @description The `tracestate` that the request sent with its `traceparent`; absent when it had no valid one of at most 512 characters. The header is not signed.
         * @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7
         */
        tracestate?: components["parameters"]["WebhookTracestate"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The event, signed byte for byte. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_81fb0eb6c547bf6f84bacb3feb37aa9f",
         *       "type": "instance.health.recovered",
         *       "timestamp": "2026-07-01T02:28:30.005Z",
         *       "apiVersion": "v1",
         *       "data": {
         *         "object": {
         *           "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *           "status": "healthy",
         *           "checks": [
         *             {
         *               "name": "store",
         *               "status": "healthy",
         *               "durationMs": 2
         *             },
         *             {
         *               "name": "disk",
         *               "status": "healthy",
         *               "durationMs": 1
         *             },
         *             {
         *               "name": "deliveries",
         *               "status": "healthy",
         *               "durationMs": 4
         *             }
         *           ],
         *           "checkedAt": "2026-07-01T02:28:30.001Z"
         *         }
         *       },
         *       "context": {
         *         "userId": null,
         *         "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *         "requestId": null
         *       }
         *     }
         */
        "application/json": components["schemas"]["InstanceHealthRecoveredEvent"];
      };
    };
    responses: {
      200: components["responses"]["EventAcknowledged"];
      401: components["responses"]["InvalidSignature"];
    };
  };
  onInstanceQuotaWarning: {
    parameters: {
      query?: never;
      header: {
        /**
         * @description Signature of the delivery: `hmac_sha256=` and the lowercase hex HMAC-SHA256 (RFC 2104) of the raw request body, keyed by the secret of the webhook. It is verified over the received bytes, never over re-serialised JSON, and compared in constant time. A receiver verifies this header or `webhook-signature`.
         * @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3
         */
        "X-Service-Signature": components["parameters"]["WebhookSignature"];
        /**
         * @description The `id` of the event, the same on every attempt. It is part of what `webhook-signature` signs.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "webhook-id": components["parameters"]["StandardWebhookId"];
        /**
         * @description When this attempt started, in seconds since 1970.
         * @example 1772443050
         */
        "webhook-timestamp": components["parameters"]["StandardWebhookTimestamp"];
        /**
         * @description Signatures of this attempt, separated by a space: each is `v1,` and the base64 HMAC-SHA256 of `webhook-id`, `webhook-timestamp` and the raw body, joined by `.`. One of them is right under the key that the receiver uses. See *Webhooks* above for the keys of a secret.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": components["parameters"]["StandardWebhookSignature"];
        /**
         * @description The `id` of the event, for logs and routing. The header is not signed: decide by the `id` in the body.
         * @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc
         */
        "X-Service-Event-Id": components["parameters"]["WebhookEventId"];
        /**
         * @description The `type` of the event, for logs and routing. The header is not signed: decide by the `type` in the body.
         * @example vault.created
         */
        "X-Service-Event-Type": components["parameters"]["WebhookEventType"];
        /**
         * @description Id of the delivery: one event to one webhook, the same on every attempt.
         * @example dlv_0e1c9b36f44390073200db56857b6236
         */
        "X-Service-Delivery-Id": components["parameters"]["WebhookDeliveryId"];
        /**
         * @description Name and version of the sender, unless the webhook's own `headers` name another.
         * @example document-vault-webhooks/1.0.0
         */
        "User-Agent": components["parameters"]["WebhookUserAgent"];
        /**
         * @description `true` for an event that `POST /api/v1/webhooks/{id}/test` sent; absent for every other event. The header is not signed: decide by `context.test` in the body.
         * @example true
         */
        "X-Service-Test"?: components["parameters"]["WebhookTest"];
        /**
         * @description The `traceparent` (W3C Trace Context, version 00) of the request that caused the event, the same on every attempt; absent when it had no valid one. The header is not signed, and the sender of that request chose it.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        traceparent?: components["parameters"]["WebhookTraceparent"];
        /**
         * @description The `tracestate` that the request sent with its `traceparent`; absent when it had no valid one of at most 512 characters. The header is not signed.
         * @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7
         */
        tracestate?: components["parameters"]["WebhookTracestate"];
      };
      path?: never;
      cookie?: never;
    };
    /** @description The event, signed byte for byte. */
    requestBody: {
      content: {
        /**
         * @example {
         *       "id": "evt_f2add871dd2ee408fdee4ce013916993",
         *       "type": "instance.quota.warning",
         *       "timestamp": "2026-08-14T21:37:48.164Z",
         *       "apiVersion": "v1",
         *       "data": {
         *         "object": {
         *           "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *           "usedBytes": 859322736640,
         *           "quotaBytes": 1073741824000,
         *           "percentage": 80.03
         *         }
         *       },
         *       "context": {
         *         "userId": "019cadd4-5698-781e-b05b-ef3e60cf1f3b",
         *         "instanceId": "019b8d2b-8c00-7db1-baa7-76cb5c5c64ab",
         *         "requestId": "req_bbf39519f47c43871d441fe6d729b791",
         *         "ipAddress": "203.0.113.24"
         *       }
         *     }
         */
        "application/json": components["schemas"]["InstanceQuotaWarningEvent"];
      };
    };
    responses: {
      200: components["responses"]["EventAcknowledged"];
      401: components["responses"]["InvalidSignature"];
    };
  };
}
