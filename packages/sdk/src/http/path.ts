import { UsageError } from '../errors.ts';

/** Path templates taken apart, text and names in turns: there are as many as the contract has paths. */
const templates: Record<string, readonly string[]> = {};

/**
 * Puts values into a path template. A value that is empty or that a server could read as another
 * path (a dot segment, encoded once or more) is refused: it would address something else.
 *
 * @throws UsageError
 */
export function fillPath(template: string, values: Record<string, unknown>): string {
  templates[template] ??= template.split(/[{}]/);
  const parts = templates[template];
  return parts.reduce((path, part, n) => path + (n % 2 ? segment(part, values[part]) : part));
}

function segment(name: string, value: unknown): string {
  // An id, nearly always.
  if (typeof value === 'string' && /^[\w-]+$/.test(value)) return value;
  if (!isSegment(value)) throw new UsageError(`${name} cannot stand in a path`);
  return encodeURIComponent(value);
}

function isSegment(value: unknown): value is string {
  // Half a character has no encoding.
  if (typeof value !== 'string' || /^$|\p{Surrogate}/u.test(value)) return false;
  const plain = value.replace(/%(25)*2e/gi, '.').replace(/%(25)*(2f|5c)|\\/gi, '/');
  return !/(^|\/)\.\.?(\/|$)/.test(plain);
}

/** The template of a path with values, without its query: no id or share token gets into a log. */
export function templateOf(path: string): string {
  return path
    .replace(/[?#].*$/, '')
    .replace(/^(\/api\/v1\/documents\/share\/).+/, '$1{token}')
    .replace(/\/(?!v1\b)[^/]*\d[^/]*/g, '/{id}');
}

/** The query of a URL with its question mark; empty when no parameter has a value. */
export function queryString(parameters: Record<string, unknown>): string {
  let query = '';
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null) {
      query += `${query ? '&' : '?'}${name}=${encodeURIComponent(String(value))}`;
    }
  }
  return query;
}
