import { expect, test } from 'vitest';
import { GraphqlRequestError } from '../../src/graphql/errors.ts';
import { createDocumentParser } from '../../src/graphql/parsing.ts';
import { createSchema } from '../../src/graphql/schema.ts';

const createParser = () => createDocumentParser({ schema: createSchema(), introspection: true });

function errorOf(parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    return error;
  }
}

test('a parsed document is cached until others displace it, unless it is long', () => {
  const parse = createParser();
  const often = '{ me { id } }';
  const once = '{ me { name } }';
  const [first, other] = [parse(often), parse(once)];
  for (let number = 0; number < 30; number += 1) {
    expect(parse(often)).toBe(first);
    parse(`{ a${number}: me { id } } # ${'x'.repeat(10_000)}`);
  }
  expect(parse(often)).toBe(first);
  expect(parse(once)).not.toBe(other);
  const long = `{ me { id } } # ${'x'.repeat(30_000)}`;
  expect(parse(long)).not.toBe(parse(long));
});

test('errors of invalid documents are not cached', () => {
  const parse = createParser();
  for (const wrong of ['{', '{ nope }', `{ ${'me { '.repeat(100)}`]) {
    const refusal = errorOf(() => parse(wrong));
    expect(refusal).toBeInstanceOf(GraphqlRequestError);
    expect(errorOf(() => parse(wrong))).not.toBe(refusal);
  }
});
