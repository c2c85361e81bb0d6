import { createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createSealer,
  keyIdOf,
  masterKeyId,
  plainSealer,
  SealedValueError,
  type Sealer,
} from '../../src/store/sealing.ts';

const column = 'webhooks.secret';
const row = ['018f'];
const masterKey = createSecretKey(randomBytes(32));
const sealer = createSealer(masterKey);
const other = createSealer(createSecretKey(randomBytes(32)));

const opening = (by: Sealer, stored: Uint8Array) => () => by.open(stored, column, row);

describe.each([
  ['with a master key', sealer],
  ['without a master key', plainSealer],
])('a sealer %s', (_, one) => {
  test('open returns any bytes and any text that seal received', () => {
    const values = fc.oneof(fc.uint8Array(), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(values, (value) => {
        expect(one.open(one.seal(value, column, row), column, row)).toEqual(
          Buffer.from(value as string),
        );
      }),
    );
  });

  test('seal and open keep a plain value that looks sealed', () => {
    const lookalike = sealer.seal('inner', column, row);
    const stored = one.seal(lookalike, column, row);
    expect(one.open(stored, column, row)).toEqual(Buffer.from(lookalike));
    expect(keyIdOf(stored)).toBe(one.keyId);
  });
});

test('a sealed value contains neither the value nor the key, and differs each time', () => {
  const stored = Buffer.from(sealer.seal('a secret that is long enough', column, row));
  expect(stored.includes('secret')).toBe(false);
  expect(stored.includes(masterKey.export().subarray(0, 4))).toBe(false);
  expect(sealer.seal('a secret that is long enough', column, row)).not.toEqual(stored);
});

test('a value opens in its own column and row only', () => {
  const stored = sealer.seal('secret', column, row);
  expect(() => sealer.open(stored, column, ['0190'])).toThrow(SealedValueError);
  expect(() => sealer.open(stored, 'webhooks.headers', row)).toThrow(
    'The value of webhooks.headers in the row ["018f"] has been changed, or was moved from another row.',
  );
});

test('open throws SealedValueError for a value with a changed bit or a missing end', () => {
  const stored = Buffer.from(sealer.seal('secret', column, row));
  for (let bit = 0; bit < stored.length * 8; bit += 1) {
    const changed = Buffer.from(stored);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(opening(sealer, changed), `bit ${bit}`).toThrow(SealedValueError);
  }
  for (let length = 0; length < stored.length; length += 1) {
    expect(opening(sealer, stored.subarray(0, length)), `length ${length}`).toThrow(
      SealedValueError,
    );
  }
});

test('open throws SealedValueError naming the keys for a value of another master key or of none', () => {
  expect(opening(sealer, other.seal('secret', column, row))).toThrow(
    `is sealed with master key ${other.keyId}, not ${sealer.keyId}`,
  );
  expect(opening(plainSealer, sealer.seal('secret', column, row))).toThrow(
    `is sealed with master key ${sealer.keyId}`,
  );
  expect(opening(sealer, plainSealer.seal('secret', column, row))).toThrow('is not sealed');
});

test('the id of a master key has 16 hexadecimal digits and depends on the key alone', () => {
  const zeros = createSecretKey(Buffer.alloc(32));
  // A fixed id: another derivation would reject the keys of stored databases.
  expect(masterKeyId(zeros)).toBe('2dc925842cbe8575');
  expect(masterKeyId(masterKey)).toBe(sealer.keyId);
  expect(sealer.keyId).toMatch(/^[0-9a-f]{16}$/);
});
