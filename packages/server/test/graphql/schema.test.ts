import { readFile } from 'node:fs/promises';
import {
  buildSchema,
  type GraphQLNamedType,
  getIntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { createSchema } from '../../src/graphql/schema.ts';
import { ask, dataOf, refusedWith } from '../support/graphql/asking.ts';
import { startTestServer } from '../support/server.ts';

const written = await readFile(
  new URL('../../../../openapi/schema.graphql', import.meta.url),
  'utf8',
);
const schema = createSchema();
const own = Object.values(schema.getTypeMap()).filter(
  (type) => !type.name.startsWith('__') && !(isScalarType(type) && isSpecifiedScalarType(type)),
);

interface Described {
  readonly name: string;
  readonly description?: string | null | undefined;
}

/** A type and all its parts that can have a description, by their place. */
function partsOf(type: GraphQLNamedType): [string, Described][] {
  const parts: [string, Described][] = [[type.name, type]];
  const within = (members: readonly Described[]) =>
    members.map((member): [string, Described] => [`${type.name}.${member.name}`, member]);
  if (isEnumType(type)) parts.push(...within(type.getValues()));
  if (isInputObjectType(type)) parts.push(...within(Object.values(type.getFields())));
  if (isObjectType(type)) {
    const fields = Object.values(type.getFields());
    parts.push(...within(fields), ...fields.flatMap(({ args }) => within(args)));
  }
  return parts;
}

describe('schema', () => {
  test('it has the types of openapi/schema.graphql', () => {
    const names = Object.keys(buildSchema(written).getTypeMap()).toSorted();
    expect(Object.keys(schema.getTypeMap()).toSorted()).toEqual(names);
    expect(own.length).toBeGreaterThan(40);
  });

  test('every type, field, argument and value has a description', () => {
    const undescribed = own
      .flatMap(partsOf)
      .filter(([, { description }]) => !/\w.*[.)]$/s.test(description?.trim() ?? ''))
      .map(([place]) => place);
    expect(undescribed).toEqual([]);
  });

  test('every field with arguments and every single object has a resolver', () => {
    const withArguments = own
      .filter(isObjectType)
      .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })))
      .filter(({ field }) => field.args.length > 0 || ['me', 'vault'].includes(field.name));
    expect(withArguments.length).toBeGreaterThan(20);
    for (const { type, field } of withArguments) {
      expect(field.resolve, `${type.name}.${field.name}`).toBeTypeOf('function');
    }
  });
});

describe('introspection', () => {
  test('introspection returns the schema in development', async () => {
    const { developer } = await startTestServer();
    const data = await dataOf(developer, getIntrospectionQuery());
    expect(data.__schema.queryType).toEqual({ name: 'Query', kind: 'OBJECT' });
    expect(data.__schema.types.length).toBeGreaterThan(own.length);
  });

  test('the introspection query fits the points of the free tier', async () => {
    const { developer } = await startTestServer({ defaultTier: 'free' });
    const { body } = await ask(developer, getIntrospectionQuery());
    expect(body.extensions.cost.points).toBeLessThan(30);
  });

  test('without introspection it returns 400, and errors suggest no names', async () => {
    const closed = await startTestServer({ graphqlIntrospection: false });
    for (const query of [getIntrospectionQuery(), '{ __type(name: "Vault") { name } }']) {
      const refused = await ask(closed.developer, query);
      expect(refused).toMatchObject(refusedWith(400, 'VALIDATION_ERROR'));
    }
    expect(await dataOf(closed.developer, '{ __typename }')).toEqual({ __typename: 'Query' });
    const misspelled = [
      '{ valts { data { id } } }',
      '{ vaults { data { nam } } }',
      '{ vaults(pag: 1) { data { id } } }',
    ];
    const open = await startTestServer();
    for (const query of misspelled) {
      const messageFor = async (call: typeof open.developer) =>
        (await ask(call, query)).body.errors[0].message;
      expect(await messageFor(closed.developer)).not.toMatch(/did you mean/i);
      expect(await messageFor(open.developer)).toMatch(/did you mean/i);
    }
    const variables = { order: 'des' };
    const query = 'query($order: SortOrder) { vaults(sortOrder: $order) { data { id } } }';
    const guess = await ask(closed.developer, query, { variables });
    expect(JSON.stringify(guess.body)).not.toMatch(/did you mean/i);
  });
});
