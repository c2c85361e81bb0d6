// Generated from openapi/rules/changes.ts by `npm run generate`. Do not edit.

export interface Diff<Item> {
  /** The names of the changed fields. */
  readonly changes: (keyof Item & string)[];
  /** Their previous values. */
  readonly previous: Partial<Item>;
}

/** Compares fields of two states of a resource. Returns undefined when they are equal. */
export function diffOf<Item extends object>(
  before: Item,
  after: Item,
  fields: readonly (keyof Item & string)[],
): Diff<Item> | undefined {
  const changes = fields.filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );
  if (changes.length === 0) return undefined;
  const previous: Partial<Item> = {};
  for (const field of changes) previous[field] = before[field];
  return { changes, previous };
}
