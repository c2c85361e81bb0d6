import { contractDocument } from '../contract/contract.ts';
import { publicKeysMaxAge } from '../domain/accounts/access-tokens.ts';
import type { Services } from '../domain/services.ts';
import type { Shape } from '../domain/shapes.ts';
import { ContentBody } from './content-reply.ts';
import type { Handlers, ReplayChecks } from './handlers.ts';
import { CacheableBody, documentBody, Serialised } from './replies.ts';

/** @param baseUrl returns the server's public address */
export function createHandlers(services: Services, baseUrl: () => string): Handlers {
  return {
    ...accountHandlers(services),
    ...documentHandlers(services),
    ...webhookHandlers(services),
    ...instanceHandlers(services, baseUrl),
  };
}

export function createReplayChecks({
  apiKeys,
  oauthClients,
  shares,
  webhooks,
}: Pick<Services, 'apiKeys' | 'oauthClients' | 'shares' | 'webhooks'>): ReplayChecks {
  return {
    createApiKey: (created) => apiKeys.requireUsable(created),
    createOAuthClient: (created) => oauthClients.requireUsable(created),
    shareDocument: (created) => shares.requireUsable(created),
    rotateOAuthClientSecret: (rotated) => oauthClients.requireUsable(rotated),
    createWebhook: (created, actor) => webhooks.requireUsable(actor, created.id, created),
    rotateWebhookSecret: (rotated, actor, { id }) => webhooks.requireUsable(actor, id, rotated),
  };
}

function accountHandlers(services: Services) {
  const { auth, users, accounts, currentUser, sessions, apiKeys, accessTokens, consents } =
    services;
  const { oauthClients, keyring } = services;
  return {
    register: ({ visitor, body }) => users.register(visitor, body),
    login: ({ visitor, body }) => auth.login(visitor, body),
    refresh: ({ visitor, body }) => auth.refresh(visitor, body),
    logout: ({ body }) => auth.logout(body),
    getJwks: () => new CacheableBody(accessTokens.publicKeys(), publicKeysMaxAge),

    getCurrentUser: ({ actor }) => currentUser.get(actor),
    updateCurrentUser: ({ actor, body }) => currentUser.update(actor, body),
    deleteCurrentUser: ({ actor, body }) => currentUser.remove(actor, body),

    getKeyring: ({ actor }) => keyring.get(actor),
    updateKeyring: ({ actor, body }) => keyring.update(actor, body),

    listUsers: ({ query }) => accounts.list(query),
    getUser: ({ path }) => accounts.get(path.id),
    administerUser: ({ actor, path, body }) => accounts.administer(actor, path.id, body),

    listSessions: ({ actor, query }) => sessions.list(actor, query),
    endSession: ({ actor, path }) => sessions.end(actor, path.id),
    endOtherSessions: ({ actor }) => sessions.endOthers(actor),

    listApiKeys: ({ actor, query }) => apiKeys.list(actor, query),
    createApiKey: ({ actor, body }) => apiKeys.create(actor, body),
    validateApiKey: ({ actor }) => apiKeys.validate(actor),
    revokeApiKey: ({ actor, path }) => apiKeys.revoke(actor, path.keyId),

    listOAuthClients: ({ actor, query }) => oauthClients.list(actor, query),
    createOAuthClient: ({ actor, body }) => oauthClients.create(actor, body),
    getOAuthClient: ({ actor, path }) => oauthClients.get(actor, path.clientId),
    updateOAuthClient: ({ actor, path, body }) => oauthClients.update(actor, path.clientId, body),
    deleteOAuthClient: ({ actor, path }) => oauthClients.remove(actor, path.clientId),
    rotateOAuthClientSecret: ({ actor, path }) => oauthClients.rotateSecret(actor, path.clientId),

    listConsents: ({ actor, query }) => consents.list(actor, query),
    createConsent: ({ actor, body }) => consents.create(actor, body),
    updateConsent: ({ actor, path, body }) => consents.update(actor, path.id, body),
  } satisfies Partial<Handlers>;
}

function documentHandlers(services: Services) {
  const { vaults, vaultKeys, documents, documentContents, uploads, shares } = services;
  return {
    listVaults: ({ actor, query }) => vaults.list(actor, query),
    createVault: ({ actor, body }) => vaults.create(actor, body),
    searchVaults: ({ actor, query }) => vaults.search(actor, query),
    getVault: ({ actor, path }) => vaults.get(actor, path.id),
    updateVault: ({ actor, path, body }) => vaults.update(actor, path.id, body),
    deleteVault: ({ actor, path }) => vaults.remove(actor, path.id),

    listVaultKeys: ({ actor, query }) => vaultKeys.list(actor, query),
    updateVaultKeys: ({ actor, path, body }) => vaultKeys.update(actor, path.id, body),

    listDocuments: ({ actor, query }) => documents.list(actor, query),
    createDocument: ({ actor, body, content }) => documents.create(actor, body, content),
    getDocument: async ({ actor, path, query, isHead }) =>
      query.content
        ? documentBody(await documents.get(actor, path.id), isHead)
        : documents.describe(actor, path.id),
    getDocumentContent: async ({ actor, path }) =>
      new ContentBody(await documentContents.ofDocument(actor, path.id)),
    updateDocument: ({ actor, path, body }) => documents.update(actor, path.id, body),
    deleteDocument: ({ actor, path }) => documents.remove(actor, path.id),

    createUpload: ({ actor, body }) => uploads.create(actor, body),
    getUpload: ({ actor, path }) => uploads.get(actor, path.id),
    uploadPart: async ({ actor, path: { id, part }, headers, bytes, doNotCount }) => {
      const contentDigest = headers['content-digest'] as string | undefined;
      const isFirst = await uploads.writePart(actor, id, { part, contentDigest, body: bytes });
      if (isFirst) doNotCount();
    },
    deleteUpload: ({ actor, path }) => uploads.remove(actor, path.id),

    shareDocument: ({ actor, path, body }) => shares.create(actor, path.id, body),
    listDocumentShares: ({ actor, path, query }) => shares.list(actor, path.id, query),
    revokeDocumentShare: ({ actor, path }) => shares.revoke(actor, path.id, path.shareId),
    listShareAccesses: ({ actor, path: { id: documentId, shareId }, query }) =>
      shares.listAccesses(actor, { documentId, shareId }, query),
    openShare: async ({ visitor, path, query, isHead }) => {
      const open = isHead ? shares.preview : shares.open;
      return documentBody(await open(visitor, path.token, query), isHead);
    },
    getSharedContent: async ({ visitor, path }) =>
      new ContentBody(await documentContents.ofTicket(visitor, path.ticket)),
  } satisfies Partial<Handlers>;
}

function webhookHandlers({ webhooks, deliveries, eventLog }: Services) {
  return {
    listWebhooks: ({ actor, query }) => webhooks.list(actor, query),
    createWebhook: ({ actor, body }) => webhooks.create(actor, body),
    getWebhook: ({ actor, path }) => webhooks.get(actor, path.id),
    updateWebhook: ({ actor, path, body }) => webhooks.update(actor, path.id, body),
    rotateWebhookSecret: ({ actor, path, body }) => webhooks.rotateSecret(actor, path.id, body),
    deleteWebhook: ({ actor, path }) => webhooks.remove(actor, path.id),

    testWebhook: ({ actor, path, body }) => deliveries.test(actor, path.id, body),
    listDeliveries: ({ actor, path, query }) => deliveries.list(actor, path.id, query),
    getDelivery: ({ actor, path }) => deliveries.get(actor, path.id, path.deliveryId),
    retryDelivery: ({ actor, path }) => deliveries.retry(actor, path.id, path.deliveryId),
    retryFailedDeliveries: ({ actor, path }) => deliveries.retryFailed(actor, path.id),

    listEvents: ({ actor, query }) => eventLog.list(actor, query),
    getEvent: ({ actor, path }) => eventLog.get(actor, path.id),
  } satisfies Partial<Handlers>;
}

function instanceHandlers({ instances, statistics, history }: Services, baseUrl: () => string) {
  let served: { readonly url: string; readonly document: Serialised<Shape<'OpenApiDocument'>> };
  return {
    listInstances: ({ actor, query }) => instances.list(actor, query),
    createInstance: ({ actor, body }) => instances.create(actor, body),
    getInstance: ({ actor, path }) => instances.get(actor, path.id),
    updateInstance: ({ actor, path, body }) => instances.update(actor, path.id, body),
    getInstanceHealth: ({ actor, path }) => instances.health(actor, path.id),
    getInstanceStatistics: ({ actor, query }) => statistics.read(actor, query),
    getInstanceHistory: ({ actor, path, query }) => history.read(actor, path.id, query),

    getOpenApiDocument() {
      const url = baseUrl();
      if (served?.url !== url) {
        served = { url, document: new Serialised({ ...contractDocument, servers: [{ url }] }) };
      }
      return served.document;
    },
  } satisfies Partial<Handlers>;
}
