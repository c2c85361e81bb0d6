import { expect, test } from 'vitest';
import { GraphqlRequestError } from '../../src/graphql/errors.ts';
import { createDocumentParser } from '../../src/graphql/parsing.ts';
import { createSchema } from '../../src/graphql/schema.ts';

const reader = () => createDocumentParser({ schema: createSchema(), introspection: true });

function refusalOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}

test('a document is read once, until others have taken its place', () => {
  const read = reader();
  const often = '{ me { id } }';
  const once = '{ me { name } }';
  const [first, other] = [read(often), read(once)];
  for (let number = 0; number < 30; number += 1) {
    expect(read(often)).toBe(first);
    read(`{ a${number}: me { id } } # ${'x'.repeat(10_000)}`);
  }
  expect(read(often)).toBe(first);
  expect(read(once)).not.toBe(other);
  const long = `{ me { id } } # ${'x'.repeat(30_000)}`;
  expect(read(long)).not.toBe(read(long));
});

test('a document with mistakes is not remembered: told of, each takes as much memory as a long text', () => {
  const read = reader();
  for (const wrong of ['{', '{ nope }', `{ ${'me { '.repeat(100)}`]) {
    const refusal = refusalOf(() => read(wrong));
    expect(refusal).toBeInstanceOf(GraphqlRequestError);
    expect(refusalOf(() => read(wrong))).not.toBe(refusal);
  }
});
