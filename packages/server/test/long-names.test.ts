import { expect, test } from 'vitest';
import { ask } from './support/graphql/asking.ts';
import { invalid } from './support/replies.ts';
import { startTestServer } from './support/server.ts';

// Errors repeat names that the sender chose. A long request must not make a long response.

const long = 'n'.repeat(900_000);
const shown = `${'n'.repeat(500)}…`;

test('an unknown property of 900,000 characters is cut to 500 in the error', async () => {
  const { developer } = await startTestServer();
  const { body, ...reply } = await developer('POST', '/api/v1/vaults', {
    body: { name: 'x', [long]: 1 },
  });
  expect({ ...reply, body }).toMatchObject(invalid(shown, 'additionalProperties'));
  expect(body.error.message).toBe(`${shown} is not a known property.`);
  expect(JSON.stringify(body).length).toBeLessThan(5_000);
});

test('a cut name does not end with half a character', async () => {
  const { developer } = await startTestServer();
  const name = `${'n'.repeat(499)}😀${'n'.repeat(10)}`;
  const reply = await developer('POST', '/api/v1/vaults', { body: { name: 'x', [name]: 1 } });
  expect(reply).toMatchObject(invalid(`${'n'.repeat(499)}…`, 'additionalProperties'));
});

test('an unknown parameter of 14,000 characters is cut to 500 in the error', async () => {
  const { developer } = await startTestServer();
  const { body, ...reply } = await developer('GET', `/api/v1/vaults?${long.slice(0, 14_000)}=1`);
  expect({ ...reply, body }).toMatchObject(invalid(shown, 'unknown'));
  expect(JSON.stringify(body).length).toBeLessThan(5_000);
});

test.each([
  ['GET', '/api/v1/vaults/'],
  ['GET', '/api/v1/documents/'],
  ['GET', '/api/v1/uploads/'],
  ['GET', '/api/v1/instances/'],
  ['GET', '/api/v1/webhooks/'],
  ['GET', '/api/v1/events/'],
  ['GET', '/api/v1/oauth/clients/'],
  ['GET', '/api/v1/documents/share/'],
  ['GET', '/api/v1/contents/'],
  ['DELETE', '/api/v1/api-keys/'],
  ['DELETE', '/api/v1/auth/sessions/'],
  ['GET', '/unknown/'],
])('an id of 14,000 characters is cut to 500 in the 404 of %s %s', async (method, path) => {
  const server = await startTestServer();
  const { call } = await server.signUp('ada@example.com');
  const { status, body } = await call(method, path + long.slice(0, 14_000));
  expect(status).toBe(404);
  expect(JSON.stringify(body).length).toBeLessThan(5_000);
});

test('GraphQL: unknown ids of 4,096 characters are cut to 500 in their errors', async () => {
  const { developer } = await startTestServer();
  const fields = Array.from({ length: 10 }, (_, index) => `w${index}: webhook(id: $id) { id }`);
  const { body } = await ask(developer, `query ($id: ID!) { ${fields.join(' ')} }`, {
    variables: { id: long.slice(0, 4_096) },
  });
  expect(body.errors).toHaveLength(10);
  expect(body.errors[0].extensions.details).toEqual({ webhookId: shown });
});

const createVault = 'mutation ($v: CreateVaultInput!) { createVault(input: $v) { id } }';
const listVaults = 'query ($v: VaultSortField) { vaults(sortBy: $v) { data { id } } }';

test.each([
  ['property of an input', createVault, { v: { name: 'x', [long]: 1 } }],
  ['value of an enum', listVaults, { v: long }],
  [
    'name of a variable',
    `query ($${long.slice(0, 60_000)}: ID!) { vault(id: $${long.slice(0, 4_000)}) { id } }`,
    {},
  ],
  [
    'name of a missing variable',
    `query ($${long.slice(0, 30_000)}: ID!) { vault(id: $${long.slice(0, 30_000)}) { id } }`,
    {},
  ],
])('GraphQL: a long %s is cut in the error', async (_, query, variables) => {
  const { developer } = await startTestServer();
  const { status, body } = await ask(developer, query, { variables });
  expect(status).toBe(400);
  expect(body).not.toHaveProperty('data');
  expect(JSON.stringify(body).length).toBeLessThan(5_000);
});
