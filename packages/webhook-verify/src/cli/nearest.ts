/** Most names that are offered for one that does not exist. */
const offered = 3;

/**
 * The names that somebody may have meant, the most likely first: those that differ from what was
 * typed in two characters, or in a third of all if that is more.
 */
export function nearestNames(typed: string, names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, distance: editDistance(typed.toLowerCase(), name) }))
    .filter(({ name, distance }) => distance <= Math.max(2, typed.length / 3, name.length / 3))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, offered)
    .map(({ name }) => name);
}

/** How many characters have to be inserted, removed or replaced (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1];
    for (const [column, other] of [...to].entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1);
      const removed = (row[column + 1] ?? 0) + 1;
      const inserted = (next[column] ?? 0) + 1;
      next.push(Math.min(replaced, removed, inserted));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
