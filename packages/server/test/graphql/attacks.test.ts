import { buildSchema, type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { checkTextSize, coerceVariables } from '../../src/graphql/parsing.ts';
import { ask, invalid } from '../support/graphql/asking.ts';
import { type Caller, startTestServer } from '../support/server.ts';

// Documents that are small to send and expensive to parse, to validate or to execute.

const repeat = (times: number, part: (number: number) => string) =>
  Array.from({ length: times }, (_, number) => part(number)).join(' ');

const page = '{ data { id } }';
/** A document with `count` levels of fields. */
function levels(count: number): string {
  const names = ['vaults', 'data', 'documents', 'data', 'vault', 'documents', 'data'];
  const more = Array.from({ length: 20 }, () => ['vault', 'documents', 'data']).flat();
  const path = [...names, ...more].slice(0, count - 1);
  return `{ ${path.join(' { ')} { __typename ${'}'.repeat(count)}`;
}

const attacks: readonly (readonly [name: string, query: string, constraint: string])[] = [
  ['1000 aliases of a list', `{ ${repeat(1000, (n) => `a${n}: vaults ${page}`)} }`, 'maxTokens'],
  [
    '40 aliases of nested lists',
    `{ vaults(pageSize: 100) { data { ${repeat(40, (n) => `a${n}: documents(pageSize: 100) { data { shares(pageSize: 100) { data { id } } } }`)} } } }`,
    'maxNodes',
  ],
  ['990 repetitions of a field', `{ me { ${repeat(990, () => 'id')} } }`, 'maxRepetitions'],
  ['100 repetitions of an object', `{ ${repeat(100, () => 'me { id }')} }`, 'maxRepetitions'],
  ['900 nested brackets', `{ ${'a{'.repeat(900)}`, 'maxDepth'],
  ['900 nested values', `{ vaults(search: ${'['.repeat(900)}) ${page} }`, 'maxDepth'],
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
    'a cycle of fragments',
    '{ me { ...a } } fragment a on User { ...b } fragment b on User { ...a }',
    'type',
  ],
  ['a fragment in itself', '{ me { ...a } } fragment a on User { id ...a }', 'type'],
  ['200 directives', `{ me ${repeat(200, () => '@include(if: true)')} { id } }`, 'type'],
  ['1900 unknown fields', `{ ${repeat(1900, (n) => `vaultz${n}`)} }`, 'type'],
  ['390 operations', `${repeat(390, (n) => `query q${n} { me { id } }`)}`, 'maxTokens'],
  [
    'a deeply nested introspection query',
    `{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }`,
    'type',
  ],
  ['a comment of 900 KB', `{ me { id } } # ${'x'.repeat(900_000)}`, 'maxBytes'],
  ['900,000 commas', `{ me { id } } ${','.repeat(900_000)}`, 'maxBytes'],
  ['more than 64 KiB in UTF-8', `{ me { id } } # ${'é'.repeat(32 * 1024)}`, 'maxBytes'],
];

/** Nearly as many tokens and fields as a document may have. */
const largest = `{ me { ${repeat(660, (n) => `a${n}:id`)} } }`;

/** Measures the processor time of a function in this thread, in milliseconds. The thread runs client and server. */
async function timeOf(work: () => unknown): Promise<number> {
  const start = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

/** Measures the processor time of executing ten of the largest documents, which depends on the machine. */
async function timeOfLargest(call: Caller): Promise<number> {
  return timeOf(async () => {
    for (let times = 0; times < 10; times += 1) await ask(call, largest.replace('a0', `b${times}`));
  });
}

describe('costly document', () => {
  let measuring: Promise<number> | undefined;
  /** The first documents are slow, until their code is compiled: they are not measured. */
  const limitOf = (call: Caller) => {
    measuring ??= timeOfLargest(call).then(() => timeOfLargest(call));
    return measuring;
  };

  test.each(attacks)(
    '%s: returns 400 in less processor time than thirty of the largest documents',
    async (_, query, constraint) => {
      const { developer } = await startTestServer();
      // The first request loads schema and resolvers.
      await ask(developer, '{ me { id } }');
      const accepted = await limitOf(developer);
      const rejected = await timeOf(async () => {
        expect(await ask(developer, query)).toMatchObject(invalid('query', constraint));
      });
      // Most take less than one of them. Without limits they took seconds, as much as a hundred of them.
      expect(rejected).toBeLessThan(3 * accepted);
    },
  );

  test('variables that enlarge a document count towards its cost', async () => {
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

  test('a rejected document gets a small response', async () => {
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

  test('a document at the limits of its size is executed', async () => {
    const { developer } = await startTestServer();
    const reply = await ask(developer, largest);
    expect(reply.status).toBe(200);
    expect(Object.keys(reply.body.data.me)).toHaveLength(660);
    expect((await ask(developer, levels(10))).status).toBe(200);
    expect((await ask(developer, '{ me { id } }'.padEnd(64 * 1024, ','))).status).toBe(200);
  });
});

// The lexer once passed all of them, with 80 ms of processor time and more for each MB.
test('rejecting ten documents of 900,000 commas takes less processor time than lexing five of them', async () => {
  const text = `{ me { id } } ${','.repeat(900_000)}`;
  const lexed = await timeOf(() => parse(text));
  const rejected = await timeOf(() => {
    for (let times = 0; times < 10; times += 1) {
      expect(() => checkTextSize(text)).toThrow('at most 65536 bytes');
    }
  });
  expect(rejected).toBeLessThan(5 * lexed);
});

/** A document of many fields, and a value for the variable that they use. */
interface Multiplied {
  readonly name: string;
  readonly declaration: string;
  /** @param value of an argument: a variable or a literal */
  readonly fields: (value: (field: number) => string) => string;
  /** A short literal in place of the variable. */
  readonly literal: string;
  readonly variable: unknown;
}

const consent = { purpose: 'p', grantedTo: 'x' };
const createConsents = (value: (field: number) => string) =>
  repeat(150, (n) => `a${n}: createConsent(input: ${value(n)}) { id }`);

const multiplied: readonly Multiplied[] = [
  {
    name: 'a text in the fields of a fragment',
    declaration: 'query ($v: String)',
    fields: (value) =>
      `${repeat(33, (n) => `v${n}: vaults(search: ${value(n)} pageSize: 1) { data { ...D } }`)} }
      fragment D on Vault {
        ${repeat(9, (n) => `d${n}: documents(search: ${value(n + 33)} pageSize: 1) { pagination { page } }`)}`,
    literal: '"a"',
    variable: 'a'.repeat(900_000),
  },
  {
    name: 'metadata of line breaks',
    declaration: 'mutation ($v: CreateConsentInput!)',
    fields: createConsents,
    literal: '{ purpose: "p", grantedTo: "x" }',
    variable: { ...consent, metadata: { a: '\n'.repeat(450_000) } },
  },
  {
    name: 'metadata of many members',
    declaration: 'mutation ($v: CreateConsentInput!)',
    fields: createConsents,
    literal: '{ purpose: "p", grantedTo: "x" }',
    variable: { ...consent, metadata: { a: Array(9_900).fill([]) } },
  },
  {
    name: 'a time of many digits',
    declaration: 'mutation ($v: CreateConsentInput!)',
    fields: createConsents,
    literal: '{ purpose: "p", grantedTo: "x" }',
    variable: { ...consent, expiresAt: '9'.repeat(900_000) },
  },
];

describe('a variable that many fields use', () => {
  // Each use was once validated anew: one request took four seconds. Times of a few milliseconds vary by more than four.
  test.each(multiplied)(
    '$name: takes about the processor time of a document with one use',
    async ({ declaration, fields, literal, variable }) => {
      const { developer } = await startTestServer();
      let errors = 0;
      const timeOfUses = async (uses: number) => {
        const document = fields((field) => (field < uses ? '$v' : literal));
        const times: number[] = [];
        for (let attempt = 0; attempt < 4; attempt += 1) {
          times.push(
            await timeOf(async () => {
              const options = { variables: { v: variable } };
              const { body } = await ask(developer, `${declaration} { ${document} }`, options);
              expect(body).not.toHaveProperty('data');
              errors = body.errors.length;
            }),
          );
        }
        return Math.min(...times);
      };
      const once = await timeOfUses(1);
      expect(await timeOfUses(1_000)).toBeLessThan(4 * once + 50);
      expect(errors).toBeLessThanOrEqual(20);
    },
  );

  test('a text that one literal repeats 450 times returns 400 maxArgumentBytes', async () => {
    const { developer } = await startTestServer();
    const query = `mutation ($v: String) {
      createConsent(input: { purpose: "p", grantedTo: "x", metadata: { ${repeat(450, (n) => `a${n}: $v`)} } }) { id }
    }`;
    const reply = await ask(developer, query, { variables: { v: 'a'.repeat(900_000) } });
    expect(reply).toMatchObject(invalid('query', 'maxArgumentBytes'));
    expect(reply.body).not.toHaveProperty('data');
  });

  test('valid arguments of 900,000 bytes in all are executed, and more return 400 maxArgumentBytes', async () => {
    const { developer } = await startTestServer();
    const metadata = { a: 'a'.repeat(16_000) };
    const create = (count: number) =>
      ask(
        developer,
        `mutation ($v: CreateConsentInput!) { ${repeat(count, (n) => `a${n}: createConsent(input: $v) { id }`)} }`,
        { variables: { v: { ...consent, metadata } } },
      );
    expect(await create(70)).toMatchObject(invalid('query', 'maxArgumentBytes'));
    const { body } = await create(55);
    expect(Object.keys(body.data)).toHaveLength(55);
    expect(body.errors).toBeUndefined();
  });
});

test('variables are read until 20 of their values are wrong', () => {
  const schema = buildSchema('type Query { a(flags: [Boolean!]): ID }');
  const document = parse('query ($flags: [Boolean!]) { a(flags: $flags) }');
  const [operation] = document.definitions as [OperationDefinitionNode];
  let read = 0;
  function* wrongValues() {
    for (; read < 1_000; read += 1) yield 'no';
  }
  const coerce = () =>
    coerceVariables(operation, { flags: wrongValues() }, { schema, hideSuggestions: true });
  expect(coerce).toThrow(
    expect.objectContaining({ errors: expect.objectContaining({ length: 20 }) }),
  );
  expect(read).toBe(19);
});

test('variables with 9,000 unknown properties return 20 errors', async () => {
  const { developer } = await startTestServer();
  const input = Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`unknown${at}`, 0]));
  const query = 'mutation ($input: CreateVaultInput!) { createVault(input: $input) { id } }';
  const { body } = await ask(developer, query, { variables: { input } });
  expect(body.errors).toHaveLength(20);
  expect(body).not.toHaveProperty('data');
});
