/**
 * Writes what the SDK's test kit needs of the contract: each operation with its paths, credentials and
 * parameters, the schemas of requests, and an example of what each event says. Nothing for readers.
 */
import { readFile } from 'node:fs/promises';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type JsonObject = { [name: string]: Json };

interface OperationObject {
  readonly operationId: string;
  readonly security: Json;
  readonly 'x-required-role'?: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly schema: Json;
}

interface Content {
  readonly 'application/json': {
    readonly schema: Json;
    readonly example?: { readonly data: Json };
  };
}

interface Contract {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly 'x-path-aliases': Readonly<Record<string, string>>;
  readonly webhooks: Readonly<
    Record<string, { readonly post: { readonly requestBody: { readonly content: Content } } }>
  >;
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly schemas: Readonly<Record<string, JsonObject>>;
  };
}

/** The text of the SDK's `generated/test-contract.json`. */
export async function testContract(contractUrl: URL): Promise<string> {
  const contract = JSON.parse(await readFile(contractUrl, 'utf8')) as Contract;
  const operations = Object.entries(contract.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) =>
      toOperation(contract, { path, method, operation }),
    ),
  );
  const events = Object.entries(contract.webhooks).map(([type, { post }]) => {
    const { example } = post.requestBody.content['application/json'];
    if (example === undefined) throw new Error(`${type} has no example`);
    return [type, example.data];
  });
  const { openapi, info } = contract;
  return `${JSON.stringify({
    openapi,
    info: { title: info.title, version: info.version },
    operations,
    schemas: schemasOf(contract, operations),
    events: Object.fromEntries(events),
  })}\n`;
}

/** The text of the SDK's `generated/operation-id.ts`: the names of the operations, for the types of the kit. */
export async function operationIds(contractUrl: URL): Promise<string> {
  const { paths } = JSON.parse(await readFile(contractUrl, 'utf8')) as Contract;
  const ids = Object.values(paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => `  | '${operationId}'`),
  );
  return [
    '// Generated from openapi/ by `npm run generate`. Do not edit.\n',
    '/** The name of an operation in the contract, such as `createVault`. */',
    `export type OperationId =\n${ids.join('\n')};\n`,
  ].join('\n');
}

interface Place {
  readonly path: string;
  readonly method: string;
  readonly operation: OperationObject;
}

function toOperation(contract: Contract, { path, method, operation }: Place) {
  const { requestBody } = operation;
  const parameters = (operation.parameters ?? []).map((parameter) =>
    '$ref' in parameter ? resolve(contract, parameter.$ref) : parameter,
  );
  const aliases = Object.entries(contract['x-path-aliases']);
  return {
    id: operation.operationId,
    method,
    paths: [path, ...aliases.filter(([, to]) => to === path).map(([alias]) => alias)],
    security: operation.security,
    ...(operation['x-required-role'] && { role: operation['x-required-role'] }),
    parameters: parameters
      .filter((parameter) => parameter.in !== 'path')
      .map(({ name, in: place, required, schema }) => ({
        name,
        in: place,
        ...(required && { required }),
        schema: bare(schema),
      })),
    ...(requestBody && {
      body: {
        required: requestBody.required === true,
        schema: bare(requestBody.content['application/json'].schema),
      },
    }),
    status: Number(Object.keys(operation.responses).find((status) => status.startsWith('2'))),
  };
}

function resolve({ components }: Contract, $ref: string): Parameter {
  const parameter = components.parameters[$ref.split('/').at(-1) ?? ''];
  if (!parameter) throw new Error(`${$ref} is no parameter`);
  return parameter;
}

/** What validation does not look at. In `properties`, the same words are names. */
const forReaders = new Set(['description', 'example', 'examples', 'title', 'x-addition']);

function bare(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(bare);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(([name]) => !forReaders.has(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [
      name,
      name === 'properties' ? bareEach(value as JsonObject) : bare(value),
    ]),
  );
}

function bareEach(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, bare(schema)]));
}

/** The schemas that these refer to, and those that they refer to. */
function schemasOf({ components }: Contract, used: unknown): JsonObject {
  const found: JsonObject = {};
  const open = [used];
  while (open.length > 0) {
    for (const [, name = ''] of JSON.stringify(open.pop()).matchAll(
      /"#\/components\/schemas\/(\w+)"/g,
    )) {
      const schema = components.schemas[name];
      if (name in found || !schema) continue;
      found[name] = bare(schema);
      open.push(found[name]);
    }
  }
  return found;
}
