import { getNamedType, isLeafType, isObjectType } from 'graphql';
import { createSchema } from '../../../src/graphql/schema.ts';
import type { Caller, Reply } from '../server.ts';
import { ask } from './asking.ts';

const schema = createSchema();

/** Selects all fields of a type that have no arguments, recursively. */
function everyField(typeName: string): string {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) return '';
  const fields = Object.values(type.getFields())
    .filter(({ args, name }) => args.length === 0 && `${typeName}.${name}` !== 'Document.vault')
    .map(({ name, type }) => {
      const fieldType = getNamedType(type);
      if (isLeafType(fieldType)) return name;
      return fieldType.name === 'EncryptionMetadata'
        ? `${name} { raw }`
        : name + everyField(fieldType.name);
    });
  return ` { ${fields.join(' ')} }`;
}

/** Result of an operation over REST or GraphQL. */
export type Outcome =
  | { readonly result: unknown }
  | { readonly code: string; readonly details: unknown };

/** Sends one root field with its arguments as variables, selecting all fields of its type. */
export async function byGraphql(
  call: Caller,
  root: 'Query' | 'Mutation',
  [name, args]: readonly [name: string, args: Readonly<Record<string, unknown>>],
): Promise<Outcome> {
  const type = schema.getType(root);
  const field = isObjectType(type) ? type.getFields()[name] : undefined;
  if (!field) throw new Error(`There is no ${root}.${name}.`);
  const given = field.args.filter((argument) => argument.name in args);
  const declared = given.map((argument) => `$${argument.name}: ${argument.type}`).join(', ');
  const passed = given.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
  const brackets = (text: string) => (text === '' ? '' : `(${text})`);
  const selection = everyField(getNamedType(field.type).name);
  const query = `${root.toLowerCase()}${brackets(declared)} { ${name}${brackets(passed)}${selection} }`;
  const { body } = await ask(call, query, { variables: args });
  const [error] = body.errors ?? [];
  if (error) return { code: error.extensions.code, details: error.extensions.details };
  return { result: withoutRaw(body.data[name]) };
}

/** Replaces each `encryptionMetadata` with its `raw` value, as in REST. */
function withoutRaw(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(withoutRaw);
  if (typeof result !== 'object' || result === null) return result;
  return Object.fromEntries(
    Object.entries(result).map(([name, value]) => [
      name,
      name === 'encryptionMetadata' ? value.raw : withoutRaw(value),
    ]),
  );
}

export function outcomeOf({ status, body }: Reply): Outcome {
  if (status >= 400) return { code: body.error.code, details: body.error.details };
  return { result: body };
}

/** Replaces each id, which differs between runs, with its index of first occurrence. */
export function comparable<Value>(value: Value): Value {
  const known = new Map<string, string>();
  const pattern =
    /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|(?:evt|dlv|req|key)_[0-9a-f]{32}/g;
  const text = JSON.stringify(value).replaceAll(pattern, (id) => {
    if (!known.has(id)) known.set(id, `#${known.size}`);
    return known.get(id) ?? '';
  });
  return JSON.parse(text);
}
