import { describe, expect, test } from 'vitest';
import { startWithAdministrator } from './support/administrator.ts';
import { dataFolder, inDatabase } from './support/data-folder.ts';
import { invalid } from './support/replies.ts';
import { documentOf, newDocument, newVault } from './support/resources.ts';
import { type Caller, startTestServer, type TestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

const bytes = (count: number) => Buffer.alloc(count, 7);

/** Returns the used bytes of the vault warnings since the previous call. */
async function warnings(webhook: Awaited<ReturnType<typeof listen>>) {
  const events = await webhook.events();
  return events
    .filter(({ type }) => type === 'vault.quota.warning')
    .map(({ data }) => data.object.usage.usedBytes);
}

const remove = (call: Caller, id: string) => call('DELETE', `/api/v1/documents/${id}`);

function quotaWarnings(server: TestServer, call: Caller) {
  return listen({ server, call, events: ['vault.quota.warning', 'instance.quota.warning'] });
}

describe('vault.quota.warning', () => {
  test('an upload that reaches 80 % of the vault quota emits it once, with the vault after the change', async () => {
    const server = await startTestServer({ vaultQuota: { enterprise: 1000 } });
    const { developer } = server;
    const vault = await newVault(developer);
    const webhook = await quotaWarnings(server, developer);
    await newDocument(developer, vault.id, bytes(799));
    expect(await warnings(webhook)).toEqual([]);
    await newDocument(developer, vault.id, bytes(1));
    const held = (await developer('GET', `/api/v1/vaults/${vault.id}`)).body;
    expect(await webhook.events()).toMatchObject([
      {
        type: 'vault.quota.warning',
        data: {
          object: { ...held, usage: { usedBytes: 800, quotaBytes: 1000, percentage: 80 } },
        },
        context: { userId: vault.userId, instanceId: vault.instanceId },
      },
    ]);
    await newDocument(developer, vault.id, bytes(100));
    await newDocument(developer, vault.id, bytes(100));
    expect(await warnings(webhook)).toEqual([]);
  });

  test('it is emitted again after a deletion or a move has brought usage below 80 %', async () => {
    const server = await startTestServer({ vaultQuota: { enterprise: 1000 } });
    const { developer } = server;
    const [vault, other] = [await newVault(developer), await newVault(developer)];
    const webhook = await quotaWarnings(server, developer);
    const big = await newDocument(developer, vault.id, bytes(850));
    const small = await newDocument(developer, vault.id, bytes(50));
    expect(await warnings(webhook)).toEqual([850]);
    await remove(developer, small.id);
    await newDocument(developer, vault.id, bytes(10));
    // Usage has not been below 80 % since the warning.
    expect(await warnings(webhook)).toEqual([]);

    await remove(developer, big.id);
    const again = await newDocument(developer, vault.id, bytes(790));
    expect(await warnings(webhook)).toEqual([800]);
    const path = `/api/v1/documents/${again.id}`;
    await developer('PUT', path, { body: { vaultId: other.id } });
    expect(await warnings(webhook)).toEqual([]);
    await developer('PUT', path, { body: { vaultId: vault.id } });
    expect(await warnings(webhook)).toEqual([800]);
    // An update that changes no usage emits no warning.
    await developer('PUT', path, { body: { fileName: 'renamed.pdf' } });
    expect(await warnings(webhook)).toEqual([]);
  });

  test("the quota is that of the account's current tier", async () => {
    const data = await dataFolder();
    // On PostgreSQL, a restart does not reset the rate limits.
    const limits = {
      vaultQuota: { enterprise: 1000, free: 100 },
      requestsPerMinute: { free: 100 },
    };
    const options = { data, ...limits };
    const before = await startTestServer(options);
    const vault = await newVault(before.developer);
    await newDocument(before.developer, vault.id, bytes(85));
    await before.close();
    const setTier = (tier: string) =>
      inDatabase(data, (database) => database.prepare('UPDATE users SET tier = ?').run(tier));

    // 85 of 1000 bytes emitted no warning. With a quota of 100 the next document does.
    setTier('free');
    const free = await startTestServer(options);
    const lower = await quotaWarnings(free, free.developer);
    await newDocument(free.developer, vault.id, bytes(5));
    await newDocument(free.developer, vault.id, bytes(5));
    expect(await warnings(lower)).toEqual([90]);
    await free.close();

    setTier('enterprise');
    const enterprise = await startTestServer(options);
    const higher = await quotaWarnings(enterprise, enterprise.developer);
    await newDocument(enterprise.developer, vault.id, bytes(705));
    expect(await warnings(higher)).toEqual([800]);
    await newDocument(enterprise.developer, vault.id, bytes(100));
    expect(await warnings(higher)).toEqual([]);
    await enterprise.close();

    // Far above the quota of the new tier: stored documents remain, and the event reports 900 %.
    setTier('free');
    const beyond = await startTestServer(options);
    const webhook = await listen({ server: beyond, call: beyond.developer });
    const refused = await beyond.developer('POST', '/api/v1/documents', {
      body: documentOf(vault.id, bytes(1)),
    });
    expect(refused).toMatchObject(invalid('encryptedData', 'vaultQuota'));
    expect(await webhook.events()).toMatchObject([
      {
        type: 'vault.quota.exceeded',
        data: { object: { usage: { usedBytes: 900, quotaBytes: 100, percentage: 900 } } },
      },
    ]);
  });
});

describe('instance.quota.warning', () => {
  test('it is emitted once to administrators only, and again after usage was below 80 %', async () => {
    const server = await startWithAdministrator({ instanceQuota: 1000 });
    const { developer, admin, instanceId } = server;
    const owner = await quotaWarnings(server, developer);
    const webhook = await quotaWarnings(server, admin);
    const vault = await newVault(developer);
    await newDocument(developer, vault.id, bytes(500));
    expect(await webhook.events()).toEqual([]);
    await newDocument(admin, (await newVault(admin)).id, bytes(333));
    expect(await webhook.events()).toMatchObject([
      {
        type: 'instance.quota.warning',
        data: { object: { instanceId, usedBytes: 833, quotaBytes: 1000, percentage: 83.3 } },
        context: { userId: expect.any(String), instanceId },
      },
    ]);
    await newDocument(developer, vault.id, bytes(100));
    expect(await webhook.events()).toEqual([]);

    await developer('DELETE', `/api/v1/vaults/${vault.id}`);
    const next = await newVault(developer);
    await newDocument(developer, next.id, bytes(600));
    expect(await webhook.events()).toMatchObject([
      { data: { object: { usedBytes: 933, percentage: 93.3 } } },
    ]);
    expect(await owner.events()).toEqual([]);
  });

  test('moving a document between vaults does not emit it again', async () => {
    const server = await startWithAdministrator({ instanceQuota: 1000 });
    const { developer, admin } = server;
    const webhook = await quotaWarnings(server, admin);
    const [from, to] = [await newVault(developer), await newVault(developer)];
    const document = await newDocument(developer, from.id, bytes(850));
    expect(await webhook.events()).toHaveLength(1);
    const path = `/api/v1/documents/${document.id}`;
    await developer('PUT', path, { body: { vaultId: to.id } });
    await newDocument(developer, to.id, bytes(10));
    expect(await webhook.events()).toEqual([]);
  });

  test('it applies the current quota after an administrator changed it', async () => {
    const server = await startWithAdministrator({ instanceQuota: 1000 });
    const { developer, admin, instanceId } = server;
    const webhook = await quotaWarnings(server, admin);
    const setQuota = (quotaBytes: number) =>
      admin('PUT', `/api/v1/instances/${instanceId}`, { body: { quotaBytes } });
    const vault = await newVault(developer);
    await newDocument(developer, vault.id, bytes(90));
    await setQuota(100);
    expect(await webhook.events()).toEqual([]);
    await newDocument(developer, vault.id, bytes(1));
    await newDocument(developer, vault.id, bytes(1));
    expect(await webhook.events()).toMatchObject([
      { data: { object: { usedBytes: 91, quotaBytes: 100, percentage: 91 } } },
    ]);
    await setQuota(1000);
    await setQuota(100);
    await newDocument(developer, vault.id, bytes(1));
    // The higher quota brought usage below 80 % in between.
    expect(await webhook.events()).toMatchObject([{ data: { object: { usedBytes: 93 } } }]);
  });
});
