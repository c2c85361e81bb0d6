// Generated from openapi/ by `npm run generate`. Do not edit.

export interface paths {
  "/auth/register": {
    parameters: {
      query?: never;
      path?: never;
    };
    post: operations["register"];
  };
  "/auth/login": {
    parameters: {
      query?: never;
      path?: never;
    };
    post: operations["login"];
  };
  "/auth/refresh": {
    parameters: {
      query?: never;
      path?: never;
    };
    post: operations["refresh"];
  };
  "/auth/logout": {
    parameters: {
      query?: never;
      path?: never;
    };
    post: operations["logout"];
  };
  "/api/v1/auth/validate": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["validateApiKey"];
  };
  "/api/v1/auth/sessions": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["listSessions"];
    delete: operations["endOtherSessions"];
  };
  "/api/v1/auth/sessions/{id}": {
    parameters: {
      query?: never;
      path?: never;
    };
    delete: operations["endSession"];
  };
  "/.well-known/jwks.json": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["getJwks"];
  };
  "/api/v1/api-keys": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["listApiKeys"];
    post: operations["createApiKey"];
  };
  "/api/v1/api-keys/{keyId}": {
    parameters: {
      query?: never;
      path?: never;
    };
    delete: operations["revokeApiKey"];
  };
  "/api/v1/oauth/clients": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["listOAuthClients"];
    post: operations["createOAuthClient"];
  };
  "/api/v1/oauth/clients/{clientId}": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["getOAuthClient"];
    put: operations["updateOAuthClient"];
    delete: operations["deleteOAuthClient"];
  };
  "/api/v1/oauth/clients/{clientId}/secret": {
    parameters: {
      query?: never;
      path?: never;
    };
    post: operations["rotateOAuthClientSecret"];
  };
  "/api/v1/vaults": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["listVaults"];
    post: operations["createVault"];
  };
  "/api/v1/vaults/search": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["searchVaults"];
  };
  "/api/v1/vaults/{id}": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["getVault"];
    put: operations["updateVault"];
    delete: operations["deleteVault"];
  };
  "/api/v1/vaults/{id}/keys": {
    parameters: {
      query?: never;
      path?: never;
    };
    put: operations["updateVaultKeys"];
  };
  "/api/v1/vault-keys": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["listVaultKeys"];
  };
  "/api/v1/documents": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["listDocuments"];
    post: operations["createDocument"];
  };
  "/api/v1/documents/{id}": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["getDocument"];
    put: operations["updateDocument"];
    delete: operations["deleteDocument"];
  };
  "/api/v1/documents/{id}/content": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["getDocumentContent"];
  };
  "/api/v1/documents/{id}/share": {
    parameters: {
      query?: never;
      path?: never;
    };
    post: operations["shareDocument"];
  };
  "/api/v1/documents/{id}/shares": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["listDocumentShares"];
  };
  "/api/v1/documents/{id}/shares/{shareId}": {
    parameters: {
      query?: never;
      path?: never;
    };
    delete: operations["revokeDocumentShare"];
  };
  "/api/v1/documents/{id}/shares/{shareId}/accesses": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["listShareAccesses"];
  };
  "/api/v1/documents/share/{token}": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["openShare"];
  };
  "/api/v1/contents/{ticket}": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["getSharedContent"];
  };
  "/api/v1/uploads": {
    parameters: {
      query?: never;
      path?: never;
    };
    post: operations["createUpload"];
  };
  "/api/v1/uploads/{id}": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["getUpload"];
    delete: operations["deleteUpload"];
  };
  "/api/v1/uploads/{id}/parts/{part}": {
    parameters: {
      query?: never;
      path?: never;
    };
    put: operations["uploadPart"];
  };
  "/api/v1/instances": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["listInstances"];
    post: operations["createInstance"];
  };
  "/api/v1/instances/statistics": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["getInstanceStatistics"];
  };
  "/api/v1/instances/{id}": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["getInstance"];
    put: operations["updateInstance"];
  };
  "/api/v1/instances/{id}/health": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["getInstanceHealth"];
  };
  "/api/v1/instances/{id}/statistics/history": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["getInstanceHistory"];
  };
  "/api/v1/users/me": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["getCurrentUser"];
    put: operations["updateCurrentUser"];
    delete: operations["deleteCurrentUser"];
  };
  "/api/v1/keyring": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["getKeyring"];
    put: operations["updateKeyring"];
  };
  "/api/v1/users": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["listUsers"];
  };
  "/api/v1/users/{id}": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["getUser"];
    put: operations["administerUser"];
  };
  "/api/v1/consents": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["listConsents"];
    post: operations["createConsent"];
  };
  "/api/v1/consents/{id}": {
    parameters: {
      query?: never;
      path?: never;
    };
    put: operations["updateConsent"];
  };
  "/api/v1/webhooks": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["listWebhooks"];
    post: operations["createWebhook"];
  };
  "/api/v1/webhooks/{id}": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["getWebhook"];
    put: operations["updateWebhook"];
    delete: operations["deleteWebhook"];
  };
  "/api/v1/webhooks/{id}/secret": {
    parameters: {
      query?: never;
      path?: never;
    };
    post: operations["rotateWebhookSecret"];
  };
  "/api/v1/webhooks/{id}/test": {
    parameters: {
      query?: never;
      path?: never;
    };
    post: operations["testWebhook"];
  };
  "/api/v1/webhooks/{id}/deliveries": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["listDeliveries"];
  };
  "/api/v1/webhooks/{id}/deliveries/retry-failed": {
    parameters: {
      query?: never;
      path?: never;
    };
    post: operations["retryFailedDeliveries"];
  };
  "/api/v1/webhooks/{id}/deliveries/{deliveryId}": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["getDelivery"];
  };
  "/api/v1/webhooks/{id}/deliveries/{deliveryId}/retry": {
    parameters: {
      query?: never;
      path?: never;
    };
    post: operations["retryDelivery"];
  };
  "/api/v1/events": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["listEvents"];
  };
  "/api/v1/events/{id}": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["getEvent"];
  };
  "/openapi/v1.json": {
    parameters: {
      query?: never;
      path?: never;
    };
    get: operations["getOpenApiDocument"];
  };
}
export type webhooks = Record<string, never>;
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
      permissions?: components["schemas"]["SharePermission"][];
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
      maxAccessCount?: number | null;
      /** @default authenticated */
      access?: components["schemas"]["ShareAccessMode"];
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
      region?: string;
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
      redirectUris?: string[];
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
      grantTypes?: components["schemas"]["OAuthGrantType"][];
      /** @description How the client authenticates. Not sent: `client_secret_basic` for a confidential client, `none` for a public one. Another method than those of the type is refused (constraint `clientType`). */
      tokenEndpointAuthMethod?: components["schemas"]["OAuthClientAuthMethod"];
      /** @description Public keys of the client. Required for `private_key_jwt`; other methods do not use them. */
      jwks?: components["schemas"]["ClientKeySet"];
      /**
       * @description Whether the client must push its authorization requests (RFC 9126).
       * @default false
       */
      requirePar?: boolean;
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
      allowUnsubscribed?: boolean;
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
    NoContent: {
      content?: never;
    };
    BadRequest: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    Unauthorized: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    InvalidApiKey: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    InvalidLogin: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    InvalidRefreshToken: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    Forbidden: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    AccountForbidden: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    RegistrationForbidden: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    Blocked: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    NotFound: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    Content: {
      content: {
        "application/octet-stream": string;
      };
    };
    PartialContent: {
      content: {
        "application/octet-stream": string;
      };
    };
    NotModified: {
      content?: never;
    };
    RangeNotSatisfiable: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    TooManyRequests: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    InternalError: {
      content: {
        "application/json": components["schemas"]["Error"];
      };
    };
    EventAcknowledged: {
      content?: never;
    };
    InvalidSignature: {
      content?: never;
    };
  };
  parameters: {
    /** @example 1 */
    Page: number;
    /** @example 20 */
    PageSize: number;
    SortOrder: "asc" | "desc";
    Account: string;
    /** @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e */
    IdempotencyKey: string;
    /** @example 019cadd6-a210-7670-891a-985ccc8c71a2 */
    VaultId: string;
    /** @example 019cadd9-1528-7f5e-848b-0eb02474ebdb */
    DocumentId: string;
    /** @example 019cade2-c462-73c1-a294-ac3cddc695e0 */
    ShareId: string;
    /** @example mePKGsZIi5YwGs8c5IioV81_gOw94C3iodGOEbCUAFk */
    ShareToken: string;
    WithContent: boolean;
    /** @example 019cadd9-4b10-7c02-9d1e-5a7f3c2b8e64 */
    UploadId: string;
    /** @example 0 */
    PartNumber: string;
    /** @example AZyt4sRicwFkomPq7zAD3AGcvSKZ2CVc5gZhqnOvDWEcE5yqgi0TqAJaz8G6d0dOHQ */
    ContentTicket: string;
    /** @example sha-256=:n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=: */
    ContentDigest: string;
    /** @example bytes=0-1048575 */
    Range: string;
    /** @example "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg" */
    IfRange: string;
    /** @example "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg" */
    IfNoneMatch: string;
    /** @example 019b8d2b-8c00-7db1-baa7-76cb5c5c64ab */
    InstanceId: string;
    /** @example 019cadde-04b2-7c3d-9e55-4a0b8c6d2f17 */
    WebhookId: string;
    /** @example dlv_0e1c9b36f44390073200db56857b6236 */
    DeliveryId: string;
    /** @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc */
    EventId: string;
    /** @example 019cbebc-548c-7845-b813-fc1fa399c84c */
    ConsentId: string;
    /** @example key_7c0d2f5b1e9a4836b2d7f04c8a61e35d */
    KeyId: string;
    /** @example 019cadd5-4f16-7c3e-9a53-0b8f4a1c7d20 */
    SessionId: string;
    /** @example 019cadd4-5698-781e-b05b-ef3e60cf1f3b */
    UserId: string;
    /** @example hmac_sha256=5f0c7b1e93a4d28f6b7715c2e0a9d4431bb86efc0d5a2793e184c6f25d7b90a3 */
    WebhookSignature: string;
    /** @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc */
    StandardWebhookId: string;
    /** @example 1772443050 */
    StandardWebhookTimestamp: string;
    /** @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4= */
    StandardWebhookSignature: string;
    /** @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc */
    WebhookEventId: string;
    /** @example vault.created */
    WebhookEventType: components["schemas"]["EventType"];
    /** @example dlv_0e1c9b36f44390073200db56857b6236 */
    WebhookDeliveryId: string;
    /** @example document-vault-webhooks/1.0.0 */
    WebhookUserAgent: string;
    /** @example true */
    WebhookTest: "true";
    /** @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 */
    WebhookTraceparent: string;
    /** @example congo=t61rcWkgMzE,rojo=00f067aa0ba902b7 */
    WebhookTracestate: string;
    /** @example 019cadf0-7a31-7b52-8d0e-6c1f9b2a4e83 */
    OAuthClientId: string;
  };
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  register: {
    parameters: {
      query?: never;
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RegisterRequest"];
      };
    };
    responses: {
      201: {
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
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["LoginRequest"];
      };
    };
    responses: {
      200: {
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
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RefreshRequest"];
      };
    };
    responses: {
      200: {
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
      path?: never;
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
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
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
        /** @example 1 */
        page?: components["parameters"]["Page"];
        /** @example 20 */
        pageSize?: components["parameters"]["PageSize"];
        /** @example createdAt */
        sortBy?: "createdAt";
        sortOrder?: components["parameters"]["SortOrder"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
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
      path?: never;
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
      path: {
        /** @example 019cadd5-4f16-7c3e-9a53-0b8f4a1c7d20 */
        id: components["parameters"]["SessionId"];
      };
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
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
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
        /** @example 1 */
        page?: components["parameters"]["Page"];
        /** @example 20 */
        pageSize?: components["parameters"]["PageSize"];
        /** @example createdAt */
        sortBy?: "createdAt" | "name";
        sortOrder?: components["parameters"]["SortOrder"];
        account?: components["parameters"]["Account"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
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
        /** @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateApiKey"];
      };
    };
    responses: {
      201: {
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
      path: {
        /** @example key_7c0d2f5b1e9a4836b2d7f04c8a61e35d */
        keyId: components["parameters"]["KeyId"];
      };
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
        /** @example 1 */
        page?: components["parameters"]["Page"];
        /** @example 20 */
        pageSize?: components["parameters"]["PageSize"];
        /** @example createdAt */
        sortBy?: "createdAt" | "name";
        sortOrder?: components["parameters"]["SortOrder"];
        account?: components["parameters"]["Account"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
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
        /** @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateOAuthClient"];
      };
    };
    responses: {
      201: {
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
      path: {
        /** @example 019cadf0-7a31-7b52-8d0e-6c1f9b2a4e83 */
        clientId: components["parameters"]["OAuthClientId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
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
      path: {
        /** @example 019cadf0-7a31-7b52-8d0e-6c1f9b2a4e83 */
        clientId: components["parameters"]["OAuthClientId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UpdateOAuthClient"];
      };
    };
    responses: {
      200: {
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
      path: {
        /** @example 019cadf0-7a31-7b52-8d0e-6c1f9b2a4e83 */
        clientId: components["parameters"]["OAuthClientId"];
      };
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
        /** @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path: {
        /** @example 019cadf0-7a31-7b52-8d0e-6c1f9b2a4e83 */
        clientId: components["parameters"]["OAuthClientId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
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
        /** @example 1 */
        page?: components["parameters"]["Page"];
        /** @example 20 */
        pageSize?: components["parameters"]["PageSize"];
        /** @example createdAt */
        sortBy?: "createdAt" | "updatedAt" | "name" | "documentCount" | "totalSize";
        sortOrder?: components["parameters"]["SortOrder"];
        account?: components["parameters"]["Account"];
        category?: string;
        isActive?: boolean;
        search?: string;
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
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
        /** @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateVault"];
      };
    };
    responses: {
      201: {
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
        /** @example receipts */
        search: string;
        /** @example 1 */
        page?: components["parameters"]["Page"];
        /** @example 20 */
        pageSize?: components["parameters"]["PageSize"];
        account?: components["parameters"]["Account"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
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
      path: {
        /** @example 019cadd6-a210-7670-891a-985ccc8c71a2 */
        id: components["parameters"]["VaultId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
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
      path: {
        /** @example 019cadd6-a210-7670-891a-985ccc8c71a2 */
        id: components["parameters"]["VaultId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UpdateVault"];
      };
    };
    responses: {
      200: {
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
      path: {
        /** @example 019cadd6-a210-7670-891a-985ccc8c71a2 */
        id: components["parameters"]["VaultId"];
      };
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
      path: {
        /** @example 019cadd6-a210-7670-891a-985ccc8c71a2 */
        id: components["parameters"]["VaultId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UpdateVaultKeys"];
      };
    };
    responses: {
      200: {
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
        /** @example 1 */
        page?: components["parameters"]["Page"];
        /** @example 20 */
        pageSize?: components["parameters"]["PageSize"];
        vaultId?: string;
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
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
        /** @example 1 */
        page?: components["parameters"]["Page"];
        /** @example 20 */
        pageSize?: components["parameters"]["PageSize"];
        /** @example uploadedAt */
        sortBy?: "uploadedAt" | "updatedAt" | "fileName" | "sizeBytes";
        sortOrder?: components["parameters"]["SortOrder"];
        account?: components["parameters"]["Account"];
        vaultId?: string;
        mimeType?: string;
        search?: string;
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
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
        /** @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateDocument"];
      };
    };
    responses: {
      201: {
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
        content?: components["parameters"]["WithContent"];
      };
      path: {
        /** @example 019cadd9-1528-7f5e-848b-0eb02474ebdb */
        id: components["parameters"]["DocumentId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
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
      path: {
        /** @example 019cadd9-1528-7f5e-848b-0eb02474ebdb */
        id: components["parameters"]["DocumentId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UpdateDocument"];
      };
    };
    responses: {
      200: {
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
      path: {
        /** @example 019cadd9-1528-7f5e-848b-0eb02474ebdb */
        id: components["parameters"]["DocumentId"];
      };
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
        /** @example bytes=0-1048575 */
        Range?: components["parameters"]["Range"];
        /** @example "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg" */
        "If-Range"?: components["parameters"]["IfRange"];
        /** @example "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg" */
        "If-None-Match"?: components["parameters"]["IfNoneMatch"];
      };
      path: {
        /** @example 019cadd9-1528-7f5e-848b-0eb02474ebdb */
        id: components["parameters"]["DocumentId"];
      };
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
        /** @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path: {
        /** @example 019cadd9-1528-7f5e-848b-0eb02474ebdb */
        id: components["parameters"]["DocumentId"];
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["CreateShare"];
      };
    };
    responses: {
      201: {
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
        /** @example 1 */
        page?: components["parameters"]["Page"];
        /** @example 20 */
        pageSize?: components["parameters"]["PageSize"];
        /** @example createdAt */
        sortBy?: "createdAt" | "expiresAt";
        sortOrder?: components["parameters"]["SortOrder"];
      };
      path: {
        /** @example 019cadd9-1528-7f5e-848b-0eb02474ebdb */
        id: components["parameters"]["DocumentId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
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
      path: {
        /** @example 019cadd9-1528-7f5e-848b-0eb02474ebdb */
        id: components["parameters"]["DocumentId"];
        /** @example 019cade2-c462-73c1-a294-ac3cddc695e0 */
        shareId: components["parameters"]["ShareId"];
      };
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
        /** @example 1 */
        page?: components["parameters"]["Page"];
        /** @example 20 */
        pageSize?: components["parameters"]["PageSize"];
      };
      path: {
        /** @example 019cadd9-1528-7f5e-848b-0eb02474ebdb */
        id: components["parameters"]["DocumentId"];
        /** @example 019cade2-c462-73c1-a294-ac3cddc695e0 */
        shareId: components["parameters"]["ShareId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
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
        content?: components["parameters"]["WithContent"];
      };
      path: {
        /** @example mePKGsZIi5YwGs8c5IioV81_gOw94C3iodGOEbCUAFk */
        token: components["parameters"]["ShareToken"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
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
        /** @example bytes=0-1048575 */
        Range?: components["parameters"]["Range"];
        /** @example "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg" */
        "If-Range"?: components["parameters"]["IfRange"];
        /** @example "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg" */
        "If-None-Match"?: components["parameters"]["IfNoneMatch"];
      };
      path: {
        /** @example AZyt4sRicwFkomPq7zAD3AGcvSKZ2CVc5gZhqnOvDWEcE5yqgi0TqAJaz8G6d0dOHQ */
        ticket: components["parameters"]["ContentTicket"];
      };
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
        /** @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateUpload"];
      };
    };
    responses: {
      201: {
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
      path: {
        /** @example 019cadd9-4b10-7c02-9d1e-5a7f3c2b8e64 */
        id: components["parameters"]["UploadId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
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
      path: {
        /** @example 019cadd9-4b10-7c02-9d1e-5a7f3c2b8e64 */
        id: components["parameters"]["UploadId"];
      };
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
        /** @example sha-256=:n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=: */
        "Content-Digest"?: components["parameters"]["ContentDigest"];
      };
      path: {
        /** @example 019cadd9-4b10-7c02-9d1e-5a7f3c2b8e64 */
        id: components["parameters"]["UploadId"];
        /** @example 0 */
        part: components["parameters"]["PartNumber"];
      };
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
        /** @example 1 */
        page?: components["parameters"]["Page"];
        /** @example 20 */
        pageSize?: components["parameters"]["PageSize"];
        /** @example createdAt */
        sortBy?: "createdAt" | "updatedAt" | "name";
        sortOrder?: components["parameters"]["SortOrder"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
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
        /** @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateInstance"];
      };
    };
    responses: {
      201: {
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
        account?: components["parameters"]["Account"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
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
      path: {
        /** @example 019b8d2b-8c00-7db1-baa7-76cb5c5c64ab */
        id: components["parameters"]["InstanceId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
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
      path: {
        /** @example 019b8d2b-8c00-7db1-baa7-76cb5c5c64ab */
        id: components["parameters"]["InstanceId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UpdateInstance"];
      };
    };
    responses: {
      200: {
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
      path: {
        /** @example 019b8d2b-8c00-7db1-baa7-76cb5c5c64ab */
        id: components["parameters"]["InstanceId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
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
        from?: string;
        to?: string;
        /** @example hour */
        step?: "hour" | "day";
      };
      path: {
        /** @example 019b8d2b-8c00-7db1-baa7-76cb5c5c64ab */
        id: components["parameters"]["InstanceId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
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
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
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
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UpdateUser"];
      };
    };
    responses: {
      200: {
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
      path?: never;
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
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
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
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UpdateKeyring"];
      };
    };
    responses: {
      200: {
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
        /** @example 1 */
        page?: components["parameters"]["Page"];
        /** @example 20 */
        pageSize?: components["parameters"]["PageSize"];
        sortBy?: "createdAt" | "email";
        sortOrder?: components["parameters"]["SortOrder"];
        search?: string;
        tier?: components["schemas"]["Tier"];
        role?: "user" | "admin";
        status?: "active" | "suspended";
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
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
      path: {
        /** @example 019cadd4-5698-781e-b05b-ef3e60cf1f3b */
        id: components["parameters"]["UserId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
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
      path: {
        /** @example 019cadd4-5698-781e-b05b-ef3e60cf1f3b */
        id: components["parameters"]["UserId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AdministerUser"];
      };
    };
    responses: {
      200: {
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
        /** @example 1 */
        page?: components["parameters"]["Page"];
        /** @example 20 */
        pageSize?: components["parameters"]["PageSize"];
        /** @example createdAt */
        sortBy?: "createdAt" | "updatedAt";
        sortOrder?: components["parameters"]["SortOrder"];
        account?: components["parameters"]["Account"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
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
        /** @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateConsent"];
      };
    };
    responses: {
      201: {
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
      path: {
        /** @example 019cbebc-548c-7845-b813-fc1fa399c84c */
        id: components["parameters"]["ConsentId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UpdateConsent"];
      };
    };
    responses: {
      200: {
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
        /** @example 1 */
        page?: components["parameters"]["Page"];
        /** @example 20 */
        pageSize?: components["parameters"]["PageSize"];
        /** @example createdAt */
        sortBy?: "createdAt" | "updatedAt";
        sortOrder?: components["parameters"]["SortOrder"];
        account?: components["parameters"]["Account"];
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
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
        /** @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CreateWebhook"];
      };
    };
    responses: {
      201: {
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
      path: {
        /** @example 019cadde-04b2-7c3d-9e55-4a0b8c6d2f17 */
        id: components["parameters"]["WebhookId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
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
      path: {
        /** @example 019cadde-04b2-7c3d-9e55-4a0b8c6d2f17 */
        id: components["parameters"]["WebhookId"];
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UpdateWebhook"];
      };
    };
    responses: {
      200: {
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
      path: {
        /** @example 019cadde-04b2-7c3d-9e55-4a0b8c6d2f17 */
        id: components["parameters"]["WebhookId"];
      };
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
        /** @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path: {
        /** @example 019cadde-04b2-7c3d-9e55-4a0b8c6d2f17 */
        id: components["parameters"]["WebhookId"];
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["RotateWebhookSecret"];
      };
    };
    responses: {
      200: {
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
        /** @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path: {
        /** @example 019cadde-04b2-7c3d-9e55-4a0b8c6d2f17 */
        id: components["parameters"]["WebhookId"];
      };
    };
    requestBody?: {
      content: {
        "application/json": components["schemas"]["TestWebhook"];
      };
    };
    responses: {
      201: {
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
        /** @example 1 */
        page?: components["parameters"]["Page"];
        /** @example 20 */
        pageSize?: components["parameters"]["PageSize"];
        /** @example createdAt */
        sortBy?: "createdAt";
        sortOrder?: components["parameters"]["SortOrder"];
        status?: components["schemas"]["DeliveryStatus"];
        eventType?: components["schemas"]["EventType"];
      };
      path: {
        /** @example 019cadde-04b2-7c3d-9e55-4a0b8c6d2f17 */
        id: components["parameters"]["WebhookId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
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
        /** @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path: {
        /** @example 019cadde-04b2-7c3d-9e55-4a0b8c6d2f17 */
        id: components["parameters"]["WebhookId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
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
      path: {
        /** @example 019cadde-04b2-7c3d-9e55-4a0b8c6d2f17 */
        id: components["parameters"]["WebhookId"];
        /** @example dlv_0e1c9b36f44390073200db56857b6236 */
        deliveryId: components["parameters"]["DeliveryId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
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
        /** @example 5f0c2d8e-0b53-4f0e-9a55-2f6a8b1c3d5e */
        "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
      };
      path: {
        /** @example 019cadde-04b2-7c3d-9e55-4a0b8c6d2f17 */
        id: components["parameters"]["WebhookId"];
        /** @example dlv_0e1c9b36f44390073200db56857b6236 */
        deliveryId: components["parameters"]["DeliveryId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
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
        /** @example 1 */
        page?: components["parameters"]["Page"];
        /** @example 20 */
        pageSize?: components["parameters"]["PageSize"];
        account?: components["parameters"]["Account"];
        type?: components["schemas"]["EventType"];
        since?: string;
        after?: string;
        until?: string;
      };
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
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
      path: {
        /** @example evt_a9356b6d2a06c76c5c2f4a1e1cb95ddc */
        id: components["parameters"]["EventId"];
      };
    };
    requestBody?: never;
    responses: {
      200: {
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
      path?: never;
    };
    requestBody?: never;
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["OpenApiDocument"];
        };
      };
      304: {
        content?: never;
      };
      400: components["responses"]["BadRequest"];
      403: components["responses"]["Blocked"];
      429: components["responses"]["TooManyRequests"];
      500: components["responses"]["InternalError"];
    };
  };
}
