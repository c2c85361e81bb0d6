/** Texts, quoted names and comments of a statement, which contain no parameters, or one parameter. */
const tokens = /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|\/\*.*?\*\/|@(\w+)/gs;

/**
 * Replaces every `@name` of a statement.
 *
 * @param replacement returns the text in the place of the parameter
 */
export function replacePlaceholders(sql: string, replacement: (name: string) => string): string {
  return sql.replaceAll(tokens, (token, name?: string) =>
    name === undefined ? token : replacement(name),
  );
}
