import { describe, expect, test } from 'vitest';
import { checkTextSize } from '../../src/graphql/parsing.ts';
import { ask, invalid } from '../support/graphql/asking.ts';
import { type Caller, startTestServer } from '../support/server.ts';

// Documents that are small to send and would be much to read, to compare or to answer.

const repeat = (times: number, part: (number: number) => string) =>
  Array.from({ length: times }, (_, number) => part(number)).join(' ');

const page = '{ data { id } }';
/** A document of so many levels of fields. */
function levels(count: number): string {
  const names = ['vaults', 'data', 'documents', 'data', 'vault', 'documents', 'data'];
  const more = Array.from({ length: 20 }, () => ['vault', 'documents', 'data']).flat();
  const path = [...names, ...more].slice(0, count - 1);
  return `{ ${path.join(' { ')} { __typename ${'}'.repeat(count)}`;
}

const attacks: readonly (readonly [name: string, query: string, constraint: string])[] = [
  [
    'a thousand names for a list',
    `{ ${repeat(1000, (n) => `a${n}: vaults ${page}`)} }`,
    'maxTokens',
  ],
  [
    'lists in lists',
    `{ vaults(pageSize: 100) { data { ${repeat(40, (n) => `a${n}: documents(pageSize: 100) { data { shares(pageSize: 100) { data { id } } } }`)} } } }`,
    'maxNodes',
  ],
  ['a field a thousand times', `{ me { ${repeat(990, () => 'id')} } }`, 'maxRepetitions'],
  ['an object a hundred times', `{ ${repeat(100, () => 'me { id }')} }`, 'maxRepetitions'],
  ['more brackets than a reader can open', `{ ${'a{'.repeat(900)}`, 'maxDepth'],
  ['values in values', `{ vaults(search: ${'['.repeat(900)}) ${page} }`, 'maxDepth'],
  ['eleven levels', levels(11), 'maxDepth'],
  [
    'fragments of fragments',
    `{ vaults { data { ...f0 } } } ${repeat(
      12,
      (n) => `fragment f${n} on Vault { a${n}: name x${n}: id ...f${n + 1} ...f${n + 1} }`,
    )} fragment f12 on Vault { id }`,
    'maxRepetitions',
  ],
  [
    'a circle of fragments',
    '{ me { ...a } } fragment a on User { ...b } fragment b on User { ...a }',
    'type',
  ],
  ['a fragment in itself', '{ me { ...a } } fragment a on User { id ...a }', 'type'],
  ['two hundred directives', `{ me ${repeat(200, () => '@include(if: true)')} { id } }`, 'type'],
  ['a thousand mistakes', `{ ${repeat(1900, (n) => `vaultz${n}`)} }`, 'type'],
  ['a thousand operations', `${repeat(390, (n) => `query q${n} { me { id } }`)}`, 'maxTokens'],
  [
    'a schema without end',
    `{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }`,
    'type',
  ],
  ['a comment of 900 KB', `{ me { id } } # ${'x'.repeat(900_000)}`, 'maxBytes'],
  ['900,000 commas', `{ me { id } } ${','.repeat(900_000)}`, 'maxBytes'],
  ['more than 64 KiB in UTF-8', `{ me { id } } # ${'é'.repeat(32 * 1024)}`, 'maxBytes'],
];

/** What an answer takes of the thread's time, whatever else the machine does; the client's share is in it. */
async function timed(call: Caller, query: string) {
  const start = process.threadCpuUsage();
  const answer = await ask(call, query);
  const { user, system } = process.threadCpuUsage(start);
  return { answer, milliseconds: (user + system) / 1000 };
}

describe('a document that is an attack', () => {
  test.each(attacks)('%s is refused', async (_, query, constraint) => {
    const { developer } = await startTestServer();
    // What is read and wired at the first request is not this one's.
    await ask(developer, '{ me { id } }');
    const { answer, milliseconds } = await timed(developer, query);
    expect(answer).toMatchObject(invalid('query', constraint));
    // Most take some milliseconds; unbounded ones took seconds.
    expect(milliseconds).toBeLessThan(300);
  });

  test('costs what a small one does when its variables make it large', async () => {
    const { developer } = await startTestServer({ defaultTier: 'free' });
    const query = `query($size: Int) { vaults(pageSize: $size) { data { documents(pageSize: $size) { data { id } } } } }`;
    const asked = (size: number | null) => ask(developer, query, { variables: { size } });
    expect((await asked(5)).body.extensions.cost).toMatchObject({ points: 1, remaining: 99 });
    expect((await asked(null)).body.extensions.cost).toMatchObject({ points: 5, remaining: 94 });
    expect(await asked(100)).toMatchObject(invalid('query', 'maxCost'));
    expect(await asked(101)).toMatchObject(invalid('pageSize', 'maximum'));
    expect(await asked(2 ** 31 - 1)).toMatchObject(invalid('pageSize', 'maximum'));
    expect(await asked(1e300)).toMatchObject(invalid('size', 'type'));
  });

  test('is not answered with many times what was sent', async () => {
    const { developer } = await startTestServer();
    const long = 'x'.repeat(500_000);
    const sized = async (query: string, variables = {}) =>
      JSON.stringify((await ask(developer, query, { variables })).body).length;
    const names = repeat(100, (n) => `a${n}: vault(id: $id) { id }`);
    expect(await sized(`query($id: ID!) { ${names} }`, { id: long })).toBeLessThan(100_000);
    expect(await sized(`query($id: ID!) { ${names} }`, { id: long.slice(0, 4096) })).toBeLessThan(
      1_000_000,
    );
    for (const query of [
      long,
      `{ ${long} }`,
      `{ me(${long}: 1) { id } }`,
      `{ me { id } } ${long}`,
    ]) {
      expect(await sized(query)).toBeLessThan(5000);
    }
    const order = 'query($order: SortOrder) { vaults(sortOrder: $order) { data { id } } }';
    expect(await sized(order, { order: long })).toBeLessThan(5000);
  });

  test('at the limits of its size is answered', async () => {
    const { developer } = await startTestServer();
    const names = `{ me { ${repeat(660, (n) => `a${n}:id`)} } }`;
    const { answer } = await timed(developer, names);
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body.data.me)).toHaveLength(660);
    expect((await ask(developer, levels(10))).status).toBe(200);
    expect((await ask(developer, '{ me { id } }'.padEnd(64 * 1024, ','))).status).toBe(200);
  });
});

// Before: the lexer passed all of them, 80 ms of processor time and more for each MB.
test('A document of 900,000 commas takes less than 10 ms of processor time to refuse', () => {
  const text = `{ me { id } } ${','.repeat(900_000)}`;
  const start = process.threadCpuUsage();
  for (let times = 0; times < 10; times += 1) {
    expect(() => checkTextSize(text)).toThrow('at most 65536 bytes');
  }
  const { user, system } = process.threadCpuUsage(start);
  expect((user + system) / 1000 / 10).toBeLessThan(10);
});
