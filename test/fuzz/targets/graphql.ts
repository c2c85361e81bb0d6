import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isObjectType,
} from 'graphql';
import { assertSound, deliver, requestBytes } from '../connection.ts';
import { unreachable } from '../resources.ts';
import type { Target } from '../target.ts';
import { apply, type Edit, edit, hostileJson, hostileText } from '../values.ts';

// Documents generated from the schema and then changed, with variables.

interface Input {
  readonly document: string;
  readonly edits: readonly Edit[];
  /** As JSON. */
  readonly variables: string;
  readonly operationName: string | null;
}

const schema = buildSchema(
  readFileSync(new URL('../../../openapi/schema.graphql', import.meta.url), 'utf8'),
);

const literal = fc.oneof(
  fc.integer().map(String),
  hostileText.map((text) => JSON.stringify(text.toWellFormed())),
  fc.constantFrom(
    'null',
    'true',
    '$v',
    '[]',
    '{}',
    '1e400',
    '-0',
    '"""block"""',
    'asc',
    '99999999999',
    '[[[]]]',
  ),
  fc.nat(2_000).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
);

/** A selection of fields of this type. */
function selectionOf(type: GraphQLObjectType, depth: number): fc.Arbitrary<string> {
  const fields = Object.values(type.getFields());
  const one = fc.constantFrom(...fields).chain((field) => {
    const named = getNamedType(field.type);
    const args = fc
      .array(
        fc.tuple(
          fc.constantFrom('id', 'input', ...field.args.map(({ name }) => name)),
          argument(field.args),
        ),
        {
          maxLength: 3,
        },
      )
      .map((pairs) =>
        pairs.length === 0 ? '' : `(${pairs.map((pair) => pair.join(': ')).join()})`,
      );
    const inner =
      isObjectType(named) && depth > 0
        ? selectionOf(named, depth - 1)
        : fc.constant(isObjectType(named) ? '{ __typename }' : '');
    return fc
      .tuple(alias, args, directive, inner)
      .map(
        ([before, given, after, selected]) => `${before}${field.name}${given}${after} ${selected}`,
      );
  });
  const part = fc.oneof(
    { weight: 8, arbitrary: one },
    fc.constantFrom('__typename', '...F', '...G', '__schema { types { name } }'),
    { weight: 1, arbitrary: fc.constant(`... on ${type.name} { __typename }`) },
  );
  return fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `{ ${parts.join(' ')} }`);
}

const alias = fc.constantFrom('', '', '', 'a: ', 'b: ');
const directive = fc.constantFrom(
  '',
  '',
  '',
  ' @skip(if: $v)',
  ' @include(if: true)',
  ' @unknown',
  ' @skip(if: true)'.repeat(50),
);

function argument(args: readonly GraphQLArgument[]) {
  const enums = args.flatMap(({ type }) => {
    const named = getNamedType(type);
    return isEnumType(named) ? named.getValues().map(({ name }) => name) : [];
  });
  return enums.length === 0 ? literal : fc.oneof(literal, fc.constantFrom(...enums));
}

const roots = [schema.getQueryType(), schema.getMutationType()].filter((type) => type != null);

const document = fc
  .tuple(
    fc
      .constantFrom(...roots)
      .chain((root) =>
        selectionOf(root, 3).map(
          (selected) => `${root === roots[0] ? 'query' : 'mutation'} Q($v: Boolean) ${selected}`,
        ),
      ),
    fc.constantFrom(
      '',
      'fragment F on Vault { id ...F }',
      'fragment F on Query { ...G } fragment G on Query { ...F }',
      'fragment F on Query { me { id } } fragment F on Query { me { name } }',
    ),
  )
  .map((parts) => parts.join(' '));

/** Documents that are short to describe and expensive to parse or validate. */
const bomb = fc
  .record({
    before: fc.constantFrom('{ me ', 'query ', '', '{ vaults '),
    unit: fc.constantFrom(
      '{ a ',
      '(',
      '[',
      '#',
      '"',
      '""',
      'a ',
      '@a ',
      '$a: A ',
      '...F ',
      '{ me { id } } ',
      'fragment F on Q { id } ',
      ',',
      '\ufeff',
      'me: me { id name } ',
    ),
    times: fc.nat(30_000),
    after: fc.constantFrom('', '}', '{ me { id } }'),
  })
  .map(({ before, unit, times, after }) => before + unit.repeat(times) + after);

const inputs: fc.Arbitrary<Input> = fc.record({
  document: fc.oneof(
    { weight: 12, arbitrary: document },
    { weight: 1, arbitrary: bomb },
    hostileText,
  ),
  edits: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(edit, { maxLength: 3 })),
  variables: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('{"v":true}', '{}', 'null') },
    hostileJson.map((json) => `{"v":${json}}`),
    hostileJson,
  ),
  operationName: fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    fc.constant('Q'),
    hostileText,
  ),
});

export const graphql: Target<Input> = {
  name: 'graphql',
  weight: 4,
  inputs,
  async attempt({ document: text, edits, variables, operationName }, { subject }) {
    // No delivery of a webhook may leave this machine.
    const query = apply(text, edits).replaceAll(/https?:[^"\s]*/g, unreachable);
    const body = Buffer.from(
      `{"query":${JSON.stringify(query)},"variables":${variables || 'null'},"operationName":${JSON.stringify(operationName)}}`,
    );
    const bytes = requestBytes(
      'POST',
      '/graphql',
      [
        ['Connection', 'close'],
        ['Content-Type', 'application/json'],
        ['Content-Length', String(body.length)],
        ['X-Api-Key', subject.apiKey],
      ],
      body,
    );
    for (const response of await deliver(subject.port, { pieces: [bytes], ending: 'wait' })) {
      assertSound(response);
      if (response.body.includes('INTERNAL_ERROR')) {
        throw new Error(`A field failed: ${response.body.toString('utf8').slice(0, 500)}`);
      }
    }
    await subject.assertUnharmed(bytes.length);
  },
};
