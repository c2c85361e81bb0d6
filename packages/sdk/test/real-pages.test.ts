import { ServerError } from '@document-vault/sdk';
import { describe, expect, test } from 'vitest';
import { rejection } from './support/client.ts';
import { startKeyClient } from './support/real-server.ts';

/** Starts a server with this number of vaults and returns its client. */
async function documentService(count: number) {
  const started = await startKeyClient();
  const { client, sent } = started;
  const add = (n: number) => client.vaults.create({ name: `Vault ${n}` });
  for (let n = 0; n < count; n++) await add(n);
  sent.length = 0;
  const asked = () => sent.filter((request) => request.startsWith('GET')).length;
  return { ...started, add, asked };
}

describe('guarantee 12: lists of the real server', () => {
  test('iteration yields every item once while others are inserted', async () => {
    const { client, add, asked } = await documentService(25);
    const seen: string[] = [];
    for await (const { name } of client.vaults.list({ pageSize: 10 })) {
      seen.push(name);
      // Newest first: each one pushes those that were not read yet a place further.
      if (seen.length % 4 === 0 && seen.length < 25) await add(100 + seen.length);
      if (seen.length <= 10) expect(asked()).toBe(1);
    }
    expect(seen).toHaveLength(new Set(seen).size);
    expect(seen).toEqual(Array.from({ length: 25 }, (_, n) => `Vault ${24 - n}`));
  });

  test('iteration continues at the failed page when it is resumed', async () => {
    const { server, client } = await documentService(12);
    const list = client.vaults.list({ pageSize: 5, sortBy: 'createdAt', sortOrder: 'asc' });
    const items = list[Symbol.asyncIterator]();
    const seen: string[] = [];
    for (let n = 0; n < 5; n++) seen.push((await items.next()).value.name);
    server.fault('error', { operations: 'listVaults', times: 3 });
    expect(await rejection(items.next())).toBeInstanceOf(ServerError);
    for (let step = await items.next(); !step.done; step = await items.next()) {
      seen.push(step.value.name);
    }
    expect(seen).toEqual(Array.from({ length: 12 }, (_, n) => `Vault ${n}`));
  });

  test('iteration ends after maxItems with no further request', async () => {
    const { client, asked } = await documentService(12);
    const names: string[] = [];
    for await (const { data } of client.vaults.list({ pageSize: 5 }, { maxItems: 7 }).pages()) {
      names.push(...data.map(({ name }) => name));
    }
    expect(names).toHaveLength(7);
    expect(asked()).toBe(2);
  });
});

describe('events after a cursor of the real server', () => {
  test('a program gets each event once, the oldest first', async () => {
    const { client, add } = await documentService(2);
    const names: string[] = [];
    let page = await client.events.after(undefined, { type: 'vault.created', pageSize: 1 });
    expect(page.data).toMatchObject([{ data: { object: { name: 'Vault 1' } } }]);
    for (let n = 2; n < 7; n++) await add(n);
    do {
      page = await client.events.after(page.cursor, { type: 'vault.created', pageSize: 2 });
      for (const event of page.data) {
        if (event.type === 'vault.created') names.push(event.data.object.name);
      }
    } while (page.hasMore);
    expect(names).toEqual(['Vault 2', 'Vault 3', 'Vault 4', 'Vault 5', 'Vault 6']);
    const refused = await rejection(client.events.after(`${page.cursor}x`));
    expect(refused).toMatchObject({ details: { field: 'after', constraint: 'cursorExpired' } });
  });
});
