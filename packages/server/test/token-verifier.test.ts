import { describe, expect, test } from 'vitest';
import { createTokenCache, maxCachedTokens } from '../src/domain/accounts/token-verifier.ts';

describe('token cache', () => {
  test('finds a token that it keeps, and no other one', () => {
    const cache = createTokenCache<object>(() => true);
    const verified = {};
    expect(cache.keep('token', verified)).toBe(verified);
    expect(cache.find('token')).toBe(verified);
    expect(cache.find('token ')).toBeUndefined();
    expect(cache.find('')).toBeUndefined();
  });

  test('forgets a token that has become invalid, also when it would be valid again', () => {
    let isValid = true;
    const cache = createTokenCache<object>(() => isValid);
    cache.keep('token', {});
    isValid = false;
    expect(cache.find('token')).toBeUndefined();
    isValid = true;
    expect(cache.find('token')).toBeUndefined();
  });

  test('keeps at most 5,000 tokens and drops the least recently used one', () => {
    const cache = createTokenCache<number>(() => true);
    for (let number = 0; number < maxCachedTokens; number += 1) cache.keep(`${number}`, number);
    expect(maxCachedTokens).toBe(5_000);
    expect(cache.find('0')).toBe(0);
    cache.keep('another', -1);
    expect(cache.find('1')).toBeUndefined();
    expect(cache.find('0')).toBe(0);
    expect(cache.find('2')).toBe(2);
    expect(cache.find('another')).toBe(-1);
  });
});
