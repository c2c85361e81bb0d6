import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contractOperations, type Operation } from '../../../server/src/contract/contract.ts';
import { createRequestValidator } from '../../../server/src/contract/validation.ts';
import { testContract } from '../../src/testing/contract.ts';
import { validateBody, validateQuery } from '../../src/testing/validation.ts';

/** What a validator says to a value: what it makes of it, or what it has against it. */
function verdict(validate: () => unknown): unknown {
  try {
    return { approved: validate() };
  } catch (error) {
    const { code, message, details } = error as Record<string, unknown>;
    return { code, message, details };
  }
}

const texts = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    ' a ',
    'a/b',
    'AAAA',
    'AAA',
    'AA==',
    'text/plain',
    'https://a.example/x',
  ),
  fc.constantFrom(
    '2026-02-30T00:00:00Z',
    '2026-03-01T00:00:00Z',
    'ada@example.com',
    'Ä@b',
    '5',
    'true',
  ),
  fc.constantFrom(
    'read',
    'vaults:read',
    'vault.created',
    'granted',
    'revoked',
    'http://a b',
    'asc',
  ),
  fc.constantFrom('x'.repeat(121), '😀'.repeat(120), 'x'.repeat(2_001), '\u0000', 'x'.repeat(40)),
  fc.string({ unit: 'binary', maxLength: 40 }).filter((text) => text.isWellFormed()),
);
const values = fc.oneof(
  texts,
  fc.constantFrom(null, true, false, 0, 1, -1, 1.5, 10_000_000),
  fc.array(fc.oneof(texts, fc.constantFrom(null, 1)), { maxLength: 4 }),
  fc.constant(Array.from({ length: 60 }, (_, index) => `item ${index % 59}`)),
  fc.dictionary(fc.constantFrom('iv', 'authTag', 'algorithm', 'salt', 'x y', 'Accept'), texts, {
    maxKeys: 4,
  }),
  fc.constant({ large: 'x'.repeat(17_000) }),
);

/** Objects with some properties of these names, and now and then another one. */
const objectsOf = (names: readonly string[]) =>
  fc.dictionary(fc.constantFrom(...names, ...names, ...names, 'colour'), values, { maxKeys: 8 });

function propertiesOf({ id }: Operation): string[] {
  const schema = testContract.operations.find((operation) => operation.id === id)?.body?.schema;
  const name = schema?.$ref?.split('/').at(-1) ?? '';
  return Object.keys(testContract.schemas[name]?.properties ?? {});
}

const own = (operation: Operation) => {
  const found = testContract.operations.find(({ id }) => id === operation.id);
  if (!found) throw new Error(`the kit does not know ${operation.id}`);
  return found;
};

describe('a request is judged as the service judges it', () => {
  const withBody = contractOperations.filter(({ body }) => body !== 'none');
  test.each(withBody.map((operation) => [operation.id, operation] as const))(
    '%s: body',
    (_, operation) => {
      const validator = createRequestValidator(operation);
      fc.assert(
        fc.property(fc.oneof(objectsOf(propertiesOf(operation)), values), (body) => {
          const copy = structuredClone(body);
          const expected = verdict(() => validator.body(body));
          expect(verdict(() => validateBody(own(operation), copy))).toEqual(expected);
        }),
        { numRuns: 100 },
      );
    },
  );

  const withQuery = contractOperations.filter(({ parameters }) =>
    parameters.some((parameter) => parameter.in === 'query'),
  );
  test.each(withQuery.map((operation) => [operation.id, operation] as const))(
    '%s: query',
    (_, operation) => {
      const validator = createRequestValidator(operation);
      const names = operation.parameters.map(({ name }) => name);
      const some = fc.oneof(
        texts,
        fc.constantFrom('1', '2', '0', '101', 'name', 'createdAt', '1e1'),
      );
      const queries = fc.dictionary(fc.constantFrom(...names), some, { maxKeys: 5 });
      fc.assert(
        fc.property(queries, (query) => {
          const expected = verdict(() => validator.query({ ...query }));
          const sent = new URLSearchParams(query);
          expect(verdict(() => validateQuery(own(operation), sent))).toEqual(expected);
        }),
        { numRuns: 100 },
      );
    },
  );
});

test('knows every operation of the contract, with all its paths', () => {
  const expected = contractOperations.map(
    ({ id, method, path, aliases, successStatus: status }) => ({
      id,
      method,
      paths: [path, ...aliases],
      status,
    }),
  );
  expect(
    testContract.operations.map(({ id, method, paths, status }) => ({ id, method, paths, status })),
  ).toEqual(expected);
});
