/**
 * Tests of the app in letters.ts, without a server: the vault is in memory, and Mock Service Worker hands
 * it what the client sends. Needs vitest, msw 3 and Node 22.12.
 */
import { DocumentVault, type UpdateKeyring } from '@document-vault/sdk';
import { createTestVault } from '@document-vault/testing';
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { explain, fileLetter, latestLetters } from './letters.ts';

const service = createTestVault({ baseUrl: 'https://vault.example.com' });
const server = setupServer(...service.handlers);
const { baseUrl, account } = service;
const { email, password, apiKey } = account;
let keyring: UpdateKeyring;
let recoveryKey: string;

beforeAll(async () => {
  server.listen({ onUnhandledFrame: 'error' });
  const first = new DocumentVault({ baseUrl, apiKey });
  ({ recoveryKey } = await first.keyring.create({ passphrase: 'only I know this' }));
  const { userId: _, ...created } = await first.keyring.get();
  keyring = created;
});
afterAll(() => server.close());

const letter = new File(['Dear Ada'], 'letter.txt', { type: 'text/plain' });
let client: DocumentVault;

beforeEach(async () => {
  service.reset();
  client = new DocumentVault({ baseUrl, session: {}, maxRetries: 0 });
  await client.auth.login({ email, password });
  // The keyring that the reset removed. A recovery key opens it without PBKDF2, which would slow down each test.
  await client.keyring.update(keyring);
  await client.unlock({ recoveryKey });
});

test('fileLetter encrypts letters and stores them in one vault', async () => {
  const id = await fileLetter(client, letter);
  await fileLetter(client, letter);

  const { bytes } = await client.documents.download(id);
  expect(new TextDecoder().decode(bytes)).toBe('Dear Ada');
  const vaults = await client.vaults.list();
  expect(vaults.data).toMatchObject([{ name: 'Letters', documentCount: 2 }]);
  const sent = service.requests.filter(({ operation }) => operation === 'createDocument');
  expect(JSON.stringify(sent)).not.toContain(Buffer.from('Dear Ada').toString('base64'));
});

test('fileLetter stores a letter in the vault Letters when it exists', async () => {
  const vault = account.createVault({ name: 'Letters' });
  account.createDocument({ vaultId: vault.id, fileName: 'old.txt' });
  await fileLetter(client, letter);
  expect((await latestLetters(client)).sort()).toEqual(['letter.txt', 'old.txt']);
});

test('latestLetters refreshes an expired access token', async () => {
  service.fault('expireTokens');
  expect(await latestLetters(client)).toEqual([]);
});

test.each([
  ['Too busy. Try again in 90 s.', () => service.fault('rateLimit', { retryAfter: 90 })],
  ['Please sign in again.', () => service.fault('expireTokens', { refresh: 'fails' })],
  ['No connection. Try again later.', () => service.fault('networkError')],
  ['Something went wrong.', () => service.fault('error', { operations: 'listDocuments' })],
])('explain returns "%s"', async (sentence, goWrong) => {
  goWrong();
  expect(await latestLetters(client).catch(explain)).toBe(sentence);
});
