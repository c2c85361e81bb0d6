// The formats of the contract's requests, judged as the service judges them.

const email =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i;

const timestamp =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/** RFC 3339, section 5.6, without leap seconds. */
function isTimestamp(text: string): boolean {
  const date = timestamp.exec(text)?.[1];
  if (date === undefined) return false;
  // `Date` would move a day that the month does not have into the next one.
  const isDay = isoOf(date).startsWith(date);
  return isDay && /^\d{4}-/.test(isoOf(text));
}

function isoOf(text: string): string {
  return new Date(text).toJSON() ?? '';
}

/** RFC 3986, whose characters a URL parser would encode where they are missing. */
function isUri(text: string): boolean {
  const isSpelt = /^[a-z][a-z0-9+.-]*:(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\da-f]{2})*$/i.test(text);
  return isSpelt && URL.canParse(text);
}

/** RFC 4648, section 4, with padding. */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

const formats: Readonly<Record<string, (text: string) => boolean>> = {
  byte: isBase64,
  'date-time': isTimestamp,
  email: (text) => email.test(text),
  uri: isUri,
};

/** Whether a text has a format; one that is not judged has every text. */
export function hasFormat(text: string, format: string): boolean {
  return formats[format]?.(text) ?? true;
}
