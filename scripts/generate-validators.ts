import { readFile } from 'node:fs/promises';
import { _ } from 'ajv/dist/2020.js';
import standaloneModule from 'ajv/dist/standalone/index.js';
import { transform } from 'esbuild';
import { createAjv } from '../packages/server/src/contract/ajv.ts';
import { header } from './typescript-printer.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type JsonObject = { [name: string]: Json };
type Schema = JsonObject & { readonly $ref?: string };

interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: { 'application/json'?: { readonly schema: Schema } } };
}

interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly schemas: Readonly<Record<string, JsonObject>>;
  };
}

/** Name of a part of a request -> name of its validator. */
type Parts = Record<string, string>;

/** ajv/dist/standalone is CommonJS: its types put the function under `default`, Node imports it directly. */
const standalone = standaloneModule as unknown as typeof standaloneModule.default;

/**
 * Returns the validators of all requests as modules without `eval` and without imports of Ajv. They run
 * where a Content-Security-Policy forbids code generation, and a server compiles nothing at start.
 *
 * @param target - the `generated/` folder of a package, from the root
 */
export async function requestValidators(contractUrl: URL, target: string) {
  const contract = JSON.parse(await readFile(contractUrl, 'utf8')) as Contract;
  const bodies = new Map<string, object>();
  const parameters = new Map<string, object>();
  const parts = new Map<string, Parts>();
  for (const operation of Object.values(contract.paths).flatMap((item) => Object.values(item))) {
    const { operationId: id, requestBody } = operation;
    const schema = requestBody?.content['application/json']?.schema;
    parts.set(id, {
      ...(schema && { body: `bodies.${add(bodies, id, inContract(schema))}` }),
      ...partIn(contract, operation, 'query', parameters),
      ...partIn(contract, operation, 'header', parameters),
    });
  }
  const folder = `${target}/validators`;
  return [
    { path: `${folder}/bodies.js`, text: await compiled(contract, bodies) },
    { path: `${folder}/parameters.js`, text: await compiled(contract, parameters) },
    { path: `${folder}/index.js`, text: table(parts) },
    { path: `${folder}/index.d.ts`, text: types(parts) },
  ];
}

function types(parts: ReadonlyMap<string, Parts>): string {
  return `${header}
import type { RequestValidators } from '../rules/violations.ts';

/** The compiled validators of each operation. */
export declare const requestValidators: Readonly<
  Record<
${[...parts.keys()].map((id) => `    | '${id}'`).join('\n')},
    RequestValidators
  >
>;
`;
}

function table(parts: ReadonlyMap<string, Parts>): string {
  const rows = [...parts].map(([id, names]) => {
    const members = Object.entries(names).map(([part, name]) => `${part}: ${name}`);
    return `  ${id}: {${members.map((member) => ` ${member},`).join('')} },\n`;
  });
  return [
    header,
    "import * as bodies from './bodies.js';",
    "import * as parameters from './parameters.js';\n",
    `export const requestValidators = {\n${rows.join('')}};\n`,
  ].join('\n');
}

function partIn(
  { components }: Contract,
  operation: Operation,
  place: 'query' | 'header',
  schemas: Map<string, object>,
): Parts {
  const found = (operation.parameters ?? [])
    .map((parameter) => {
      if (!('$ref' in parameter)) return parameter;
      const target = components.parameters[parameter.$ref.split('/').at(-1) ?? ''];
      if (!target) throw new Error(`${parameter.$ref} is no parameter`);
      return target;
    })
    .filter((parameter) => parameter.in === place);
  if (found.length === 0) return {};
  const part = place === 'header' ? 'headers' : place;
  const properties = Object.fromEntries(
    found.map(({ name, schema }) => [name, inContract(schema)]),
  );
  const required = found.filter((parameter) => parameter.required).map(({ name }) => name);
  const parsed = Object.fromEntries(
    found
      .filter(({ schema: { type } }) => type === 'integer' || type === 'boolean')
      .map(({ name, schema: { type } }) => [name, type]),
  );
  const schema = { type: 'object', 'x-parsed': parsed, properties, required };
  return { [part]: `parameters.${add(schemas, `${operation.operationId}_${part}`, schema)}` };
}

/** Adds a schema and returns the name of its validator. Equal schemas share one. */
function add(schemas: Map<string, object>, name: string, schema: object): string {
  const text = JSON.stringify(schema);
  const equal = [...schemas].find(([, other]) => JSON.stringify(other) === text);
  if (!equal) schemas.set(name, schema);
  return equal?.[0] ?? name;
}

/** Makes a reference absolute, so that the schema compiles outside the contract. */
function inContract(schema: Schema): object {
  const { $ref } = schema;
  return { ...withoutProse(schema), ...($ref !== undefined && { $ref: `contract${$ref}` }) };
}

/** Compiles schemas into a module that exports a validator for each of them. */
async function compiled(contract: Contract, schemas: ReadonlyMap<string, object>): Promise<string> {
  const code = { source: true, esm: true, formats: _`formats` };
  const components = { schemas: eachWithoutProse(contract.components.schemas) };
  const ajv = createAjv({ components }, { useDefaults: true, code, messages: false });
  for (const [name, schema] of schemas) ajv.addSchema({ $id: name, ...schema });
  const names = Object.fromEntries([...schemas.keys()].map((name) => [name, name]));
  const source = standalone(ajv, names)
    .replaceAll('require("ajv/dist/runtime/ucs2length").default', 'codePoints')
    // No one reads the place of a rule, and it is a fifth of the code.
    .replaceAll(/schemaPath:"(?:[^"\\]|\\.)*",/g, '');
  const foreign = /require\([^)]*\)/.exec(source)?.[0];
  if (foreign) throw new Error(`A validator needs ${foreign} of Ajv at run time`);
  const imports =
    "import { codePoints, formats, jsonBytes, parseBoolean, parseInteger, writtenUrl } from '../rules/formats.ts';\n";
  const { code: text } = await transform(imports + source, {
    format: 'esm',
    treeShaking: true,
    minifySyntax: true,
  });
  return `${header}\n${text}`;
}

/** Keywords that validation does not read. In `properties`, the same words are names. */
const prose = new Set(['description', 'example', 'examples', 'title', 'x-addition']);

function withoutProse(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(([keyword]) => !prose.has(keyword));
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (!isObject(value)) return [keyword, value];
      return [keyword, keyword === 'properties' ? eachWithoutProse(value) : withoutProse(value)];
    }),
  );
}

function eachWithoutProse(schemas: Readonly<Record<string, Json>>): JsonObject {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      isObject(schema) ? withoutProse(schema) : schema,
    ]),
  );
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
