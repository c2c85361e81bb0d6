import { expect, onTestFinished, test, vi } from 'vitest';
import { Connection } from '../../src/store/sqlite/connection.ts';
import { dataFolder, inDatabase } from '../support/data-folder.ts';
import { dataOf } from '../support/graphql/asking.ts';
import { newDocument, newShare, newVault } from '../support/resources.ts';
import { type Caller, startTestServer } from '../support/server.ts';
import { listen } from '../support/webhook-events.ts';

/** Counts the statements of `work`, when those of earlier requests have ended and the credentials are cached. */
async function statementsOf(
  { settled }: { settled(): Promise<void> },
  work: () => Promise<unknown>,
): Promise<number> {
  await settled();
  await work();
  const spies = (['get', 'all', 'run'] as const).map((method) =>
    vi.spyOn(Connection.prototype, method),
  );
  const restore = () => {
    for (const spy of spies) spy.mockRestore();
  };
  onTestFinished(restore);
  await work();
  const statements = spies.flatMap(({ mock }) => mock.calls.map(([sql]) => sql));
  // The look for commits of other processes depends on the time.
  const count = statements.filter((sql) => sql !== 'PRAGMA data_version').length;
  restore();
  return count;
}

async function fill(call: Caller, vaults: number): Promise<void> {
  for (let number = 0; number < vaults; number += 1) {
    const vault = await newVault(call, { name: `Vault ${number}` });
    for (const name of ['a.pdf', 'b.pdf']) {
      const document = await newDocument(call, vault.id, 'x', { fileName: name });
      await newShare(call, document.id);
    }
  }
}

const everything = `{
  vaults(pageSize: 100) {
    data {
      id
      documents(sortBy: fileName) {
        data { fileName vault { name documentCount } shares(pageSize: 4) { data { id } pagination { totalCount } } }
        pagination { totalCount }
      }
      filtered: documents(mimeType: "application/pdf", search: "A.P") { data { fileName } pagination { totalCount } }
    }
  }
}`;

test('100 vaults with documents and shares take as many statements as one vault', async () => {
  const server = await startTestServer({ requestsPerMinute: { enterprise: 100_000 } });
  const { developer } = server;
  await fill(developer, 1);
  // The first request stores the use of the key, after which the second reads the credentials again.
  await dataOf(developer, everything);
  await dataOf(developer, everything);
  const forOne = await statementsOf(server, () => dataOf(developer, everything));
  await fill(developer, 99);
  // The server reads the credentials again after a change.
  await dataOf(developer, everything);
  let data: { vaults: { data: { documents: { data: object[] }; filtered: object }[] } } | undefined;
  const forHundred = await statementsOf(server, async () => {
    data = await dataOf(developer, everything);
  });
  expect(forHundred).toBe(forOne);
  expect(forOne).toBeLessThan(20);
  expect(data?.vaults.data).toHaveLength(100);
  for (const { documents, filtered } of data?.vaults.data ?? []) {
    const vault = { name: expect.stringMatching(/^Vault \d+$/), documentCount: 2 };
    const shares = { data: [{ id: expect.any(String) }], pagination: { totalCount: 1 } };
    expect(documents).toEqual({
      data: [
        { fileName: 'a.pdf', vault, shares },
        { fileName: 'b.pdf', vault, shares },
      ],
      pagination: { totalCount: 2 },
    });
    expect(filtered).toEqual({ data: [{ fileName: 'a.pdf' }], pagination: { totalCount: 1 } });
  }
});

test('webhooks with their deliveries cost as many statements as one webhook', async () => {
  const server = await startTestServer();
  const { developer } = server;
  const query = `{ webhooks { data { stats { totalDeliveries } deliveries(status: succeeded, eventType: "vault.created") {
    data { eventType status } pagination { totalCount } } } } }`;
  await listen({ server, call: developer });
  await newVault(developer);
  await server.settled();
  await dataOf(developer, query);
  const forOne = await statementsOf(server, () => dataOf(developer, query));
  for (let more = 0; more < 5; more += 1) await listen({ server, call: developer });
  await newVault(developer);
  await server.settled();
  await dataOf(developer, query);
  let data: { webhooks: { data: { deliveries: object; stats: object }[] } } | undefined;
  const forSix = await statementsOf(server, async () => {
    data = await dataOf(developer, query);
  });
  expect(forSix).toBe(forOne);
  const delivered = { eventType: 'vault.created', status: 'succeeded' };
  const [oldest, ...others] = data?.webhooks.data.toReversed() ?? [];
  expect(oldest?.deliveries).toEqual({
    data: [delivered, delivered],
    pagination: { totalCount: 2 },
  });
  expect(others).toHaveLength(5);
  for (const { deliveries, stats } of others) {
    expect(deliveries).toEqual({ data: [delivered], pagination: { totalCount: 1 } });
    expect(stats).toEqual({ totalDeliveries: 1 });
  }
});

test('a filter on large vaults runs one query for each vault', async () => {
  const folder = await dataFolder();
  const first = await startTestServer({ data: folder });
  await fill(first.developer, 3);
  await first.close();
  // As if the vaults had that many documents.
  inDatabase(folder, (database) => database.exec('UPDATE vaults SET document_count = 20000'));
  const { developer } = await startTestServer({ data: folder });
  const query =
    '{ vaults { data { documents(search: "a.p") { data { fileName } pagination { totalCount } } } } }';
  const data = await dataOf(developer, query);
  const documents = { data: [{ fileName: 'a.pdf' }], pagination: { totalCount: 1 } };
  expect(data.vaults.data).toEqual([{ documents }, { documents }, { documents }]);
});

test('the deliveries of webhooks with many of them are read one webhook after the other', async () => {
  const folder = await dataFolder();
  const first = await startTestServer({ data: folder });
  await listen({ server: first, call: first.developer });
  await listen({ server: first, call: first.developer });
  await newVault(first.developer);
  await first.settled();
  await first.close();
  // As if the webhooks had that many deliveries.
  inDatabase(folder, (database) =>
    database.exec('UPDATE webhook_statistics SET finished_deliveries = 20000'),
  );
  const { developer } = await startTestServer({ data: folder });
  const query =
    '{ webhooks { data { deliveries { data { status } pagination { totalCount } } } } }';
  const data = await dataOf(developer, query);
  const deliveries = { data: [{ status: 'succeeded' }], pagination: { totalCount: 1 } };
  expect(data.webhooks.data).toEqual([{ deliveries }, { deliveries }]);
});

test('nested lists equal the lists of REST, on every page and in every order', async () => {
  const { developer, clock } = await startTestServer({
    requestsPerMinute: { enterprise: 100_000 },
  });
  const vaults = [await newVault(developer), await newVault(developer), await newVault(developer)];
  for (const [position, vault] of vaults.entries()) {
    for (let number = 0; number < position * 4; number += 1) {
      clock.advance(1000);
      const fields = { fileName: `${9 - number}.pdf`, mimeType: number % 2 ? 'a/b' : 'c/d' };
      await newDocument(developer, vault.id, 'x'.repeat((number * 7) % 5), fields);
    }
  }
  const list = async (args: string, query: string) => {
    const data = await dataOf(
      developer,
      `{ vaults { data { id documents(${args}) { data { id fileName } pagination { page totalPages totalCount hasNextPage hasPreviousPage pageSize } } } } }`,
    );
    for (const { id, documents } of data.vaults.data) {
      const { body } = await developer('GET', `/api/v1/documents?vaultId=${id}&${query}`);
      const names = body.data.map(({ id, fileName }: Record<string, string>) => ({ id, fileName }));
      expect(documents, args).toEqual({ data: names, pagination: body.pagination });
    }
  };
  for (const sortBy of ['uploadedAt', 'updatedAt', 'fileName', 'sizeBytes']) {
    for (const sortOrder of ['asc', 'desc']) {
      for (const page of [1, 2, 3]) {
        const common = { sortBy, sortOrder, page, pageSize: 3 };
        const args = Object.entries(common).map(([name, value]) => `${name}: ${value}`);
        const query = Object.entries(common).map(([name, value]) => `${name}=${value}`);
        await list(args.join(' '), query.join('&'));
        await list(`${args.join(' ')} mimeType: "a/b"`, `${query.join('&')}&mimeType=a/b`);
      }
    }
  }
  await list('search: "7.P"', 'search=7.P');
  await list('search: "nothing"', 'search=nothing');
});
