import { expect, test } from 'vitest';
import { dataOf } from '../support/graphql/asking.ts';
import { byGraphql, outcomeOf } from '../support/graphql/parity.ts';
import { createResources } from '../support/owned-resources.ts';
import { startTestServer } from '../support/server.ts';

type Fields = Readonly<Record<string, string | number | boolean>>;

const pages: readonly Fields[] = [
  {},
  { page: 1, pageSize: 1, sortOrder: 'asc' },
  { page: 2 },
  { page: 2 ** 31 - 1, pageSize: 100 },
  { page: 0 },
  { page: -1 },
  { pageSize: 0 },
  { pageSize: 101 },
  { page: 0, pageSize: 101 },
];

const lists: readonly (readonly [field: string, path: string, filters: readonly Fields[]])[] = [
  [
    'vaults',
    '/api/v1/vaults',
    [
      { sortBy: 'name' },
      { category: 'health' },
      { isActive: true },
      { isActive: false },
      { search: 'OWNER' },
      { search: 'nul \0' },
      { search: '' },
      { search: 'x'.repeat(201) },
      { category: 'Ä' },
    ],
  ],
  [
    'documents',
    '/api/v1/documents',
    [
      { sortBy: 'sizeBytes' },
      { mimeType: 'application/pdf' },
      { mimeType: 'x' },
      { search: 'own' },
      { vaultId: 'unknown' },
    ],
  ],
  ['instances', '/api/v1/instances', [{ sortBy: 'name', sortOrder: 'desc' }]],
  ['consents', '/api/v1/consents', [{ sortBy: 'updatedAt' }]],
  ['webhooks', '/api/v1/webhooks', [{ sortBy: 'updatedAt' }]],
];

test('lists and their errors are the same over REST and GraphQL, for every filter', async () => {
  const server = await startTestServer({ requestsPerMinute: { enterprise: 100_000 } });
  const { call } = await server.signUp('ada@example.com');
  await createResources(server, call);
  for (const [field, path, filters] of lists) {
    for (const query of [...pages, ...filters]) {
      const text = new URLSearchParams(
        Object.entries(query).map(([name, value]) => [name, String(value)]),
      );
      const rest = outcomeOf(await call('GET', `${path}?${text}`));
      const graphql = await byGraphql(call, 'Query', [field, query]);
      expect(graphql, `${path}?${text}`).toEqual(rest);
    }
  }
});

test('a filter that is null, as a variable or in the document, is no filter', async () => {
  const server = await startTestServer();
  const { call } = await server.signUp('ada@example.com');
  await createResources(server, call);
  await server.settled();
  const nested = (documents: string, deliveries: string) => `
    vaults { data { documents${documents} { pagination { totalCount } } } }
    webhooks { data { deliveries${deliveries} { pagination { totalCount } } } }`;
  const rows = '{ data { id } pagination { totalCount } }';
  const unfiltered = await dataOf(
    call,
    `{ own: vaults ${rows} found: vaults(search: "o") ${rows} documents ${rows} ${nested('', '')} }`,
  );
  expect(unfiltered.own.data).not.toEqual([]);
  expect(unfiltered.documents.data).not.toEqual([]);
  const filtered = (value: string, flag: string, id: string) => `{
    own: vaults(category: ${value} isActive: ${flag} search: ${value}) ${rows}
    found: vaults(category: ${value} isActive: ${flag} search: "o") ${rows}
    documents(vaultId: ${id} mimeType: ${value} search: ${value}) ${rows}
    ${nested(`(mimeType: ${value} search: ${value})`, `(status: null eventType: ${value})`)}
  }`;
  expect(await dataOf(call, filtered('null', 'null', 'null'))).toEqual(unfiltered);
  const document = `query ($value: String $flag: Boolean $id: ID) ${filtered('$value', '$flag', '$id')}`;
  const variables = { value: null, flag: null, id: null };
  expect(await dataOf(call, document, { variables })).toEqual(unfiltered);
});

test('single objects and their errors are the same over REST and GraphQL', async () => {
  const server = await startTestServer();
  const { call } = await server.signUp('ada@example.com');
  const { vaultId, documentId, webhookId } = await createResources(server, call);
  const ones = [
    ['vault', `/api/v1/vaults/${vaultId}`, { id: vaultId }],
    ['vault', '/api/v1/vaults/unknown', { id: 'unknown' }],
    ['document', '/api/v1/documents/unknown', { id: 'unknown' }],
    ['webhook', `/api/v1/webhooks/${webhookId}`, { id: webhookId }],
    ['webhook', '/api/v1/webhooks/unknown', { id: 'unknown' }],
    ['me', '/api/v1/users/me', {}],
  ] as const;
  for (const [field, path, args] of ones) {
    const rest = outcomeOf(await call('GET', path));
    expect(await byGraphql(call, 'Query', [field, args]), path).toEqual(rest);
  }
  const { encryptedData, ...document } = (await call('GET', `/api/v1/documents/${documentId}`))
    .body;
  expect(encryptedData).toMatch(/./);
  const read = await byGraphql(call, 'Query', ['document', { id: documentId }]);
  expect(read).toEqual({ result: document });
});
