import { inspect } from 'node:util';
import { memoryTokenStore } from '@document-vault/sdk';
import { createHttpClient } from '@document-vault/sdk/http';
import { openShare, shareUrl } from '@document-vault/sdk/share';
import { afterEach, describe, expect, test } from 'vitest';
import { cheapCipher } from './support/cipher.ts';
import { keyClient, rejection, sessionClient } from './support/client.ts';
import { type Reaction, scriptedFetch } from './support/fetch.ts';
import { failure, json } from './support/responses.ts';
import { startServer } from './support/server.ts';

const canary = {
  apiKey: 'service_sk_CANARYKEYCANARYKEYCANARYKEYCANARYKEY',
  accessToken: 'CANARY-ACCESS-TOKEN',
  refreshToken: 'CANARY-REFRESH-TOKEN',
  password: 'CANARY-PASSWORD',
  passphrase: 'CANARY-PASSPHRASE',
  plaintext: 'CANARY-PLAINTEXT',
  shareToken: 'CANARY-SHARE-TOKEN',
  fileName: 'CANARY-FILE-NAME',
  documentKey: Buffer.from('CANARY-KEY, it has 32 bytes in it')
    .subarray(0, 32)
    .toString('base64url'),
};

/** Returns a value as text in every way in which programs log it. */
function traces(value: unknown): string {
  const stack = value instanceof Error ? `${value.stack} ${value.cause}` : '';
  const shown = inspect(value, { depth: 20, showHidden: true, getters: true });
  return [shown, JSON.stringify(value), String(value), stack].join('\n');
}

function expectNoCanary(text: string): void {
  for (const secret of Object.values(canary)) expect(text).not.toContain(secret);
}

const logged: unknown[] = [];
// As it is, since a logger may write later: what it was told must not change by then.
const log = (...args: unknown[]) => {
  logged.push(args);
};
const observed = {
  logger: { debug: log, warn: log },
  onRequest: log,
  onResponse: log,
  onRetry: log,
};
afterEach(() => {
  expect(logged.length).toBeGreaterThan(0);
  expectNoCanary(traces(logged.splice(0)));
});

const outcomes: [string, Reaction][] = [
  ['a refusal', () => failure(403, 'INSUFFICIENT_PERMISSIONS')],
  ['a failure of the service', () => failure(500, 'INTERNAL_ERROR')],
  ['a body that is not JSON', () => new Response('<html>')],
  [
    'a lost connection',
    ({ url }) => {
      throw new TypeError(`error sending request for url (${url})`, {
        cause: Object.assign(new Error('reset'), { code: 'ECONNRESET', path: url }),
      });
    },
  ],
  [
    'a mistake in fetch',
    ({ url }) => {
      throw new RangeError(`cannot fetch ${url}`);
    },
  ],
  ['a redirect elsewhere', () => new Response('', { status: 307, headers: { location: '//x' } })],
];

describe('guarantee 8, secrets: values, errors and logs', () => {
  test.each(outcomes)('a client with an API key shows no secret after %s', async (_, reaction) => {
    const { fetch } = scriptedFetch(reaction);
    const client = keyClient({ apiKey: canary.apiKey, fetch, ...observed });
    for (const call of [
      () => client.vaults.create({ name: canary.plaintext }),
      () => client.shares.open(canary.shareToken),
      () =>
        createHttpClient(client)
          .GET('/api/v1/documents/share/{token}', {
            params: { path: { token: canary.shareToken } },
          })
          .then(() => Promise.reject(new Error('no error'))),
      () => client.users.updateMe({ password: 'new', currentPassword: canary.password }),
    ]) {
      expectNoCanary(traces(await rejection(call())));
    }
    expectNoCanary(traces(client));
  });

  test.each(outcomes)('a client with a session shows no secret after %s', async (_, reaction) => {
    const { fetch } = scriptedFetch(reaction);
    const store = memoryTokenStore();
    const client = sessionClient({ fetch, session: { store }, ...observed });
    const login = { email: 'ada@example.com', password: canary.password };
    expectNoCanary(traces(await rejection(client.auth.login(login))));
    store.set({ ...canary, expiresIn: 3_600, expiresAt: Number.MAX_SAFE_INTEGER });
    expectNoCanary(traces(await rejection(client.vaults.get('1'))));
    store.set({ ...canary, expiresIn: 3_600, expiresAt: 0 });
    expectNoCanary(traces(await rejection(client.vaults.get('1'))));
    store.set({ ...canary, accessToken: `${canary.accessToken}\n`, expiresIn: 1, expiresAt: 1e15 });
    expectNoCanary(traces(await rejection(client.vaults.get('1'))));
    expectNoCanary(traces(client));
  });

  test('a cipher and a DecryptionError show no secret', async () => {
    const cipher = await cheapCipher(canary.passphrase, { iterations: 1 });
    const other = await cheapCipher(`${canary.passphrase}!`, { iterations: 1 });
    const bytes = new TextEncoder().encode(canary.plaintext);
    const sealed = await cipher.encrypt(bytes, { fileName: 'a.txt' });
    expectNoCanary(traces(cipher));
    expectNoCanary(traces(await rejection(other.decrypt(sealed))));
    const { fetch, sent } = scriptedFetch(() => failure(403, 'INSUFFICIENT_PERMISSIONS'));
    const client = keyClient({ apiKey: canary.apiKey, fetch, ...observed });
    const upload = client.documents.upload(bytes, { vaultId: '1', cipher, fileName: 'a.txt' });
    expectNoCanary(traces(await rejection(upload)));
    expectNoCanary(`${sent[0]?.body}`);
    expect(sent[0]?.body).not.toContain(Buffer.from(canary.plaintext).toString('base64'));
  });

  test.each(outcomes)('openShare shows no secret of the link after %s', async (_, reaction) => {
    const { fetch, sent } = scriptedFetch(reaction);
    const page = 'https://app.example.com/open';
    const link = `${page}#v1.${canary.shareToken}.${canary.documentKey}`;
    for (const url of [link, `${link}A`, link.replace('https', 'http'), link.slice(8)]) {
      const opening = openShare(url, { fetch, maxRetries: 0 });
      expectNoCanary(traces(await rejection(opening)));
    }
    expect(JSON.stringify(sent)).not.toContain(canary.documentKey);
    const client = keyClient({ apiKey: canary.apiKey, fetch, ...observed });
    await client.vaults.get('1').catch(() => {});
  });

  test('shareUrl and encrypted names show no secret', async () => {
    const cipher = await cheapCipher(canary.passphrase, { iterations: 1 });
    const options = { id: 'd1', fileName: canary.fileName, encryptFileName: true };
    const document = await cipher.seal(canary.plaintext, options);
    expectNoCanary(traces(document));
    const shared = { documentId: 'd1', access: 'anyone', shareToken: canary.shareToken };
    const { fetch } = scriptedFetch(({ url }) =>
      url.endsWith('/share') ? json(shared) : failure(403, 'INSUFFICIENT_PERMISSIONS'),
    );
    const client = keyClient({ apiKey: canary.apiKey, fetch, ...observed });
    const { shareToken: _, ...share } = await client.shares.create('d1');
    const created = await client.shares.create('d1');
    const hidden = Object.getOwnPropertySymbols(created).map((key) => Reflect.get(created, key));
    expect(hidden).toHaveLength(1);
    expectNoCanary(traces([share, hidden]));
    const other = await cheapCipher(`${canary.passphrase}!`, { iterations: 1 });
    for (const failing of [
      () => shareUrl(created, { cipher }),
      () => shareUrl(created, { cipher: other, document }),
      () => shareUrl(created, { cipher, document, page: `/${canary.plaintext}` }),
      () => shareUrl({ ...created, access: 'authenticated' }, { cipher, document }),
      () => other.fileName(document),
      () => cipher.fileName({ ...document, fileName: `${document.fileName}AAAA` }),
      () => cipher.encryptFileName(document, `${canary.fileName}/..`),
      () => cipher.encryptFileName(document, canary.fileName.repeat(20)),
    ]) {
      expectNoCanary(traces(await rejection(failing())));
    }
  });

  test('a client shows no token that the service returned', async () => {
    const { fetch } = scriptedFetch(() => json({ ...canary, expiresIn: 3_600 }));
    const client = sessionClient({ fetch, ...observed });
    await client.auth.login({ email: 'ada@example.com', password: canary.password });
    expectNoCanary(traces(client));
  });

  test('a share redirected to an invalid URL shows no share token', async () => {
    const server = await startServer(({ url }, response) => {
      const { host } = new URL(server.url);
      response.writeHead(307, { location: `http://user:pass@${host}${url}` }).end();
    });
    const client = keyClient({ baseUrl: server.url, ...observed });
    const error = await rejection(client.shares.open(canary.shareToken));
    await server.close();
    expect(server.arrivals).toHaveLength(1);
    expectNoCanary(traces(error));
  });
});
