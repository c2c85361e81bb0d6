// Generated from openapi/ by `npm run generate`. Do not edit.

import type { TypedDocument } from '../graphql/request.ts';
import type {
  ConsentsQuery,
  ConsentsQueryVariables,
  CreateConsentMutation,
  CreateConsentMutationVariables,
  CreateVaultMutation,
  CreateVaultMutationVariables,
  CreateWebhookMutation,
  CreateWebhookMutationVariables,
  DeleteVaultMutation,
  DeleteVaultMutationVariables,
  DeleteWebhookMutation,
  DeleteWebhookMutationVariables,
  DocumentQuery,
  DocumentQueryVariables,
  DocumentsQuery,
  DocumentsQueryVariables,
  InstancesQuery,
  InstancesQueryVariables,
  MeQuery,
  MeQueryVariables,
  RetryDeliveryMutation,
  RetryDeliveryMutationVariables,
  ShareDocumentMutation,
  ShareDocumentMutationVariables,
  UpdateConsentMutation,
  UpdateConsentMutationVariables,
  UpdateDocumentMutation,
  UpdateDocumentMutationVariables,
  UpdateVaultMutation,
  UpdateVaultMutationVariables,
  UpdateWebhookMutation,
  UpdateWebhookMutationVariables,
  VaultQuery,
  VaultQueryVariables,
  VaultsQuery,
  VaultsQueryVariables,
  WebhookQuery,
  WebhookQueryVariables,
  WebhookWithDeliveriesQuery,
  WebhookWithDeliveriesQueryVariables,
  WebhooksQuery,
  WebhooksQueryVariables,
} from './graphql.ts';

/** The consents of the account, revoked and expired ones too. Needs `consents:read`. */
export const consents =
  'fragment Consent on Consent{id userId purpose description grantedTo scopes status grantedAt expiresAt revokedAt revocationReason metadata clientId createdAt updatedAt}fragment ConsentPage on ConsentPage{data{...Consent}pagination{...Pagination}}query consents($page:Int$pageSize:Int$sortBy:ConsentSortField$sortOrder:SortOrder$account:String){consents(page:$page pageSize:$pageSize sortBy:$sortBy sortOrder:$sortOrder account:$account){...ConsentPage}}fragment Pagination on Pagination{page pageSize totalPages totalCount hasNextPage hasPreviousPage}' as unknown as TypedDocument<
    ConsentsQuery,
    ConsentsQueryVariables
  >;

/** Records a consent of the caller and emits `consent.granted`. Needs `consents:write`. */
export const createConsent =
  'fragment Consent on Consent{id userId purpose description grantedTo scopes status grantedAt expiresAt revokedAt revocationReason metadata clientId createdAt updatedAt}mutation createConsent($input:CreateConsentInput!){createConsent(input:$input){...Consent}}' as unknown as TypedDocument<
    CreateConsentMutation,
    CreateConsentMutationVariables
  >;

/**
 * Changes, revokes or renews a consent, and emits `consent.revoked` or `consent.renewed` when it
 * did one of these. Only the account of the consent renews it. Needs `consents:write`.
 */
export const updateConsent =
  'fragment Consent on Consent{id userId purpose description grantedTo scopes status grantedAt expiresAt revokedAt revocationReason metadata clientId createdAt updatedAt}mutation updateConsent($id:ID!$input:UpdateConsentInput!){updateConsent(id:$id input:$input){...Consent}}' as unknown as TypedDocument<
    UpdateConsentMutation,
    UpdateConsentMutationVariables
  >;

/**
 * Starts one new attempt of a delivery at once, in place of the next automatic one where one is
 * due. Needs `webhooks:write`.
 */
export const retryDelivery =
  'fragment Delivery on Delivery{id webhookId eventId eventType status statusCode durationMs attemptNumber error nextAttemptAt test createdAt completedAt}mutation retryDelivery($webhookId:ID!$deliveryId:ID!){retryDelivery(webhookId:$webhookId deliveryId:$deliveryId){...Delivery}}' as unknown as TypedDocument<
    RetryDeliveryMutation,
    RetryDeliveryMutationVariables
  >;

/** The documents of the account, in all its vaults or in one. Needs `documents:read`. */
export const documents =
  'fragment EncryptionMetadata on EncryptionMetadata{algorithm keyDerivation iterations salt keyGeneration wrappedKey iv authTag raw}fragment Document on Document{id vaultId fileName sizeBytes mimeType encryptionMetadata{...EncryptionMetadata}uploadedAt updatedAt contentUrl}fragment DocumentPage on DocumentPage{data{...Document}pagination{...Pagination}}query documents($page:Int$pageSize:Int$sortBy:DocumentSortField$sortOrder:SortOrder$vaultId:ID$mimeType:String$search:String$account:String){documents(page:$page pageSize:$pageSize sortBy:$sortBy sortOrder:$sortOrder vaultId:$vaultId mimeType:$mimeType search:$search account:$account){...DocumentPage}}fragment Pagination on Pagination{page pageSize totalPages totalCount hasNextPage hasPreviousPage}' as unknown as TypedDocument<
    DocumentsQuery,
    DocumentsQueryVariables
  >;

/**
 * One document; `null` with the error NOT_FOUND when there is none of this id in the account. Needs
 * `documents:read`.
 */
export const document =
  'fragment EncryptionMetadata on EncryptionMetadata{algorithm keyDerivation iterations salt keyGeneration wrappedKey iv authTag raw}fragment Document on Document{id vaultId fileName sizeBytes mimeType encryptionMetadata{...EncryptionMetadata}uploadedAt updatedAt contentUrl}query document($id:ID!){document(id:$id){...Document}}' as unknown as TypedDocument<
    DocumentQuery,
    DocumentQueryVariables
  >;

/**
 * Changes the metadata of a document or moves it to another vault, and emits `document.updated` if
 * something changed. Needs `documents:write`.
 */
export const updateDocument =
  'fragment EncryptionMetadata on EncryptionMetadata{algorithm keyDerivation iterations salt keyGeneration wrappedKey iv authTag raw}fragment Document on Document{id vaultId fileName sizeBytes mimeType encryptionMetadata{...EncryptionMetadata}uploadedAt updatedAt contentUrl}mutation updateDocument($id:ID!$input:UpdateDocumentInput!){updateDocument(id:$id input:$input){...Document}}' as unknown as TypedDocument<
    UpdateDocumentMutation,
    UpdateDocumentMutationVariables
  >;

/**
 * The instances that the caller may see: the one of the account, and with `admin:*` all. Needs
 * `instances:read`.
 */
export const instances =
  'fragment Instance on Instance{id name region version status isActive quotaBytes usedBytes createdAt updatedAt}fragment InstancePage on InstancePage{data{...Instance}pagination{...Pagination}}query instances($page:Int$pageSize:Int$sortBy:InstanceSortField$sortOrder:SortOrder){instances(page:$page pageSize:$pageSize sortBy:$sortBy sortOrder:$sortOrder){...InstancePage}}fragment Pagination on Pagination{page pageSize totalPages totalCount hasNextPage hasPreviousPage}' as unknown as TypedDocument<
    InstancesQuery,
    InstancesQueryVariables
  >;

/**
 * Creates a share of a document of the caller and emits `document.shared`. Its token is in this
 * response and never again. Needs `documents:share`.
 */
export const shareDocument =
  'fragment CreatedShare on CreatedShare{id documentId shareToken permissions access expiresAt maxAccessCount accessCount isActive createdAt}mutation shareDocument($documentId:ID!$input:ShareDocumentInput){shareDocument(documentId:$documentId input:$input){...CreatedShare}}' as unknown as TypedDocument<
    ShareDocumentMutation,
    ShareDocumentMutationVariables
  >;

/** The signed-in user, or the owner of the API key. Needs `users:read`. */
export const me =
  'fragment User on User{id email name role tier status instanceId createdAt updatedAt usage{...AccountUsage}}fragment AccountUsage on AccountUsage{bytes{...UsageOfLimit}vaults{...UsageOfLimit}documents{...UsageOfLimit}shares{...UsageOfLimit}consents{...UsageOfLimit}keys{...UsageOfLimit}webhooks{...UsageOfLimit}uploads{...UsageOfLimit}clients{...UsageOfLimit}}fragment UsageOfLimit on UsageOfLimit{used limit}query me{me{...User}}' as unknown as TypedDocument<
    MeQuery,
    MeQueryVariables
  >;

/** The vaults of the account. Needs `vaults:read`. */
export const vaults =
  'fragment Pagination on Pagination{page pageSize totalPages totalCount hasNextPage hasPreviousPage}fragment Vault on Vault{id name description category userId instanceId isActive documentCount totalSize createdAt updatedAt}fragment VaultPage on VaultPage{data{...Vault}pagination{...Pagination}}query vaults($page:Int$pageSize:Int$sortBy:VaultSortField$sortOrder:SortOrder$category:String$isActive:Boolean$search:String$account:String){vaults(page:$page pageSize:$pageSize sortBy:$sortBy sortOrder:$sortOrder category:$category isActive:$isActive search:$search account:$account){...VaultPage}}' as unknown as TypedDocument<
    VaultsQuery,
    VaultsQueryVariables
  >;

/**
 * One vault; `null` with the error NOT_FOUND when there is none of this id in the account. Needs
 * `vaults:read`.
 */
export const vault =
  'fragment Vault on Vault{id name description category userId instanceId isActive documentCount totalSize createdAt updatedAt}query vault($id:ID!){vault(id:$id){...Vault}}' as unknown as TypedDocument<
    VaultQuery,
    VaultQueryVariables
  >;

/** Creates a vault and emits `vault.created`. Needs `vaults:write`. */
export const createVault =
  'fragment Vault on Vault{id name description category userId instanceId isActive documentCount totalSize createdAt updatedAt}mutation createVault($input:CreateVaultInput!){createVault(input:$input){...Vault}}' as unknown as TypedDocument<
    CreateVaultMutation,
    CreateVaultMutationVariables
  >;

/** Changes a vault and emits `vault.updated` if something changed. Needs `vaults:write`. */
export const updateVault =
  'fragment Vault on Vault{id name description category userId instanceId isActive documentCount totalSize createdAt updatedAt}mutation updateVault($id:ID!$input:UpdateVaultInput!){updateVault(id:$id input:$input){...Vault}}' as unknown as TypedDocument<
    UpdateVaultMutation,
    UpdateVaultMutationVariables
  >;

/**
 * Deletes a vault with its documents and shares, emits `vault.deleted` and returns the id. Needs
 * `vaults:write`.
 */
export const deleteVault =
  'mutation deleteVault($id:ID!){deleteVault(id:$id)}' as unknown as TypedDocument<
    DeleteVaultMutation,
    DeleteVaultMutationVariables
  >;

/** The webhooks of the account. Needs `webhooks:read`. */
export const webhooks =
  'fragment Pagination on Pagination{page pageSize totalPages totalCount hasNextPage hasPreviousPage}fragment WebhookStats on WebhookStats{totalDeliveries failedDeliveries failureRate droppedDeliveries lastDroppedAt lastError lastDeliveryAt consecutiveFailures failingSince lastSuccessAt oldestPendingAt}fragment Webhook on Webhook{id url events accounts description headers active metadata stats{...WebhookStats}health previousSecretExpiresAt createdAt updatedAt}fragment WebhookPage on WebhookPage{data{...Webhook}pagination{...Pagination}}query webhooks($page:Int$pageSize:Int$sortBy:WebhookSortField$sortOrder:SortOrder$account:String){webhooks(page:$page pageSize:$pageSize sortBy:$sortBy sortOrder:$sortOrder account:$account){...WebhookPage}}' as unknown as TypedDocument<
    WebhooksQuery,
    WebhooksQueryVariables
  >;

/**
 * One webhook; `null` with the error NOT_FOUND when there is none of this id in the account. Needs
 * `webhooks:read`.
 */
export const webhook =
  'fragment WebhookStats on WebhookStats{totalDeliveries failedDeliveries failureRate droppedDeliveries lastDroppedAt lastError lastDeliveryAt consecutiveFailures failingSince lastSuccessAt oldestPendingAt}fragment Webhook on Webhook{id url events accounts description headers active metadata stats{...WebhookStats}health previousSecretExpiresAt createdAt updatedAt}query webhook($id:ID!){webhook(id:$id){...Webhook}}' as unknown as TypedDocument<
    WebhookQuery,
    WebhookQueryVariables
  >;

/**
 * One webhook; `null` with the error NOT_FOUND when there is none of this id in the account. Needs
 * `webhooks:read`.
 */
export const webhookWithDeliveries =
  'fragment Delivery on Delivery{id webhookId eventId eventType status statusCode durationMs attemptNumber error nextAttemptAt test createdAt completedAt}fragment DeliveryPage on DeliveryPage{data{...Delivery}pagination{...Pagination}}fragment Pagination on Pagination{page pageSize totalPages totalCount hasNextPage hasPreviousPage}fragment WebhookStats on WebhookStats{totalDeliveries failedDeliveries failureRate droppedDeliveries lastDroppedAt lastError lastDeliveryAt consecutiveFailures failingSince lastSuccessAt oldestPendingAt}fragment Webhook on Webhook{id url events accounts description headers active metadata stats{...WebhookStats}health previousSecretExpiresAt createdAt updatedAt}fragment WebhookWithDeliveries on Webhook{...Webhook deliveries(page:$page pageSize:$pageSize sortBy:$sortBy sortOrder:$sortOrder status:$status eventType:$eventType){...DeliveryPage}}query webhookWithDeliveries($id:ID!$page:Int$pageSize:Int$sortBy:DeliverySortField$sortOrder:SortOrder$status:DeliveryStatus$eventType:String){webhook(id:$id){...WebhookWithDeliveries}}' as unknown as TypedDocument<
    WebhookWithDeliveriesQuery,
    WebhookWithDeliveriesQueryVariables
  >;

/** Registers a webhook. Needs `webhooks:write`. */
export const createWebhook =
  'fragment WebhookStats on WebhookStats{totalDeliveries failedDeliveries failureRate droppedDeliveries lastDroppedAt lastError lastDeliveryAt consecutiveFailures failingSince lastSuccessAt oldestPendingAt}fragment CreatedWebhook on CreatedWebhook{id url events accounts description headers active metadata stats{...WebhookStats}health previousSecretExpiresAt createdAt updatedAt secret}mutation createWebhook($input:CreateWebhookInput!){createWebhook(input:$input){...CreatedWebhook}}' as unknown as TypedDocument<
    CreateWebhookMutation,
    CreateWebhookMutationVariables
  >;

/**
 * Changes a webhook. With `admin:*`, only `active` of another account's webhook. Needs
 * `webhooks:write`.
 */
export const updateWebhook =
  'fragment WebhookStats on WebhookStats{totalDeliveries failedDeliveries failureRate droppedDeliveries lastDroppedAt lastError lastDeliveryAt consecutiveFailures failingSince lastSuccessAt oldestPendingAt}fragment Webhook on Webhook{id url events accounts description headers active metadata stats{...WebhookStats}health previousSecretExpiresAt createdAt updatedAt}mutation updateWebhook($id:ID!$input:UpdateWebhookInput!){updateWebhook(id:$id input:$input){...Webhook}}' as unknown as TypedDocument<
    UpdateWebhookMutation,
    UpdateWebhookMutationVariables
  >;

/**
 * Deletes a webhook with its waiting deliveries and its log, and returns the id. Needs
 * `webhooks:write`.
 */
export const deleteWebhook =
  'mutation deleteWebhook($id:ID!){deleteWebhook(id:$id)}' as unknown as TypedDocument<
    DeleteWebhookMutation,
    DeleteWebhookMutationVariables
  >;
