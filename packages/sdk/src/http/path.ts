import { UsageError } from '../errors.ts';

/** Takes a path template apart: text and the names of parameters in turns. */
export function parseTemplate(template: string): readonly string[] {
  return template.split(/[{}]/);
}

/**
 * Puts values into a path template. A value that is empty or that a server could read as another
 * path (a dot segment, encoded once or more) is refused: it would address something else.
 *
 * @throws UsageError
 */
export function fillPath(template: readonly string[], values: Record<string, unknown>): string {
  return template.reduce((path, part, n) => path + (n % 2 ? segment(part, values) : part));
}

function segment(name: string, values: Record<string, unknown>): string {
  const value = values[name];
  // An id, nearly always.
  if (typeof value === 'string' && /^[\w-]+$/.test(value)) return value;
  if (!isSegment(value)) throw new UsageError(`${name} cannot stand in a path`);
  return encodeURIComponent(value);
}

function isSegment(value: unknown): value is string {
  if (typeof value !== 'string' || value === '') return false;
  // Half a character has no encoding.
  if (/\p{Surrogate}/u.test(value)) return false;
  const plain = value.replace(/%(25)*2e/gi, '.').replace(/%(25)*(2f|5c)|\\/gi, '/');
  return !/(^|\/)\.{1,2}(\/|$)/.test(plain);
}

/** The query of a URL with its question mark; empty when no parameter has a value. */
export function queryString(parameters: Record<string, unknown>): string {
  const pairs = Object.entries(parameters)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}
