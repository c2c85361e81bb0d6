import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  contentRange,
  isSameVersion,
  namesVersion,
  parseRange,
  selectContent,
} from '../src/generated/rules/ranges.ts';

const etag = '"x1-_"';

describe('parseRange', () => {
  test.each([
    ['bytes=0-0', 10, { start: 0, end: 1 }],
    ['bytes=0-9', 10, { start: 0, end: 10 }],
    ['bytes=3-', 10, { start: 3, end: 10 }],
    ['bytes=9-', 10, { start: 9, end: 10 }],
    ['bytes=3-99', 10, { start: 3, end: 10 }],
    ['bytes=-4', 10, { start: 6, end: 10 }],
    ['bytes=-99', 10, { start: 0, end: 10 }],
    ['BYTES=1-2', 10, { start: 1, end: 3 }],
    [' bytes=1-2 ', 10, { start: 1, end: 3 }],
    ['bytes= 1-2', 10, { start: 1, end: 3 }],
    ['bytes=,1-2 , ', 10, { start: 1, end: 3 }],
    ['bytes=01-002', 10, { start: 1, end: 3 }],
    [`bytes=1-${'9'.repeat(400)}`, 10, { start: 1, end: 10 }],
    [`bytes=-${'9'.repeat(400)}`, 10, { start: 0, end: 10 }],
  ])('%s of %i bytes selects %o', (header, sizeBytes, range) => {
    expect(parseRange(header, sizeBytes)).toEqual(range);
  });

  test.each([
    ['bytes=10-', 10],
    ['bytes=10-20', 10],
    ['bytes=-0', 10],
    ['bytes=0-', 0],
    ['bytes=0-0', 0],
    ['bytes=-0', 0],
    [`bytes=${'9'.repeat(400)}-`, 10],
  ])('%s of %i bytes cannot be satisfied', (header, sizeBytes) => {
    expect(parseRange(header, sizeBytes)).toBe('unsatisfiable');
  });

  test.each([
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=,',
    'bytes=2-1',
    'bytes=--1',
    'bytes=+1-2',
    'bytes=1.0-2',
    'bytes=0x1-2',
    'bytes=1e0-2',
    'bytes=1 -2',
    'bytes=1-2-3',
    'bytes 1-2',
    'bytes =1-2',
    'items=1-2',
    'bytes=1-2,4-5',
    'bytes=1-2, bytes=4-5',
    'bytes=1-2;q=1',
    '1-2',
  ])('"%s" is ignored', (header) => {
    expect(parseRange(header, 10)).toBe('whole');
  });

  test('a suffix of an empty content selects the whole content', () => {
    expect(parseRange('bytes=-5', 0)).toBe('whole');
  });

  test('any text selects bytes inside of the content, or none', () => {
    const size = fc.nat(1000);
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom(...'bytes=-, 0129') }).map((tail) => `bytes=${tail}`),
    );
    fc.assert(
      fc.property(text, size, (header, sizeBytes) => {
        const range = parseRange(header, sizeBytes);
        if (typeof range === 'string') return;
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.end).toBeGreaterThan(range.start);
        expect(range.end).toBeLessThanOrEqual(sizeBytes);
      }),
    );
  });

  test('reads back the range of every Content-Range', () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.nat(1000), fc.nat(1000), (start, more, rest) => {
        const range = { start, end: start + more + 1 };
        const header = contentRange(range, range.end + rest).replace(
          /^bytes (.*)\/\d+$/,
          'bytes=$1',
        );
        expect(parseRange(header, range.end + rest)).toEqual(range);
      }),
    );
  });
});

describe('namesVersion (If-None-Match)', () => {
  test.each([
    etag,
    `W/${etag}`,
    '*',
    ' * ',
    `"a", ${etag}`,
    `W/"a",W/${etag},"b"`,
    `"a,b" , ${etag}`,
  ])('%s names the version', (header) => expect(namesVersion(header, etag)).toBe(true));

  test.each(['', '"x1-"', 'x1-_', '"x1-__"', '"*"', '"a", *', '"X1-_"'])(
    '%s does not name the version',
    (header) => expect(namesVersion(header, etag)).toBe(false),
  );
});

describe('isSameVersion (If-Range)', () => {
  test.each([
    [etag, true],
    [` ${etag} `, true],
    [`W/${etag}`, false],
    ['*', false],
    [`${etag}, "b"`, false],
    ['x1-_', false],
    ['Thu, 01 Jan 2026 00:00:00 GMT', false],
    ['', false],
  ])('%s: %s', (header, isSame) => {
    expect(isSameVersion(header, etag)).toBe(isSame);
  });
});

describe('selectContent', () => {
  const version = { etag, sizeBytes: 10 };
  const whole = { status: 200, start: 0, end: 10 };

  test.each([
    ['no condition', {}, whole],
    ['a range', { range: 'bytes=2-3' }, { status: 206, start: 2, end: 4 }],
    ['the whole content as a range', { range: 'bytes=0-' }, { status: 206, start: 0, end: 10 }],
    ['an invalid range', { range: 'bytes=3-2' }, whole],
    ['a range outside', { range: 'bytes=10-' }, { status: 416 }],
    [
      'the same version in If-Range',
      { range: 'bytes=-1', ifRange: etag },
      { status: 206, start: 9, end: 10 },
    ],
    ['another version in If-Range', { range: 'bytes=-1', ifRange: '"y"' }, whole],
    ['another version and a range outside', { range: 'bytes=10-', ifRange: '"y"' }, whole],
    ['If-Range without Range', { ifRange: etag }, whole],
    ['the same version in If-None-Match', { ifNoneMatch: etag }, { status: 304 }],
    ['If-None-Match before Range', { ifNoneMatch: etag, range: 'bytes=10-' }, { status: 304 }],
    [
      'another version in If-None-Match',
      { ifNoneMatch: '"y"', range: 'bytes=1-1' },
      { status: 206, start: 1, end: 2 },
    ],
  ])('%s', (_, conditions, selection) => {
    expect(selectContent(conditions, version)).toEqual(selection);
  });
});
