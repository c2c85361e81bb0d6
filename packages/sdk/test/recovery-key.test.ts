import { UsageError } from '@document-vault/sdk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createRecoveryKey,
  readRecoveryKey,
  writeRecoveryKey,
} from '../src/crypto/recovery-key.ts';
import { rejection } from './support/client.ts';

const bytes = Uint8Array.from({ length: 20 }, (_, n) => 0xc3 + n);
const text = 'RF2C-BHP7-S34W-NJYC-SQ7C-ZM6H-TB9X-9NEP-XWTJ';
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const typed = text.replaceAll('-', '');

const withDigit = (at: number, digit: string) => typed.slice(0, at) + digit + typed.slice(at + 1);

describe('a recovery key on paper', () => {
  test('is the text of the vector and reads as its bytes', async () => {
    expect(await writeRecoveryKey(bytes)).toBe(text);
    expect(await readRecoveryKey(text)).toEqual(bytes);
  });

  test('reads as the bytes that were written, for all bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 20, maxLength: 20 }), async (random) => {
        const written = await writeRecoveryKey(new Uint8Array(random));
        expect(written).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){8}[0-9A-HJKMNP-TV-Z]{4}$/);
        expect(await readRecoveryKey(written)).toEqual(new Uint8Array(random));
      }),
    );
  });

  test('reads without regard to case, spaces and hyphens, with O as 0 and I and L as 1', async () => {
    for (const variant of [typed, text.toLowerCase(), ` ${text.replaceAll('-', ' – ')}\n`]) {
      expect(await readRecoveryKey(variant)).toEqual(bytes);
    }
    const one = Uint8Array.from({ length: 20 }, (_, n) => (n === 4 ? 1 : 0));
    const written = await writeRecoveryKey(one);
    expect(written).toContain('1');
    expect(await readRecoveryKey(written.replaceAll('0', 'o').replaceAll('1', 'l'))).toEqual(one);
    expect(await readRecoveryKey(written.replaceAll('0', 'O').replaceAll('1', 'I'))).toEqual(one);
  });

  test('every wrong character of the vector is a UsageError', async () => {
    for (const at of typed.split('').keys()) {
      for (const digit of `${digits}U*`) {
        if (digit === typed[at]) continue;
        expect(await rejection(readRecoveryKey(withDigit(at, digit)))).toBeInstanceOf(UsageError);
      }
    }
  });

  test('every swap of two neighbours of the vector is a UsageError', async () => {
    for (let at = 1; at < typed.length; at += 1) {
      const swapped = `${typed.slice(0, at - 1)}${typed[at]}${typed[at - 1]}${typed.slice(at + 1)}`;
      if (swapped === typed) continue;
      expect(await rejection(readRecoveryKey(swapped))).toBeInstanceOf(UsageError);
    }
  });

  test('a missing or additional character is a UsageError that does not repeat the key', async () => {
    const values = ['', typed.slice(1), `${typed}0`, undefined as never];
    for (const value of values) {
      const error = await rejection(readRecoveryKey(value));
      expect(error).toBeInstanceOf(UsageError);
      expect(String(error)).toContain(`must have 36 characters; it has ${value?.length ?? 0}`);
      expect(String(error)).not.toContain('RF2C');
      expect(String(error)).not.toContain(typed.slice(4, 12));
    }
  });

  test('is random', async () => {
    const created = await createRecoveryKey();
    expect(await readRecoveryKey(created)).toHaveLength(20);
    expect(await createRecoveryKey()).not.toBe(created);
  });
});
