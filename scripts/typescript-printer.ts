/** Prints schemas of the contract as TypeScript: interfaces with names and comments, for people to read. */

/** The part of JSON Schema that the contract uses. */
export interface Schema {
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

export type Schemas = Readonly<Record<string, Schema>>;

export const header = '// Generated from openapi/ by `npm run generate`. Do not edit.\n';

/** Returns the comment of a property. Default: the description of its schema. */
export type Describe = (property: Schema) => string | undefined;

const ownDescription: Describe = ({ description }) => description;

/**
 * Prints a schema as an interface, one that extends the schema it is composed of, or as a type alias.
 *
 * @throws Error for a schema that has no translation
 */
export function declaration(name: string, schema: Schema, describe?: Describe): string {
  const [base, own = {}, ...others] =
    schema.allOf ?? (schema.$ref ? [schema] : [undefined, schema]);
  if (others.length > 0 || (schema.allOf && (!base?.$ref || !own.properties))) {
    throw new Error(`${name}: allOf is understood as a reference and an object`);
  }
  const { description = '' } = schema;
  if (base) return interfaceText(name, { ...own, description }, { base: refName(base), describe });
  if (own.properties) return interfaceText(name, schema, { describe });
  const type = typeText(schema, { path: name, describe });
  const lines = type.length > 80 ? `\n  | ${type.replaceAll(' | ', '\n  | ')}` : ` ${type}`;
  return `${comment(description)}export type ${name} =${lines};\n`;
}

interface InterfaceOptions {
  /** The interface that it extends. */
  readonly base?: string | undefined;
  readonly describe?: Describe | undefined;
}

export function interfaceText(
  name: string,
  schema: Schema,
  { base, describe }: InterfaceOptions = {},
): string {
  const heritage = base ? ` extends ${base}` : '';
  const body = objectText(schema, { path: name, describe });
  return `${comment(schema.description)}export interface ${name}${heritage} ${body}\n`;
}

interface Place {
  /** Names the schema in errors. */
  readonly path: string;
  readonly indent?: string;
  readonly describe?: Describe | undefined;
}

function objectText(schema: Schema, { path, indent = '', describe = ownDescription }: Place) {
  const { properties = {}, required = [], additionalProperties } = schema;
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, property]) => {
    const optional = required.includes(name) ? '' : '?';
    const type = typeText(property, { path: `${path}.${name}`, indent: inner, describe });
    return `${comment(describe(property), inner)}${inner}${name}${optional}: ${type};\n`;
  });
  if (additionalProperties === true) members.push(`${inner}[name: string]: unknown;\n`);
  return members.length === 0 ? '{}' : `{\n${members.join('')}${indent}}`;
}

const primitives = new Map([
  ['string', 'string'],
  ['integer', 'number'],
  ['number', 'number'],
  ['boolean', 'boolean'],
  ['null', 'null'],
]);

/** @throws Error for a schema that has no translation */
function typeText(schema: Schema, place: Place): string {
  if (schema.$ref !== undefined) return refName(schema);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.anyOf) return schema.anyOf.map((each) => typeText(each, place)).join(' | ');
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if (schema.type === undefined) throw new Error(`${place.path} has no type`);
  return [schema.type]
    .flat()
    .map((type) => namedTypeText(type, schema, place))
    .join(' | ');
}

function namedTypeText(type: string, schema: Schema, place: Place): string {
  const { items, properties, additionalProperties: others } = schema;
  const { path } = place;
  const primitive = primitives.get(type);
  if (primitive !== undefined) return primitive;
  if (type === 'array' && items) {
    const item = typeText(items, { ...place, path: `${path}[]` });
    return item.includes(' ') ? `(${item})[]` : `${item}[]`;
  }
  if (type === 'object' && properties) return objectText(schema, place);
  if (type === 'object' && others) {
    const value = others === true ? 'unknown' : typeText(others, place);
    return `Record<string, ${value}>`;
  }
  throw new Error(`${path}: no translation for this ${type}`);
}

export function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

/** Returns the name of the schema that a reference names. */
export function refName({ $ref = '' }: Schema): string {
  const name = /^#\/components\/schemas\/(\w+)$/.exec($ref)?.[1];
  if (name === undefined) throw new Error(`not a reference to a schema: "${$ref}"`);
  return name;
}

export function schemaNamed(name: string, schemas: Schemas): Schema {
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`the contract has no schema ${name}`);
  return schema;
}

const lineWidth = 100;

/** Prints a documentation comment, on one line where it fits. Rows of tables and items of lists stay lines. */
export function comment(description: string | null | undefined, indent = ''): string {
  if (!description) return '';
  const text = description
    .trim()
    .replaceAll('*/', '*\\/')
    .replace(/(?<![|\n])\n(?![|\n-])/g, ' ');
  const single = `${indent}/** ${text} */`;
  if (single.length <= lineWidth && !text.includes('\n')) return `${single}\n`;
  const width = lineWidth - indent.length - ' * '.length;
  const broken = new RegExp(`(.{1,${width}}|\\S+)(?: +|$)`, 'g');
  const lines = text.split('\n').flatMap((line) => {
    if (line.startsWith('|') || line === '') return [line];
    return Array.from(line.matchAll(broken), ([, part = '']) => part);
  });
  const body = lines.map((line) => `${indent} * ${line}`.trimEnd());
  return [`${indent}/**`, ...body, `${indent} */\n`].join('\n');
}
