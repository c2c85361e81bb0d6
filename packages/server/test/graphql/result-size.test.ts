import { getIntrospectionQuery } from 'graphql';
import { expect, test } from 'vitest';
import { ask, dataOf, invalid, refusedWith } from '../support/graphql/asking.ts';
import { newDocument, newVault } from '../support/resources.ts';
import { type Caller, startTestServer } from '../support/server.ts';

// Small requests with large results, which would block other requests.

const aliases = (count: number, field: string) =>
  Array.from({ length: count }, (_, number) => `a${number}:${field}`).join(' ');

const tooManyFields = invalid('query', 'maxResultFields');

test('an operation that can return 50,000 fields succeeds, and one that can return more is rejected', async () => {
  const { developer } = await startTestServer();
  await newDocument(developer, (await newVault(developer)).id);
  // documents, data and me are 3 fields, the aliases of 100 documents 49,900.
  const query = (more: number) =>
    `{ documents(pageSize: 100) { data { ${aliases(499, 'sizeBytes')} } } me { ${aliases(more, 'id')} } }`;
  const { documents } = await dataOf(developer, query(97));
  expect(documents.data[0].a498).toBe(10);
  const rejected = await ask(developer, query(98));
  expect(rejected).toMatchObject(tooManyFields);
  expect(rejected.body).not.toHaveProperty('data');
  expect(rejected.body.errors).toMatchObject([
    {
      message:
        'The operation can return 50001 fields; the limit is 50000. Request smaller pages or fewer fields.',
    },
  ]);
});

test('nested pages multiply the fields they can return', async () => {
  const { developer } = await startTestServer();
  const query = (size: number) =>
    `{ vaults(pageSize: 100) { data { documents(pageSize: ${size}) { pagination { totalCount } data { id fileName sizeBytes vault { id } } } } } }`;
  // 2 + 100 × (4 + 5 × 99) = 49,902 fields.
  expect(await ask(developer, query(99))).toMatchObject({ status: 200 });
  expect(await ask(developer, query(100))).toMatchObject(tooManyFields);
});

test('a mutation whose result can exceed the field limit changes nothing and costs no points', async () => {
  const { developer } = await startTestServer();
  const { id } = await newVault(developer, { name: 'Taxes' });
  const change = (names: number) => `mutation {
    updateVault(id: "${id}", input: { name: "Changed" }) {
      documents(pageSize: 100) { data { ${aliases(names, 'id')} } }
    }
  }`;
  expect(await ask(developer, change(501))).toMatchObject(tooManyFields);
  expect(await dataOf(developer, '{ vaults { data { name } } }')).toEqual({
    vaults: { data: [{ name: 'Taxes' }] },
  });
  const { extensions } = (await ask(developer, change(1))).body;
  expect(extensions.cost).toMatchObject({ points: 2, limit: 50_000, remaining: 50_000 - 1 - 2 });
});

test('the introspection query of tools stays within the limit', async () => {
  const { developer } = await startTestServer();
  const { __schema } = await dataOf(developer, getIntrospectionQuery());
  expect(__schema.types.length).toBeGreaterThan(20);
});

const encryptionMetadata = {
  algorithm: 'AES-256-GCM',
  iv: 'AAAA',
  authTag: 'AAAA',
  note: 'x'.repeat(15_000),
};

const tooManyBytes = refusedWith(200, 'VALIDATION_ERROR', {
  field: 'query',
  constraint: 'maxResultBytes',
});

async function fillVault(call: Caller): Promise<string> {
  const { id } = await newVault(call);
  for (const fileName of ['a', 'b', 'c', 'd']) {
    await newDocument(call, id, 'x', { fileName, encryptionMetadata });
  }
  return id;
}

/** The stored metadata of every document, under `count` aliases. */
const repeated = (count: number) =>
  `documents { data { encryptionMetadata { ${aliases(count, 'raw')} } } }`;

test('aliases repeat an object until the result exceeds the byte limit', async () => {
  const { developer } = await startTestServer();
  await fillVault(developer);
  const { documents } = await dataOf(developer, `{ ${repeated(30)} }`);
  expect(documents.data[3].encryptionMetadata.a29).toEqual(encryptionMetadata);
  const rejected = await ask(developer, `{ ${repeated(40)} }`);
  expect(rejected).toMatchObject(tooManyBytes);
  expect(rejected.body.data).toBeNull();
  expect(rejected.body.errors).toHaveLength(1);
});

test.each([
  ['a text of 3-byte characters', '€'.repeat(2_000), 340, 360],
  ['a text of line breaks', `a${'\n'.repeat(1_998)}a`, 500, 540],
])('%s counts by its bytes as JSON', async (_, description, fitting, exceeding) => {
  const { developer } = await startTestServer();
  await newVault(developer, { description });
  const query = (count: number) => `{ vaults { data { ${aliases(count, 'description')} } } }`;
  const { vaults } = await dataOf(developer, query(fitting));
  expect(vaults.data[0].a0).toBe(description);
  expect(await ask(developer, query(exceeding))).toMatchObject(tooManyBytes);
});

test('each member of a free-form object counts 32 bytes beside its own', async () => {
  const { developer } = await startTestServer();
  const metadata = { lists: Array(4_000).fill([]) };
  const body = { purpose: 'p', grantedTo: 'x', metadata };
  expect(await developer('POST', '/api/v1/consents', { body })).toMatchObject({ status: 201 });
  const query = (count: number) => `{ consents { data { ${aliases(count, 'metadata')} } } }`;
  expect((await dataOf(developer, query(16))).consents.data[0].a15).toEqual(metadata);
  expect(await ask(developer, query(17))).toMatchObject(tooManyBytes);
});

test('a long alias counts in every object of the result', async () => {
  const { developer } = await startTestServer();
  for (let count = 0; count < 10; count += 1) await newVault(developer);
  const names = Array.from({ length: 14 }, (_, n) => `${'x'.repeat(4000)}${n}: id`).join(' ');
  const lists = (count: number) =>
    Array.from({ length: count }, (_, n) => `l${n}: vaults { data { ...v } }`).join(' ');
  const query = (count: number) => `{ ${lists(count)} } fragment v on Vault { ${names} }`;
  expect((await ask(developer, query(3))).body.data.l2.vaults ?? 'data').toBe('data');
  expect(await ask(developer, query(5))).toMatchObject(tooManyBytes);
});

test('mutations after the result exceeds the byte limit are not executed; earlier ones stay', async () => {
  const { developer } = await startTestServer();
  const id = await fillVault(developer);
  const changes = `mutation {
    a: updateVault(id: "${id}", input: { name: "Changed" }) { ${repeated(40)} }
    b: createVault(input: { name: "Another" }) { id }
  }`;
  expect(await ask(developer, changes)).toMatchObject(tooManyBytes);
  const { vaults } = await dataOf(developer, '{ vaults { data { name } } }');
  expect(vaults.data).toEqual([{ name: 'Changed' }]);
});
