import { describe, expect, test } from 'vitest';
import { createAjv } from '../src/contract/ajv.ts';
import { contractOperations, resolvePointer } from '../src/contract/contract.ts';
import contract from '../src/generated/contract.json' with { type: 'json' };

// Checks of the contract document that its linters do not make.

const ajv = createAjv(contract);
const { EventType, Scope } = contract.components.schemas;

/** Every object within a value, with its JSON pointer. */
function* objects(value: unknown, pointer = '#'): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [pointer, value as Record<string, unknown>];
  for (const [name, member] of Object.entries(value)) {
    yield* objects(member, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}

describe('webhooks of the contract', () => {
  const events = Object.entries(contract.webhooks).map(([type, { post }]) => {
    const { schema, example } = post.requestBody.content['application/json'];
    return { type, schema, example };
  });

  test('are exactly the 22 types of the schema EventType', () => {
    expect(events).toHaveLength(22);
    expect(events.map(({ type }) => type).sort()).toEqual([...EventType.enum].sort());
  });

  test.each(events)(
    'the example of $type matches the schema of that event only',
    ({ type, example }) => {
      const fitting = events.filter(({ schema }) =>
        ajv.compile({ $ref: `contract${schema.$ref}` })(example),
      );
      expect(fitting.map((event) => event.type)).toEqual([type]);
      expect(ajv.compile({ $ref: 'contract#/components/schemas/Event' })(example)).toBe(true);
    },
  );
});

test('every response of every operation has X-Request-Id and all rate limit headers', () => {
  const required = [
    'X-Request-Id',
    ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-RateLimit-Tier'],
    ...['X-Rate-Limit-Limit', 'X-Rate-Limit-Remaining', 'X-Rate-Limit-Reset'],
    ...['Limit', 'Remaining', 'Reset'].map((name) => `X-RateLimit-Minute-${name}`),
  ];
  expect(contractOperations).toHaveLength(74);
  for (const { id, pointer } of contractOperations) {
    const { responses } = resolvePointer(pointer) as { responses: Record<string, object> };
    for (const [status, response] of Object.entries(responses)) {
      const { headers } = (
        '$ref' in response ? resolvePointer(String(response.$ref)) : response
      ) as { headers: object };
      expect(Object.keys(headers), `${id} ${status}`).toEqual(expect.arrayContaining(required));
    }
  }
});

test('operations require exactly the scopes of the schema Scope', () => {
  const required = contractOperations.flatMap(({ schemes }) => [...schemes.values()].flat());
  expect([...new Set(required)].sort()).toEqual([...Scope.enum].sort());
});

test('every alias maps to an existing path and is not itself a path', () => {
  const paths = Object.keys(contract.paths);
  for (const [alias, path] of Object.entries(contract['x-path-aliases'])) {
    expect(paths).toContain(path);
    expect(paths).not.toContain(alias);
  }
});

test('every array with uniqueItems has the type of its items inline', () => {
  // Without an inline type, Ajv compares every pair of items, which is quadratic.
  const lists = [...objects(contract.components.schemas)].filter(
    ([, { uniqueItems }]) => uniqueItems,
  );
  expect(lists.length).toBeGreaterThan(5);
  for (const [pointer, { items }] of lists) expect(items, pointer).toHaveProperty('type');
});
