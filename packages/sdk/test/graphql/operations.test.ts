import { readFileSync } from 'node:fs';
import { createGraphql, documents } from '@document-vault/sdk/graphql';
import {
  buildSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  parse,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { outcomeOf } from '../../../server/test/support/graphql/parity.ts';
import { keyClient } from '../support/client.ts';
import { startGraphqlClient, webhookInput } from '../support/graphql/server.ts';

const schema = buildSchema(readFileSync('packages/sdk/schema.graphql', 'utf8'));
const texts = Object.entries(documents).map(
  ([name, document]) => [name, String(document)] as const,
);
const rootFields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
  Object.keys(type?.getFields() ?? {}),
);

/** The fields of each type that a document selects, as `Type.field`. */
function selectedIn(text: string): string[] {
  const types = new TypeInfo(schema);
  const selected: string[] = [];
  visit(
    parse(text),
    visitWithTypeInfo(types, {
      Field: ({ name }) => {
        selected.push(`${types.getParentType()?.name}.${name.value}`);
      },
    }),
  );
  return selected;
}

describe('the ready documents', () => {
  test.each(texts)('the document %s is valid for the schema', (_, text) => {
    expect(validate(schema, parse(text))).toEqual([]);
  });

  test('every root field of the schema has a document and a method', () => {
    const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(createGraphql(keyClient())));
    expect(methods).toEqual(expect.arrayContaining(rootFields));
    expect(Object.keys(documents)).toEqual(expect.arrayContaining(rootFields));
  });

  test('the documents select every field without arguments', () => {
    const selected = new Set(texts.flatMap(([, text]) => selectedIn(text)));
    const types = new Set([...selected].map((place) => place.split('.')[0] ?? ''));
    for (const name of types) {
      const type = schema.getType(name);
      if (!isObjectType(type)) throw new Error(`${name} is no object type`);
      for (const field of Object.values(type.getFields())) {
        const isOwn = isLeafType(getNamedType(field.type)) || field.args.length === 0;
        if (isOwn && name !== 'Query' && name !== 'Mutation' && field.name !== 'vault') {
          expect(selected).toContain(`${name}.${field.name}`);
        }
      }
    }
  });
});

describe('against the server', () => {
  test('queries return the same values as REST', async () => {
    const { gql, call, resources } = await startGraphqlClient();
    const rest = async (path: string) => {
      const outcome = outcomeOf(await call('GET', `/api/v1${path}`));
      return 'result' in outcome ? outcome.result : outcome;
    };
    expect(await gql.me()).toEqual(await rest('/users/me'));
    expect(await gql.vault(resources.vaultId)).toEqual(await rest(`/vaults/${resources.vaultId}`));
    expect(await gql.vaults({ sortBy: 'name' })).toEqual(await rest('/vaults?sortBy=name'));
    expect(await gql.instances()).toEqual(await rest('/instances'));
    expect(await gql.consents()).toEqual(await rest('/consents'));
    expect(await gql.webhooks()).toEqual(await rest('/webhooks'));
    const webhook = await gql.webhook(resources.webhookId);
    expect(webhook).toEqual(await rest(`/webhooks/${resources.webhookId}`));
    const deliveries = await rest(`/webhooks/${resources.webhookId}/deliveries?pageSize=1`);
    const both = await gql.webhookWithDeliveries(resources.webhookId, { pageSize: 1 });
    expect(both).toEqual({ ...webhook, deliveries });
    const { encryptionMetadata, ...document } = await gql.document(resources.documentId);
    const { raw, wrappedKey, keyGeneration, ...known } = encryptionMetadata;
    expect(raw).toEqual(known);
    // What was not uploaded is null here, and absent there.
    expect([wrappedKey, keyGeneration]).toEqual([null, null]);
    expect(await rest(`/documents/${resources.documentId}`)).toMatchObject({
      ...document,
      encryptionMetadata: known,
    });
    const { data } = await gql.documents({ vaultId: resources.vaultId });
    expect(data).toEqual([{ encryptionMetadata, ...document }]);
  });

  test('mutations change what later queries return', async () => {
    const { gql, resources, client } = await startGraphqlClient();
    const taxes = await gql.createVault({ name: 'Taxes', category: 'personal' });
    expect(taxes).toEqual(await client.vaults.get(taxes.id));
    const renamed = await gql.updateVault(taxes.id, { name: 'Old taxes' });
    expect(renamed).toEqual({ ...taxes, name: 'Old taxes', updatedAt: renamed.updatedAt });
    const moved = await gql.updateDocument(resources.documentId, { vaultId: taxes.id });
    expect(moved.vaultId).toBe(taxes.id);
    const share = await gql.shareDocument(moved.id, { maxAccessCount: 2 });
    expect(share).toMatchObject({ maxAccessCount: 2, documentId: moved.id });
    expect(await gql.shareDocument(moved.id)).toMatchObject({ maxAccessCount: null });
    expect((await client.shares.open(share.shareToken)).id).toBe(moved.id);
    expect(await gql.deleteVault(taxes.id)).toBe(taxes.id);
    expect(await gql.deleteWebhook(resources.webhookId)).toBe(resources.webhookId);
    const created = await gql.createWebhook({ ...webhookInput, headers: { 'X-Own': 'a' } });
    const { secret, ...hook } = created;
    expect(secret).toBeNull();
    expect(hook).toEqual(await client.webhooks.get(hook.id));
    expect(await gql.updateWebhook(hook.id, { active: false })).toMatchObject({ active: false });
    const consent = await gql.createConsent({ purpose: 'Tax return', grantedTo: 'Linden' });
    expect((await client.consents.list()).data).toContainEqual(consent);
    const revoked = await gql.updateConsent(consent.id, { status: 'revoked', reason: 'Filed' });
    expect(revoked).toMatchObject({ status: 'revoked', revocationReason: 'Filed' });
  });

  test('retrying a pending delivery attempts it at once', async () => {
    const { gql, resources, server } = await startGraphqlClient();
    const waiting = { status: 'retrying', eventType: 'consent.granted' } as const;
    const { deliveries } = await gql.webhookWithDeliveries(resources.webhookId, waiting);
    const [due] = deliveries.data;
    const delivery = await gql.retryDelivery(resources.webhookId, due?.id ?? '');
    const nextAttemptAt = new Date(server.clock.now()).toISOString();
    expect(delivery).toMatchObject({ id: due?.id, webhookId: resources.webhookId, nextAttemptAt });
    expect(due?.nextAttemptAt).not.toBe(nextAttemptAt);
  });
});

describe('lists', () => {
  test('a list resolves to one page and iterates lazily over all items', async () => {
    const { gql, sent } = await startGraphqlClient();
    for (const name of ['b', 'c', 'd', 'e']) await gql.createVault({ name });
    sent.length = 0;
    const page = await gql.vaults({ pageSize: 2, sortBy: 'name', search: null });
    expect(page).toMatchObject({ data: [{ name: 'b' }, { name: 'c' }] });
    expect(page.pagination).toMatchObject({ totalCount: 5, hasNextPage: true });
    const unset = await gql.vaults({ page: null, pageSize: null, sortBy: null });
    expect(unset.pagination).toMatchObject({ page: 1, pageSize: 20 });
    const names: string[] = [];
    for await (const { name } of gql.vaults({ pageSize: 2, sortBy: 'name' }, { maxItems: 3 })) {
      names.push(name);
    }
    expect(names).toEqual(['b', 'c', 'd']);
    expect(sent).toHaveLength(4);
    const { cost, data } = await gql.vaults({ pageSize: 100 }).withResponse();
    expect(cost?.points).toBe(1);
    expect(data.data).toHaveLength(5);
  });
});
