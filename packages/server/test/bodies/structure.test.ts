import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../src/generated/rules/errors.ts';
import { checkStructure } from '../../src/http/bodies/structure.ts';

const mebibyte = 1024 * 1024;

/** Field and constraint of the error; undefined when the body is accepted. */
function violationOf(json: string | Buffer, takesLarge = false): string | undefined {
  try {
    checkStructure(Buffer.from(json as string), takesLarge);
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { field, constraint } = error.details;
    return `${field} ${constraint}`;
  }
}

/** Number of values in a parsed body, without names of properties. */
function countValues(value: unknown): number {
  const members = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return members.reduce((sum: number, member) => sum + countValues(member), 1);
}

describe('checkStructure', () => {
  test('it accepts 10,000 values as JSON.parse counts them, and rejects the next one', () => {
    for (const [unit, values] of [
      ['0', 1],
      ['[]', 1],
      ['{}', 1],
      ['"a,]"', 1],
      ['[[],{}]', 3],
      ['{"a":[1,"\\"",null]}', 5],
      ['[ ]', 1],
      ['{ "a" : { } }', 2],
    ] as const) {
      const list = (count: number) => `[${Array(count).fill(unit).join(' ,\n')}]`;
      const maximum = Math.floor(9_999 / values);
      expect(countValues(JSON.parse(unit)), unit).toBe(values);
      expect(violationOf(list(maximum)), unit).toBeUndefined();
      expect(violationOf(list(maximum + 1)), unit).toBe('body json');
    }
  });

  test('it accepts any JSON value below its limits', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(violationOf(json)).toBeUndefined();
        expect(violationOf(json, true)).toBeUndefined();
      }),
    );
  });

  test('it rejects more than 64 levels', () => {
    const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;
    expect(violationOf(nested(64))).toBeUndefined();
    expect(violationOf(nested(66))).toBe('body json');
  });

  test('it rejects more than 64 KiB around a large text, before it or after it', () => {
    const text = 'A'.repeat(40_000);
    const padded = (before: number, after: number) =>
      `{${' '.repeat(before)}"encryptedData":"${text}"${' '.repeat(after)}}`;
    const frame = padded(0, 0).length - text.length;
    const room = 64 * 1024 - frame;
    expect(violationOf(padded(room, 0), true)).toBeUndefined();
    expect(violationOf(padded(0, room), true)).toBeUndefined();
    expect(violationOf(padded(room + 1, 0), true)).toBe('body maxBytes');
    expect(violationOf(padded(0, room + 1), true)).toBe('body maxBytes');
    // An operation without a large text is limited by its whole body only.
    expect(violationOf(padded(100_000, 0))).toBeUndefined();
  });

  const large = `"encryptedData":"${'A'.repeat(100_000)}"`;
  test.each([
    ['two large texts', `{${large},${large}}`, 'encryptedData unique'],
    ['a nested large text', `{"a":{${large}}}`, 'body maxBytes'],
    ['a large text in a list', `[{${large}}]`, 'body maxBytes'],
    ['a large text with another name', `{"other":"${'A'.repeat(100_000)}"}`, 'body maxBytes'],
    ['an escaped name', `{"encrypted\\u0044ata":"${'A'.repeat(100_000)}"}`, 'body maxBytes'],
    ['a text without an end', '{"encryptedData":"AAAA', 'body json'],
    [
      'an escaped quote',
      `{"encryptedData":"${'A'.repeat(40_000)}\\"AAAA"}`,
      'encryptedData format',
    ],
  ])('it rejects %s', (_, json, expected) => {
    expect(violationOf(json, true)).toBe(expected);
  });

  // JSON.parse took seconds and gigabytes for each of these.
  test.each([
    ['zeros', () => `[${'0,'.repeat(20 * mebibyte)}0]`],
    ['empty lists', () => `[${'[],'.repeat(13 * mebibyte)}0]`],
    ['brackets', () => '['.repeat(40 * mebibyte)],
    ['names', () => `{${'"a":0,'.repeat(6 * mebibyte)}"a":0}`],
    ['escapes', () => `{"a":"${'\\"'.repeat(20 * mebibyte)}"}`],
    ['white space', () => `{${' '.repeat(40 * mebibyte)}}`],
    ['a list as encryptedData', () => `{"encryptedData":[${'0,'.repeat(20 * mebibyte)}0]}`],
  ])('it rejects 40 MiB of %s after reading its first 64 KiB', (_, make) => {
    const json = Buffer.from(make());
    // Reading a byte after the first 128 KiB throws.
    const read = new Proxy(json, {
      get(target, name) {
        if (Number(name) > 128 * 1024) throw new Error(`byte ${String(name)} was read`);
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    expect(() => checkStructure(read, true)).toThrow(ServiceError);
  });
});
