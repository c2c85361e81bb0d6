import type { Recorder } from './recorder.ts';

// Requests about OAuth clients, which test kit and server must respond to alike.

const path = '/api/v1/oauth/clients';
const hour = 3_600_000;
const web = {
  name: 'Tax Assistant',
  type: 'confidential',
  redirectUris: ['https://tax.example.com/callback'],
  scopes: ['vaults:read'],
};
const key = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
};
const withKeys = { tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [key] } };

export async function oauthClients(recorder: Recorder): Promise<void> {
  const { as } = await recorder.signUp('ada@clients.example');
  const bob = await recorder.signUp('bob@clients.example');
  const create = (part: object, by = as) =>
    recorder.send(`POST ${path}`, { as: by, body: { ...web, ...part } });
  const client = await create({ name: ' Tax Assistant ' });
  recorder.advance(1_000);
  const scanner = await create({ type: 'public', redirectUris: ['com.example.scanner:/'] });
  recorder.advance(1_000);
  await create({ ...withKeys, requirePar: true });
  await create({ grantTypes: ['client_credentials'], redirectUris: [] });
  const wrong = [
    { redirectUris: [] },
    { redirectUris: ['http://tax.example.com/', 'https://a@tax.example.com/', 'x:/'] },
    { redirectUris: ['https://tax.example.com/#'], tokenEndpointAuthMethod: 'none' },
    { scopes: ['admin:*'] },
    { grantTypes: ['refresh_token'] },
    { type: 'public', grantTypes: ['client_credentials'] },
    { jwks: { keys: [key] } },
    { tokenEndpointAuthMethod: 'private_key_jwt' },
    { ...withKeys, jwks: { keys: [{ ...key, d: 'AA' }] } },
    { ...withKeys, jwks: { keys: [{ kty: 'RSA', n: 'AA', e: 'AQAB' }] } },
    { name: 'Tax\u202e' },
    { verified: true },
  ];
  for (const part of wrong) await create(part);
  for (const query of ['', '?sortBy=name', '?sortBy=x', '?pageSize=2&page=2']) {
    await recorder.send(`GET ${path}${query}`, { as });
  }
  const one = `${path}/${client.clientId}`;
  const put = (body: object) => recorder.send(`PUT ${one}`, { as, body });
  for (const body of [
    { disabled: true },
    { disabled: true },
    { name: 'Taxes', redirectUris: ['https://taxes.example.com/'] },
    { redirectUris: [] },
    { verified: true },
    { type: 'public' },
    {},
  ]) {
    await put(body);
  }
  await recorder.send(`GET ${one}`, { as });
  await recorder.send(`POST ${one}/secret`, { as });
  await recorder.send(`POST ${path}/${scanner.clientId}/secret`, { as });
  for (const attempt of [`GET ${one}`, `DELETE ${one}`, `POST ${one}/secret`]) {
    await recorder.send(attempt, { as: bob.as });
  }
  await recorder.send(`GET ${path}`, { as: bob.as });
  await recorder.send('GET /api/v1/users/me', { as });
  await recorder.send(`DELETE ${one}`, { as });
  await recorder.send(`DELETE ${one}`, { as });
  const reader = await recorder.send('POST /api/v1/api-keys', {
    as,
    body: { name: 'Reader', scopes: ['vaults:read'] },
  });
  await recorder.send(`GET ${path}`, { key: reader.key });
}

export async function clientSecrets(recorder: Recorder): Promise<void> {
  const password = 'correct horse battery';
  const email = 'ada@secrets.example';
  const { as } = await recorder.signUp(email);
  const once = { 'idempotency-key': 'once' };
  const create = (by = as) => recorder.send(`POST ${path}`, { as: by, headers: once, body: web });
  const client = await create();
  const keyed = await recorder.send(`POST ${path}`, { as, body: { ...web, ...withKeys } });
  const rotate = (headers = {}, by = as) =>
    recorder.send(`POST ${path}/${client.clientId}/secret`, { as: by, headers });
  await create();
  await rotate(once);
  await rotate(once);
  await create();
  await rotate();
  await create();
  await rotate(once);
  recorder.advance(24 * hour - 1);
  const login = () => recorder.send('POST /auth/login', { body: { email, password } });
  const late = (await login()).accessToken;
  await recorder.send(`GET ${path}/${client.clientId}`, { as: late });
  recorder.advance(1);
  await recorder.send(`GET ${path}/${client.clientId}`, { as: late });
  await recorder.send('PUT /api/v1/users/me', {
    as: late,
    body: { currentPassword: password, password: 'another password', revokeApiKeys: true },
  });
  for (const id of [client.clientId, keyed.clientId]) {
    await recorder.send(`GET ${path}/${id}`, { as: late });
  }
  await rotate({}, late);
}
