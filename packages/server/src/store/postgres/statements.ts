import { createHash } from 'node:crypto';
import type { SqlParameters, SqlValue } from '../driver.ts';
import { replacePlaceholders } from '../placeholders.ts';

/**
 * Maximum number of statements with a name. PostgreSQL parses a named statement once per connection and keeps
 * it until the connection ends. Other statements are parsed at each run.
 */
const nameLimit = 1000;

/** Maximum number of names of one statement, which has one for each choice of types and nulls. */
const namesPerStatement = 8;

/** A statement with more parameters has no name. Most are batches, with a number of rows that seldom comes again. */
const namedParameters = 64;

/** A statement as pg takes it. */
export interface BoundStatement {
  /** Undefined: the statement is not kept. */
  readonly name?: string;
  readonly text: string;
  readonly values: (string | number | Buffer)[];
}

/** A statement for one choice of types. */
interface Translation {
  readonly name: string | undefined;
  readonly text: string;
  /** The parameter of each position. */
  readonly names: readonly string[];
}

/** The types of the values, by statement. PostgreSQL could not infer all of them from the statement alone. */
const translations = new Map<string, Map<string, Translation>>();
let named = 0;

/**
 * Whether a statement reads with a text that PostgreSQL cannot store. It finds nothing: no stored text is equal
 * to that one or contains it.
 */
export function findsNothing(sql: string, parameters: SqlParameters = {}): boolean {
  const isUnstorable = Object.values(parameters).some(
    (value) => typeof value === 'string' && value.includes('\0'),
  );
  return isUnstorable && /^\s*(\/\*.*?\*\/\s*)?SELECT\b/.test(sql);
}

/**
 * Translates a statement with `@name` parameters into one with positions, whose types follow the values:
 * `$1::bigint`. A null is written into the text, where PostgreSQL takes its type from the context.
 *
 * @throws TypeError for a parameter without an SQL value, and for a text with NUL
 */
export function bind(sql: string, parameters: SqlParameters = {}): BoundStatement {
  let byTypes = translations.get(sql);
  if (!byTypes) {
    byTypes = new Map();
    translations.set(sql, byTypes);
  }
  const types = Object.keys(parameters)
    .map((name) => `${name}:${typeOf(name, parameters[name])}`)
    .join();
  let translation = byTypes.get(types);
  if (!translation) {
    const isKept =
      named < nameLimit &&
      byTypes.size < namesPerStatement &&
      Object.keys(parameters).length <= namedParameters;
    translation = translate(sql, parameters, isKept);
    if (isKept) {
      byTypes.set(types, translation);
      named += 1;
    }
  }
  const { name, text, names } = translation;
  const values = names.map((parameter) => toValue(parameter, parameters[parameter] as SqlValue));
  return { text, values, ...(name !== undefined && { name }) };
}

function translate(sql: string, parameters: SqlParameters, isNamed: boolean): Translation {
  const positions = new Map<string, number>();
  const text = replacePlaceholders(sql, (name) => {
    const type = typeOf(name, parameters[name]);
    if (type === 'null') return 'NULL';
    const position = positions.get(name) ?? positions.size + 1;
    positions.set(name, position);
    return `$${position}::${type}`;
  });
  return { name: isNamed ? nameOf(text) : undefined, text, names: [...positions.keys()] };
}

/** Names of PostgreSQL have at most 63 bytes. */
function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 32);
}

function typeOf(name: string, value: SqlValue | undefined): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'text';
  if (value instanceof Uint8Array) return 'bytea';
  if (Number.isSafeInteger(value)) return 'bigint';
  if (Number.isFinite(value)) return 'double precision';
  throw new TypeError(`The parameter @${name} is ${value}, which SQL has no value for.`);
}

function toValue(name: string, value: SqlValue): string | number | Buffer {
  if (typeof value === 'string') {
    if (value.includes('\0')) {
      throw new TypeError(`The parameter @${name} contains NUL, which PostgreSQL cannot store.`);
    }
    return value;
  }
  if (typeof value === 'number') return value;
  const { buffer, byteOffset, byteLength } = value as Uint8Array;
  return Buffer.from(buffer, byteOffset, byteLength);
}
