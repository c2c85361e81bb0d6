import { document } from './content-scenarios.ts';
import type { Recorder } from './recorder.ts';

// Requests about keyrings and vault keys, which test kit and server must respond to alike.

const base64Of = (bytes: number, fill = 7) => Buffer.alloc(bytes, fill).toString('base64');

const passphrase = {
  id: '5a1f0c86-2f0d-4e0b-9f0e-3c1b8a7d6e52',
  type: 'passphrase',
  label: 'Passphrase',
  createdAt: '2026-03-02T09:16:20.004Z',
  wrappedKey: base64Of(60),
  kdf: 'PBKDF2-SHA256',
  iterations: 600_000,
  salt: base64Of(16),
};

const { kdf: _, iterations: __, salt: ___, ...other } = passphrase;
const recoveryKey = { ...other, id: '0b9d3a7e-61c4-4d1f-8a25-94f0c7e2b118', type: 'recoveryKey' };
const passkey = {
  ...other,
  id: 'c4e8f2d1-7b36-4a9c-b0d5-1e6f8a3c9072',
  type: 'passkey',
  credentialId: base64Of(32),
};

/** The first keyring of an account. */
export const keyring = {
  version: 1,
  publicKey: base64Of(65, 4),
  privateKey: base64Of(166),
  unlockers: [passphrase, recoveryKey, passkey],
};

const password = 'correct horse battery';
const sealed = base64Of(101);

async function lists(recorder: Recorder, as: string): Promise<void> {
  await recorder.send('GET /api/v1/keyring', { as });
  await recorder.send('GET /api/v1/vault-keys', { as });
  await recorder.send('GET /api/v1/events', { as });
}

export async function keyrings(recorder: Recorder): Promise<void> {
  const { as } = await recorder.signUp('ada@keyrings.example');
  const { as: bob } = await recorder.signUp('bob@keyrings.example');
  const put = (fields: object, credentials: object = { as }) =>
    recorder.send('PUT /api/v1/keyring', { ...credentials, body: { ...keyring, ...fields } });
  const created = await recorder.send('POST /api/v1/api-keys', {
    as,
    body: { name: 'K', scopes: ['users:write'] },
  });
  const { key } = created;
  await lists(recorder, as);
  for (const unlockers of [
    [],
    [recoveryKey],
    [passphrase, passphrase],
    [passphrase, { ...recoveryKey, salt: base64Of(16) }],
    [{ ...passphrase, iterations: 599_999 }],
    [other],
    Array(21).fill(recoveryKey),
    [passphrase, ...Array(19).fill({ ...passkey, credentialId: base64Of(600) })],
  ]) {
    await put({ unlockers });
  }
  for (const version of [0, 2, '1']) await put({ version });
  await put({ privateKey: base64Of(165), publicKey: base64Of(65, 3) });
  await put({}, {});
  await put({}, { key });
  await recorder.send('GET /api/v1/keyring', { key });
  await put({});
  await put({ version: 2, currentPassword: password }, { key });
  await put({ version: 2 });
  await put({ version: 2, currentPassword: 'wrong' });
  await put({ version: 3, currentPassword: password });
  await put({ version: 2, currentPassword: password, unlockers: [passphrase] });
  const vault = await recorder.send('POST /api/v1/vaults', { as, body: { name: 'A' } });
  const keys = { version: 1, generation: 1, sealed };
  await recorder.send(`PUT /api/v1/vaults/${vault.id}/keys`, { as, body: keys });
  const next = {
    version: 3,
    currentPassword: password,
    publicKey: base64Of(65, 4).replace('E', 'F'),
  };
  await put(next);
  await put({ ...next, publicKey: `BBBB${keyring.publicKey.slice(4)}` });
  await put({ ...next, publicKey: `BBBB${keyring.publicKey.slice(4)}`, replace: true });
  await lists(recorder, as);
  await lists(recorder, bob);
}

export async function vaultKeys(recorder: Recorder): Promise<void> {
  const { as } = await recorder.signUp('ada@vault-keys.example');
  const { as: bob } = await recorder.signUp('bob@vault-keys.example');
  const vault = await recorder.send('POST /api/v1/vaults', { as, body: { name: 'A' } });
  const second = await recorder.send('POST /api/v1/vaults', { as, body: { name: 'B' } });
  const put = (body: object, by = as, id = vault.id) =>
    recorder.send(`PUT /api/v1/vaults/${id}/keys`, { as: by, body: { sealed, ...body } });
  const encryptionMetadata = {
    ...document.encryptionMetadata,
    keyDerivation: 'VAULT_KEY',
    iterations: 1,
    wrappedKey: base64Of(60),
  };
  const upload = (keyGeneration?: number) =>
    recorder.send('POST /api/v1/documents', {
      as,
      body: {
        ...document,
        vaultId: vault.id,
        encryptionMetadata: { ...encryptionMetadata, keyGeneration },
      },
    });
  await upload(1);
  for (const [version, generation] of [
    [2, 1],
    [1, 2],
    [1, 0],
    [1, 251],
    [1, 1],
    [1, 1],
    [2, 3],
    [2, 1],
  ]) {
    await put({ version, generation });
  }
  await put({ version: 3, generation: 1, sealed: base64Of(32_769) });
  await put({ version: 3, generation: 1 }, bob);
  await put({ version: 3, generation: 1, grants: [] });
  const made = await upload(1);
  await put({ version: 3, generation: 2 });
  for (const generation of [undefined, 0, 1, 2, 3]) await upload(generation);
  await put({ version: 1, generation: 1 }, as, second.id);
  const { keyDerivation, iterations, wrappedKey } = encryptionMetadata;
  const wrap = { keyDerivation, iterations, wrappedKey };
  for (const body of [
    { encryptionMetadata: { ...wrap, keyGeneration: 1, wrappedKey: base64Of(60, 8) } },
    { encryptionMetadata: { ...wrap, keyGeneration: 2, salt: base64Of(16) } },
    { encryptionMetadata: wrap },
    { encryptionMetadata: { ...wrap, keyDerivation: 'PBKDF2', keyGeneration: 2, salt: 'AAAA' } },
    { encryptionMetadata: { ...wrap, keyGeneration: 2 } },
    { vaultId: second.id },
    { vaultId: second.id, encryptionMetadata: { ...wrap, keyGeneration: 2 } },
    { vaultId: second.id, encryptionMetadata: { ...wrap, keyGeneration: 1 } },
  ]) {
    await recorder.send(`PUT /api/v1/documents/${made.id}`, { as, body });
  }
  for (const query of ['', '?page=2&pageSize=1', `?vaultId=${second.id}`, '?sortBy=vaultId']) {
    await recorder.send(`GET /api/v1/vault-keys${query}`, { as });
  }
  await recorder.send(`DELETE /api/v1/vaults/${vault.id}`, { as });
  await lists(recorder, as);
  await lists(recorder, bob);
}
