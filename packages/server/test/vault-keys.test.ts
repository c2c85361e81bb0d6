import { beforeEach, describe, expect, test } from 'vitest';
import { startWithAdministrator } from './support/administrator.ts';
import { refusal } from './support/front-door.ts';
import {
  base64Of,
  keyringOf,
  newKeyring,
  newVaultKeys,
  putKeyring,
  putVaultKeys,
  underVaultKey,
  vaultKeysOf,
} from './support/keys.ts';
import { invalid } from './support/replies.ts';
import { documentOf, encryptionMetadata, newDocument, newVault } from './support/resources.ts';
import { type Account, startTestServer, type TestServer } from './support/server.ts';
import { begin } from './support/uploads.ts';
import { listen } from './support/webhook-events.ts';

let server: TestServer;
let ada: Account;
let vaultId: string;
beforeEach(async () => {
  server = await startTestServer();
  ada = await server.signUp('ada@example.com');
  vaultId = (await newVault(ada.call)).id;
});

const put = (body: object) => putVaultKeys(ada.call, vaultId, body);

const sealed = base64Of(101);

/** The keys as a row of the list. */
const rowOf = (keys: object) => ({ vaultId, ...keys, grant: null, rotationDue: false });

describe('PUT /vaults/{id}/keys', () => {
  test('stores the first key, seals it anew and begins generations', async () => {
    for (const keys of [
      { version: 1, generation: 1, sealed },
      { version: 2, generation: 1, sealed: base64Of(160) },
      { version: 3, generation: 2, sealed: base64Of(160) },
      { version: 4, generation: 3, sealed },
    ]) {
      expect(await put(keys)).toMatchObject({ status: 200, body: rowOf(keys) });
      expect(await vaultKeysOf(ada.call)).toEqual([rowOf(keys)]);
    }
  });

  test.each([
    [{ version: 1, generation: 3 }, 'version', 'version'],
    [{ version: 2, generation: 3 }, 'version', 'version'],
    [{ version: 4, generation: 3 }, 'version', 'version'],
    [{ version: 3, generation: 1 }, 'generation', 'generation'],
    [{ version: 3, generation: 4 }, 'generation', 'generation'],
    [{ version: 3, generation: 0 }, 'generation', 'minimum'],
    [{ version: 3, generation: 251 }, 'generation', 'maximum'],
    [{ version: 3, generation: 2, sealed: 'no base64' }, 'sealed', 'format'],
    [{ version: 3, generation: 2, sealed: base64Of(32_769) }, 'sealed', 'maxDecodedLength'],
    [{ version: 3, generation: 2, sealed: base64Of(32_771) }, 'sealed', 'maxLength'],
    [{ version: 3, generation: 2, sealed: '' }, 'sealed', 'minLength'],
    [{ version: 3, generation: 2, sealed: null }, 'sealed', 'type'],
    [{ version: 3, generation: 2, grants: [] }, 'grants', 'additionalProperties'],
  ])(
    'with %o after version and generation 2 returns 400 for %s',
    async (fields, field, constraint) => {
      await newVaultKeys(ada.call, vaultId);
      await put({ version: 2, generation: 2, sealed });
      const before = await vaultKeysOf(ada.call);
      expect(await put({ sealed, ...fields })).toMatchObject(invalid(field, constraint));
      expect(await vaultKeysOf(ada.call)).toEqual(before);
    },
  );

  test('accepts 32 KiB, and begins with version and generation 1 alone', async () => {
    for (const [keys, field] of [
      [{ version: 2, generation: 1 }, 'version'],
      [{ version: 1, generation: 2 }, 'generation'],
    ] as const) {
      expect(await put({ sealed, ...keys })).toMatchObject(invalid(field, field));
    }
    const keys = { version: 1, generation: 1, sealed: base64Of(32_768) };
    expect(await put(keys)).toMatchObject({ status: 200 });
  });

  test('of many calls at the same time with the same version, one succeeds', async () => {
    for (const version of [1, 2, 3]) {
      const bodies = Array.from({ length: 6 }, () => ({
        version,
        generation: version,
        sealed: base64Of(101),
      }));
      const replies = await Promise.all(bodies.map(put));
      const winners = replies.filter(({ status }) => status === 200);
      expect(winners).toHaveLength(1);
      for (const reply of replies) {
        if (reply.status !== 200) expect(reply).toMatchObject(invalid('version', 'version'));
      }
      expect(await vaultKeysOf(ada.call)).toEqual([winners[0]?.body]);
    }
  });

  test('goes on with the next version and generation after the keyring was replaced', async () => {
    await newKeyring(ada.call);
    await newVaultKeys(ada.call, vaultId);
    const { password: currentPassword } = ada;
    await putKeyring(ada.call, keyringOf({ version: 2, currentPassword, replace: true }));
    expect(await put({ version: 1, generation: 1, sealed })).toMatchObject(
      invalid('version', 'version'),
    );
    expect(await put({ version: 2, generation: 1, sealed })).toMatchObject(
      invalid('generation', 'generation'),
    );
    const next = { version: 2, generation: 2, sealed };
    expect(await put(next)).toMatchObject({ status: 200, body: rowOf(next) });
  });

  test('emits vault.updated for the first key and a new generation, without the keys', async () => {
    const webhook = await listen({ server, call: ada.call });
    await newVaultKeys(ada.call, vaultId);
    await put({ version: 2, generation: 1, sealed });
    await put({ version: 3, generation: 2, sealed });
    await put({ version: 3, generation: 3, sealed });
    const events = await webhook.events();
    expect(events).toMatchObject([
      { type: 'vault.updated', data: { changes: ['keys'], previous: { keys: null } } },
      { type: 'vault.updated', data: { changes: ['keys'], previous: { keys: 1 } } },
    ]);
    const { body } = await ada.call('GET', `/api/v1/vaults/${vaultId}`);
    expect(events.at(-1).data.object).toEqual(body);
    expect(JSON.stringify(events)).not.toContain(sealed);
  });

  test('returns 404 to other accounts and 403 to administrators', async () => {
    const administered = await startWithAdministrator();
    const bob = await administered.signUp('bob@example.com');
    const eve = await administered.signUp('eve@example.com');
    const vault = await newVault(bob.call);
    const keys = { version: 1, generation: 1, sealed };
    expect(await putVaultKeys(eve.call, vault.id, keys)).toMatchObject(
      refusal('NOT_FOUND', { vaultId: vault.id }),
    );
    expect(await putVaultKeys(administered.admin, vault.id, keys)).toMatchObject(
      refusal('INSUFFICIENT_PERMISSIONS'),
    );
    await newVaultKeys(bob.call, vault.id);
    for (const other of [eve.call, administered.admin]) {
      expect(await vaultKeysOf(other)).toEqual([]);
      const filtered = await other('GET', `/api/v1/vault-keys?vaultId=${vault.id}`);
      expect(filtered.body.pagination.totalCount).toBe(0);
    }
  });
});

describe('GET /vault-keys', () => {
  test('lists own keys by vault id, in pages, and filters by vault', async () => {
    const ids = [vaultId];
    for (let index = 0; index < 4; index++) ids.push((await newVault(ada.call)).id);
    for (const id of ids.toReversed()) await newVaultKeys(ada.call, id);
    await newVault(ada.call);
    const found: string[] = [];
    for (const page of [1, 2, 3]) {
      const { body } = await ada.call('GET', `/api/v1/vault-keys?page=${page}&pageSize=2`);
      expect(body.pagination).toMatchObject({ totalCount: 5, totalPages: 3 });
      found.push(...body.data.map((row: { vaultId: string }) => row.vaultId));
    }
    expect(found).toEqual(ids.toSorted());
    const upper = ids[2]?.toUpperCase();
    const { body } = await ada.call('GET', `/api/v1/vault-keys?vaultId=${upper}`);
    expect(body.data).toMatchObject([{ vaultId: ids[2] }]);
  });

  test('does not list the keys of a deleted vault', async () => {
    await newVaultKeys(ada.call, vaultId);
    await ada.call('DELETE', `/api/v1/vaults/${vaultId}`);
    expect(await vaultKeysOf(ada.call)).toEqual([]);
    expect(await server.store.vaultKeys.find(vaultId)).toBeUndefined();
  });
});

describe('a document under VAULT_KEY', () => {
  const field = 'encryptionMetadata.keyGeneration';

  const upload = (keyGeneration: number | undefined) =>
    ada.call('POST', '/api/v1/documents', {
      body: documentOf(vaultId, 'x', { encryptionMetadata: underVaultKey(keyGeneration) }),
    });

  test('is accepted under the newest key of its vault alone', async () => {
    expect(await upload(1)).toMatchObject(invalid(field, 'keyGeneration'));
    await newVaultKeys(ada.call, vaultId);
    expect(await upload(undefined)).toMatchObject(invalid(field, 'required'));
    expect(await upload(0)).toMatchObject(invalid(field, 'minimum'));
    expect(await upload(2)).toMatchObject(invalid(field, 'keyGeneration'));
    const { status, body } = await upload(1);
    expect(status).toBe(201);
    expect(body.encryptionMetadata.keyGeneration).toBe(1);
    await put({ version: 2, generation: 2, sealed });
    expect(await upload(1)).toMatchObject(invalid(field, 'keyGeneration'));
    expect((await upload(2)).status).toBe(201);
    // Earlier documents keep their generation, and can still be renamed.
    const path = `/api/v1/documents/${body.id}`;
    const renamed = await ada.call('PUT', path, { body: { fileName: 'b.pdf' } });
    expect(renamed.body.encryptionMetadata.keyGeneration).toBe(1);
  });

  test('is refused after the keyring was replaced, until the next generation', async () => {
    await newKeyring(ada.call);
    await newVaultKeys(ada.call, vaultId);
    const { password: currentPassword } = ada;
    await putKeyring(ada.call, keyringOf({ version: 2, currentPassword, replace: true }));
    expect(await upload(1)).toMatchObject(invalid(field, 'keyGeneration'));
    await put({ version: 2, generation: 2, sealed });
    expect((await upload(2)).status).toBe(201);
  });

  test('of an upload in parts is checked when the upload is finished', async () => {
    await newVaultKeys(ada.call, vaultId);
    const { body } = await begin(ada.call, vaultId, 5);
    await ada.call('PUT', `/api/v1/uploads/${body.id}/parts/0`, { body: Buffer.alloc(5) });
    await put({ version: 2, generation: 2, sealed });
    const finish = (keyGeneration: number) => {
      const { encryptedData: _, ...document } = documentOf(vaultId, Buffer.alloc(5), {
        encryptionMetadata: underVaultKey(keyGeneration),
      });
      const finished = { ...document, uploadId: body.id };
      return ada.call('POST', '/api/v1/documents', { body: finished });
    };
    expect(await finish(1)).toMatchObject(invalid(field, 'keyGeneration'));
    expect((await finish(2)).status).toBe(201);
  });

  test('is wrapped anew under the newest key alone, and moves with a new wrap alone', async () => {
    await newVaultKeys(ada.call, vaultId);
    const { body: document } = await upload(1);
    const path = `/api/v1/documents/${document.id}`;
    const update = (body: object) => ada.call('PUT', path, { body });
    const wrap = (keyGeneration: number) => {
      const { keyDerivation, iterations, wrappedKey } = underVaultKey(keyGeneration);
      return { keyDerivation, iterations, wrappedKey, keyGeneration };
    };
    expect(await update({ encryptionMetadata: wrap(2) })).toMatchObject(
      invalid(field, 'keyGeneration'),
    );
    const other = await newVault(ada.call);
    expect(await update({ vaultId: other.id })).toMatchObject(
      invalid('encryptionMetadata', 'required'),
    );
    expect(await update({ vaultId: other.id, encryptionMetadata: wrap(1) })).toMatchObject(
      invalid(field, 'keyGeneration'),
    );
    await newVaultKeys(ada.call, other.id);
    await putVaultKeys(ada.call, other.id, { version: 2, generation: 2, sealed });
    const moved = await update({ vaultId: other.id, encryptionMetadata: wrap(2) });
    expect(moved).toMatchObject({
      status: 200,
      body: { vaultId: other.id, encryptionMetadata: { keyGeneration: 2 } },
    });
    // Under a passphrase, no generation is left.
    const { keyDerivation, iterations, salt } = encryptionMetadata;
    const derived = { keyDerivation, iterations, salt, wrappedKey: base64Of(60) };
    const { body } = await update({ encryptionMetadata: derived });
    expect(body.encryptionMetadata).not.toHaveProperty('keyGeneration');
    expect(await update({ vaultId })).toMatchObject({ status: 200 });
  });

  test('meets a new generation at the same time: no document keeps an older key', async () => {
    await newVaultKeys(ada.call, vaultId);
    const replies = await Promise.all([
      ...Array.from({ length: 5 }, () => upload(1)),
      put({ version: 2, generation: 2, sealed }),
      ...Array.from({ length: 5 }, () => upload(2)),
    ]);
    for (const { status } of replies) expect([200, 201, 400]).toContain(status);
    expect((await upload(1)).status).toBe(400);
    expect((await upload(2)).status).toBe(201);
  });

  test('shows its generation in GraphQL', async () => {
    await newVaultKeys(ada.call, vaultId);
    const { id } = await newDocument(ada.call, vaultId, 'x', {
      encryptionMetadata: underVaultKey(1),
    });
    const query = `{ document(id: "${id}") { encryptionMetadata { keyDerivation keyGeneration } } }`;
    const { body } = await ada.call('POST', '/graphql', { body: { query } });
    expect(body.data.document.encryptionMetadata).toEqual({
      keyDerivation: 'VAULT_KEY',
      keyGeneration: 1,
    });
  });
});
