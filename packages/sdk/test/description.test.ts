import { DecryptionError } from '@document-vault/sdk';
import { describe, expect, test } from 'vitest';
import { readDescription, writeDescription } from '../src/crypto/description.ts';

const description = {
  fileName: 'letter.pdf',
  mimeType: 'application/pdf',
  charset: undefined,
  size: 3,
  encryptFileName: true,
};

/** Returns the beginning of a content with this description. */
function sealedWith(changes: object): Uint8Array<ArrayBuffer> {
  const json = Buffer.from(JSON.stringify({ ...description, ...changes }));
  const length = Buffer.alloc(2);
  length.writeUInt16BE(json.length);
  return new Uint8Array(Buffer.concat([length, json]));
}

describe('readDescription', () => {
  test('returns what writeDescription has written', () => {
    const bytes = writeDescription(description);
    expect(readDescription(bytes)).toEqual({ ...description, length: bytes.length });
  });

  test('throws DecryptionError for a value of another type, also a list with one text', () => {
    for (const changes of [
      { mimeType: ['application/pdf'] },
      { mimeType: { toString: 'application/pdf' } },
      { mimeType: null },
      { fileName: ['letter.pdf'] },
      { fileName: 5 },
      { size: [3] },
      { size: '3' },
      { size: -1 },
      { size: 1.5 },
      { encryptFileName: 'no' },
      { encryptFileName: [false] },
      { encryptFileName: null },
    ]) {
      expect(() => readDescription(sealedWith(changes)), JSON.stringify(changes)).toThrow(
        DecryptionError,
      );
    }
    expect(readDescription(sealedWith({ charset: ['utf-8'] })).charset).toBeUndefined();
  });
});
