/**
 * Holds the published interfaces equal to the contract. There is nothing to run: the type check of
 * this folder fails where they differ, in either direction.
 */
import type * as sdk from '@document-vault/sdk';
import type { components, operations } from '../src/generated/openapi.ts';
import { type Equal, expectNever } from './support/equal-types.ts';

type Schemas = components['schemas'];

/** The names whose types differ between a published shape and the contract's. */
type Different<Published extends Record<keyof Published, unknown>> = {
  [Name in keyof Published]: Name extends keyof Schemas
    ? Equal<Published[Name], Schemas[Name]> extends true
      ? never
      : Name
    : Name;
}[keyof Published];

interface Published {
  AccountUsage: sdk.AccountUsage;
  AdministerUser: sdk.AdministerUser;
  ApiKey: sdk.ApiKey;
  ApiKeyPage: sdk.Page<sdk.ApiKey>;
  ApiKeyValidation: sdk.ApiKeyValidation;
  ClientKey: sdk.ClientKey;
  ClientKeySet: sdk.ClientKeySet;
  Consent: sdk.Consent;
  ConsentPage: sdk.Page<sdk.Consent>;
  ConsentStatus: sdk.ConsentStatus;
  CreateApiKey: sdk.CreateApiKey;
  CreateConsent: sdk.CreateConsent;
  CreateDocument: sdk.CreateDocument;
  CreateInstance: sdk.CreateInstance;
  CreateOAuthClient: sdk.CreateOAuthClient;
  CreateShare: sdk.CreateShare;
  CreateVault: sdk.CreateVault;
  CreateWebhook: sdk.CreateWebhook;
  CreatedWebhook: sdk.CreatedWebhook;
  RotateWebhookSecret: sdk.RotateWebhookSecret;
  RotatedWebhookSecret: sdk.RotatedWebhookSecret;
  CreatedApiKey: sdk.CreatedApiKey;
  CreatedOAuthClient: sdk.CreatedOAuthClient;
  CreatedShare: sdk.CreatedShare;
  CurrentUser: sdk.CurrentUser;
  DeleteUser: sdk.DeleteUser;
  Delivery: sdk.Delivery;
  DeliveryAttempt: sdk.DeliveryAttempt;
  DeliveryCounts: sdk.DeliveryCounts;
  DeliveryDetail: sdk.DeliveryDetail;
  DeliveryPage: sdk.Page<sdk.Delivery>;
  DeliveryStatus: sdk.DeliveryStatus;
  Document: sdk.Document;
  DocumentPage: sdk.Page<sdk.Document>;
  DocumentWithContent: sdk.DocumentWithContent;
  EncryptionMetadata: sdk.EncryptionMetadata;
  ErrorCode: sdk.ErrorCode;
  ErrorDetails: sdk.ErrorDetails;
  EventPage: sdk.EventPage;
  EventType: sdk.EventType;
  HealthCheck: sdk.HealthCheck;
  HealthStatus: sdk.HealthStatus;
  Instance: sdk.Instance;
  EndedDeliveries: sdk.EndedDeliveries;
  InstanceFigures: sdk.InstanceFigures;
  InstanceHealth: sdk.InstanceHealth;
  InstanceHistory: sdk.InstanceHistory;
  InstancePoint: sdk.InstancePoint;
  InstancePage: sdk.Page<sdk.Instance>;
  InstanceStatistics: sdk.InstanceStatistics;
  JsonWebKey: sdk.JsonWebKey;
  JsonWebKeySet: sdk.JsonWebKeySet;
  LoginRequest: sdk.LoginRequest;
  OAuthClient: sdk.OAuthClient;
  OAuthClientAuthMethod: sdk.OAuthClientAuthMethod;
  OAuthClientPage: sdk.Page<sdk.OAuthClient>;
  OAuthGrantType: sdk.OAuthGrantType;
  OpenApiDocument: sdk.OpenApiDocument;
  Pagination: sdk.Pagination;
  RegisterRequest: sdk.RegisterRequest;
  RetryResult: sdk.RetryResult;
  RotatedClientSecret: sdk.RotatedClientSecret;
  Scope: sdk.Scope;
  Session: sdk.Session;
  SessionPage: sdk.Page<sdk.Session>;
  Share: sdk.Share;
  ShareAccess: sdk.ShareAccess;
  ShareAccessMode: sdk.ShareAccessMode;
  ShareAccessPage: sdk.Page<sdk.ShareAccess>;
  SharePage: sdk.Page<sdk.Share>;
  SharePermission: sdk.SharePermission;
  SharedDocument: sdk.SharedDocument;
  TestWebhook: sdk.TestWebhook;
  Tier: sdk.Tier;
  TokenPair: sdk.TokenPair;
  UpdateConsent: sdk.UpdateConsent;
  UpdateDocument: sdk.UpdateDocument;
  UpdateInstance: sdk.UpdateInstance;
  UpdateOAuthClient: sdk.UpdateOAuthClient;
  UpdateUser: sdk.UpdateUser;
  UpdateVault: sdk.UpdateVault;
  UpdateWebhook: sdk.UpdateWebhook;
  UsageOfLimit: sdk.UsageOfLimit;
  User: sdk.User;
  UserPage: sdk.Page<sdk.User>;
  VaultPage: sdk.Page<sdk.Vault>;
  Vault: sdk.Vault;
  Violation: sdk.Violation;
  Webhook: sdk.Webhook;
  WebhookPage: sdk.Page<sdk.Webhook>;
  WebhookStats: sdk.WebhookStats;
}
expectNever<Different<Published>>();

/** What the contract takes as the query of an operation. */
type Query<O extends keyof operations> = NonNullable<operations[O]['parameters']['query']>;

interface Queries {
  getInstanceHistory: sdk.GetInstanceHistory;
  getInstanceStatistics: sdk.GetInstanceStatistics;
  listApiKeys: sdk.ListApiKeys;
  listConsents: sdk.ListConsents;
  listDeliveries: sdk.ListDeliveries;
  listDocumentShares: sdk.ListShares;
  listDocuments: sdk.ListDocuments;
  listEvents: sdk.ListEvents;
  listInstances: sdk.ListInstances;
  listOAuthClients: sdk.ListOAuthClients;
  listShareAccesses: sdk.ListShareAccesses;
  listSessions: sdk.ListSessions;
  listUsers: sdk.ListUsers;
  listVaultKeys: sdk.ListVaultKeys;
  listVaults: sdk.ListVaults;
  listWebhooks: sdk.ListWebhooks;
}
expectNever<
  {
    [O in keyof Queries]: Equal<Queries[O], Query<O>> extends true ? never : O;
  }[keyof Queries]
>();

/** Every operation with a query has a published one. */
type Queried = {
  [O in keyof operations]: [Query<O>] extends [never] ? never : O;
}[keyof operations];
// `vaults.search` takes the query's text as an argument of its own; `content` is an option of the call.
expectNever<Exclude<Queried, keyof Queries | 'searchVaults' | 'getDocument' | 'openShare'>>();

/** The comparison itself can tell: a property more, less, optional or of another type. */
// @ts-expect-error a property is missing
expectNever<Different<{ Vault: Omit<sdk.Vault, 'name'> }>>();
// @ts-expect-error a property is too many
expectNever<Different<{ Vault: sdk.Vault & { colour: string } }>>();
// @ts-expect-error a property is optional
expectNever<Different<{ Vault: Omit<sdk.Vault, 'name'> & { name?: string } }>>();
// @ts-expect-error a property has another type
expectNever<Different<{ Vault: Omit<sdk.Vault, 'name'> & { name: string | null } }>>();
// @ts-expect-error an inner property has another type
expectNever<Different<{ VaultPage: sdk.Page<{ id: string }> }>>();
// @ts-expect-error the contract does not know the name
expectNever<Different<{ Tresor: sdk.Vault }>>();
