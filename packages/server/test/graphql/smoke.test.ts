import { test } from 'vitest';
import { newDocument, newShare, newVault } from '../resources.ts';
import { startTestServer } from '../server.ts';

test('smoke', async () => {
  const { developer } = await startTestServer();
  const v = await newVault(developer);
  const d = await newDocument(developer, v.id);
  await newShare(developer, d.id);
  const q = async (query: string, variables = {}, headers = {}) => {
    const t = performance.now();
    const a = await developer('POST', '/graphql', { body: { query, variables }, headers });
    console.log(
      a.status,
      a.headers.get('content-type'),
      (performance.now() - t).toFixed(1),
      JSON.stringify(a.body).slice(0, 900),
    );
  };
  await q(
    '{ vaults { data { id name documents { data { fileName encryptionMetadata { raw iterations } vault { name } shares { data { id } pagination { totalCount } } } } } pagination { totalCount } } }',
  );
  await q('{ vault(id: "x") { id } me { email } }');
  await q('mutation { createVault(input: {name: "  a  "}) { id name } }');
  await q('mutation { createVault(input: {name: ""}) { id name } }');
  await q('mutation { createVault(input: {}) { id name } }');
  await q('mutation($input: CreateVaultInput!) { createVault(input: $input) { id name } }', {
    input: { category: 'x', foo: 1 },
  });
  await q('mutation { deleteVault(id: "x") }');
  await q('{ vaults(pageSize: 1000) { data { id } } }');
  await q('{ vaults { nope } ');
  await q('{ vaults { data { nope } } }');
  await q('{ __schema { types { name } } }');
  await q(
    '{ webhooks { data { deliveries { data { id } } } } consents { data { id } } instances { data { id usedBytes } } }',
  );
  await q(
    `{ ${Array.from({ length: 1000 }, (_, n) => `a${n}: vaults { data { id } }`).join(' ')} }`,
  );
  await q(`{ ${'id '.repeat(1990)} }`);
  await q(`{ ${'me {id} '.repeat(400)} }`);
  await q(`{ ${'vaults {data{documents{'.repeat(400)} }`);
});
