import { expect, test, vi } from 'vitest';
import { Pace } from '../../src/graphql/pace.ts';
import { longJson } from '../../src/http/graphql/long-json.ts';
import { dataOf } from '../support/graphql/asking.ts';
import { newDocument, newVault } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';

test('a small answer waits for nothing', () => {
  const pace = new Pace();
  for (let page = 0; page < 50; page += 1) expect(pace.turnOf(100)).toBeUndefined();
  expect(new Pace().spread(['a', 'b'], 2500)).toEqual(['a', 'b']);
  expect(pace.isLong).toBe(false);
});

test('a large one is made in turns, with others in between', async () => {
  const pace = new Pace();
  const order: string[] = [];
  const pages = Array.from({ length: 150 }, async (_, number) => {
    await pace.turnOf(100);
    order.push(`page ${number}`);
  });
  // Asked for at the same time by somebody else.
  setImmediate(() => order.push('other'));
  await Promise.all(pages);
  expect(order.filter((name) => name !== 'other')).toEqual(pages.map((_, n) => `page ${n}`));
  expect(order.indexOf('other')).toBeGreaterThanOrEqual(50);
  expect(order.indexOf('other')).toBeLessThan(101);
  expect(pace.isLong).toBe(true);
});

test('a turn is reached when what it has led to is done too', async () => {
  const pace = new Pace();
  pace.turnOf(5000);
  let isDone = false;
  const work = async () => {
    await pace.turnOf(5000);
    await Promise.resolve();
    await pace.turnOf(5000);
    isDone = true;
  };
  const working = work();
  await pace.reached();
  expect(isDone).toBe(true);
  await working;
});

test('what is asked of each item of a list is what it waits for, whatever its names and fragments', async () => {
  const { developer } = await startTestServer();
  for (const name of ['A', 'B', 'C'])
    await newDocument(developer, (await newVault(developer, { name })).id);
  const turns = vi.spyOn(Pace.prototype, 'turnOf');
  const names = Array.from({ length: 600 }, (_, number) => `a${number}:name`).join(' ');
  const query = `query { vaults(sortBy: name) { ...p } } fragment p on VaultPage { data { ...v documents {
    data { encryptionMetadata { iv authTag } fileName vault { id } } } } } fragment v on Vault { ${names} }`;
  const { vaults } = await dataOf(developer, query);
  const widths = turns.mock.calls.map(([fields]) => fields);
  turns.mockRestore();
  const [vault, page, document, ofDocument] = [601, 1, 5, 1];
  expect(widths.toSorted((a, b) => a - b)).toEqual(
    [page, ...[1, 2, 3].flatMap(() => [page, ofDocument, document, vault])].toSorted(
      (a, b) => a - b,
    ),
  );
  expect(vaults.data.map(({ a599 }: Record<string, string>) => a599)).toEqual(['A', 'B', 'C']);
});

test('a long answer is the JSON that it would be in one piece', async () => {
  const answered = (fields: object) => Object.assign(Object.create(null), fields);
  const item = answered({
    'a"': 'text " \u2028 \ud800',
    number: 1.5,
    yes: true,
    nothing: null,
    empty: answered({}),
    list: [],
    words: ['a', 'b'],
    raw: { free: [{ form: 1 }], 'b"': null },
  });
  const data = answered({ items: Array.from({ length: 2000 }, () => item) });
  const order: string[] = [];
  const written = longJson(data).then((text) => {
    order.push('written');
    return text;
  });
  setImmediate(() => order.push('other'));
  expect(await written).toBe(JSON.stringify(data));
  expect(order).toEqual(['other', 'written']);
  for (const short of [null, answered({}), answered({ a: null })]) {
    expect(await longJson(short)).toBe(JSON.stringify(short));
  }
});
