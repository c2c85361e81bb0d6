import { inspect } from 'node:util';
import {
  DecryptionError,
  type DocumentVault,
  LockedError,
  memoryTokenStore,
  NotFoundError,
  UsageError,
  ValidationError,
  type VaultKeys,
} from '@document-vault/sdk';
import { createCipher } from '@document-vault/sdk/crypto';
import { openShare, shareUrl } from '@document-vault/sdk/share';
import { beforeEach, describe, expect, test } from 'vitest';
import { AccountService, userId, vaultId } from './support/account-service.ts';
import { rejection, sessionClient } from './support/client.ts';
import { json, networkError } from './support/responses.ts';
import { latch, sessionService } from './support/session.ts';

const passphrase = 'correct horse battery staple';
const currentPassword = 'the password of the login';
const otherVault = '019cadd9-1528-7b02-8d4f-6c2a7b1e5f89';
const content = new TextEncoder().encode('Total due: 42.00');
const about = { vaultId, fileName: 'return.txt', encryptFileName: true };

let service: AccountService;
let client: DocumentVault;
let recoveryKey: string;
beforeEach(async () => {
  service = new AccountService();
  client = service.client();
  ({ recoveryKey } = await client.keyring.create({ passphrase }));
  service.requests.length = 0;
});

/** Another device of the account, unlocked. */
async function device(): Promise<DocumentVault> {
  const other = service.client();
  await other.unlock({ recoveryKey });
  service.requests.length = 0;
  return other;
}

async function uploaded(from = client) {
  const document = await from.documents.upload(content, about);
  service.requests.length = 0;
  return document;
}

describe('guarantee 14, encryption: an unlocked client', () => {
  test('uploads, lists and downloads without a cipher', async () => {
    const document = await uploaded();
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
    const document = await uploaded();
    for (const secret of [{ passphrase }, { recoveryKey: recoveryKey.toLowerCase() }]) {
      const other = service.client();
      await other.unlock(secret);
      expect((await other.documents.download(document.id)).bytes).toEqual(content);
    }
  });

  test('is unlocked by one request, and reads the keys of all vaults by one more', async () => {
    const names = [await uploaded(), await uploaded(), await uploaded()];
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
    const document = await uploaded();
    const renamed = await client.documents.rename(document, 'return-2026.txt');
    expect(renamed.fileName).toMatch(/^enc\./);
    expect(await client.documents.fileName(renamed)).toBe('return-2026.txt');
  });

  test('makes a link of a share without a cipher', async () => {
    const document = await uploaded();
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
    await uploaded();
    for (const secret of [passphrase, recoveryKey, recoveryKey.replaceAll('-', ''), 'return.txt']) {
      expect(service.sent).not.toContain(secret);
    }
    expect(service.sent).not.toContain(Buffer.from(content).toString('base64'));
  });

  test('takes a cipher, and refuses its documents without it', async () => {
    const cipher = await createCipher({ passphrase, iterations: 1_000 });
    const document = await client.documents.upload(content, { ...about, cipher });
    expect(document.encryptionMetadata.keyDerivation).toBe('PBKDF2');
    expect((await client.documents.download(document.id, { cipher })).bytes).toEqual(content);
    expect(await rejection(client.documents.download(document.id))).toMatchObject({
      reason: 'metadata',
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
    const document = await uploaded();
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
    const document = await uploaded();
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

  test('is not unlocked by the call of an earlier user', async () => {
    const { open, opened } = latch();
    const sessions = sessionService();
    const { fetch } = sessions;
    const stored = service.keyring;
    const user = sessionClient({
      session: { store: memoryTokenStore() },
      fetch: (async (url: string, init: RequestInit) => {
        if (!url.endsWith('/keyring')) return fetch(url, init);
        await opened;
        return json(stored);
      }) as never,
    });
    await user.auth.login({ email: 'ada@example.com', password: 'secret' });
    const unlocking = user.unlock({ recoveryKey });
    await user.auth.login({ email: 'bob@example.com', password: 'secret' });
    open();
    await rejection(unlocking);
    expect(() => user.keep()).toThrow(LockedError);
  });
});

describe('kept keys', () => {
  test('unlock without a secret, and cannot be read', async () => {
    const document = await uploaded();
    const kept = structuredClone(client.keep());
    for (const key of [kept.accountKey, kept.privateKey]) expect(key.extractable).toBe(false);
    const other = service.client();
    await other.unlock({ kept });
    expect((await other.documents.download(document.id)).bytes).toEqual(content);
  });

  test('of another account, or of a keyring that was replaced, reject with the reason key', async () => {
    const kept = client.keep();
    await client.keyring.replace({ passphrase, currentPassword });
    expect(await rejection(client.unlock({ kept }))).toMatchObject({ reason: 'key' });
    const stranger = { ...client.keep(), userId: 'another' };
    expect(await rejection(client.unlock({ kept: stranger }))).toMatchObject({ reason: 'key' });
  });
});

describe('the keyring', () => {
  test('is not replaced by create, also with the password of the login', async () => {
    const form = { passphrase: 'another', currentPassword };
    expect(await rejection(client.keyring.create(form))).toBeInstanceOf(ValidationError);
    expect(service.keyring?.version).toBe(1);
  });

  test('that is created during a lock returns its recovery key, and stays locked', async () => {
    const other = new AccountService();
    const starting = other.client();
    other.intercept = async (request) => {
      if (request === 'PUT keyring') starting.lock();
      return undefined;
    };
    const created = await starting.keyring.create({ passphrase });
    expect(() => starting.keep()).toThrow(LockedError);
    await starting.unlock(created);
  });

  test.each([
    () => client.unlock(passphrase as never),
    () => client.keyring.create(passphrase as never),
    () => client.keyring.setPassphrase('next', { current: passphrase as never, currentPassword }),
  ])('quotes no secret that is passed as a text: call %#', async (call) => {
    const error = await rejection(call());
    expect(error).toBeInstanceOf(UsageError);
    for (const shown of [String(error), inspect(error)]) expect(shown).not.toContain(passphrase);
  });

  test('is not created a second time', async () => {
    const error = await rejection(client.keyring.create({ passphrase: 'another' }));
    expect(error).toBeInstanceOf(ValidationError);
    await service.client().unlock({ passphrase });
  });

  test('gets a new passphrase by one change, for any number of documents', async () => {
    const document = await uploaded();
    await client.keyring.setPassphrase('a new one', { current: { recoveryKey }, currentPassword });
    expect(service.requests).toEqual(['GET keyring', 'PUT keyring']);
    const other = service.client();
    expect(await rejection(other.unlock({ passphrase }))).toMatchObject({ reason: 'key' });
    await other.unlock({ passphrase: 'a new one' });
    expect((await other.documents.download(document.id)).bytes).toEqual(content);
  });

  test('gets no new passphrase by a wrong one', async () => {
    const proof = { current: { passphrase: 'wrong' }, currentPassword };
    const error = await rejection(client.keyring.setPassphrase('a new one', proof));
    expect(error).toMatchObject({ reason: 'key' });
    expect(service.requests).toEqual(['GET keyring']);
  });

  test('gets further recovery keys and passkeys, and loses them', async () => {
    const proof = { current: { recoveryKey }, currentPassword };
    const second = await client.keyring.addRecoveryKey({ ...proof, label: 'safe' });
    const prf = crypto.getRandomValues(new Uint8Array(32));
    await client.keyring.addPasskey({ ...proof, prf, credentialId: new Uint8Array(16) });
    await service.client().unlock({ recoveryKey: second });
    await service.client().unlock({ prf });
    const { unlockers } = await client.keyring.get();
    expect(unlockers.map(({ label }) => label)).toEqual([
      'Passphrase',
      'Recovery key',
      'safe',
      'Passkey',
    ]);
    await client.keyring.remove(String(unlockers[3]?.id), { currentPassword });
    expect(await rejection(service.client().unlock({ prf }))).toMatchObject({ reason: 'key' });
    const refusal = client.keyring.remove(String(unlockers[0]?.id), { currentPassword });
    expect(await rejection(refusal)).toBeInstanceOf(UsageError);
  });

  test('is changed although the response of the change was lost', async () => {
    let lost = 0;
    service.intercept = async (request) => {
      if (request !== 'PUT keyring' || lost++ > 0) return undefined;
      service.intercept = () => undefined;
      const [change = '{}'] = service.sent.trim().split('\n').slice(-1);
      service.keyring = { ...JSON.parse(change.slice(change.indexOf('{'))), userId };
      throw networkError('ECONNRESET');
    };
    await client.keyring.setPassphrase('a new one', { current: { recoveryKey }, currentPassword });
    expect(lost).toBe(1);
    await service.client().unlock({ passphrase: 'a new one' });
  });

  test('is not changed over the change of another client', async () => {
    const { open, opened } = latch();
    service.intercept = async (request) => {
      if (request === 'PUT keyring') await opened;
      return undefined;
    };
    const proof = { current: { recoveryKey }, currentPassword };
    const slow = client.keyring.addRecoveryKey(proof);
    const second = service.client().keyring.addRecoveryKey(proof);
    open();
    const results = await Promise.allSettled([slow, second]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { name: 'ValidationError' },
    });
  });

  test('that is replaced leaves old documents unreadable and vaults usable', async () => {
    const document = await uploaded();
    await client.keyring.replace({ passphrase: 'a new one', currentPassword });
    expect(await rejection(client.documents.download(document.id))).toMatchObject({
      name: 'DecryptionError',
      reason: 'key',
    });
    const next = await client.documents.upload(content, about);
    expect(next.encryptionMetadata.keyGeneration).toBe(2);
    expect((await client.documents.download(next.id)).bytes).toEqual(content);
    expect(await rejection(client.documents.download(document.id))).toMatchObject({
      reason: 'key',
    });
  });
});

describe('the first key of a vault', () => {
  test('is not stored under the keys of a keyring that another device has replaced', async () => {
    const other = await device();
    await client.keyring.replace({ passphrase, currentPassword });
    const refused = await rejection(other.documents.upload(content, about));
    expect(refused).toBeInstanceOf(LockedError);
    expect(service.vaultKeys.size).toBe(0);
  });

  test('is the same for any spelling of its id', async () => {
    const upper = { ...about, vaultId: vaultId.toUpperCase() };
    service.intercept = (request) => {
      if (request === 'POST documents') service.intercept = () => undefined;
      return undefined;
    };
    await client.documents.upload(content, upper);
    const [stored] = [...service.documents.values()];
    service.documents.set(String(stored?.id), { ...stored, vaultId });
    const other = await device();
    expect((await other.documents.download(String(stored?.id))).bytes).toEqual(content);
    const second = await other.documents.upload(content, upper);
    expect(second.encryptionMetadata.keyGeneration).toBe(1);
  });

  test('is read for more than 100 vaults', async () => {
    await client.documents.upload(content, about);
    const keys = service.vaultKeys.get(vaultId) as VaultKeys;
    for (let n = 0; n < 130; n++) {
      service.vaultKeys.set(`another-${n}`, { ...keys, vaultId: `another-${n}` });
    }
    const rows = await client.vaults.keys.list({ pageSize: 100 }).toArray();
    expect(new Set(rows.map((row) => row.vaultId)).size).toBe(131);
  });

  test('is stored before the first upload, once for uploads that begin together', async () => {
    const uploads = [1, 2, 3].map(() => client.documents.upload(content, about));
    const documents = await Promise.all(uploads);
    expect(service.requests.indexOf('PUT vaults')).toBeLessThan(
      service.requests.indexOf('POST documents'),
    );
    const other = await device();
    for (const { id } of documents) {
      expect((await other.documents.download(id)).bytes).toEqual(content);
    }
  });

  test('of two devices that create it is that of the first one', async () => {
    const other = await device();
    // Both have read that the vault has none.
    await rejection(client.documents.upload('x', { ...about, fileName: 'a/b' }));
    service.intercept = async (request) => {
      if (request !== 'PUT vaults') return undefined;
      service.intercept = () => undefined;
      await other.documents.upload(content, about);
      return undefined;
    };
    const document = await client.documents.upload(content, about);
    const third = await device();
    expect((await third.documents.download(document.id)).bytes).toEqual(content);
  });
});

describe('a malicious service is detected when it', () => {
  test('returns an earlier key of a vault, which encrypts nothing from then on', async () => {
    const document = await uploaded();
    const first = service.vaultKeys.get(vaultId) as VaultKeys;
    await client.keyring.replace({ passphrase, currentPassword });
    await client.documents.upload(content, about);
    const second = service.vaultKeys.get(vaultId) as VaultKeys;
    const stored = service.documents.get(document.id);
    const encryptionMetadata = { ...document.encryptionMetadata, keyGeneration: 3 };
    service.documents.set(document.id, { ...stored, encryptionMetadata });
    for (const earlier of [first, { ...second, sealed: null }, { ...second, generation: 1 }]) {
      service.vaultKeys.set(vaultId, earlier);
      const refused = await rejection(client.documents.download(document.id));
      expect(refused).toMatchObject({ reason: 'keys' });
      const next = await client.documents.upload(content, about);
      expect(next.encryptionMetadata.keyGeneration).toBe(2);
      expect(service.vaultKeys.get(vaultId)).toEqual(earlier);
    }
    service.vaultKeys.set(vaultId, second);
    expect(await client.documents.upload(content, about)).toBeDefined();
  });

  test.each([0, -1, 1.5, 251, 2 ** 31])('says that a vault has %d keys', async (generation) => {
    const document = await uploaded();
    const keys = service.vaultKeys.get(vaultId) as VaultKeys;
    service.vaultKeys.set(vaultId, { ...keys, generation, sealed: null });
    const other = await device();
    const refused = await rejection(other.documents.download(document.id));
    expect(refused).toMatchObject({ name: 'DecryptionError', reason: 'keys' });
  });

  test('returns the keys of another vault', async () => {
    const document = await uploaded();
    await client.documents.upload(content, { ...about, vaultId: otherVault });
    const foreign = service.vaultKeys.get(otherVault);
    if (foreign) service.vaultKeys.set(vaultId, { ...foreign, vaultId });
    const other = await device();
    expect(await rejection(other.documents.download(document.id))).toMatchObject({
      name: 'DecryptionError',
      reason: 'keys',
    });
    expect(await rejection(other.documents.upload(content, about))).toMatchObject({
      reason: 'keys',
    });
  });

  test('says that a vault has another number of keys, or fewer than before', async () => {
    const document = await uploaded();
    const keys = service.vaultKeys.get(vaultId);
    if (keys) service.vaultKeys.set(vaultId, { ...keys, generation: 2 });
    const other = await device();
    expect(await rejection(other.documents.download(document.id))).toMatchObject({
      reason: 'keys',
    });
    service.vaultKeys.delete(vaultId);
    const stored = service.documents.get(document.id);
    const metadata = { ...(stored?.encryptionMetadata as object), keyGeneration: 2 };
    service.documents.set(document.id, { ...stored, encryptionMetadata: metadata });
    expect(await rejection(client.documents.download(document.id))).toMatchObject({
      reason: 'keys',
    });
  });

  test('moves a document to another vault, or gives it the key of another document', async () => {
    const document = await uploaded();
    const second = await uploaded();
    await client.documents.upload(content, { ...about, vaultId: otherVault });
    const stored = service.documents.get(document.id);
    const wrappedKey = second.encryptionMetadata.wrappedKey;
    for (const change of [
      { vaultId: otherVault },
      { encryptionMetadata: { ...document.encryptionMetadata, wrappedKey } },
    ]) {
      service.documents.set(document.id, { ...stored, ...change });
      expect(await rejection(client.documents.download(document.id))).toMatchObject({
        reason: 'key',
      });
    }
  });

  test.each(['PBKDF2', 'HPKE', 'none'])('labels a document as one of %s', async (keyDerivation) => {
    const document = await uploaded();
    const stored = service.documents.get(document.id);
    const encryptionMetadata = {
      ...document.encryptionMetadata,
      ...{ keyDerivation, iterations: 600_000, salt: 'AAAAAAAAAAAAAAAAAAAAAA==' },
    };
    service.documents.set(document.id, { ...stored, encryptionMetadata });
    expect(await rejection(client.documents.download(document.id))).toMatchObject({
      reason: 'metadata',
    });
  });

  test('returns the keyring of another account', async () => {
    const stranger = new AccountService();
    await stranger.client().keyring.create({ passphrase: 'another' });
    service.keyring = stranger.keyring;
    expect(await rejection(service.client().unlock({ recoveryKey }))).toMatchObject({
      reason: 'key',
    });
  });
});

describe('a malicious service is not detected when it', () => {
  test('returns an old keyring to a client without memory: what was removed still opens that', async () => {
    const old = service.keyring;
    await client.keyring.setPassphrase('a new one', { current: { recoveryKey }, currentPassword });
    service.keyring = old;
    await service.client().unlock({ passphrase });
  });
});
