import { type DocumentVault, UsageError } from '@document-vault/sdk';
import { createHttpClient } from '@document-vault/sdk/http';
import { createOAuthClients } from '@document-vault/sdk/oauth-clients';
import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../server/test/support/server.ts';
import { apiKey, baseUrl, keyClient, rejection } from './support/client.ts';
import { scriptedFetch } from './support/fetch.ts';
import { emptyPage, json, vaultBody } from './support/responses.ts';

type Call = (client: DocumentVault, id: string) => PromiseLike<unknown>;

/** Every method that puts what it is given into a path, once for each such parameter. */
const calls: Record<string, Call> = {
  'vaults.get': ({ vaults }, id) => vaults.get(id),
  'vaults.update': ({ vaults }, id) => vaults.update(id, {}),
  'vaults.delete': ({ vaults }, id) => vaults.delete(id),
  'documents.get': ({ documents }, id) => documents.get(id),
  'documents.update': ({ documents }, id) => documents.update(id, {}),
  'documents.delete': ({ documents }, id) => documents.delete(id),
  'documents.content': ({ documents }, id) => documents.content(id),
  'uploads.get': ({ uploads }, id) => uploads.get(id),
  'uploads.delete': ({ uploads }, id) => uploads.delete(id),
  'uploads.putPart': ({ uploads }, id) => uploads.putPart(id, 0, new Uint8Array(1)),
  'shares.create': ({ shares }, id) => shares.create(id),
  'shares.list': ({ shares }, id) => shares.list(id),
  'shares.delete of a document': ({ shares }, id) => shares.delete(id, '1'),
  'shares.delete of a share': ({ shares }, id) => shares.delete('1', id),
  'shares.open': ({ shares }, id) => shares.open(id),
  'instances.get': ({ instances }, id) => instances.get(id),
  'instances.update': ({ instances }, id) => instances.update(id, {}),
  'instances.health': ({ instances }, id) => instances.health(id),
  'consents.update': ({ consents }, id) => consents.update(id, {}),
  'apiKeys.delete': ({ apiKeys }, id) => apiKeys.delete(id),
  'oauthClients.get': (client, id) => createOAuthClients(client).get(id),
  'oauthClients.update': (client, id) => createOAuthClients(client).update(id, {}),
  'oauthClients.rotateSecret': (client, id) => createOAuthClients(client).rotateSecret(id),
  'oauthClients.delete': (client, id) => createOAuthClients(client).delete(id),
  'webhooks.get': ({ webhooks }, id) => webhooks.get(id),
  'webhooks.update': ({ webhooks }, id) => webhooks.update(id, {}),
  'webhooks.rotateSecret': ({ webhooks }, id) => webhooks.rotateSecret(id),
  'webhooks.delete': ({ webhooks }, id) => webhooks.delete(id),
  'webhooks.test': ({ webhooks }, id) => webhooks.test(id),
  'deliveries.list': ({ webhooks }, id) => webhooks.deliveries.list(id),
  'deliveries.get of a webhook': ({ webhooks }, id) => webhooks.deliveries.get(id, '1'),
  'deliveries.get of a delivery': ({ webhooks }, id) => webhooks.deliveries.get('1', id),
  'deliveries.retry of a webhook': ({ webhooks }, id) => webhooks.deliveries.retry(id, '1'),
  'deliveries.retry of a delivery': ({ webhooks }, id) => webhooks.deliveries.retry('1', id),
  'deliveries.retryFailed': ({ webhooks }, id) => webhooks.deliveries.retryFailed(id),
  'http.GET': (client, id) =>
    createHttpClient(client).GET('/api/v1/vaults/{id}', { params: { path: { id } } }),
};

const refused: unknown[] = [
  '',
  '.',
  '..',
  '%2e',
  '%2E%2E',
  '.%2e',
  '%252e%252E',
  '%25252e.',
  '../users/me',
  '..%2Fusers%2fme',
  '..%5cusers',
  '..\\users',
  'x/..',
  'x/./y',
  '%2e%2e/',
  '\ud800',
  undefined,
  null,
  0,
  {},
  [],
  ['..'],
  Symbol('id'),
];

/** Values that stay one segment of a path when they are encoded. */
const encoded: [string, string][] = [
  ['a/b', 'a%2Fb'],
  ['a?b#c', 'a%3Fb%23c'],
  ['%41', '%2541'],
  ['．．', '%EF%BC%8E%EF%BC%8E'],
  ['․․', '%E2%80%A4%E2%80%A4'],
  ['。。', '%E3%80%82%E3%80%82'],
  ['%c0%ae%c0%ae', '%25c0%25ae%25c0%25ae'],
  ['..;', '..%3B'],
  [' ..', '%20..'],
  ['..\n', '..%0A'],
  ['...', '...'],
  ['é', '%C3%A9'],
];

describe('guarantee 7: path parameters', () => {
  test.each(Object.entries(calls))(
    '%s with an unsafe path parameter rejects with a UsageError and sends no request',
    async (_, call) => {
      const { fetch, sent } = scriptedFetch(() => json({ ...vaultBody, ...emptyPage }));
      const client = keyClient({ fetch });
      for (const value of refused) {
        const error = await rejection(Promise.resolve(call(client, value as string)));
        expect(error, String(value)).toBeInstanceOf(UsageError);
      }
      expect(sent).toHaveLength(0);
    },
  );

  test.each(Object.entries(calls))(
    '%s encodes other characters of a path parameter',
    async (_, call) => {
      for (const [value, segment] of encoded) {
        const { fetch, sent } = scriptedFetch(({ url }) =>
          url.includes('/parts/')
            ? new Response(null, { status: 204 })
            : json(
                // Of documents, the client compares the id with the one that it asked for.
                { ...vaultBody, ...emptyPage, id: value },
                { headers: { 'content-length': '2' } },
              ),
        );
        await call(keyClient({ fetch }), value);
        const path = sent[0]?.url.slice(baseUrl.length).split('/');
        expect(path).toContain(segment);
        expect(new URL(sent[0]?.url ?? '').href).toBe(sent[0]?.url);
        expect(sent[0]?.headers['x-api-key']).toBe(apiKey);
      }
    },
  );

  test('the real server receives every path parameter as one segment', async () => {
    const server = await startTestServer();
    const asked: string[] = [];
    const client = keyClient({
      baseUrl: server.url,
      apiKey: server.apiKey,
      fetch: async (url, init) => {
        const answer = await fetch(url, init);
        asked.push(new URL(answer.url).pathname);
        return answer;
      },
    });
    for (const [value, segment] of encoded) {
      await expect(client.vaults.get(value)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(asked.at(-1)).toBe(`/api/v1/vaults/${segment}`);
    }
  });
});
