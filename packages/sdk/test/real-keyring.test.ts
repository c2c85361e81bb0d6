import {
  type Document,
  DocumentVault,
  memoryTokenStore,
  type UploadCheckpoint,
} from '@document-vault/sdk';
import { openShare, shareUrl } from '@document-vault/sdk/share';
import { afterEach, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { nextGeneration, openEntry, sealEntry } from '../src/crypto/vault-keys.ts';
import { rejection } from './support/client.ts';
import { stoppedClock } from './support/real-server.ts';
import { latch } from './support/session.ts';
import { until } from './support/until.ts';

const passphrase = 'correct horse battery staple';
const file = new File([new Uint8Array(9_000_000).fill(7)], 'film.mp4', { type: 'video/mp4' });

let server: TestServer;
afterEach(() => server.close());

/** A client of a new account, as on a device of its user. */
async function signedUp(email: string) {
  const { password } = await server.signUp(email);
  const device = async () => {
    const client = new DocumentVault({ baseUrl: server.url, session: {}, clock: stoppedClock });
    await client.auth.login({ email, password });
    return client;
  };
  return { device, password };
}

test('a person encrypts, signs in elsewhere, changes the passphrase, and shares', async () => {
  server = await startTestServer();
  const { device, password } = await signedUp('ada@example.com');
  const client = await device();
  const { recoveryKey } = await client.keyring.create({ passphrase });
  const vault = await client.vaults.create({ name: 'Films', category: 'personal' });
  const small = await client.documents.upload('Total due: 42.00', {
    ...{ vaultId: vault.id, fileName: 'return.txt', encryptFileName: true },
  });
  // Above 8 MiB: sent in parts.
  const checkpoints: UploadCheckpoint[] = [];
  const large = await client.documents.upload(file, {
    ...{ vaultId: vault.id, encryptFileName: true },
    onCheckpoint: (checkpoint) => void checkpoints.push(checkpoint),
  });
  expect(large.encryptionMetadata).toMatchObject({ keyDerivation: 'VAULT_KEY', keyGeneration: 1 });

  const second = await device();
  expect(await rejection(second.documents.download(small.id))).toMatchObject({
    name: 'LockedError',
  });
  await second.unlock({ passphrase });
  const checkpoint = checkpoints.at(-1) as UploadCheckpoint;
  expect(await second.documents.fileName(checkpoint)).toBe('film.mp4');
  const names: string[] = [];
  for await (const document of second.documents.list({ vaultId: vault.id })) {
    names.push(await second.documents.fileName(document));
  }
  expect(names.sort()).toEqual(['film.mp4', 'return.txt']);
  const film = await second.documents.download(large.id);
  expect(film).toMatchObject({ fileName: 'film.mp4', mimeType: 'video/mp4', size: file.size });
  const { stream } = await second.documents.download(large.id, { as: 'stream' });
  expect((await new Response(stream).arrayBuffer()).byteLength).toBe(file.size);

  const current = { passphrase };
  const refused = second.keyring.setPassphrase('a new one', { current, currentPassword: 'wrong' });
  expect(await rejection(refused)).toMatchObject({ name: 'ValidationError' });
  await second.keyring.setPassphrase('a new one', { current, currentPassword: password });
  const third = await device();
  expect(await rejection(third.unlock({ passphrase }))).toMatchObject({ reason: 'key' });
  await third.unlock({ recoveryKey });
  const renamed = await third.documents.rename(small, 'return-2026.txt');
  const share = await third.shares.create(renamed.id, { access: 'anyone' });
  const opened = await openShare(await shareUrl(share));
  expect(opened).toMatchObject({ fileName: 'return-2026.txt' });
  expect(Buffer.from(opened.bytes).toString()).toBe('Total due: 42.00');
});

/** Gives a vault a new key, as a client does that removes a member. */
async function rotate(client: DocumentVault, vaultId: string): Promise<void> {
  const account = client.keep();
  const [stored] = (await client.vaults.keys.list({ vaultId })).data;
  const entry = nextGeneration(await openEntry(account, vaultId, stored?.sealed ?? ''));
  const sealed = await sealEntry(account, vaultId, entry);
  await client.vaults.keys.update(vaultId, { version: 2, generation: 2, sealed });
}

test.each([
  ['of 16 bytes', new TextEncoder().encode('Total due: 42.00')],
  ['in parts', new Uint8Array(9 * 1024 * 1024)],
])(
  'an upload %s whose vault got a new key from another device is wrapped under that one',
  async (_, bytes) => {
    server = await startTestServer();
    const { device } = await signedUp('ada@example.com');
    const client = await device();
    await client.keyring.create({ passphrase });
    const { id: vaultId } = await client.vaults.create({ name: 'Taxes', category: 'personal' });
    const about = { vaultId, fileName: 'return.txt' };
    await client.documents.upload('a text', about);
    const other = await device();
    await other.unlock({ passphrase });
    await rotate(other, vaultId);
    const document = await client.documents.upload(bytes, { ...about, idempotencyKey: 'k1' });
    expect(document.encryptionMetadata.keyGeneration).toBe(2);
    for (const reader of [client, other]) {
      const downloaded = await reader.documents.download(document.id);
      expect(Buffer.compare(downloaded.bytes, bytes)).toBe(0);
    }
  },
);

test('a document whose new vault got a new key from another device is wrapped under that one', async () => {
  server = await startTestServer();
  const { device } = await signedUp('ada@example.com');
  const client = await device();
  await client.keyring.create({ passphrase });
  const { id: vaultId } = await client.vaults.create({ name: 'Taxes', category: 'personal' });
  const { id: target } = await client.vaults.create({ name: 'Archive', category: 'personal' });
  for (const id of [vaultId, target]) {
    await client.documents.upload('a text', { vaultId: id, fileName: 'return.txt' });
  }
  const document = await client.documents.upload('a text', { vaultId, fileName: 'moved.txt' });
  const other = await device();
  await other.unlock({ passphrase });
  await rotate(other, target);
  const moved = await client.documents.move(document, target);
  expect(moved.encryptionMetadata.keyGeneration).toBe(2);
  for (const reader of [client, other]) {
    expect((await reader.documents.download(document.id)).fileName).toBe('moved.txt');
  }
});

test('a keyring that is replaced takes the old documents with it, and new ones are encrypted', async () => {
  server = await startTestServer();
  const { device, password } = await signedUp('ada@example.com');
  const client = await device();
  await client.keyring.create({ passphrase });
  const { id: vaultId } = await client.vaults.create({ name: 'Taxes', category: 'personal' });
  const upload = (): Promise<Document> =>
    client.documents.upload('a text', { vaultId, fileName: 'a.txt' });
  const lost = await upload();
  await client.keyring.replace({ passphrase: 'a new one', currentPassword: password });
  expect(await rejection(client.documents.download(lost.id))).toMatchObject({ reason: 'key' });
  const next = await upload();
  expect(next.encryptionMetadata.keyGeneration).toBe(2);
  const again = await device();
  await again.unlock({ passphrase: 'a new one' });
  expect((await again.documents.download(next.id)).fileName).toBe('a.txt');
});

test('another account opens nothing with its own keyring', async () => {
  server = await startTestServer();
  const ada = await (await signedUp('ada@example.com')).device();
  const bob = await (await signedUp('bob@example.com')).device();
  await ada.keyring.create({ passphrase });
  await bob.keyring.create({ passphrase });
  const { id: vaultId } = await ada.vaults.create({ name: 'Taxes', category: 'personal' });
  const { id } = await ada.documents.upload('a text', { vaultId, fileName: 'a.txt' });
  expect(await rejection(bob.documents.download(id))).toMatchObject({ name: 'NotFoundError' });
  const upload = bob.documents.upload('b', { vaultId, fileName: 'b.txt' });
  expect(await rejection(upload)).toMatchObject({ name: 'NotFoundError' });
});

test('a login as another user in another tab locks this one, and its call is not sent as that user', async () => {
  server = await startTestServer();
  const { email, password } = await server.signUp('ada@example.com');
  const bob = await server.signUp('bob@example.com');
  const store = memoryTokenStore();
  const tab = () =>
    new DocumentVault({ baseUrl: server.url, session: { store }, clock: stoppedClock });
  const [first, second] = [tab(), tab()];
  await first.auth.login({ email, password });
  await first.keyring.create({ passphrase });
  await second.auth.login({ email: bob.email, password: bob.password });
  const { id: vaultId } = await second.vaults.create({ name: 'Of Bob', category: 'personal' });
  const upload = first.documents.upload('of Ada', { vaultId, fileName: 'a.txt' });
  expect(await rejection(upload)).toMatchObject({ name: 'SessionExpiredError' });
  expect(await second.vaults.keys.list({ vaultId }).toArray()).toEqual([]);
  expect(() => first.keep()).toThrow('locked');
  expect(await first.users.me()).toMatchObject({ email: bob.email });
  // A tab that has asked who is signed in knows: its next call is that user's.
  await second.auth.login({ email, password });
  expect(await first.auth.session()).toMatchObject({ email });
  expect(await first.users.me()).toMatchObject({ email });
});

test('kept keys open nothing for another user', async () => {
  server = await startTestServer();
  const client = await (await signedUp('ada@example.com')).device();
  await client.keyring.create({ passphrase });
  const kept = client.keep();
  const bob = await (await signedUp('bob@example.com')).device();
  const refused = { name: 'DecryptionError', reason: 'key' };
  // He has only logged in.
  expect(await rejection(bob.unlock({ kept }))).toMatchObject(refused);
  expect(() => bob.keep()).toThrow('locked');
  await bob.keyring.create({ passphrase });
  expect(await rejection(bob.unlock({ kept }))).toMatchObject(refused);
  expect(bob.keep().userId).not.toBe(kept.userId);
});

test('the keyring of another account is refused, although a passkey of both opens it', async () => {
  server = await startTestServer();
  const prf = crypto.getRandomValues(new Uint8Array(32));
  const signUp = async (email: string) => {
    const { device, password } = await signedUp(email);
    const client = await device();
    await client.keyring.create({ passphrase });
    const proof = { current: { passphrase }, currentPassword: password };
    await client.keyring.addPasskey({ prf, credentialId: new Uint8Array(16), ...proof });
    return client;
  };
  const [eve, victim] = [await signUp('eve@example.com'), await signUp('ada@example.com')];
  const keyring = await eve.keyring.get();
  victim.lock();
  const refused = { name: 'DecryptionError', reason: 'keys' };
  expect(await rejection(victim.unlock({ prf }, { keyring }))).toMatchObject(refused);
  expect(() => victim.keep()).toThrow('locked');
  await victim.unlock({ prf });
});

test('a rename that waits during the login of another user is not sent', async () => {
  server = await startTestServer();
  const { email, password } = await server.signUp('ada@example.com');
  const bob = await server.signUp('bob@example.com');
  const { open, opened } = latch();
  let isSlow = false;
  const sent: string[] = [];
  const client = new DocumentVault({
    baseUrl: server.url,
    session: {},
    clock: stoppedClock,
    fetch: async (url, init) => {
      sent.push(`${init?.method} ${new URL(url).pathname}`);
      const response = await fetch(url, init);
      if (isSlow && url.includes('vault-keys')) await opened;
      return response;
    },
  });
  await client.auth.login({ email, password });
  const { recoveryKey } = await client.keyring.create({ passphrase });
  const { id: vaultId } = await client.vaults.create({ name: 'Taxes', category: 'personal' });
  const document = await client.documents.upload('a', { vaultId, fileName: 'a.txt' });
  await client.unlock({ recoveryKey });
  isSlow = true;
  const renaming = client.documents.rename(document, 'b.txt');
  await until(() => sent.some((request) => request.includes('vault-keys')));
  await client.auth.login({ email: bob.email, password: bob.password });
  open();
  expect(await rejection(renaming)).toMatchObject({ name: 'SessionExpiredError' });
  expect(sent).not.toContain(`PUT /api/v1/documents/${document.id}`);
});

test('a document moves to a vault that has no key yet, and its link still opens it', async () => {
  server = await startTestServer();
  const client = await (await signedUp('ada@example.com')).device();
  await client.keyring.create({ passphrase });
  const [taxes, archive] = await Promise.all(
    ['Taxes', 'Archive'].map((name) => client.vaults.create({ name, category: 'personal' })),
  );
  const vaultId = String(taxes?.id);
  const document = await client.documents.upload('a text', { vaultId, fileName: 'a.txt' });
  const share = await client.shares.create(document.id, { access: 'anyone' });
  const link = await shareUrl(share);
  const moved = await client.documents.move(document, String(archive?.id));
  expect(moved.vaultId).toBe(archive?.id);
  expect(await client.documents.fileName(moved)).toBe('a.txt');
  expect(await openShare(link)).toMatchObject({ fileName: 'a.txt' });
});

test('ids are taken in any case', async () => {
  server = await startTestServer();
  const client = await (await signedUp('ada@example.com')).device();
  await client.keyring.create({ passphrase });
  const vault = await client.vaults.create({ name: 'Taxes', category: 'personal' });
  const vaultId = vault.id.toUpperCase();
  const document = await client.documents.upload('a text', { vaultId, fileName: 'a.txt' });
  const id = document.id.toUpperCase();
  expect(await client.documents.get(id, { content: false })).toMatchObject({ id: document.id });
  expect((await client.documents.download(id)).fileName).toBe('a.txt');
  const changed = await client.documents.update(id, { mimeType: 'text/plain' });
  expect(changed.id).toBe(document.id);
  const share = await client.shares.create(id, { access: 'anyone' });
  expect(await openShare(await shareUrl(share))).toMatchObject({ fileName: 'a.txt' });
});
