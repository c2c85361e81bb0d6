import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { startWithAdministrator } from './support/administrator.ts';
import { dataFolder, inDatabase, rowsIn, usedBytes } from './support/data-folder.ts';
import { invalid } from './support/replies.ts';
import { documentOf, newDocument, newVault } from './support/resources.ts';
import { type Caller, startTestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

const quotaEvents = ['vault.quota.warning', 'vault.quota.exceeded', 'instance.quota.warning'];

const bytes = (count: number) => Buffer.alloc(count, 7);

const aboveVaultQuota = invalid('encryptedData', 'vaultQuota');
const aboveInstanceQuota = invalid('encryptedData', 'instanceQuota');

function upload(call: Caller, vaultId: string, size: number) {
  return call('POST', '/api/v1/documents', { body: documentOf(vaultId, bytes(size)) });
}

const typesOf = (events: readonly { type: string }[]) => events.map(({ type }) => type);

describe('vault quota', () => {
  test('uploads that fill the quota exactly succeed, and one byte more returns 400 vaultQuota', async () => {
    const data = await dataFolder();
    const server = await startTestServer({ data, vaultQuota: { enterprise: 100 } });
    const { developer } = server;
    const vault = await newVault(developer);
    expect(await upload(developer, vault.id, 101)).toMatchObject(aboveVaultQuota);
    expect(await upload(developer, vault.id, 60)).toMatchObject({ status: 201 });
    expect(await upload(developer, vault.id, 41)).toMatchObject(aboveVaultQuota);
    expect(await upload(developer, vault.id, 40)).toMatchObject({ status: 201 });
    expect(await upload(developer, vault.id, 1)).toMatchObject(aboveVaultQuota);
    expect((await developer('GET', `/api/v1/vaults/${vault.id}`)).body).toMatchObject({
      documentCount: 2,
      totalSize: 100,
    });
    // Another vault has a quota of its own.
    await newDocument(developer, (await newVault(developer)).id, bytes(100));
    await server.close();
    expect(rowsIn(data, 'documents')).toBe(3);
    expect(rowsIn(data, 'document_contents')).toBe(3);
    expect(usedBytes(data)).toBe(200);
  });

  test("each rejected upload emits vault.quota.exceeded with the vault's usage", async () => {
    const server = await startTestServer({ vaultQuota: { enterprise: 300 } });
    const { developer } = server;
    const vault = await newVault(developer, { description: 'Returns' });
    await newDocument(developer, vault.id, bytes(200));
    const held = (await developer('GET', `/api/v1/vaults/${vault.id}`)).body;
    const webhook = await listen({ server, call: developer });
    const refused = await upload(developer, vault.id, 101);
    expect(refused).toMatchObject(aboveVaultQuota);
    expect(refused.body.error.message).toContain('300 bytes');

    const event = {
      type: 'vault.quota.exceeded',
      data: {
        object: { ...held, usage: { usedBytes: 200, quotaBytes: 300, percentage: 66.66 } },
      },
      context: {
        userId: vault.userId,
        instanceId: vault.instanceId,
        requestId: refused.headers.get('x-request-id'),
      },
    };
    const [reported, ...others] = await webhook.events();
    expect(reported).toMatchObject(event);
    expect(Object.keys(reported.data)).toEqual(['object']);
    expect(others).toEqual([]);
    await upload(developer, vault.id, 101);
    expect(typesOf(await webhook.events())).toEqual(['vault.quota.exceeded']);
  });

  test('moving a document above the quota returns 400 vaultQuota and emits vault.quota.exceeded for the target', async () => {
    const data = await dataFolder();
    const server = await startTestServer({
      data,
      vaultQuota: { enterprise: 100 },
      instanceQuota: 150,
    });
    const { developer } = server;
    const [from, to] = [await newVault(developer), await newVault(developer)];
    const document = await newDocument(developer, from.id, bytes(50));
    const filler = await newDocument(developer, to.id, bytes(60));
    const webhook = await listen({ server, call: developer });
    const path = `/api/v1/documents/${document.id}`;
    const body = { vaultId: to.id, fileName: 'moved.pdf' };
    expect(await developer('PUT', path, { body })).toMatchObject(invalid('vaultId', 'vaultQuota'));
    expect((await developer('GET', path)).body).toMatchObject(document);
    expect(await webhook.events()).toMatchObject([
      { type: 'vault.quota.exceeded', data: { object: { id: to.id, usage: { usedBytes: 60 } } } },
    ]);

    await developer('DELETE', `/api/v1/documents/${filler.id}`);
    await newDocument(developer, to.id, bytes(50));
    // 100 of the instance's 150 bytes are used; the move does not change that.
    expect(await developer('PUT', path, { body })).toMatchObject({ status: 200 });
    const events = await webhook.events();
    expect(typesOf(events).toSorted()).toEqual([
      'document.deleted',
      'document.updated',
      'document.uploaded',
      'vault.quota.warning',
    ]);
    const warning = events.find(({ type }) => type === 'vault.quota.warning');
    expect(warning.data.object).toMatchObject({
      id: to.id,
      documentCount: 2,
      totalSize: 100,
      usage: { usedBytes: 100, quotaBytes: 100, percentage: 100 },
    });
    await server.close();
    expect(usedBytes(data)).toBe(100);
  });

  test("the tier of the vault's owner decides, also when an administrator uploads", async () => {
    const server = await startWithAdministrator({ vaultQuota: { enterprise: 100, free: 10 } });
    await server.close();
    inDatabase(server.data, (database) =>
      database.exec(`UPDATE users SET tier = 'free' WHERE role = 'user'`),
    );
    const later = await startTestServer({
      data: server.data,
      vaultQuota: { enterprise: 100, free: 10 },
      // The database can have counted the requests of the first server.
      requestsPerMinute: { free: 1000 },
    });
    const call = await later.signIn(server.adminAccount);
    const vault = await newVault(later.developer);
    expect(await upload(call, vault.id, 11)).toMatchObject(aboveVaultQuota);
    expect(await upload(call, vault.id, 10)).toMatchObject({ status: 201 });
    const own = await newVault(call);
    expect(await upload(call, own.id, 100)).toMatchObject({ status: 201 });
  });
});

describe('instance quota', () => {
  test('all vaults share it; an upload above it returns 400 instanceQuota and emits no event', async () => {
    const server = await startTestServer({ instanceQuota: 100, vaultQuota: { enterprise: 70 } });
    const { developer, signUp } = server;
    const stranger = await signUp('stranger@example.com');
    const [own, foreign] = [await newVault(developer), await newVault(stranger.call)];
    await newDocument(developer, own.id, bytes(60));
    const webhook = await listen({ server, call: developer });
    const foreignWebhook = await listen({ server, call: stranger.call });
    expect(await upload(stranger.call, foreign.id, 41)).toMatchObject(aboveInstanceQuota);
    expect(await webhook.events()).toEqual([]);
    expect(await foreignWebhook.events()).toEqual([]);
    expect(await upload(stranger.call, foreign.id, 40)).toMatchObject({ status: 201 });
    // Above both quotas the error names that of the vault.
    expect(await upload(developer, own.id, 11)).toMatchObject(aboveVaultQuota);
    expect(await upload(developer, own.id, 1)).toMatchObject(aboveInstanceQuota);
    await developer('DELETE', `/api/v1/vaults/${own.id}`);
    expect(await upload(stranger.call, foreign.id, 1)).toMatchObject({ status: 201 });
  });

  test('a changed quota applies from the next upload', async () => {
    const { admin, developer, instanceId } = await startWithAdministrator({ instanceQuota: 100 });
    const vault = await newVault(developer);
    await newDocument(developer, vault.id, bytes(50));
    const path = `/api/v1/instances/${instanceId}`;
    await admin('PUT', path, { body: { quotaBytes: 40 } });
    expect(await upload(developer, vault.id, 1)).toMatchObject(aboveInstanceQuota);
    expect((await developer('GET', path)).body).toMatchObject({ usedBytes: 50, quotaBytes: 40 });
    await admin('PUT', path, { body: { quotaBytes: 51 } });
    expect(await upload(developer, vault.id, 1)).toMatchObject({ status: 201 });
  });
});

describe('quotas under concurrent uploads', () => {
  test('50 concurrent uploads never exceed the vault quota and emit one vault.quota.warning', async () => {
    const server = await startTestServer({ vaultQuota: { enterprise: 100 } });
    const { developer } = server;
    const vault = await newVault(developer);
    const webhook = await listen({ server, call: developer, events: quotaEvents });
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => upload(developer, vault.id, 7)),
    );
    const refused = replies.filter(({ status }) => status === 400);
    expect(refused).toHaveLength(36);
    for (const reply of refused) expect(reply).toMatchObject(aboveVaultQuota);
    expect((await developer('GET', `/api/v1/vaults/${vault.id}`)).body).toMatchObject({
      documentCount: 14,
      totalSize: 98,
    });
    const types = typesOf(await webhook.events());
    expect(types.filter((type) => type === 'vault.quota.warning')).toHaveLength(1);
    expect(types.filter((type) => type === 'vault.quota.exceeded')).toHaveLength(36);
    expect(types).toHaveLength(37);
  });

  test('50 concurrent uploads of two accounts never exceed the instance quota and emit one instance.quota.warning', async () => {
    const server = await startWithAdministrator({ instanceQuota: 100 });
    const { admin, developer, instanceId } = server;
    const vaults = [await newVault(developer), await newVault(admin)];
    const webhook = await listen({ server, call: admin, events: quotaEvents });
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        upload(index % 2 ? admin : developer, vaults[index % 2].id, 7),
      ),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(14);
    const { body } = await developer('GET', `/api/v1/instances/${instanceId}`);
    expect(body.usedBytes).toBe(98);
    expect(typesOf(await webhook.events())).toEqual(['instance.quota.warning']);
  });
});

describe('an upload above the quota with an Idempotency-Key', () => {
  const send = (call: Caller, vaultId: string) =>
    call('POST', '/api/v1/documents', {
      body: documentOf(vaultId, bytes(11)),
      headers: { 'idempotency-key': 'first' },
    });

  test('repeated calls, at once and later, return the same 400 and emit vault.quota.exceeded once', async () => {
    const server = await startTestServer({ vaultQuota: { enterprise: 10 } });
    const { developer } = server;
    const vault = await newVault(developer);
    const webhook = await listen({ server, call: developer });
    const replies = await Promise.all(Array.from({ length: 10 }, () => send(developer, vault.id)));
    replies.push(await send(developer, vault.id));
    for (const reply of replies) expect(reply).toMatchObject(aboveVaultQuota);
    const replayed = replies.filter(({ headers }) => headers.has('idempotency-replayed'));
    expect(replayed).toHaveLength(10);
    expect(typesOf(await webhook.events())).toEqual(['vault.quota.exceeded']);
  });

  test('the event and the stored outcome are committed together or not at all', async () => {
    const data = await dataFolder();
    const options = { data, vaultQuota: { enterprise: 10 } };
    const before = await startTestServer(options);
    const vault = await newVault(before.developer);
    await before.close();
    inDatabase(data, (database) =>
      database.exec(`CREATE TRIGGER broken BEFORE INSERT ON idempotency_outcomes
        BEGIN SELECT RAISE(ABORT, 'outcomes are broken'); END`),
    );
    const broken = await startTestServer({ ...options, log: pino({ level: 'silent' }) });
    expect(await send(broken.developer, vault.id)).toMatchObject({ status: 500 });
    await broken.close();
    const reported = () =>
      inDatabase(data, (database) =>
        database.prepare(`SELECT COUNT(*) FROM events WHERE type LIKE '%quota%'`).pluck().get(),
      );
    expect(reported()).toBe(0);

    inDatabase(data, (database) => database.exec('DROP TRIGGER broken'));
    const repaired = await startTestServer(options);
    for (let time = 0; time < 2; time += 1) {
      expect(await send(repaired.developer, vault.id)).toMatchObject(aboveVaultQuota);
    }
    await repaired.close();
    expect(reported()).toBe(1);
  });
});
