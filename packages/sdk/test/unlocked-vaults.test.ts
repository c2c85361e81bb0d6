import {
  DecryptionError,
  type DocumentVault,
  LockedError,
  UsageError,
  type VaultKeys,
} from '@document-vault/sdk';
import { createCipher } from '@document-vault/sdk/crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { AccountService, vaultId } from './support/account-service.ts';
import { rejection } from './support/client.ts';
import { failure, json } from './support/responses.ts';
import { latch } from './support/session.ts';
import {
  about,
  content,
  currentPassword,
  device,
  otherVault,
  passphrase,
  unlockedAccount,
  uploaded,
} from './support/unlocked-account.ts';

let service: AccountService;
let client: DocumentVault;
let recoveryKey: string;
beforeEach(async () => {
  ({ service, client, recoveryKey } = await unlockedAccount());
});

describe('the first key of a vault', () => {
  test('the first upload to a vault sends GET keyring and PUT vaults, after an unlock also GET vault-keys', async () => {
    await client.documents.upload(content, about);
    expect(service.requests).toEqual(['GET keyring', 'PUT vaults', 'POST documents']);
    const other = await device(service, recoveryKey);
    await other.documents.upload(content, { ...about, vaultId: otherVault });
    expect(service.requests.slice(0, -1)).toEqual(['GET vault-keys', 'GET keyring', 'PUT vaults']);
  });

  test('the first key of a vault is not stored under a keyring that another device has replaced', async () => {
    const other = await device(service, recoveryKey);
    await client.keyring.replace({ passphrase, currentPassword });
    const refused = await rejection(other.documents.upload(content, about));
    expect(refused).toBeInstanceOf(LockedError);
    expect(service.vaultKeys.size).toBe(0);
  });

  test('uploads to one vault, its id in upper and lower case, use the same key', async () => {
    const upper = { ...about, vaultId: vaultId.toUpperCase() };
    await client.documents.upload(content, upper);
    const [stored] = [...service.documents.values()];
    service.documents.set(String(stored?.id), { ...stored, vaultId });
    const other = await device(service, recoveryKey);
    expect((await other.documents.download(String(stored?.id))).bytes).toEqual(content);
    const second = await other.documents.upload(content, upper);
    expect(second.encryptionMetadata.keyGeneration).toBe(1);
  });

  test('of two devices that create the first key of a vault, both use that of the first one', async () => {
    const other = await device(service, recoveryKey);
    service.intercept = async (request) => {
      if (request !== 'PUT vaults') return undefined;
      service.intercept = () => undefined;
      await other.documents.upload(content, about);
      return undefined;
    };
    const document = await client.documents.upload(content, about);
    const third = await device(service, recoveryKey);
    expect((await third.documents.download(document.id)).bytes).toEqual(content);
  });
});

describe('moving a document', () => {
  test('a moved document opens under the key of its new vault alone', async () => {
    const document = await uploaded(service, client);
    const moved = await client.documents.move(document, otherVault);
    expect(moved.vaultId).toBe(otherVault);
    const other = await device(service, recoveryKey);
    expect(await other.documents.download(document.id)).toMatchObject({
      bytes: content,
      fileName: 'return.txt',
    });
    const back = { ...moved, vaultId };
    expect(await rejection(other.documents.fileName(back))).toBeInstanceOf(DecryptionError);
  });

  test('documents.move sends nothing when the client is locked, or the key of the document does not open', async () => {
    const document = await uploaded(service, client);
    const wrong = { ...document, vaultId: otherVault };
    expect(await rejection(client.documents.move(wrong, vaultId))).toMatchObject({
      name: 'DecryptionError',
    });
    client.lock();
    const refused = await rejection(client.documents.move(document, otherVault));
    expect(refused).toBeInstanceOf(LockedError);
    expect(service.requests).not.toContain('PUT documents');
  });

  test('a locked client moves a document of a cipher, whose wrapped key stays', async () => {
    const cipher = await createCipher({ passphrase });
    const document = await client.documents.upload(content, { ...about, cipher });
    client.lock();
    const moved = await client.documents.move(document, otherVault);
    expect(moved).toMatchObject({ ...document, vaultId: otherVault });
  });
});

describe('the keys of all vaults', () => {
  /** Stores the keys of 130 further vaults, which the account cannot open, in front of its own. */
  function storeOthers(): void {
    const keys = service.vaultKeys.get(vaultId) as VaultKeys;
    service.vaultKeys.clear();
    for (let n = 0; n < 130; n++) {
      service.vaultKeys.set(`another-${n}`, { ...keys, vaultId: `another-${n}` });
    }
    service.vaultKeys.set(vaultId, keys);
  }

  test('keys of vaults are read 100 at a time, and those that do not open leave the others usable', async () => {
    const document = await uploaded(service, client);
    storeOthers();
    const other = await device(service, recoveryKey);
    expect((await other.documents.download(document.id)).bytes).toEqual(content);
    // Keys that do not open may be those of another keyring.
    const keys = ['GET vault-keys', 'GET vault-keys', 'GET keyring'];
    expect(service.requests).toEqual(['GET documents', ...keys]);
    const rows = await client.vaults.keys.list({ pageSize: 100 }).toArray();
    expect(new Set(rows.map((row) => row.vaultId)).size).toBe(131);
  });

  test('a first key that another device has stored is read once for all documents under it', async () => {
    const other = await device(service, recoveryKey);
    await other.documents.upload(content, { ...about, vaultId: otherVault });
    const documents = [await uploaded(service, client), await uploaded(service, client)];
    const names = await Promise.all(documents.map((one) => other.documents.fileName(one)));
    expect(names).toEqual(['return.txt', 'return.txt']);
    expect(service.requests).toEqual(['GET vault-keys']);
  });

  test('after another device replaced the keyring, calls that need keys reject with LockedError', async () => {
    const other = await device(service, recoveryKey);
    await other.documents.upload(content, { ...about, vaultId: otherVault });
    await client.keyring.replace({ passphrase, currentPassword });
    const document = await uploaded(service, client);
    expect(await rejection(other.documents.fileName(document))).toBeInstanceOf(LockedError);
  });

  test('keys of vaults are requested again after a request has failed', async () => {
    const document = await uploaded(service, client);
    const other = await device(service, recoveryKey);
    service.intercept = (request) =>
      request === 'GET vault-keys' ? failure(403, 'INSUFFICIENT_PERMISSIONS') : undefined;
    expect(await rejection(other.documents.fileName(document))).toMatchObject({
      name: 'PermissionError',
    });
    service.intercept = () => undefined;
    expect(await other.documents.fileName(document)).toBe('return.txt');
  });

  test('the newest keys of a vault stay when an earlier request returns last', async () => {
    const other = await device(service, recoveryKey);
    const { open, opened } = latch();
    let reads = 0;
    service.intercept = async (request) => {
      // After the reading for all vaults and that of the first upload. This answer is from before the first key.
      if (request !== 'GET vault-keys' || ++reads !== 3) return undefined;
      await opened;
      return json({ data: [], pagination: { page: 1, totalCount: 0, hasNextPage: false } });
    };
    const first = other.documents.upload(content, about);
    const second = other.documents.upload(content, about);
    await first;
    open();
    const { id } = await second;
    expect((await other.documents.download(id)).bytes).toEqual(content);
  });

  test('the key of a vault is found by its id in any letter case, and a document without one is a UsageError', async () => {
    const document = await uploaded(service, client);
    const spelled = { ...document, vaultId: vaultId.toUpperCase() };
    expect(await client.documents.fileName(spelled)).toBe('return.txt');
    const { vaultId: _, ...without } = document;
    service.requests.length = 0;
    expect(await rejection(client.documents.fileName(without))).toBeInstanceOf(UsageError);
    expect(service.requests).toEqual([]);
  });
});

describe('what a client detects of a malicious service', () => {
  test('an earlier key of a vault is refused, and encrypts nothing from then on', async () => {
    const document = await uploaded(service, client);
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

  test.each([0, -1, 1.5, 251, 2 ** 31])(
    'a vault that has %d keys, as the service says, is refused',
    async (generation) => {
      const document = await uploaded(service, client);
      const keys = service.vaultKeys.get(vaultId) as VaultKeys;
      service.vaultKeys.set(vaultId, { ...keys, generation, sealed: null });
      const other = await device(service, recoveryKey);
      const refused = await rejection(other.documents.download(document.id));
      expect(refused).toMatchObject({ name: 'DecryptionError', reason: 'keys' });
    },
  );

  test('the keys of another vault are refused', async () => {
    const document = await uploaded(service, client);
    await client.documents.upload(content, { ...about, vaultId: otherVault });
    const foreign = service.vaultKeys.get(otherVault);
    if (foreign) service.vaultKeys.set(vaultId, { ...foreign, vaultId });
    const other = await device(service, recoveryKey);
    expect(await rejection(other.documents.download(document.id))).toMatchObject({
      name: 'DecryptionError',
      reason: 'keys',
    });
    expect(await rejection(other.documents.upload(content, about))).toMatchObject({
      reason: 'keys',
    });
  });

  test('keys of a vault in another number than reported, or fewer than before, are refused', async () => {
    const document = await uploaded(service, client);
    const keys = service.vaultKeys.get(vaultId);
    if (keys) service.vaultKeys.set(vaultId, { ...keys, generation: 2 });
    const other = await device(service, recoveryKey);
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

  test('a document under another vault, or with the key of another document, has the reason key', async () => {
    const document = await uploaded(service, client);
    const second = await uploaded(service, client);
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

  test.each([
    ['PBKDF2', 'key'],
    ['HPKE', 'metadata'],
    ['none', 'metadata'],
  ])(
    'a document that the service labels as %s has the reason %s',
    async (keyDerivation, reason) => {
      const document = await uploaded(service, client);
      const stored = service.documents.get(document.id);
      const encryptionMetadata = {
        ...document.encryptionMetadata,
        ...{ keyDerivation, iterations: 600_000, salt: 'AAAAAAAAAAAAAAAAAAAAAA==' },
      };
      service.documents.set(document.id, { ...stored, encryptionMetadata });
      expect(await rejection(client.documents.download(document.id))).toMatchObject({ reason });
    },
  );

  test('the keyring of another account has the reason key', async () => {
    const stranger = new AccountService();
    await stranger.client().keyring.create({ passphrase: 'another' });
    service.keyring = stranger.keyring;
    expect(await rejection(service.client().unlock({ recoveryKey }))).toMatchObject({
      reason: 'key',
    });
  });
});

describe('what a client does not detect of a malicious service', () => {
  test('a client without memory accepts an old keyring, which a removed recovery key still opens', async () => {
    const old = service.keyring;
    await client.keyring.setPassphrase('a new one', { current: { recoveryKey }, currentPassword });
    service.keyring = old;
    await service.client().unlock({ passphrase });
  });
});
