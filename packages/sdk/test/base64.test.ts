import { afterEach, describe, expect, test, vi } from 'vitest';
import { fromBase64, toBase64 } from '../src/crypto/base64.ts';

/** RFC 4648, section 10. */
const vectors: [string, string][] = [
  ['', ''],
  ['f', 'Zg=='],
  ['fo', 'Zm8='],
  ['foo', 'Zm9v'],
  ['foob', 'Zm9vYg=='],
  ['fooba', 'Zm9vYmE='],
  ['foobar', 'Zm9vYmFy'],
];

const large = Uint8Array.from({ length: 100_001 }, (_, n) => (n * 7919) % 256);
const largeText = Buffer.from(large).toString('base64');

afterEach(() => {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(Uint8Array.prototype, 'toBase64');
  Reflect.deleteProperty(Uint8Array, 'fromBase64');
});

/** The three ways a platform can offer. */
const platforms: [string, () => void][] = [
  ["Node's Buffer", () => {}],
  ['btoa and atob alone', () => vi.stubGlobal('Buffer', undefined)],
  [
    'methods of Uint8Array',
    () => {
      const { Buffer: NodeBuffer } = globalThis;
      vi.stubGlobal('Buffer', undefined);
      Object.defineProperty(Uint8Array.prototype, 'toBase64', {
        configurable: true,
        value(this: Uint8Array) {
          return NodeBuffer.from(this).toString('base64');
        },
      });
      Object.defineProperty(Uint8Array, 'fromBase64', {
        configurable: true,
        value: (text: string) => Uint8Array.from(NodeBuffer.from(text, 'base64')),
      });
    },
  ],
];

describe.each(platforms)('encryption, base64 by %s', (_, prepare) => {
  test.each(vectors)('encodes and decodes "%s"', (plain, encoded) => {
    prepare();
    expect(toBase64(new TextEncoder().encode(plain))).toBe(encoded);
    expect(new TextDecoder().decode(fromBase64(encoded))).toBe(plain);
  });

  test('encodes and decodes more than one chunk', () => {
    prepare();
    expect(toBase64(large)).toBe(largeText);
    expect(fromBase64(largeText)).toEqual(large);
  });

  test('a subarray of a larger buffer is encoded', () => {
    prepare();
    expect(toBase64(large.subarray(3, 6))).toBe(largeText.slice(4, 8));
  });

  test.each(['Zg=', 'Zg', 'Z===', 'Zm9v!', 'Zm 9v', 'Zg==Zg=='])('refuses "%s"', (text) => {
    prepare();
    expect(() => fromBase64(text)).toThrow();
  });
});

describe('encryption, base64', () => {
  test('decoded bytes have a buffer of their own', () => {
    const bytes = fromBase64('Zm9v');
    expect(bytes.buffer.byteLength).toBe(3);
    expect(Object.getPrototypeOf(bytes)).toBe(Uint8Array.prototype);
  });
});
