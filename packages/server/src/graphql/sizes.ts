/** Bytes that a member of a list or an object counts as, beside its own: many small ones take as long as a large text. */
const bytesPerMember = 32;

function sizeOf(value: unknown, max: number): number {
  if (typeof value === 'string') {
    return value.length > max ? value.length : Buffer.byteLength(JSON.stringify(value));
  }
  if (typeof value !== 'object' || value === null) return String(value).length;
  let size = 0;
  for (const [name, member] of Object.entries(value)) {
    size += bytesPerMember + (Array.isArray(value) ? 0 : sizeOf(name, max));
    if (size <= max) size += sizeOf(member, max - size);
    if (size > max) break;
  }
  return size;
}

/** Measures each object once: many fields may have the same variable, or return the same object. */
export class Sizes {
  readonly #max: number;
  readonly #known = new WeakMap<object, number>();

  /** @param max a larger value is not measured to its end */
  constructor(max: number) {
    this.#max = max;
  }

  /** Returns the size of a value as JSON in UTF-8, in bytes, and 32 more for each member of a list or an object. */
  of(value: unknown): number {
    if (typeof value !== 'object' || value === null) return sizeOf(value, this.#max);
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const size = sizeOf(value, this.#max);
    this.#known.set(value, size);
    return size;
  }
}
