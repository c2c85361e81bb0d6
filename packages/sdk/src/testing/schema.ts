import type { Violation } from '../generated/types.ts';
import { referred, type Schema } from './contract.ts';

// The formats in requests, with the rules of the service.

const email =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i;

const timestamp =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/** RFC 3339, section 5.6, without leap seconds. */
function isTimestamp(text: string): boolean {
  const date = timestamp.exec(text)?.[1];
  if (date === undefined) return false;
  // `Date` would move 31 June to 1 July.
  const isDay = isoOf(date).startsWith(date);
  return isDay && /^\d{4}-/.test(isoOf(text));
}

function isoOf(text: string): string {
  return new Date(text).toJSON() ?? '';
}

/** RFC 3986. A URL parser would encode invalid characters instead of rejecting them. */
function isUri(text: string): boolean {
  const isSpelt = /^[a-z][a-z0-9+.-]*:(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\da-f]{2})*$/i.test(text);
  return isSpelt && URL.canParse(text);
}

/** RFC 4648, section 4, with padding. */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

const formats: Readonly<Record<string, (text: string) => boolean>> = {
  byte: isBase64,
  'date-time': isTimestamp,
  email: (text) => email.test(text),
  uri: isUri,
};

/** Whether a text has a format. Unknown formats accept every text. */
export function hasFormat(text: string, format: string): boolean {
  return formats[format]?.(text) ?? true;
}

// Interprets the contract's schemas. It finds the same violations as the service's validator in the same
// order, because `details.field` names the first. It needs no `eval`, so it runs under a
// Content-Security-Policy.

/** The path of a value: property names and indexes. */
type Path = readonly string[];

type JsonObject = Record<string, unknown>;

/**
 * Returns the violations of a schema by a value. It also trims texts and fills in defaults, where the
 * contract declares it.
 *
 * @param whole - field name of violations by the value as a whole
 */
export function violationsOf(schema: Schema, value: unknown, whole: string): Violation[] {
  return check(schema, value, []).map(({ path, constraint, says }) => {
    const field = path.join('.') || whole;
    return { field, constraint, message: `${field} ${says}.` };
  });
}

interface Finding {
  readonly path: Path;
  readonly constraint: string;
  readonly says: string;
}

/** Returns a violation when `refused` is true. */
function find(refused: boolean, path: Path, constraint: string, says: string): Finding[] {
  return refused ? [{ path, constraint, says }] : [];
}

/** A keyword applies to its type of values, also when the schema requires another type. */
function check(schema: Schema, value: unknown, path: Path): Finding[] {
  const reference = referred(schema);
  const types = [schema.type].flat().join();
  return [
    ...find(!hasType(schema, value), path, 'type', `must be ${types}`),
    ...(typeof value === 'number' ? checkNumber(schema, value, path) : []),
    ...(typeof value === 'string' ? checkText(schema, value, path) : []),
    ...(reference ? check(reference, value, path) : []),
    ...checkChoice(schema, value, path),
    ...(Array.isArray(value) ? checkList(schema, value, path) : []),
    ...(isObject(value) ? checkObject(schema, value, path) : []),
  ];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasType({ type }: Schema, value: unknown): boolean {
  return type === undefined || [type].flat().some((name) => isOf(name, value));
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function checkNumber(schema: Schema, value: number, path: Path): Finding[] {
  const { maximum, minimum, format } = schema;
  const formed = format !== 'int64' || Number.isInteger(value);
  return [
    ...find(value > (maximum ?? value), path, 'maximum', `must be <= ${maximum}`),
    ...find(value < (minimum ?? value), path, 'minimum', `must be >= ${minimum}`),
    ...find(!formed, path, 'format', `must match format "${format}"`),
  ];
}

function checkText(schema: Schema, text: string, path: Path): Finding[] {
  const { maxLength = Infinity, minLength = 0, pattern, format } = schema;
  // Lengths count code points. Long texts are only split if necessary.
  const length = maxLength === Infinity && minLength === 0 ? 0 : Array.from(text).length;
  const fits = pattern === undefined || new RegExp(pattern, 'u').test(text);
  const formed = format === undefined || hasFormat(text, format);
  return [
    ...find(
      length > maxLength,
      path,
      'maxLength',
      `must NOT have more than ${maxLength} characters`,
    ),
    ...find(
      length < minLength,
      path,
      'minLength',
      `must NOT have fewer than ${minLength} characters`,
    ),
    ...find(!fits, path, 'pattern', `must match pattern "${pattern}"`),
    ...find(!formed, path, 'format', `must match format "${format}"`),
  ];
}

/** The contract's enums and constants contain no objects. */
function checkChoice(schema: Schema, value: unknown, path: Path): Finding[] {
  const isOther = schema.const !== undefined && schema.const !== value;
  const choices = schema.enum ?? [value];
  return [
    ...find(isOther, path, 'const', 'must be equal to constant'),
    ...find(!choices.includes(value), path, 'enum', `must be one of ${choices.join(', ')}`),
  ];
}

function checkList(schema: Schema, list: readonly unknown[], path: Path): Finding[] {
  const { maxItems = Infinity, minItems = 0, uniqueItems, items } = schema;
  const few = `must NOT have fewer than ${minItems} items`;
  return [
    ...find(list.length > maxItems, path, 'maxItems', `must NOT have more than ${maxItems} items`),
    ...find(list.length < minItems, path, 'minItems', few),
    ...(items ? list.flatMap((item, index) => check(items, item, [...path, String(index)])) : []),
    ...(uniqueItems ? checkUnique(list, path) : []),
  ];
}

/** Arrays with unique items contain texts. */
function checkUnique(list: readonly unknown[], path: Path): Finding[] {
  const isRepeated = (item: unknown, index: number) =>
    typeof item === 'string' && list.indexOf(item, index + 1) !== -1;
  const first = list.map(isRepeated).lastIndexOf(true);
  const second = list.indexOf(list[first], first + 1);
  const says = `must NOT have duplicate items (items ## ${second} and ${first} are identical)`;
  return find(first !== -1, path, 'uniqueItems', says);
}

function checkObject(schema: Schema, object: JsonObject, path: Path): Finding[] {
  prepare(schema, object);
  const { 'x-max-bytes': maxBytes = Infinity } = schema;
  return [
    ...checkSize(schema, object, path),
    ...(schema.required ?? []).flatMap((name) => checkPresence(object, [name, 'required'], path)),
    ...checkNames(schema, object, path),
    ...checkUnnamed(schema, object, path),
    ...checkProperties(schema, object, path),
    ...checkDependencies(schema, object, path),
    ...find(
      bytesOf(object) > maxBytes,
      path,
      'maxBytes',
      `must have at most ${maxBytes} bytes as JSON`,
    ),
  ];
}

function bytesOf(object: JsonObject): number {
  return new TextEncoder().encode(JSON.stringify(object)).length;
}

/** Fills in defaults and trims. */
function prepare({ properties = {} }: Schema, object: JsonObject): void {
  for (const [name, schema] of Object.entries(properties)) {
    const value = object[name];
    if (value === undefined && schema.default !== undefined) {
      object[name] = structuredClone(schema.default);
    }
    if (schema['x-trimmed'] && typeof value === 'string') object[name] = value.trim();
  }
}

function checkSize(schema: Schema, object: JsonObject, path: Path): Finding[] {
  const { maxProperties = Infinity, minProperties = 0 } = schema;
  const size = Object.keys(object).length;
  const many = `must NOT have more than ${maxProperties} properties`;
  return [
    ...find(size > maxProperties, path, 'maxProperties', many),
    ...find(size < minProperties, path, 'minProperties', 'must have at least one property'),
  ];
}

function checkPresence(
  object: JsonObject,
  [name, constraint]: readonly [string, 'required' | 'dependentRequired'],
  path: Path,
): Finding[] {
  return find(object[name] === undefined, [...path, name], constraint, 'is required');
}

function checkNames({ propertyNames }: Schema, object: JsonObject, path: Path): Finding[] {
  if (!propertyNames) return [];
  return Object.keys(object).flatMap((name) => check(propertyNames, name, [...path, name]));
}

/** Properties that the schema does not declare. */
function checkUnnamed(schema: Schema, object: JsonObject, path: Path): Finding[] {
  const { additionalProperties = true, properties = {} } = schema;
  if (additionalProperties === true) return [];
  return Object.entries(object).flatMap(([name, value]) => {
    if (Object.hasOwn(properties, name)) return [];
    const place = [...path, name];
    if (additionalProperties) return check(additionalProperties, value, place);
    return find(true, place, 'additionalProperties', 'is not a known property');
  });
}

function checkProperties({ properties = {} }: Schema, object: JsonObject, path: Path): Finding[] {
  return Object.entries(properties).flatMap(([name, schema]) =>
    object[name] === undefined ? [] : check(schema, object[name], [...path, name]),
  );
}

function checkDependencies(schema: Schema, object: JsonObject, path: Path): Finding[] {
  const { dependentRequired = {}, dependentSchemas = {} } = schema;
  const isThere = ([name]: [string, unknown]) => object[name] !== undefined;
  return [
    ...Object.entries(dependentRequired)
      .filter(isThere)
      .flatMap(([, names]) => names)
      .flatMap((name) => checkPresence(object, [name, 'dependentRequired'], path)),
    ...Object.entries(dependentSchemas)
      .filter(isThere)
      .flatMap(([, dependent]) => check(dependent, object, path)),
  ];
}
