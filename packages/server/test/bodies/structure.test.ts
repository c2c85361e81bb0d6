import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { checkStructure } from '../../src/http/bodies/structure.ts';

const mebibyte = 1024 * 1024;

/** What a body is refused for; undefined when it is let through. */
function refusal(json: string | Buffer, takesLarge = false): string | undefined {
  try {
    checkStructure(Buffer.from(json as string), takesLarge);
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { field, constraint } = error.details;
    return `${field} ${constraint}`;
  }
}

/** Values in a parsed body, names of properties not counted. */
function countValues(value: unknown): number {
  const members = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return members.reduce((sum: number, member) => sum + countValues(member), 1);
}

describe('checkStructure', () => {
  test('counts 10,000 values as JSON.parse finds them, and refuses the next', () => {
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
      const most = Math.floor(9_999 / values);
      expect(countValues(JSON.parse(unit)), unit).toBe(values);
      expect(refusal(list(most)), unit).toBeUndefined();
      expect(refusal(list(most + 1)), unit).toBe('body json');
    }
  });

  test('accepts any JSON value below its limits', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(refusal(json)).toBeUndefined();
        expect(refusal(json, true)).toBeUndefined();
      }),
    );
  });

  test('refuses more than 64 levels', () => {
    const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;
    expect(refusal(nested(64))).toBeUndefined();
    expect(refusal(nested(66))).toBe('body json');
  });

  test('refuses more than 64 KiB around a large text, wherever they are', () => {
    const text = 'A'.repeat(40_000);
    const padded = (before: number, after: number) =>
      `{${' '.repeat(before)}"encryptedData":"${text}"${' '.repeat(after)}}`;
    const frame = padded(0, 0).length - text.length;
    const room = 64 * 1024 - frame;
    expect(refusal(padded(room, 0), true)).toBeUndefined();
    expect(refusal(padded(0, room), true)).toBeUndefined();
    expect(refusal(padded(room + 1, 0), true)).toBe('body maxBytes');
    expect(refusal(padded(0, room + 1), true)).toBe('body maxBytes');
    // The whole body is the limit of an operation without a large text.
    expect(refusal(padded(100_000, 0))).toBeUndefined();
  });

  const large = `"encryptedData":"${'A'.repeat(100_000)}"`;
  test.each([
    ['two large texts', `{${large},${large}}`, 'encryptedData unique'],
    ['a large text deeper inside', `{"a":{${large}}}`, 'body maxBytes'],
    ['a large text in a list', `[{${large}}]`, 'body maxBytes'],
    ['a large text of another name', `{"other":"${'A'.repeat(100_000)}"}`, 'body maxBytes'],
    ['an escaped name', `{"encrypted\\u0044ata":"${'A'.repeat(100_000)}"}`, 'body maxBytes'],
    ['a text without an end', '{"encryptedData":"AAAA', 'body json'],
    [
      'an escaped quote',
      `{"encryptedData":"${'A'.repeat(40_000)}\\"AAAA"}`,
      'encryptedData format',
    ],
  ])('refuses %s', (_, json, expected) => {
    expect(refusal(json, true)).toBe(expected);
  });

  // Each of them took JSON.parse seconds, and gigabytes.
  test.each([
    ['zeros', () => `[${'0,'.repeat(20 * mebibyte)}0]`],
    ['empty lists', () => `[${'[],'.repeat(13 * mebibyte)}0]`],
    ['brackets', () => '['.repeat(40 * mebibyte)],
    ['names', () => `{${'"a":0,'.repeat(6 * mebibyte)}"a":0}`],
    ['escapes', () => `{"a":"${'\\"'.repeat(20 * mebibyte)}"}`],
    ['white space', () => `{${' '.repeat(40 * mebibyte)}}`],
    ['a list as encryptedData', () => `{"encryptedData":[${'0,'.repeat(20 * mebibyte)}0]}`],
  ])('refuses 40 MiB of %s after its first 64 KiB', (_, make) => {
    const json = Buffer.from(make());
    // Everything behind them is out of reach: reading it would throw.
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
