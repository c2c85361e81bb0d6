import { inspect } from 'node:util';
import { DocumentVault, memoryTokenStore, type Tokens } from '@document-vault/sdk';
import type { Cipher } from '@document-vault/sdk/crypto';
import { createGraphql } from '@document-vault/sdk/graphql';
import { expect, test } from 'vitest';
import type { Fault } from '../../server/src/index.ts';
import { startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { cheapCipher } from './support/cipher.ts';
import { stoppedClock } from './support/real-server.ts';

const password = 'CANARY-PASSWORD-of-ada';
const secret = 'CANARY-WEBHOOK-SECRET-0123456789abcdef';
const passphrase = 'CANARY-PASSPHRASE';
const plaintext = 'CANARY-PLAINTEXT';
const shareToken = 'CANARY-SHARE-TOKEN';
const idempotencyKey = 'CANARY-IDEMPOTENCY-KEY';
const ada = { email: 'ada@example.com', password };

/** Everything that a value shows of itself, and of what caused it. */
function traces(value: unknown): string {
  const shown = inspect(value, { depth: null, showHidden: true, getters: true });
  const texts = [shown, String(value), JSON.stringify(value)];
  for (let error = value; error instanceof Error; error = error.cause) {
    texts.push(`${error.stack}`, `${error.message}`, JSON.stringify(error));
  }
  return texts.join('\n');
}

/** What a caller may ask with secrets in hand, whether it is granted or not. */
function calls(client: DocumentVault, cipher: Cipher): (() => PromiseLike<unknown>)[] {
  const hook = { url: 'http://127.0.0.1:9/hook', events: ['vault.created' as const], secret };
  const upload = { vaultId: 'unknown', cipher, fileName: 'a.txt' };
  const metadata = { note: plaintext };
  const gql = createGraphql(client);
  const $document =
    'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { id } }';
  return [
    () => client.auth.register({ ...ada, name: 'Ada' }),
    () => client.auth.register({ ...ada, email: 'bob@example.com', name: '' }),
    () => client.auth.login({ ...ada, email: 'unknown@example.com' }),
    () => client.users.updateMe({ password, currentPassword: `${password}!` }),
    () => client.users.updateMe({ password: 'CANARY-X', currentPassword: password }),
    () => client.users.delete({ password: `${password}!` }),
    () => client.shares.open(shareToken),
    () => client.shares.open(shareToken, { cipher }),
    () => client.unlock({ passphrase }),
    () => client.documents.upload(plaintext, upload),
    () => client.documents.upload(new Blob([plaintext]), { ...upload, mimeType: 'CANARY-no-type' }),
    () => client.webhooks.create({ ...hook, secret: 'CANARY-too-short' }),
    () => client.webhooks.create({ ...hook, url: 'CANARY-no-url' }),
    () => client.webhooks.update('unknown', { secret }),
    () => client.webhooks.test('unknown', {}, { idempotencyKey }),
    () => client.consents.create({ purpose: '', grantedTo: 'a', metadata }, { idempotencyKey }),
    () => gql.createWebhook({ ...hook, secret: 'CANARY-too-short' }),
    () => gql.request($document, { input: { ...hook, unknown: secret } }),
    () => client.vaults.list(),
  ];
}

const faults: [string, ((server: TestServer) => Fault) | undefined][] = [
  ['no fault', undefined],
  ['errors of the service', ({ fault }) => fault('error', { times: 3 })],
  ['lost responses', ({ fault }) => fault('networkError', { when: 'after', times: 3 })],
  ['the rate limit', ({ fault }) => fault('rateLimit', { retryAfter: 900, times: 3 })],
];

/** Two clients of one user, by session and by API key, and what they tell their hooks and loggers. */
async function watchedClients(server: TestServer) {
  const told: unknown[] = [];
  const tell = (...args: unknown[]) => told.push(structuredClone(args));
  const watched = {
    baseUrl: server.url,
    clock: stoppedClock,
    logger: { debug: tell, warn: tell },
    onRequest: ({ headers: { 'idempotency-key': _, ...headers }, ...event }) =>
      tell({ ...event, headers }),
    onResponse: tell,
    onRetry: tell,
  } satisfies ConstructorParameters<typeof DocumentVault>[0];
  const store = memoryTokenStore();
  const bySession = new DocumentVault({ ...watched, session: { store } });
  await bySession.auth.register({ ...ada, name: 'Ada' });
  await bySession.auth.login(ada);
  const scopes = ['vaults:read', 'documents:write', 'users:write', 'webhooks:write'] as const;
  const { key: apiKey } = await bySession.apiKeys.create({ name: 'ci', scopes: [...scopes] });
  const byKey = new DocumentVault({ ...watched, apiKey });
  const { accessToken, refreshToken } = store.get() as Tokens;
  return { told, clients: [bySession, byKey], secrets: [apiKey, accessToken, refreshToken] };
}

test.each(faults)(
  'guarantee 8: nothing shows a secret, at the real server with %s',
  async (_, inject) => {
    const server = await startTestServer({ requestsPerMinute: { enterprise: 10_000 } });
    const { told, clients, secrets } = await watchedClients(server);
    const cipher = await cheapCipher(passphrase, { iterations: 1 });
    let failures = 0;
    const shown: string[] = [];
    for (const client of clients) {
      for (const call of calls(client, cipher)) {
        const fault = inject?.(server);
        await call().then(undefined, (error: unknown) => {
          failures++;
          shown.push(traces(error));
        });
        fault?.restore();
      }
      shown.push(traces(client), traces(cipher));
    }
    shown.push(traces(told));
    expect(failures).toBeGreaterThan(30);
    for (const text of shown) {
      expect(text).not.toContain('CANARY');
      for (const value of secrets) expect(text).not.toContain(value);
    }
  },
);
