/** What is left of a message that quotes what the caller sent. */
const redacted = 'a value was refused (it is not shown here)';

/** Shorter texts are no secrets, and stand in every message by chance. */
const shortest = 4;

/** Of longer texts the beginning is looked for: a message may quote no more of them. */
const longest = 16;

/**
 * Takes variables out of what the service says: every `message` in `content` that quotes a text or a
 * number of the variables is replaced. Field, constraint and code stay beside it.
 */
export function withoutVariables<T>(content: T, variables: unknown): T {
  const quotes = [...textsOf(variables)].flatMap((text) => {
    const start = text.slice(0, longest);
    return [start, JSON.stringify(start).slice(1, -1)];
  });
  return quotes.length === 0 ? content : (cleaned(content, quotes) as T);
}

function* textsOf(value: unknown): Iterable<string> {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) yield* textsOf(part);
  } else if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value);
    if (text.length >= shortest) yield text;
  }
}

function cleaned(value: unknown, quotes: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((part) => cleaned(part, quotes));
  const entries = Object.entries(value).map(([name, part]) => {
    const shows = name === 'message' && quotes.some((quote) => String(part).includes(quote));
    return [name, shows ? redacted : cleaned(part, quotes)];
  });
  return Object.fromEntries(entries);
}
