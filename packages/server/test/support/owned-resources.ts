import { expect } from 'vitest';
import type { Operation } from '../../src/contract/contract.ts';
import { exampleBytes } from './request-fields.ts';
import { clientOf, newDocument, newKey, newShare, newVault } from './resources.ts';
import type { Caller, TestServer } from './server.ts';
import { everyType, secret } from './webhook-events.ts';

/** The ids of one resource of each type that an account can own. */
export interface ResourceIds {
  readonly userId: string;
  readonly vaultId: string;
  readonly documentId: string;
  readonly shareId: string;
  readonly shareToken: string;
  /** Of the opened share. */
  readonly ticket: string;
  /** An open upload of one part. */
  readonly uploadId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly eventId: string;
  readonly keyId: string;
  readonly consentId: string;
  /** Undefined for a caller with an API key without `admin:*`. */
  readonly clientId: string | undefined;
  /** Undefined for a caller with an API key. */
  readonly sessionId: string | undefined;
}

/** Creates one resource of each type. The delivery has failed, because its receiver does not exist. */
export async function createResources(server: TestServer, call: Caller): Promise<ResourceIds> {
  const create = async (path: string, body: object) => {
    const created = await call('POST', path, { body });
    expect(created, path).toMatchObject({ status: 201 });
    return created.body;
  };
  const vault = await newVault(call, { name: 'Of the owner' });
  const document = await newDocument(call, vault.id, 'ciphertext', { fileName: 'of-the-owner' });
  const share = await newShare(call, document.id);
  const opened = await call('GET', `/api/v1/documents/share/${share.shareToken}`);
  const upload = await create('/api/v1/uploads', {
    vaultId: vault.id,
    sizeBytes: exampleBytes.length,
  });
  // After the opening: a receiver that fails for five events in a row is paused.
  const webhook = await create('/api/v1/webhooks', {
    // An app may change no webhook that receives the events of other accounts.
    accounts: 'own',
    url: 'http://127.0.0.1:9/unreachable',
    events: everyType,
    secret,
  });
  const consent = await create('/api/v1/consents', {
    purpose: 'Of the owner',
    grantedTo: 'Of the owner',
  });
  const client = await call('POST', '/api/v1/oauth/clients', { body: clientOf() });
  const { keyId } = await newKey(call, ['vaults:read']);
  await call('POST', `/api/v1/webhooks/${webhook.id}/test`, { body: {} });
  await server.settled();
  const deliveries = await call('GET', `/api/v1/webhooks/${webhook.id}/deliveries?status=failed`);
  expect(deliveries.body.data).toHaveLength(1);
  const events = await call('GET', '/api/v1/events?type=consent.granted');
  const sessions = await call('GET', '/api/v1/auth/sessions');
  const me = await call('GET', '/api/v1/users/me');
  return {
    userId: me.body.id,
    vaultId: vault.id,
    documentId: document.id,
    shareId: share.id,
    shareToken: share.shareToken,
    ticket: opened.body.contentUrl.split('/').at(-1),
    uploadId: upload.id,
    webhookId: webhook.id,
    deliveryId: deliveries.body.data[0].id,
    eventId: events.body.data[0].id,
    keyId,
    consentId: consent.id,
    clientId: client.body.clientId,
    sessionId: sessions.body.data?.[0].id,
  };
}

/** The resource of `{id}` in the paths below each segment. */
const kinds: Readonly<Record<string, keyof ResourceIds>> = {
  vaults: 'vaultId',
  documents: 'documentId',
  uploads: 'uploadId',
  webhooks: 'webhookId',
  events: 'eventId',
  consents: 'consentId',
  auth: 'sessionId',
  users: 'userId',
};

/** The path of an operation with ids of these resources; undefined when it has none of its parameters. */
export function pathWithIds(resources: ResourceIds, { path }: Operation): string | undefined {
  const kind = kinds[path.split('/')[3] ?? ''];
  const values: Readonly<Record<string, string | undefined>> = {
    ...resources,
    id: kind && resources[kind],
    token: resources.shareToken,
    part: '0',
  };
  let hasId = false;
  const filled = path.replaceAll(/\{([^}]+)\}/g, (parameter, name) => {
    hasId ||= values[name] !== undefined;
    return values[name] ?? parameter;
  });
  return hasId ? filled : undefined;
}
