import { beforeEach, describe, expect, test } from 'vitest';
import { createAjv } from '../src/contract/ajv.ts';
import { contractDocument, contractOperations, resolvePointer } from '../src/contract/contract.ts';
import { requestValidators } from '../src/generated/validators/index.js';
import { type Check, hostileTexts, isSuperLinear } from './support/growth.ts';
import { invalid } from './support/replies.ts';
import { startTestServer, type TestServer } from './support/server.ts';

// What senders choose must not decide how long the server is busy.

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly pattern?: string;
  readonly format?: string;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** The patterns and formats of the whole contract, with the examples of their schemas. */
function collectChecks(node: unknown, found = new Map<string, Set<string>>()) {
  if (typeof node !== 'object' || node === null) return found;
  const { pattern, format, example, examples = [] } = node as Schema;
  for (const [kind, rule] of Object.entries({ pattern, format })) {
    if (typeof rule !== 'string') continue;
    const name = `${kind} ${rule}`;
    const texts = found.get(name) ?? new Set();
    const given = Array.isArray(examples) ? examples.flat() : [];
    for (const text of [example, ...given]) if (typeof text === 'string') texts.add(text);
    found.set(name, texts);
  }
  for (const child of Object.values(node)) collectChecks(child, found);
  return found;
}

const { formats } = createAjv({});

/** Returns the function that a validator calls; undefined for formats of numbers and of bytes. */
function checkOf(name: string): Check | undefined {
  const rule = name.slice(name.indexOf(' ') + 1);
  const format = name.startsWith('pattern ') ? new RegExp(rule, 'u') : formats[rule];
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'function') return (text) => format(text) as boolean;
  if (typeof format !== 'object') return undefined;
  const { type, validate } = format;
  if (type === 'number') return undefined;
  return validate instanceof RegExp
    ? (text) => validate.test(text)
    : (text) => (validate as Check)(text);
}

describe('patterns and formats of the contract', () => {
  const checks = [...collectChecks(contractDocument)].flatMap(([name, examples]) => {
    const check = checkOf(name);
    return check ? [{ name, check, examples: [...examples] }] : [];
  });

  test('their checks take time in proportion to the length of any text', () => {
    expect(checks.length).toBeGreaterThan(30);
    for (const { name, check, examples } of checks) {
      const slow = hostileTexts(examples).find((text) => isSuperLinear(check, text));
      expect(slow?.(8), name).toBeUndefined();
    }
  });

  test('the measurement finds expressions that take quadratic time', () => {
    for (const [pattern, example] of [
      ['^[a-z]*[a-z/]*$', 'abc'],
      ['^https?://[a-z:]*[a-z:/]*$', 'https://example.com/path'],
    ] as const) {
      const check: Check = (text) => new RegExp(pattern, 'u').test(text);
      expect(
        hostileTexts([example]).some((text) => isSuperLinear(check, text)),
        pattern,
      ).toBe(true);
    }
  });
});

/** Follows the references of a schema; its own keywords win. */
function resolved(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...own } = schema;
  return { ...resolved(resolvePointer($ref) as Schema), ...own };
}

/** Returns the limited properties of the body of an operation. */
function propertiesOf(pointer: string): [name: string, schema: Schema][] {
  const { requestBody } = resolvePointer(pointer) as {
    readonly requestBody?: {
      readonly content: { readonly 'application/json'?: { schema: Schema } };
    };
  };
  const schema = requestBody?.content['application/json']?.schema;
  if (!schema) return [];
  return Object.entries(resolved(schema).properties ?? {}).map(([name, property]) => [
    name,
    resolved(property),
  ]);
}

describe('values beyond their limit', () => {
  const properties = contractOperations.flatMap(({ id, pointer }) =>
    propertiesOf(pointer).map(([name, schema]) => ({ id, name, schema })),
  );

  /** Returns the rules that a value of a body violates. */
  function violationsOf(id: keyof typeof requestValidators, name: string, value: unknown) {
    const validate = requestValidators[id].body;
    validate?.({ [name]: value });
    return (validate?.errors ?? [])
      .filter(({ instancePath }) => `${instancePath}/`.startsWith(`/${name}/`))
      .map(({ keyword }) => keyword);
  }

  test('a text of twice its length violates maxLength alone: no expression is tried on it', () => {
    const texts = properties.filter(({ schema }) => schema.maxLength !== undefined);
    expect(texts.length).toBeGreaterThan(20);
    for (const { id, name, schema } of texts) {
      const value = '"\u0000 '.repeat(schema.maxLength ?? 0);
      expect(violationsOf(id, name, value), `${id} ${name}`).toEqual(['maxLength']);
    }
  });

  test('a list of too many items violates maxItems alone: no item is checked', () => {
    const lists = properties.filter(({ schema }) => [schema.type].flat().includes('array'));
    expect(lists.length).toBeGreaterThan(10);
    for (const { id, name, schema } of lists) {
      const value = Array.from({ length: (schema.maxItems ?? 1_000) + 1 }, () => '"');
      expect(violationsOf(id, name, value), `${id} ${name}`).toEqual(['maxItems']);
    }
  });

  test('an object of too many members violates maxProperties alone', () => {
    const value = Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`\u0000${at}`, 1]));
    expect(violationsOf('createWebhook', 'headers', value)).toEqual([
      'maxProperties',
      'x-max-bytes',
    ]);
  });
});

describe('a server', () => {
  let server: TestServer;

  beforeEach(async () => {
    server = await startTestServer();
  });

  test('POST /webhooks with a url of 500,000 characters returns 400 maxLength alone', async () => {
    const url = `https://${'a'.repeat(500_000)}"`;
    const events = ['vault.created'];
    const body = { url, events, secret: 's'.repeat(32) };
    const reply = await server.developer('POST', '/api/v1/webhooks', { body });
    expect(reply).toMatchObject(invalid('url', 'maxLength'));
    expect(reply.body.error.details.violations).toHaveLength(1);
    expect((await server.developer('GET', '/api/v1/webhooks')).body.data).toEqual([]);
  });

  test('POST /oauth/clients with 500 long redirectUris returns 400 maxItems alone', async () => {
    const redirectUris = Array.from({ length: 500 }, () => `https://${'a'.repeat(2_000)}"`);
    const body = { name: 'App', type: 'public', redirectUris, scopes: ['vaults:read'] };
    const { call } = await server.signUp('ada@example.com');
    const reply = await call('POST', '/api/v1/oauth/clients', { body });
    expect(reply).toMatchObject(invalid('redirectUris', 'maxItems'));
    expect(reply.body.error.details.violations).toHaveLength(1);
  });

  test('createWebhook of GraphQL with a url of 500,000 characters returns maxLength alone', async () => {
    const query = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { id } }';
    const url = `https://${'a'.repeat(500_000)}"`;
    const input = { url, events: ['vault.created'], secret: 's'.repeat(32) };
    const body = { query, variables: { input } };
    const reply = await server.developer('POST', '/graphql', { body });
    const [{ extensions }] = reply.body.errors;
    expect(extensions.details.violations).toMatchObject([
      { field: 'url', constraint: 'maxLength' },
    ]);
  });
});
