import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CreateShare, DocumentVault, NotFoundError } from '@document-vault/sdk';
import { type Cipher, DecryptionError } from '@document-vault/sdk/crypto';
import { openShare, shareUrl } from '@document-vault/sdk/share';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { dataFolder } from '../../server/test/support/data-folder.ts';
import { newKey } from '../../server/test/support/resources.ts';
import { startTestServer } from '../../server/test/support/server.ts';
import { listen } from '../../server/test/support/webhook-events.ts';
import { startRecordingProxy } from './recording-proxy.ts';
import { cheapCipher } from './support/cipher.ts';
import { rejection } from './support/client.ts';

const text = 'CANARY-PLAINTEXT of a contract';
const fileName = 'CANARY-NAME of a contract.txt';

let cipher: Cipher;
beforeAll(async () => {
  cipher = await cheapCipher('CANARY-PASSPHRASE');
});

/** A real server behind a proxy that sees all, a user with a webhook, and an uploaded document. */
async function startWithLink() {
  const folder = await dataFolder();
  const server = await startTestServer({ data: folder, requestsPerMinute: { enterprise: 10_000 } });
  const { email, password, call } = await server.signUp('ada@example.com');
  const hook = await listen({ server, call });
  const proxy = await startRecordingProxy(server.url);
  onTestFinished(proxy.close);
  const clock = { now: () => server.clock.now(), sleep: async () => {} };
  const client = new DocumentVault({ baseUrl: proxy.url, session: {}, clock });
  await client.auth.login({ email, password });
  const { id: vaultId } = await client.vaults.create({ name: 'Contracts' });
  const upload = (content = text) =>
    client.documents.upload(content, { vaultId, cipher, fileName, encryptFileName: true });
  const document = await upload();
  const link = async (share: CreateShare = {}) => {
    const created = await client.shares.create(document.id, { access: 'anyone', ...share });
    return { share: created, url: await shareUrl(created, { cipher, document }) };
  };
  return { folder, server, hook, proxy, client, document, upload, link };
}

describe('guarantee 15, share links: with the service', () => {
  test('a link opens its document without an account, and neither key nor name reaches the service', async () => {
    const { folder, hook, proxy, client, document, link } = await startWithLink();
    const { share, url } = await link({ maxAccessCount: 2 });
    const opened = await openShare(url);
    expect(Buffer.from(opened.bytes).toString()).toBe(text);
    expect(opened.fileName).toBe(fileName);
    const [listed] = (await client.documents.list()).data;
    expect(listed && (await cipher.fileName(listed))).toBe(fileName);
    const renamed = await cipher.encryptFileName(document, `${fileName} (new)`);
    await client.documents.update(document.id, { fileName: renamed });
    expect((await openShare(url)).fileName).toBe(`${fileName} (new)`);

    const key = url.split('.').at(-1) ?? '';
    const raw = Buffer.from(key, 'base64url');
    const secrets = ['CANARY', key, url.split('#')[1] ?? '', raw.toString('base64')];
    expect(proxy.seen.filter((request) => request.includes(share.shareToken))).toHaveLength(2);
    for (const request of proxy.seen) expectNone(Buffer.from(request), secrets);
    const events = await hook.events();
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['document.uploaded', 'document.updated', 'document.share.accessed']),
    );
    expectNone(Buffer.from(JSON.stringify(events)), secrets);
    const files = await readdir(folder);
    expect(files).not.toEqual([]);
    for (const file of files) {
      const content = await readFile(join(folder, file));
      expectNone(content, secrets);
      expect(content.includes(raw)).toBe(false);
    }
  });

  test('the key of a link opens no other document of the passphrase', async () => {
    const { client, upload, link } = await startWithLink();
    const { url } = await link();
    const other = await upload('Something else');
    const share = await client.shares.create(other.id, { access: 'anyone' });
    const mixed = new URL(url);
    const [, , ...documentAndKey] = url.split('#')[1]?.split('.') ?? [];
    mixed.hash = ['v2', share.shareToken, ...documentAndKey].join('.');
    expect(await rejection(openShare(mixed))).toBeInstanceOf(DecryptionError);
  });

  test('a share that another account or no account opens has no salt, iterations or wrapped key', async () => {
    const { server, proxy, client, document, link } = await startWithLink();
    const { share, url } = await link();
    const { encryptionMetadata } = (await openShare(url)).document;
    const { algorithm, iv, authTag } = document.encryptionMetadata;
    expect(encryptionMetadata).toEqual({ algorithm, iv, authTag });
    const other = await server.signUp('other@example.com');
    const key = await newKey(other.call, ['documents:share']);
    for (const apiKey of [undefined, key.key]) {
      const stranger = new DocumentVault({
        baseUrl: proxy.url,
        ...(apiKey ? { apiKey } : { session: {} }),
      });
      const opened = await stranger.shares.open(share.shareToken);
      expect(opened.encryptionMetadata).toEqual({ algorithm, iv, authTag });
      const error = await rejection(stranger.shares.open(share.shareToken, { cipher }));
      expect(error).toBeInstanceOf(DecryptionError);
      expect(String(error)).toContain('for a share of another account');
    }
    const { bytes } = await client.shares.open(share.shareToken, { cipher });
    expect(Buffer.from(bytes).toString()).toBe(text);
  });

  test('a link of a spent, expired or revoked share rejects with NOT_FOUND', async () => {
    const { server, client, document, link } = await startWithLink();
    const spent = await link({ maxAccessCount: 1 });
    const revoked = await link();
    const expired = await link({
      expiresAt: new Date(server.clock.now() + 60_000).toISOString(),
    });
    for (const { url } of [spent, revoked, expired]) await openShare(url);
    await client.shares.delete(document.id, revoked.share.id);
    server.clock.advance(60_001);
    for (const { url } of [spent, revoked, expired]) {
      const error = await rejection(openShare(url));
      expect(error).toBeInstanceOf(NotFoundError);
      expect(error).toMatchObject({ attempts: 1, path: '/api/v1/documents/share/{token}' });
    }
  });
});

function expectNone(content: Buffer, secrets: readonly string[]): void {
  for (const secret of secrets) expect(content.includes(secret), secret).toBe(false);
}
