import { expect, test } from 'vitest';
import { ask, dataOf, refusedWith } from '../support/graphql/asking.ts';
import { newDocument, newVault } from '../support/resources.ts';
import { type Caller, startTestServer } from '../support/server.ts';

// Small requests whose answers would take hundreds of megabytes, and block everybody while they are written.

const tooLarge = refusedWith(200, 'VALIDATION_ERROR', { field: 'query', constraint: 'maxAnswer' });

const encryptionMetadata = {
  algorithm: 'AES-256-GCM',
  iv: 'AAAA',
  authTag: 'AAAA',
  note: 'x'.repeat(15_000),
};

async function fillVault(call: Caller): Promise<string> {
  const { id } = await newVault(call);
  for (const fileName of ['a', 'b', 'c', 'd']) {
    await newDocument(call, id, 'x', { fileName, encryptionMetadata });
  }
  return id;
}

/** What was uploaded with every document, under so many names. */
const named = (count: number) => {
  const names = Array.from({ length: count }, (_, number) => `a${number}:raw`);
  return `documents { data { encryptionMetadata { ${names.join(' ')} } } }`;
};

test('an object may be named again until the answer is too large', async () => {
  const { developer } = await startTestServer();
  await fillVault(developer);
  const { documents } = await dataOf(developer, `{ ${named(500)} }`);
  expect(documents.data[3].encryptionMetadata.a499).toEqual(encryptionMetadata);
  const refused = await ask(developer, `{ ${named(600)} }`);
  expect(refused).toMatchObject(tooLarge);
  expect(refused.body.data).toBeNull();
  expect(refused.body.errors).toHaveLength(1);
});

test('long names count as often as they stand in the answer', async () => {
  const { developer } = await startTestServer();
  const { id } = await newVault(developer);
  for (let count = 0; count < 24; count += 1) await newDocument(developer, id);
  // The documents of the vault of every document.
  const long = (pageSize: number) =>
    `{ documents(pageSize: 24) { data { vault {
      documents(pageSize: ${pageSize}) { data { ${'x'.repeat(60_000)}: id } } } } } }`;
  const { documents } = await dataOf(developer, long(20));
  expect(documents.data[23].vault.documents.data).toHaveLength(20);
  expect(await ask(developer, long(24))).toMatchObject(tooLarge);
});

test('the items of its lists may have half a million fields', async () => {
  const { developer } = await startTestServer();
  const { id } = await newVault(developer);
  for (let count = 0; count < 30; count += 1) await newDocument(developer, id);
  const names = Array.from({ length: 600 }, (_, number) => `a${number}:sizeBytes`).join(' ');
  // Every document of the vault of every document.
  const all = (pageSize: number) =>
    `{ documents(pageSize: 30) { data { vault {
      documents(pageSize: ${pageSize}) { data { ${names} } } } } } }`;
  const { documents } = await dataOf(developer, all(27));
  expect(documents.data[29].vault.documents.data[26].a599).toBe(10);
  const refused = await ask(developer, all(28));
  expect(refused).toMatchObject(tooLarge);
  expect(refused.body.errors[0].message).toContain('500000 fields');
  expect(refused.body.errors).toHaveLength(1);
});

test('no change is made whose answer has no room, and those before it stay', async () => {
  const { developer } = await startTestServer();
  const id = await fillVault(developer);
  const changes = `mutation {
    a: updateVault(id: "${id}", input: { name: "Changed" }) { ${named(600)} }
    b: createVault(input: { name: "Another" }) { id }
  }`;
  expect(await ask(developer, changes)).toMatchObject(tooLarge);
  const { vaults } = await dataOf(developer, '{ vaults { data { name } } }');
  expect(vaults.data).toEqual([{ name: 'Changed' }]);
});
