/** Text that is HTML already. Only `html` makes it. */
class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type { Html };

/** A value in a template: text is escaped, nothing is written for null. */
type Value = Html | string | null | readonly Html[];

/**
 * A template of HTML that escapes every text in it.
 *
 * @example
 * html`<p>${'<script>'}</p>`.text; // <p>&lt;script&gt;</p>
 */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(
    parts.reduce((before, part, index) => before + toText(values[index - 1] ?? null) + part),
  );
}

function toText(value: Value): string {
  if (value === null) return '';
  if (typeof value === 'string') return escaped(value);
  if (value instanceof Html) return value.text;
  return value.map(({ text }) => text).join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For the content of elements and for quoted attributes. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
