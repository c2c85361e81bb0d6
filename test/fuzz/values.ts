import fc from 'fast-check';

/** Texts that often break parsers, databases and scripts. */
export const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength: 20 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '__proto__',
    'constructor',
    'toString',
    '\ud800',
    '\udfff\ud800',
    '\u202e',
    '../../../etc/passwd',
    '%00',
    '%',
    '%c0%ae',
    "' OR 1=1 --",
    '"); DROP TABLE users',
    '*',
    '(((',
    '\\',
    'NaN',
    'null',
    'undefined',
    '-0',
    '1e400',
    '0x10',
    '9007199254740993',
    '2026-02-30T00:00:00Z',
    '+275760-09-13T00:00:00.001Z',
    '2026-03-02T09:17:30.512+99:99',
    '00000000-0000-0000-0000-000000000000',
    '\ufeff',
    'ſ',
    'İ',
  ),
  fc
    .record({
      unit: fc.constantFrom('a', '(', '%', '"', '\\', 'ß', '😀', ' AND '),
      times: fc.nat(20_000),
    })
    .map(({ unit, times }) => unit.repeat(times)),
);

/** A piece of JSON as text, not always valid. */
export const hostileJson = fc.oneof(
  hostileText.map((text) => JSON.stringify(text)),
  fc.json({ maxDepth: 3 }),
  fc.constantFrom(
    'null',
    'true',
    '-0',
    '0.1',
    '1e400',
    '-1e400',
    '1e-400',
    '9007199254740993',
    '[]',
    '{}',
    '[[]]',
    '""',
    '"\\ud800"',
    '"\\u0000"',
    '{"__proto__":{"isAdmin":true}}',
    '{"constructor":{"prototype":{"x":1}}}',
    '{"$ref":"#"}',
    '{"a":1,"a":2}',
    '',
    'NaN',
    "'a'",
    '1_000',
    '01',
    '/**/1',
    '"\t"',
  ),
  fc.nat(400).map((digits) => `1${'0'.repeat(digits)}`),
  fc
    .record({ depth: fc.nat(3_000), open: fc.constantFrom('[', '{"a":') })
    .map(({ depth, open }) => `${open.repeat(depth)}1${(open === '[' ? ']' : '}').repeat(depth)}`),
  fc
    .record({ value: fc.constantFrom('0', '[]', '""', 'null', '{}'), times: fc.nat(15_000) })
    .map(({ value, times }) => `[${Array(times).fill(value).join()}]`),
  fc
    .nat(3_000)
    .map((names) => `{${Array.from({ length: names }, (_, at) => `"n${at}":0`).join()}}`),
);

/** Replaces part of a text. `at` is the start, as a share of the length. */
export interface Edit {
  readonly at: number;
  readonly removed: number;
  readonly added: string;
}

export const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.oneof(fc.nat(3), fc.nat(200)),
  added: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom(
      '"',
      '\\',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '.',
      '-',
      '_',
      '=',
      '\n',
      '\0',
      '#',
      '(',
      ')',
      '$',
      '@',
      '...',
    ),
  ),
});

export function apply(text: string, edits: readonly Edit[]): string {
  return edits.reduce((before, { at, removed, added }) => {
    const start = Math.floor(at * before.length);
    return before.slice(0, start) + added + before.slice(start + removed);
  }, text);
}
