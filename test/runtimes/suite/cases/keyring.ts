import { DocumentVault } from '@document-vault/sdk';
import { rejects, same } from '../check.ts';
import { JumpingClock } from '../clients.ts';
import type { Case, Environment } from '../suite.ts';

const passphrase = 'correct horse battery staple';

/** Creates an account and a keyring. `device` returns a signed-in client that is locked. */
async function newAccount({ service: baseUrl }: Environment) {
  const email = `${crypto.randomUUID()}@example.com`;
  const password = 'a password of the login';
  const open = () => new DocumentVault({ baseUrl, session: {}, clock: new JumpingClock() });
  const client = open();
  await client.auth.register({ email, password, name: 'Ada' });
  await client.auth.login({ email, password });
  const { recoveryKey } = await client.keyring.create({ passphrase });
  const { id: vaultId } = await client.vaults.create({ name: 'Taxes' });
  const about = { vaultId, fileName: 'return.txt', encryptFileName: true };
  const document = await client.documents.upload('Total due: 42.00', about);
  const device = async () => {
    const other = open();
    await other.auth.login({ email, password });
    return other;
  };
  return { client, device, document, password, recoveryKey };
}

export const keyringCases: readonly Case[] = [
  {
    name: 'a document of an unlocked client is read on another device, by passphrase and by recovery key',
    async run(environment) {
      const { device, document, recoveryKey } = await newAccount(environment);
      for (const secret of [{ passphrase }, { recoveryKey }]) {
        const other = await device();
        await other.unlock(secret);
        same(await other.documents.fileName(document), 'return.txt', 'name');
        const { bytes } = await other.documents.download(document.id);
        same(new TextDecoder().decode(bytes), 'Total due: 42.00', 'content');
      }
    },
  },
  {
    name: 'a wrong secret rejects with a DecryptionError, and the client stays locked',
    async run(environment) {
      const { device, document } = await newAccount(environment);
      const other = await device();
      await rejects(other.unlock({ passphrase: 'corect horse' }), {
        name: 'DecryptionError',
        reason: 'key',
      });
      await rejects(other.documents.download(document.id), { name: 'LockedError' });
    },
  },
  {
    name: 'kept keys unlock after a structured clone',
    skip: ({ runtime }) =>
      runtime === 'workerd'
        ? 'workerd clones no keys: Workers unlock by a recovery key'
        : undefined,
    async run(environment) {
      const { client, device, document } = await newAccount(environment);
      const kept = structuredClone(client.keep());
      client.lock();
      await rejects(client.documents.fileName(document), { name: 'LockedError' });
      const other = await device();
      await other.unlock({ kept });
      same(await other.documents.fileName(document), 'return.txt', 'name');
    },
  },
  {
    name: 'a new passphrase opens the keyring, and the old one does not',
    async run(environment) {
      const {
        client,
        device,
        password: currentPassword,
        recoveryKey,
      } = await newAccount(environment);
      await client.keyring.setPassphrase('a new one', {
        current: { recoveryKey },
        currentPassword,
      });
      const other = await device();
      await rejects(other.unlock({ passphrase }), { name: 'DecryptionError', reason: 'key' });
      await other.unlock({ passphrase: 'a new one' });
    },
  },
];
