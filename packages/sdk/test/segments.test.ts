import {
  type Cipher,
  DecryptionError,
  type Decryptor,
  type Encryptor,
  type EncryptorState,
  SourceChangedError,
  UsageError,
} from '@document-vault/sdk/crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { cheapCipher } from './support/cipher.ts';
import { rejection } from './support/client.ts';

const mebibyte = 2 ** 20;
const about = { fileName: 'film.mp4', mimeType: 'video/mp4' };

let cipher: Cipher;
beforeAll(async () => {
  cipher = await cheapCipher('open sesame');
});

/** Bytes without a period, so that no two parts are equal. */
function contentOf(size: number): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(size / 4)).map((_, n) => Math.imul(n, 2_654_435_761));
  return new Uint8Array(words.buffer, 0, size);
}

function segmentOf(encryptor: Encryptor, content: Uint8Array, segment: number) {
  const { start, end } = encryptor.contentOf(segment);
  return encryptor.segment(segment, content.subarray(start, end));
}

async function encrypted(content: Uint8Array, options = {}) {
  const encryptor = await cipher.encryptor({ ...about, size: content.length, ...options });
  const segments: Uint8Array[] = [];
  for (let n = 0; n < encryptor.segments; n++) {
    segments.push(await segmentOf(encryptor, content, n));
  }
  return { encryptor, document: encryptor.fields(), segments };
}

async function decrypted(decryptor: Decryptor, segments: readonly Uint8Array[]) {
  const parts: Uint8Array[] = [];
  for (const [n, segment] of segments.entries()) parts.push(await decryptor.segment(n, segment));
  return Buffer.concat(parts);
}

/** Decrypts everything, the first segment twice: a reader of a range begins with it too. */
async function opened(document: Parameters<Cipher['decryptor']>[0], segments: Uint8Array[]) {
  const decryptor = await cipher.decryptor(document, segments[0] ?? new Uint8Array());
  return decrypted(decryptor, segments);
}

/** Bytes that still fit into the first `count` segments. */
async function filling(count: number): Promise<number> {
  const { contentOf } = await cipher.encryptor({ ...about, size: 1_000_000 }).then((encryptor) => ({
    contentOf: encryptor.contentOf.bind(encryptor),
  }));
  // The description has as many bytes for every size of seven digits.
  const { start } = await cipher
    .encryptor({ ...about, size: 9_000_000 })
    .then((encryptor) => encryptor.contentOf(count));
  expect(contentOf(0).start).toBe(0);
  return start;
}

describe('guarantee 14, encryption: segments', () => {
  test('content of every size around the ends of segments is encrypted and decrypted', async () => {
    const one = await filling(1);
    const two = await filling(2);
    for (const size of [0, 1, 1000, one - 1, one, one + 1, two, two + 1]) {
      const content = contentOf(size);
      const { document, segments, encryptor } = await encrypted(content);
      expect(segments.map(({ length }) => length)).toEqual(
        segments.map((_, n) => {
          const { start, end } = encryptor.ciphertextOf(n);
          expect(start).toBe(n * mebibyte);
          return end - start;
        }),
      );
      const stream = Buffer.concat(segments);
      expect(stream).toHaveLength(document.sizeBytes);
      expect(segments).toHaveLength(Math.ceil(stream.length / mebibyte));
      expect((await opened(document, segments)).equals(content)).toBe(true);
    }
  });

  test('a segment that is exactly full is the last one', async () => {
    const { encryptor } = await encrypted(contentOf(await filling(1)));
    expect(encryptor).toMatchObject({ segments: 1, sizeBytes: mebibyte });
  });

  test('metadata names the format, the nonce prefix and the tag of the last segment', async () => {
    const { document, segments } = await encrypted(contentOf(1_100_000));
    expect(document.encryptionMetadata).toEqual({
      algorithm: 'AES256_GCM_HKDF_1MB',
      keyDerivation: 'PBKDF2',
      iterations: 1_000,
      salt: expect.stringMatching(/^[\w+/]{22}==$/),
      wrappedKey: expect.stringMatching(/^[\w+/]{80}$/),
      iv: Buffer.from(segments[0]?.subarray(33, 40) ?? []).toString('base64'),
      authTag: Buffer.from(segments[1]?.subarray(-16) ?? []).toString('base64'),
    });
    expect(segments[0]?.[0]).toBe(40);
    expect(document).toMatchObject({ ...about, id: expect.any(String) });
  });

  test('ids are UUIDs of version 7 with the present time', async () => {
    const before = Date.now();
    const { id } = await cipher.encryptor({ ...about, size: 0 });
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const time = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(Date.now());
    expect((await cipher.encryptor({ ...about, size: 0 })).id).not.toBe(id);
  });

  test('a range is decrypted from the segments that it touches', async () => {
    const content = contentOf(3_200_000);
    const { document, segments } = await encrypted(content);
    const decryptor = await cipher.decryptor(document, segments[0] as Uint8Array);
    const anyRange = fc
      .tuple(fc.nat(content.length - 1), fc.integer({ min: 1, max: 1_500_000 }))
      .map(([start, length]) => ({ start, end: Math.min(start + length, content.length) }));
    await fc.assert(
      fc.asyncProperty(anyRange, async ({ start, end }) => {
        const first = decryptor.segmentAt(start);
        const last = decryptor.segmentAt(end - 1);
        const parts: Uint8Array[] = [];
        for (let n = first; n <= last; n++) {
          const within = decryptor.contentOf(n);
          const plain = await decryptor.segment(n, segments[n] as Uint8Array);
          expect(plain).toHaveLength(within.end - within.start);
          parts.push(
            plain.subarray(Math.max(start, within.start) - within.start, end - within.start),
          );
        }
        expect(Buffer.concat(parts).equals(content.subarray(start, end))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test('segments are encrypted in any order and again with the same bytes', async () => {
    const content = contentOf(2_500_000);
    const { encryptor, segments } = await encrypted(content);
    for (const n of [2, 0, 1, 2]) {
      expect(await segmentOf(encryptor, content, n)).toEqual(segments[n]);
    }
  });

  test('other bytes for a segment throw SourceChangedError and return no ciphertext', async () => {
    const content = contentOf(1_200_000);
    const { encryptor } = await encrypted(content);
    content[5] = 1 ^ (content[5] ?? 0);
    expect(await rejection(segmentOf(encryptor, content, 0))).toBeInstanceOf(SourceChangedError);
    content[5] = 1 ^ (content[5] ?? 0);
    await segmentOf(encryptor, content, 0);
  });

  test('a segment of another length throws UsageError', async () => {
    const encryptor = await cipher.encryptor({ ...about, size: 10 });
    const error = await rejection(encryptor.segment(0, contentOf(9)));
    expect(error).toEqual(new UsageError('Segment 0 has 10 bytes, not 9'));
  });

  test('fields before the last segment was encrypted throw UsageError', async () => {
    const content = contentOf(1_200_000);
    const encryptor = await cipher.encryptor({ ...about, size: content.length });
    await segmentOf(encryptor, content, 0);
    expect(() => encryptor.fields()).toThrow(UsageError);
  });

  test.each([
    ['a path as name', { fileName: 'a/b' }, 'fileName'],
    ['a negative size', { size: -1 }, 'size'],
    ['half a byte', { size: 1.5 }, 'size'],
    ['no size', { size: undefined as unknown as number }, 'size'],
  ])('%s throws UsageError', async (_, change, field) => {
    const error = await rejection(cipher.encryptor({ ...about, size: 1, ...change }));
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain(field);
  });
});

describe('guarantee 14, encryption: an encryption that is continued', () => {
  const started = async (content: Uint8Array, options = {}) => {
    const encryptor = await cipher.encryptor({ ...about, size: content.length, ...options });
    return { encryptor, state: JSON.parse(JSON.stringify(encryptor.state)) as EncryptorState };
  };

  test.each([false, true])(
    'has the same bytes and fields, with encryptFileName %s',
    async (encryptFileName) => {
      const content = contentOf(2_200_000);
      const { encryptor, state } = await started(content, { encryptFileName });
      const first = await segmentOf(encryptor, content, 0);
      await segmentOf(encryptor, content, 2);
      const other = await cheapCipher('open sesame', { iterations: 1 });
      const again = await other.resumeEncryptor(state);
      const segments = [first];
      expect(await segmentOf(again, content, 0)).toEqual(first);
      for (const n of [1, 2]) segments.push(await segmentOf(again, content, n));
      expect(again.fields()).toEqual(encryptor.fields());
      const decryptor = await cipher.decryptor(again.fields(), first);
      expect(decryptor).toMatchObject({ ...about, size: content.length });
      expect((await decrypted(decryptor, segments)).equals(content)).toBe(true);
    },
  );

  test('the state contains neither the key nor an encrypted name in the clear', async () => {
    const content = contentOf(10);
    const { encryptor, state } = await started(content, { encryptFileName: true });
    await segmentOf(encryptor, content, 0);
    const key = Buffer.from(await cipher.documentKey(encryptor.fields()));
    const text = JSON.stringify(state);
    expect(text).not.toContain('film');
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      expect(text).not.toContain(key.toString(encoding));
    }
    expect(text.length).toBeLessThan(1_000);
  });

  test('another passphrase throws DecryptionError with the reason key', async () => {
    const { state } = await started(contentOf(10));
    const other = await cheapCipher('open barley', { iterations: 1 });
    const error = await rejection(other.resumeEncryptor(state));
    expect(error).toBeInstanceOf(DecryptionError);
    expect(error).toMatchObject({ reason: 'key' });
  });

  test.each([
    ['another format', { algorithm: 'AES-256-GCM' }],
    ['a nonce prefix that is cut off', { noncePrefix: 'AAAA' }],
    ['a salt that is not base64', { streamSalt: '!' }],
  ])('a state with %s throws UsageError', async (_, change) => {
    const { state } = await started(contentOf(10));
    const error = await rejection(cipher.resumeEncryptor({ ...state, ...change }));
    expect(error).toEqual(new UsageError('The state of the encryptor is invalid'));
  });
});

describe('guarantee 14, encryption: segments that decryption rejects', () => {
  const reasonOf = async (work: Promise<unknown>) => {
    const error = await rejection(work);
    expect(error).toBeInstanceOf(DecryptionError);
    return (error as DecryptionError).reason;
  };

  test('any flipped bit of a small content throws DecryptionError', async () => {
    const { document, segments } = await encrypted(contentOf(20));
    const [segment = new Uint8Array()] = segments;
    for (let bit = 0; bit < segment.length * 8; bit++) {
      const changed = Uint8Array.from(segment);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(await reasonOf(opened(document, [changed]))).toBe('content');
    }
  });

  test('any flipped bit of a later segment throws DecryptionError', async () => {
    const { document, segments } = await encrypted(contentOf(1_100_000));
    const [first, second] = segments as [Uint8Array, Uint8Array];
    const decryptor = await cipher.decryptor(document, first);
    await fc.assert(
      fc.asyncProperty(fc.nat(second.length * 8 - 1), async (bit) => {
        const changed = Uint8Array.from(second);
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(await reasonOf(decryptor.segment(1, changed))).toBe('content');
      }),
      { numRuns: 100 },
    );
  });

  test('swapped, dropped and repeated segments throw DecryptionError', async () => {
    const { document, segments } = await encrypted(contentOf(3_500_000));
    const [a, b, c, d] = segments as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
    for (const order of [
      [a, c, b, d],
      [a, b, b, d],
      [a, c, d],
      [b, a, c, d],
      [b, c, d],
      [a, b, d, c],
    ]) {
      expect(await reasonOf(opened(document, order))).toBe('content');
    }
  });

  test('a content cut off after any segment, and a reported size that fits, throws DecryptionError', async () => {
    const { document, segments } = await encrypted(contentOf(3_500_000));
    const first = segments[0] as Uint8Array;
    const tagOf = (segment?: Uint8Array) =>
      Buffer.from(segment?.subarray(-16) ?? []).toString('base64');
    for (const kept of [1, 2, 3]) {
      const authTag = tagOf(segments[kept - 1]);
      const encryptionMetadata = { ...document.encryptionMetadata, authTag };
      const cut = { ...document, sizeBytes: kept * mebibyte, encryptionMetadata };
      const reason = await reasonOf(cipher.decryptor(cut, first));
      expect(reason).toBe(kept === 1 ? 'content' : 'size');
    }
    const decryptor = await cipher.decryptor(document, first);
    const last = segments[3] as Uint8Array;
    expect(await reasonOf(decryptor.segment(3, last.subarray(0, -1)))).toBe('content');
    expect(await reasonOf(cipher.decryptor(document, first.subarray(0, 39)))).toBe('content');
  });

  test('a segment of another document, or of another content under the same key, throws DecryptionError', async () => {
    const content = contentOf(1_100_000);
    const [mine, other] = [await encrypted(content), await encrypted(content)];
    const decryptor = await cipher.decryptor(mine.document, mine.segments[0] as Uint8Array);
    const foreign = other.segments[1] as Uint8Array;
    expect(await reasonOf(decryptor.segment(1, foreign))).toBe('content');
  });

  test('the id of another document throws DecryptionError with the reason key', async () => {
    const { document, segments } = await encrypted(contentOf(10));
    const { id } = await cipher.encryptor({ ...about, size: 0 });
    expect(await reasonOf(opened({ ...document, id }, segments))).toBe('key');
  });

  test('a reported size that is not the sealed one throws DecryptionError with the reason size', async () => {
    const { document, segments } = await encrypted(contentOf(10));
    const changed = { ...document, sizeBytes: document.sizeBytes + 1 };
    expect(await reasonOf(opened(changed, segments))).toBe('size');
  });

  test('a plain name in the place of an encrypted one throws DecryptionError with the reason name', async () => {
    const { document, segments } = await encrypted(contentOf(10), { encryptFileName: true });
    const [first = new Uint8Array()] = segments;
    expect(document.fileName).toMatch(/^enc\./);
    expect((await cipher.decryptor(document, first)).fileName).toBe('film.mp4');
    const replaced = { ...document, fileName: 'invoice.exe' };
    expect(await reasonOf(cipher.decryptor(replaced, first))).toBe('name');
    const other = await encrypted(contentOf(10), { encryptFileName: true });
    const swapped = { ...document, fileName: other.document.fileName };
    expect(await reasonOf(cipher.decryptor(swapped, first))).toBe('name');
  });

  test('a plain name and a type of the service never replace the sealed ones', async () => {
    const { document, segments } = await encrypted(contentOf(10));
    const changed = { ...document, fileName: 'invoice.exe', mimeType: 'text/html' };
    expect(await cipher.decryptor(changed, segments[0] as Uint8Array)).toMatchObject(about);
  });

  test('invalid metadata throws DecryptionError with the reason metadata', async () => {
    const { document, segments } = await encrypted(contentOf(10));
    for (const change of [{ iv: 'AAAA' }, { authTag: '' }, { iterations: 0 }]) {
      const encryptionMetadata = { ...document.encryptionMetadata, ...change };
      const changed = { ...document, encryptionMetadata };
      expect(await reasonOf(opened(changed, segments))).toBe('metadata');
    }
  });
});
