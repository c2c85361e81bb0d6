import {
  DecryptionError,
  type DocumentVault,
  LockedError,
  memoryTokenStore,
  NotFoundError,
  UsageError,
} from '@document-vault/sdk';
import { openShare, shareUrl } from '@document-vault/sdk/share';
import { beforeEach, describe, expect, test } from 'vitest';
import type { VaultKeys } from '../src/generated/types.ts';
import type { AccountService } from './support/account-service.ts';
import { cheapCipher } from './support/cipher.ts';
import { rejection, sessionClient } from './support/client.ts';
import { json } from './support/responses.ts';
import { latch, sessionService } from './support/session.ts';
import {
  about,
  content,
  currentPassword,
  otherVault,
  passphrase,
  unlockedAccount,
  uploaded,
} from './support/unlocked-account.ts';
import { until } from './support/until.ts';

let service: AccountService;
let client: DocumentVault;
let recoveryKey: string;
const proof = { current: { passphrase }, currentPassword };
beforeEach(async () => {
  ({ service, client, recoveryKey } = await unlockedAccount());
});

describe('guarantee 14, encryption: an unlocked client', () => {
  test('uploads, lists and downloads without a cipher', async () => {
    const document = await uploaded(service, client);
    expect(document.encryptionMetadata).toMatchObject({
      keyDerivation: 'VAULT_KEY',
      iterations: 1,
      keyGeneration: 1,
    });
    expect(document.encryptionMetadata).not.toHaveProperty('salt');
    expect(await client.documents.fileName(document)).toBe('return.txt');
    expect(await client.documents.download(document.id)).toMatchObject({
      bytes: content,
      fileName: 'return.txt',
    });
  });

  test('of another device, by passphrase or recovery key, opens the same documents', async () => {
    const document = await uploaded(service, client);
    for (const secret of [{ passphrase }, { recoveryKey: recoveryKey.toLowerCase() }]) {
      const other = service.client();
      await other.unlock(secret);
      expect((await other.documents.download(document.id)).bytes).toEqual(content);
    }
  });

  test('is unlocked by one request, and reads the keys of all vaults by one more', async () => {
    const names = [
      await uploaded(service, client),
      await uploaded(service, client),
      await uploaded(service, client),
    ];
    await client.documents.upload(content, { ...about, vaultId: otherVault });
    const other = service.client();
    service.requests.length = 0;
    await other.unlock({ recoveryKey });
    expect(service.requests).toEqual(['GET keyring']);
    for (const document of names) await other.documents.fileName(document);
    await other.documents.upload(content, { ...about, vaultId: otherVault });
    expect(service.requests).toEqual(['GET keyring', 'GET vault-keys', 'POST documents']);
  });

  test('renames a document, and sends the name encrypted', async () => {
    const document = await uploaded(service, client);
    const renamed = await client.documents.rename(document, 'return-2026.txt');
    expect(renamed.fileName).toMatch(/^enc\./);
    expect(await client.documents.fileName(renamed)).toBe('return-2026.txt');
  });

  test('makes a link of a share without a cipher', async () => {
    const document = await uploaded(service, client);
    const share = { documentId: document.id, access: 'anyone', shareToken: 't'.repeat(43) };
    service.intercept = (request) => (request === 'POST documents' ? json(share) : undefined);
    const created = await client.shares.create(document.id, { access: 'anyone' });
    const link = await shareUrl(created, { document });
    const stored = service.documents.get(document.id);
    const opened = await openShare(link, { fetch: async () => json(stored) });
    expect(opened).toMatchObject({ bytes: content, fileName: 'return.txt' });
    client.lock();
    expect(await rejection(shareUrl(created, { document }))).toBeInstanceOf(LockedError);
  });

  test('sends neither passphrase nor recovery key nor name nor content', async () => {
    await uploaded(service, client);
    for (const secret of [passphrase, recoveryKey, recoveryKey.replaceAll('-', ''), 'return.txt']) {
      expect(service.sent).not.toContain(secret);
    }
    expect(service.sent).not.toContain(Buffer.from(content).toString('base64'));
  });

  test('takes a cipher, decrypts its documents with it alone, and its own documents without it', async () => {
    const cipher = await cheapCipher(passphrase);
    const document = await client.documents.upload(content, { ...about, cipher });
    expect(document.encryptionMetadata.keyDerivation).toBe('PBKDF2');
    expect((await client.documents.download(document.id, { cipher })).bytes).toEqual(content);
    expect(await rejection(client.documents.download(document.id))).toMatchObject({
      reason: 'key',
      message: expect.stringMatching(/encrypted with a passphrase, .*: pass its cipher$/),
    });
    const { id } = await uploaded(service, client);
    expect(await rejection(client.documents.download(id, { cipher }))).toMatchObject({
      reason: 'key',
      message: expect.stringMatching(/encrypted with the keyring, .* pass no cipher$/),
    });
  });
});

describe('guarantee 14, encryption: unlocking', () => {
  test('with a wrong secret rejects with the reason key and touches no document', async () => {
    const other = service.client();
    for (const secret of [{ passphrase: 'corect horse' }, { prf: new Uint8Array(32) }]) {
      const error = await rejection(other.unlock(secret));
      expect(error).toBeInstanceOf(DecryptionError);
      expect(error).toMatchObject({ reason: 'key' });
    }
    expect(service.requests).toEqual(['GET keyring', 'GET keyring']);
    expect(await rejection(other.documents.upload(content, about))).toBeInstanceOf(LockedError);
  });

  test.each<[string, object]>([
    ['a recovery key with a typing error', { recoveryKey: `${'0000-'.repeat(8)}0001` }],
    ['an empty passphrase', { passphrase: '' }],
    ['the output of a passkey that is cut off', { prf: new Uint8Array(16) }],
    ['nothing', {}],
    ['kept keys that JSON has lost', { kept: JSON.parse('{"accountKey":{},"privateKey":{}}') }],
  ])('with %s rejects with a UsageError before any request', async (_, secret) => {
    expect(await rejection(client.unlock(secret as never))).toBeInstanceOf(UsageError);
    expect(service.requests).toEqual([]);
  });

  test('with a keyring that was read before sends nothing', async () => {
    const other = service.client();
    const keyring = await other.keyring.get();
    const wrong = { recoveryKey: await client.keyring.addRecoveryKey(proof) };
    service.requests.length = 0;
    expect(await rejection(other.unlock(wrong, { keyring }))).toMatchObject({ reason: 'key' });
    await other.unlock({ recoveryKey }, { keyring });
    expect(service.requests).toEqual([]);
    expect(other.keep()).toMatchObject({ userId: keyring.userId });
  });

  test('without a keyring rejects with NotFoundError, and creates none', async () => {
    service.keyring = undefined;
    expect(await rejection(client.unlock({ recoveryKey }))).toBeInstanceOf(NotFoundError);
    expect(service.keyring).toBeUndefined();
  });

  test('that was aborted leaves the client locked', async () => {
    const other = service.client();
    const signal = AbortSignal.abort();
    expect(await rejection(other.unlock({ recoveryKey }, { signal }))).toMatchObject({
      name: 'AbortError',
    });
    expect(() => other.keep()).toThrow(LockedError);
  });
});

describe('guarantee 14, encryption: a locked client', () => {
  test('rejects what needs keys with LockedError, and lists and deletes', async () => {
    const document = await uploaded(service, client);
    client.lock();
    for (const work of [
      client.documents.upload(content, about),
      client.documents.download(document.id),
      client.documents.fileName(document),
      client.documents.rename(document, 'other.txt'),
    ]) {
      expect(await rejection(work)).toBeInstanceOf(LockedError);
    }
    expect(() => client.keep()).toThrow(LockedError);
    expect(service.requests).toEqual([]);
    expect(await client.documents.get(document.id, { content: false })).toMatchObject({
      id: document.id,
    });
  });

  test('completes the calls that were running', async () => {
    const document = await uploaded(service, client);
    const { open, opened } = latch();
    service.intercept = async () => {
      await opened;
      return undefined;
    };
    const downloading = client.documents.download(document.id);
    client.lock();
    open();
    expect((await downloading).bytes).toEqual(content);
    expect(await rejection(client.documents.download(document.id))).toBeInstanceOf(LockedError);
  });

  test('stays locked when an unlocking ends that had begun before', async () => {
    const { open, opened } = latch();
    service.intercept = async () => {
      await opened;
      return undefined;
    };
    const unlocking = client.unlock({ recoveryKey });
    client.lock();
    open();
    expect(await rejection(unlocking)).toBeInstanceOf(LockedError);
    expect(() => client.keep()).toThrow(LockedError);
  });

  test('is what another login leaves', async () => {
    const sessions = sessionService();
    const { fetch } = sessions;
    const replies = { '/users/me': { id: 'u1' }, '/keyring': {} } as Record<string, object>;
    const user = sessionClient({
      session: { store: memoryTokenStore() },
      fetch: (async (url: string, init: RequestInit) => {
        const known = Object.keys(replies).find((path) => url.endsWith(path));
        return known ? json(replies[known]) : fetch(url, init);
      }) as never,
    });
    await user.auth.login({ email: 'ada@example.com', password: 'secret' });
    await user.keyring.create({ passphrase });
    expect(user.keep()).toMatchObject({ userId: 'u1' });
    await user.auth.login({ email: 'bob@example.com', password: 'secret' });
    expect(() => user.keep()).toThrow(LockedError);
  });

  test('is not unlocked by the call of an earlier user, nor does that lock the next one', async () => {
    const { open, opened } = latch();
    const sessions = sessionService();
    const stored = service.keyring;
    let isSlow = true;
    let isAsked = false;
    const user = sessionClient({
      session: { store: memoryTokenStore() },
      fetch: (async (url: string, init: RequestInit) => {
        if (!url.endsWith('/keyring')) return sessions.fetch(url, init);
        isAsked = true;
        if (isSlow) await opened;
        return json(stored);
      }) as never,
    });
    await user.auth.login({ email: 'ada@example.com', password: 'secret' });
    const unlocking = user.unlock({ recoveryKey });
    await until(() => isAsked);
    await user.auth.login({ email: 'bob@example.com', password: 'secret' });
    isSlow = false;
    await user.unlock({ recoveryKey });
    open();
    expect(await rejection(unlocking)).toBeInstanceOf(LockedError);
    expect(user.keep()).toBeDefined();
  });
});

describe('kept keys', () => {
  test('unlock without a secret, and cannot be read', async () => {
    const document = await uploaded(service, client);
    const kept = structuredClone(client.keep());
    for (const key of [kept.accountKey, kept.privateKey]) expect(key.extractable).toBe(false);
    const other = service.client();
    await other.unlock({ kept });
    expect(service.requests).toEqual([]);
    expect((await other.documents.download(document.id)).bytes).toEqual(content);
  });

  test('of a keyring that was replaced leave the client without keys, after two requests', async () => {
    const document = await uploaded(service, client);
    const kept = client.keep();
    const [keys] = service.vaultKeys.values();
    await client.keyring.replace({ passphrase, currentPassword });
    service.vaultKeys.set(otherVault, { ...(keys as VaultKeys), vaultId: otherVault });
    await client.unlock({ kept });
    service.requests.length = 0;
    for (const work of [
      client.documents.fileName(document),
      client.documents.upload(content, about),
    ]) {
      expect(await rejection(work)).toBeInstanceOf(LockedError);
    }
    expect(service.requests).toEqual(['GET vault-keys', 'GET keyring']);
  });
});
