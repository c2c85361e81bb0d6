/**
 * Writes the public types of the SDK: a plain interface for every schema that an operation takes or
 * returns, and for the query of every list. Editors show these names, and compilers read them faster
 * than types computed from the whole contract.
 */
import { readFile } from 'node:fs/promises';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly (string | null)[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly schema: Schema;
}

interface Contract {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { operationId: string; parameters?: object[] }>>>
  >;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

/** Schemas that every method hides: lists are `Page<T>`, and the session sends its own tokens. */
const hidden = /(Page|^RefreshRequest|^LogoutRequest|^Error)$/;

/** The event union keeps its computed type: 22 interfaces that `webhook-verify` publishes already. */
const eventUnion = `/** An event as it is sent to webhooks; \`type\` discriminates the 22 kinds. */
// \`| never\` keeps the name of the type in editors.
export type WebhookEvent = components['schemas']['Event'] | never;`;

const pageQuery = `/** Where a list begins, and how large its pages are. */
export interface PageQuery {
  /** Number of the first page, from 1. @default 1 */
  page?: number;
  /** Items per page, 1 to 100. @default 20 for one page, 100 when iterating */
  pageSize?: number;
}`;

/** The text of the SDK's `generated/types.ts`. */
export async function resultTypes(contractUrl: URL): Promise<string> {
  const contract = JSON.parse(await readFile(contractUrl, 'utf8')) as Contract;
  const { schemas } = contract.components;
  const names = reachable(contract).filter((name) => name !== 'Event' && !hidden.test(name));
  const declarations = names.toSorted().map((name) => declaration(name, schemas));
  return [
    "import type { components } from './openapi.ts';",
    '',
    [...declarations, eventUnion, pageQuery, ...queries(contract)].join('\n\n'),
    '',
  ].join('\n');
}

/** Names of the schemas that operations refer to, directly or through others, and those of errors. */
function reachable({ paths, components }: Contract): string[] {
  const found = new Set<string>();
  const open: unknown[] = [paths, components.schemas.Error];
  while (open.length > 0) {
    for (const [, name = ''] of JSON.stringify(open.pop()).matchAll(/schemas\/(\w+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      if (name !== 'Event') open.push(components.schemas[name]);
    }
  }
  return [...found];
}

type Schemas = Contract['components']['schemas'];

/** Schemas of requests: their lengths are limits that the caller has to keep. */
const request = /^(Create|Update|Delete|Test|Register|Login)(?!d)/;

function declaration(name: string, schemas: Schemas): string {
  const schema = schemas[name] ?? {};
  const [base, own = {}] = schema.allOf ?? (schema.$ref ? [schema] : [undefined, schema]);
  const comment = commentOf(schema.description ?? name, '');
  if (!base && !own.properties) {
    const type = typeOf(own);
    const lines = type.length > 80 ? `\n  | ${type.replaceAll(' | ', '\n  | ')}` : ` ${type}`;
    return `${comment}\nexport type ${name} =${lines};`;
  }
  const extended = base ? ` extends ${nameOf(base)}` : '';
  return `${comment}\nexport interface ${name}${extended} {${members(own, { schemas, limits: request.test(name) })}}`;
}

function members(
  { properties = {}, required = [], additionalProperties }: Schema,
  options: DescribeOptions,
): string {
  const lines = Object.entries(properties).map(([name, schema]) => {
    const optional = required.includes(name) ? '' : '?';
    return `${commentOf(describe(schema, options), '  ')}\n  ${name}${optional}: ${typeOf(schema)};\n`;
  });
  if (additionalProperties === true) lines.push('  [name: string]: unknown;\n');
  return lines.length > 0 ? `\n${lines.join('')}` : '';
}

/** The query of each list; `search` of vaults is a method with arguments of its own. */
function queries({ paths, components }: Contract): string[] {
  return Object.values(paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ operationId, parameters = [] }) => {
      const [, verb, noun] = /^(list|get)(?:Document(?=S))?(.*)$/.exec(operationId) ?? [];
      if (noun === undefined) return [];
      const own = parameters
        .map((parameter) => resolve(components.parameters, parameter))
        .filter((parameter) => parameter.in === 'query' && !/^page/.test(parameter.name));
      const properties = own.map(({ name, description, schema }) => [
        name,
        { ...schema, description },
      ]);
      const isList = verb === 'list';
      // The client takes `content` as an option of the call.
      if (!isList && own.every((parameter) => parameter.name === 'content')) return [];
      const plural = noun.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
      const name = plural.replace('api', 'API').replace('oauth', 'OAuth');
      const about = isList
        ? `Filters and order of a list of ${name}`
        : `What to return of an ${name}`;
      const comment = `/** ${about}. */`;
      const options = { schemas: components.schemas, limits: true };
      const body = members({ properties: Object.fromEntries(properties) }, options);
      return [
        isList
          ? `${comment}\nexport interface List${noun} extends PageQuery {${body}}`
          : `${comment}\nexport interface Get${noun} {${body}}`,
      ];
    });
}

function resolve(parameters: Readonly<Record<string, Parameter>>, parameter: object): Parameter {
  const { $ref } = parameter as { $ref?: string };
  const resolved = $ref ? parameters[$ref.split('/').at(-1) ?? ''] : (parameter as Parameter);
  if (!resolved) throw new Error(`${$ref} is no parameter`);
  return resolved;
}

function nameOf({ $ref = '' }: Schema): string {
  const name = $ref.split('/').at(-1) ?? '';
  return name === 'Event' ? 'WebhookEvent' : name;
}

function typeOf(schema: Schema): string {
  if (schema.$ref) return nameOf(schema);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  const types = [schema.type ?? 'unknown'].flat();
  return types.map((type) => typeNamed(String(type), schema)).join(' | ');
}

function typeNamed(type: string, { items, additionalProperties }: Schema): string {
  if (type === 'integer') return 'number';
  if (type === 'array') {
    const item = typeOf(items ?? {});
    return item.includes('|') ? `(${item})[]` : `${item}[]`;
  }
  if (type !== 'object') return type;
  const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown';
  return `{ [name: string]: ${value} }`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

interface DescribeOptions {
  readonly schemas: Schemas;
  /** Whether lengths are described. */
  readonly limits: boolean;
}

/** The description of a property with what its schema says beyond the type. */
function describe(schema: Schema, { schemas, limits }: DescribeOptions): string {
  const { format, minLength, maxLength, minItems, maxItems } = schema;
  const target = schema.$ref?.split('/').at(-1) ?? '';
  const text = schema.description ?? schemas[target]?.description ?? '';
  const length = range(minLength, maxLength, 'characters') ?? range(minItems, maxItems, 'items');
  const unit = limits ? length : undefined;
  const parts = [
    text,
    ...(format === 'date-time' ? ['As ISO 8601.'] : []),
    ...(unit ? [unit] : []),
  ];
  if (schema.default !== undefined) parts.push(`@default ${literal(schema.default)}`);
  return parts.join(' ');
}

function range(min = 0, max: number | undefined, unit: string): string | undefined {
  if (max === undefined) return undefined;
  const most = max.toLocaleString('en');
  return min > 0 ? `${min} to ${most} ${unit}.` : `At most ${most} ${unit}.`;
}

/** A comment of lines that are at most 100 characters long. */
function commentOf(text: string, indent: string): string {
  const escaped = text.replaceAll('*/', '*\\/');
  const single = `${indent}/** ${escaped} */`;
  if (single.length <= 100 && !escaped.includes('\n')) return single;
  const lines = escaped.split('\n').flatMap((line) => {
    const wrapped = [''];
    for (const word of line.split(' ')) {
      const last = wrapped.at(-1) ?? '';
      const isLong = !line.startsWith('|') && indent.length + 4 + last.length + word.length > 100;
      if (isLong) wrapped.push(word);
      else wrapped[wrapped.length - 1] = last === '' ? word : `${last} ${word}`;
    }
    return wrapped;
  });
  const body = lines.map((line) => `${indent} * ${line}`.trimEnd());
  return [`${indent}/**`, ...body, `${indent} */`].join('\n');
}
