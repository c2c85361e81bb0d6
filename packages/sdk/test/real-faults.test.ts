import { ConnectionError, NotFoundError, ServerError } from '@document-vault/sdk';
import { describe, expect, test } from 'vitest';
import { cheapCipher } from './support/cipher.ts';
import { rejection } from './support/client.ts';
import { startKeyClient } from './support/real-server.ts';

async function startWithVault() {
  const started = await startKeyClient();
  const { id: vaultId } = await started.client.vaults.create({ name: 'Taxes' });
  started.sent.length = 0;
  const cipher = await cheapCipher('open sesame', { iterations: 1 });
  const upload = () =>
    started.client.documents.upload('a note', { vaultId, cipher, fileName: 'note.txt' });
  return { ...started, vaultId, upload };
}

const after = { when: 'after' } as const;

describe('guarantee 2: the real server does work once when its response was lost', () => {
  test.each([
    ['dropped after the work was done', 'networkError', after],
    ['cut in the middle of the response', 'truncate', {}],
  ] as const)('one document is uploaded over a connection that is %s', async (_, kind, options) => {
    const { server, client, sent, upload } = await startWithVault();
    server.fault(kind, { operations: 'createDocument', ...options, times: 2 });
    const { id } = await upload();
    const { data } = await client.documents.list();
    expect(data.map((document) => document.id)).toEqual([id]);
    expect(sent.filter((request) => request === 'POST /api/v1/documents')).toHaveLength(3);
    const events = (await server.events()).filter(({ type }) => type === 'document.uploaded');
    expect(events).toHaveLength(1);
  });

  test('an update whose response was lost is made once and returns the result', async () => {
    const { server, client, vaultId } = await startWithVault();
    server.fault('networkError', { operations: 'updateVault', ...after });
    await expect(client.vaults.update(vaultId, { name: 'Health' })).resolves.toMatchObject({
      name: 'Health',
    });
    const events = (await server.events()).filter(({ type }) => type === 'vault.updated');
    expect(events).toHaveLength(1);
  });

  test('a deletion whose response was lost rejects with NOT_FOUND after its retry', async () => {
    const { server, client, vaultId } = await startWithVault();
    server.fault('networkError', { operations: 'deleteVault', ...after });
    const error = await rejection(client.vaults.delete(vaultId));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ attempts: 2 });
    expect((await client.vaults.list()).data).toEqual([]);
  });

  test('opening a share whose response was lost counts once and is not retried', async () => {
    const { server, client, upload } = await startWithVault();
    const { id } = await upload();
    const { shareToken } = await client.shares.create(id, { maxAccessCount: 2 });
    server.fault('networkError', { operations: 'openShare', ...after });
    const error = await rejection(client.shares.open(shareToken));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ attempts: 1 });
    const [share] = (await client.shares.list(id)).data;
    expect(share).toMatchObject({ accessCount: 1, isActive: true });
  });

  test('a call rejects after its retries when the service stays unavailable', async () => {
    const { server, client, clock, sent } = await startWithVault();
    server.fault('error', { times: 3 });
    const error = await rejection(client.vaults.list());
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ code: 'INTERNAL_ERROR', attempts: 3 });
    expect(sent).toHaveLength(3);
    expect(clock.slept).toEqual([250, 250]);
    await expect(client.vaults.list()).resolves.toMatchObject({ data: [{ name: 'Taxes' }] });
  });
});
