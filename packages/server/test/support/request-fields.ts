import { type Operation, resolvePointer } from '../../src/contract/contract.ts';

// Generates requests from the schemas of the contract that each break one rule.

/** The keywords of JSON Schema that the contract uses in requests. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly required?: readonly string[];
  readonly dependentRequired?: unknown;
  readonly dependentSchemas?: unknown;
  readonly if?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
}

interface Media {
  readonly schema: Schema;
  readonly examples: Readonly<Record<string, { readonly value: Record<string, unknown> }>>;
}

/** A value that breaks `constraint` at `field`, a dotted path. */
export interface BrokenField {
  readonly field: string;
  readonly constraint: string;
  readonly value: unknown;
}

export interface BrokenBody extends Omit<BrokenField, 'value'> {
  readonly body: unknown;
}

function resolved(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...siblings } = schema;
  return { ...resolved(resolvePointer($ref) as Schema), ...siblings };
}

function mediaOf({ pointer }: Operation): Media {
  return resolvePointer(`${pointer}/requestBody/content/application~1json`) as Media;
}

/** The body of operations that take bytes: the only part of an upload of this length. */
export const exampleBytes = Buffer.from('ciphertext of a part');

/** A valid JSON body: the example of the contract with the most properties. */
export function exampleBody(operation: Operation): Record<string, unknown> {
  const examples = Object.values(mediaOf(operation).examples).map(({ value }) => value);
  return examples.reduce((best, example) =>
    Object.keys(example).length > Object.keys(best).length ? example : best,
  );
}

/** The names of all properties of the operation's body. */
export function bodyProperties(operation: Operation): string[] {
  return Object.keys(resolved(mediaOf(operation).schema).properties ?? {});
}

/** Whether the schema of the body has rules between fields. */
export function hasDependentFields(operation: Operation): boolean {
  const { properties = {}, ...schema } = resolved(mediaOf(operation).schema);
  return [schema, ...Object.values(properties).map(resolved)].some(
    (part) => part.dependentRequired ?? part.dependentSchemas ?? part.if,
  );
}

/** Copies of the example body that each break one rule. */
export function brokenBodies(operation: Operation): BrokenBody[] {
  const { schema } = mediaOf(operation);
  return brokenMembers(resolved(schema), exampleBody(operation), []);
}

function brokenMembers(schema: Schema, whole: object, path: readonly string[]): BrokenBody[] {
  const at = (name: string) => [...path, name];
  const missing = (schema.required ?? []).map((name) => ({
    field: at(name).join('.'),
    constraint: 'required',
    body: withoutMember(whole, at(name)),
  }));
  const unknown =
    schema.additionalProperties === false
      ? [
          {
            field: at('notInTheContract').join('.'),
            constraint: 'additionalProperties',
            body: withMember(whole, at('notInTheContract'), 'text'),
          },
        ]
      : [];
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const own = brokenValues(at(name).join('.'), resolved(member)).map(
      ({ field, constraint, value }) => ({
        field,
        constraint,
        body: withMember(whole, at(name), value),
      }),
    );
    const inner = resolved(member);
    return inner.properties ? [...own, ...brokenMembers(inner, whole, at(name))] : own;
  });
  return [...missing, ...unknown, ...members];
}

/** Values that each break one rule of this schema. */
export function brokenValues(field: string, schema: Schema): BrokenField[] {
  const { maxLength, minLength, minimum, maximum, maxItems, maxProperties } = schema;
  const broken: BrokenField[] = [];
  const add = (constraint: string, value: unknown) => broken.push({ field, constraint, value });
  const types = [schema.type ?? []].flat();
  for (const [type, value] of Object.entries({ string: 'text', integer: 17, object: {} })) {
    if (!types.includes(type)) add('type', value);
  }
  if (!types.includes('null')) add('type', null);
  if (maxLength !== undefined) add('maxLength', 'x'.repeat(maxLength + 1));
  if (minLength !== undefined && minLength > 0) add('minLength', 'x'.repeat(minLength - 1));
  if (minimum !== undefined) add('minimum', minimum - 1);
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) add('maximum', maximum + 1);
  if (schema.enum) add('enum', 'not in the contract');
  if (maxItems !== undefined) add('maxItems', names(maxItems + 1));
  if (maxProperties !== undefined) {
    add('maxProperties', Object.fromEntries(names(maxProperties + 1).map((name) => [name, 'x'])));
  }
  return broken;
}

function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `name-${index}`);
}

function withMember(whole: object, path: readonly string[], value: unknown): object {
  const [name = '', ...rest] = path;
  const member = (whole as Record<string, unknown>)[name];
  return { ...whole, [name]: rest.length === 0 ? value : withMember(Object(member), rest, value) };
}

function withoutMember(whole: object, path: readonly string[]): object {
  const [name = '', ...rest] = path;
  const { [name]: member, ...others } = whole as Record<string, unknown>;
  return rest.length === 0 ? others : { ...others, [name]: withoutMember(Object(member), rest) };
}

/** Query strings with one parameter each, which breaks one rule. */
export function brokenQueries(
  operation: Operation,
): { field: string; constraint: string; query: string }[] {
  return operation.parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap(({ name, schema }) =>
      brokenTexts(name, resolved(schema as Schema)).map(({ field, constraint, value }) => ({
        field,
        constraint,
        query: new URLSearchParams({ [name]: String(value) }).toString(),
      })),
    );
}

/** Query parameters are text, so only parameters of other types can have a wrong type. */
function brokenTexts(name: string, schema: Schema): BrokenField[] {
  const rules = brokenValues(name, schema).filter(({ constraint }) => constraint !== 'type');
  const isText = [schema.type ?? []].flat().includes('string');
  return isText ? rules : [...rules, { field: name, constraint: 'type', value: 'text' }];
}
