import { inspect } from 'node:util';
import { type DocumentVault, LockedError, UsageError, ValidationError } from '@document-vault/sdk';
import { beforeEach, describe, expect, test } from 'vitest';
import { AccountService, userId } from './support/account-service.ts';
import { rejection } from './support/client.ts';
import { networkError } from './support/responses.ts';
import { latch } from './support/session.ts';
import {
  about,
  content,
  currentPassword,
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

describe('changes of the keyring', () => {
  test('keyring.create for an account with a keyring rejects with a ValidationError that says what to do', async () => {
    const form = { passphrase: 'another', currentPassword };
    const error = await rejection(client.keyring.create(form));
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({
      message: 'The account has a keyring: unlock it, or replace it when its secrets are lost',
      status: 400,
      path: '/api/v1/keyring',
      details: { field: 'version', constraint: 'version' },
      cause: { name: 'ValidationError', status: 400 },
    });
    await service.client().unlock({ passphrase });
  });

  test('keyring.create returns the recovery key when lock was called meanwhile, and the client stays locked', async () => {
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
    () => client.keyring.remove(recoveryKey, { currentPassword }),
    () => client.unlock(passphrase as never),
    () => client.keyring.create(passphrase as never),
    () => client.keyring.setPassphrase('next', { current: passphrase as never, currentPassword }),
  ])(
    'a secret that is passed as a text is a UsageError that does not quote it: call %#',
    async (call) => {
      const error = await rejection(call());
      expect(error).toBeInstanceOf(UsageError);
      for (const shown of [String(error), inspect(error)]) {
        expect(shown).not.toContain(passphrase);
        expect(shown).not.toContain(recoveryKey);
      }
    },
  );

  test.each<[string, () => Promise<unknown>]>([
    ['create', () => client.keyring.create(undefined as never)],
    ['setPassphrase', () => client.keyring.setPassphrase('next', undefined as never)],
    ['addRecoveryKey', () => client.keyring.addRecoveryKey({ currentPassword } as never)],
  ])('%s without a secret is a UsageError, and nothing is sent', async (_, call) => {
    expect(await rejection(call())).toBeInstanceOf(UsageError);
    expect(service.requests).toEqual([]);
  });

  test('setPassphrase sends one GET and one PUT, and documents open with the new passphrase', async () => {
    const document = await uploaded(service, client);
    await client.keyring.setPassphrase('a new one', { current: { recoveryKey }, currentPassword });
    expect(service.requests).toEqual(['GET keyring', 'PUT keyring']);
    const other = service.client();
    expect(await rejection(other.unlock({ passphrase }))).toMatchObject({ reason: 'key' });
    await other.unlock({ passphrase: 'a new one' });
    expect((await other.documents.download(document.id)).bytes).toEqual(content);
  });

  test('setPassphrase with a wrong current passphrase rejects before the PUT', async () => {
    const proof = { current: { passphrase: 'wrong' }, currentPassword };
    const error = await rejection(client.keyring.setPassphrase('a new one', proof));
    expect(error).toMatchObject({ reason: 'key' });
    expect(service.requests).toEqual(['GET keyring']);
  });

  test('addRecoveryKey and addPasskey add unlockers, and remove removes them', async () => {
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

  test('setPassphrase succeeds when the response of its PUT was lost', async () => {
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

  test('of two clients that change one keyring, one rejects with a ValidationError', async () => {
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

  test('keyring.replace leaves old documents unreadable, and vaults take new ones', async () => {
    const document = await uploaded(service, client);
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
