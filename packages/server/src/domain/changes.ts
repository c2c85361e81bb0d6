export interface Changes<Item> {
  /** The names of the fields that differ. */
  readonly changes: (keyof Item & string)[];
  /** What they held before. */
  readonly previous: Partial<Item>;
}

/** What differs between two states of a resource, among these fields; undefined when nothing does. */
export function changesBetween<Item extends object>(
  before: Item,
  after: Item,
  fields: readonly (keyof Item & string)[],
): Changes<Item> | undefined {
  const changes = fields.filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );
  if (changes.length === 0) return undefined;
  const previous: Partial<Item> = {};
  for (const field of changes) previous[field] = before[field];
  return { changes, previous };
}
