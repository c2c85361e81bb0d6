import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAjv } from '../../server/src/contract/ajv.ts';
import {
  contractDocument,
  contractOperations,
  type Operation,
  resolvePointer,
} from '../../server/src/contract/contract.ts';
import { createRequestValidator } from '../../server/src/contract/validation.ts';
import { testContract } from '../src/contract.ts';
import {
  checkBody,
  checkParameters,
  type SchemaValidator,
} from '../src/generated/rules/violations.ts';
import { validateBody, validateQuery } from '../src/validation.ts';

/** The value after validation, or the error. */
function outcome(validate: () => unknown): unknown {
  try {
    return { value: validate() };
  } catch (error) {
    const { code, message, details } = error as Record<string, unknown>;
    return { code, message, details };
  }
}

const textValues = fc.oneof(
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
  fc.constantFrom('\u3164', '\u200d', 'a\u00adb', 'a\u200db', '\u2800', '..'),
  fc.string({ unit: 'binary', maxLength: 40 }).filter((text) => text.isWellFormed()),
);
const values = fc.oneof(
  textValues,
  fc.constantFrom(null, true, false, 0, 1, -1, 1.5, 10_000_000),
  fc.array(fc.oneof(textValues, fc.constantFrom(null, 1)), { maxLength: 4 }),
  fc.constant(Array.from({ length: 60 }, (_, index) => `item ${index % 59}`)),
  fc.dictionary(
    fc.constantFrom('iv', 'authTag', 'algorithm', 'salt', 'x y', 'Accept'),
    textValues,
    {
      maxKeys: 4,
    },
  ),
  fc.constant({ large: 'x'.repeat(17_000) }),
);

/** Objects with some properties of these names, and sometimes an unknown one. */
const objectsOf = (names: readonly string[]) =>
  fc.dictionary(fc.constantFrom(...names, ...names, ...names, 'colour'), values, { maxKeys: 8 });

function propertiesOf({ pointer }: Operation): string[] {
  const place = `${pointer}/requestBody/content/application~1json/schema`;
  const { $ref } = resolvePointer(place) as { $ref: string };
  const { properties } = resolvePointer($ref) as { properties: object };
  return Object.keys(properties);
}

function kitOperation({ id }: Operation) {
  const found = testContract.operations.find((operation) => operation.id === id);
  if (!found) throw new Error(`the kit has no operation ${id}`);
  return found;
}

// Compiled at run time from the contract: the generated validators must not differ from them.
const ajv = createAjv(contractDocument, { useDefaults: true });

/** Validates a body with Ajv alone. */
function bodyByAjv({ pointer }: Operation): (body: unknown) => unknown {
  const $ref = `contract${pointer}/requestBody/content/application~1json/schema`;
  const validate = ajv.compile({ $ref }) as SchemaValidator;
  return (body) => {
    checkBody(validate, body);
    return body;
  };
}

/** The value that a parameter of a type has, when its text is one of that type. */
function parsedText(text: unknown, { type }: { readonly type?: unknown }): unknown {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return type === 'integer' && /^-?[0-9]{1,15}$/.test(String(text)) ? Number(text) : text;
}

/** Validates a query with Ajv alone. */
function queryByAjv({ parameters }: Operation) {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const properties = Object.fromEntries(
    inQuery.map(({ name, schema }) => [
      name,
      schema.$ref === undefined ? schema : { ...schema, $ref: `contract${schema.$ref}` },
    ]),
  );
  const required = inQuery.filter((parameter) => parameter.required).map(({ name }) => name);
  const validate = ajv.compile({ type: 'object', properties, required }) as SchemaValidator;
  return (query: Readonly<Record<string, unknown>>) => {
    const sent = inQuery.filter(({ name }) => query[name] !== undefined);
    const known = Object.fromEntries(
      sent.map(({ name, schema }) => [name, parsedText(query[name], schema)]),
    );
    checkParameters(validate, known);
    return known;
  };
}

describe('the test kit and the server validate requests like Ajv with the contract', () => {
  const withBody = contractOperations.filter(
    ({ body }) => body === 'required' || body === 'optional',
  );
  test.each(withBody.map((operation) => [operation.id, operation] as const))(
    'bodies of %s get the same values, or the same violations in the same order',
    (id, operation) => {
      const server = createRequestValidator(operation);
      const byAjv = bodyByAjv(operation);
      fc.assert(
        fc.property(fc.oneof(objectsOf(propertiesOf(operation)), values), (body) => {
          const [first, second] = [structuredClone(body), structuredClone(body)];
          const expected = outcome(() => byAjv(body));
          expect(outcome(() => server.body(first))).toEqual(expected);
          expect(outcome(() => validateBody(id, second))).toEqual(expected);
        }),
        { numRuns: 100 },
      );
    },
  );

  const withQuery = contractOperations.filter(({ parameters }) =>
    parameters.some((parameter) => parameter.in === 'query'),
  );
  test.each(withQuery.map((operation) => [operation.id, operation] as const))(
    'queries of %s get the same values, or the same violations in the same order',
    (_, operation) => {
      const server = createRequestValidator(operation);
      const byAjv = queryByAjv(operation);
      const names = operation.parameters.flatMap((parameter) =>
        parameter.in === 'query' ? [parameter.name] : [],
      );
      const some = fc.oneof(
        textValues,
        fc.constantFrom('1', '2', '0', '101', 'name', 'createdAt', '-1', '007'),
        fc.constantFrom('0x1', '+1', ' 1', '1.0', '1e1', '1e400', '1_0', 'true', 'false', 'True'),
      );
      const queries = fc.dictionary(fc.constantFrom(...names), some, { maxKeys: 5 });
      fc.assert(
        fc.property(queries, (query) => {
          const expected = outcome(() => byAjv(query));
          const sent = new URLSearchParams(query).toString();
          expect(outcome(() => server.query(query))).toEqual(expected);
          expect(outcome(() => validateQuery(kitOperation(operation), sent))).toEqual(expected);
        }),
        { numRuns: 100 },
      );
    },
  );
});

test('the test kit has every operation of the contract with its paths, parameters, body and rate limit', () => {
  const expected = contractOperations.map(
    ({ id, method, path, aliases, parameters, body, rateLimit, successStatus: status }) => ({
      id,
      method,
      paths: [path, ...aliases],
      parameters: parameters
        .filter((parameter) => parameter.in !== 'path')
        .map(({ name, in: place }) => ({ name, in: place })),
      body,
      ...(rateLimit && { rateLimit }),
      status,
    }),
  );
  expect(testContract.operations.map(({ security: _, role: __, ...rest }) => rest)).toEqual(
    expected,
  );
});
