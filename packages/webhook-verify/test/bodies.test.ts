import { createHmac } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { builds, hasRightSignature, secret, sharedOutcome } from './support/builds.ts';
import { vaultDeleted } from './support/events.ts';
import { revokedProxy, throwingHandler } from './support/hostile.ts';

const options = { secrets: [secret] };
const json = JSON.stringify(vaultDeleted);

/** The signature by the rule of the contract, computed without the package. */
function signatureOf(body: Uint8Array): string {
  return `hmac_sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** As `Buffer.from` makes small ones: in the middle of memory that others use. */
function pooled(bytes: Buffer): Buffer {
  const buffer = Buffer.allocUnsafe(bytes.length);
  bytes.copy(buffer);
  return buffer;
}

/** The same bytes in every type that a body can have; each view lies in the middle of its buffer. */
function shapesOf(bytes: Buffer): [shape: string, body: unknown][] {
  const padded = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('after')]);
  const buffer = new ArrayBuffer(padded.length);
  new Uint8Array(buffer).set(padded);
  const shared = new SharedArrayBuffer(padded.length);
  new Uint8Array(shared).set(padded);
  // The library of ES2023 does not know the second parameter yet.
  const resizable: ArrayBuffer = Reflect.construct(ArrayBuffer, [
    padded.length,
    { maxByteLength: 2 * padded.length },
  ]);
  new Uint8Array(resizable).set(padded);
  const end = 6 + bytes.length;
  return [
    ['Buffer', padded.subarray(6, end)],
    ['Uint8Array with an offset', new Uint8Array(buffer, 6, bytes.length)],
    ['DataView with an offset', new DataView(buffer, 6, bytes.length)],
    ['ArrayBuffer', buffer.slice(6, end)],
    ['SharedArrayBuffer', shared.slice(6, end)],
    ['Uint8Array in shared memory', new Uint8Array(shared, 6, bytes.length)],
    ['Uint8Array in resizable memory', new Uint8Array(resizable, 6, bytes.length)],
    ['Buffer of the pool', pooled(bytes)],
    ['subclass of Uint8Array', new (class Bytes extends Uint8Array {})(buffer, 6, bytes.length)],
    ['Uint8Array of another realm', runInNewContext('Uint8Array.from(bytes)', { bytes })],
    ['ArrayBuffer of another realm', runInNewContext('Uint8Array.from(bytes).buffer', { bytes })],
  ];
}

const bodies: [name: string, bytes: Buffer][] = [
  ['JSON', Buffer.from(json)],
  ['JSON beyond ASCII', Buffer.from(json.replace('17', '17,"name":"Grüße, 金庫 🗄"'))],
  ['a byte order mark', Buffer.from(`\ufeff${json}`)],
  ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0xfe, 0x7d])],
  ['NUL', Buffer.from([0x00, 0x7b, 0x00, 0x7d, 0x00])],
  ['nothing', Buffer.alloc(0)],
  ['gzip', gzipSync(json)],
  ['every byte value', Buffer.from(Uint8Array.from({ length: 256 }, (_, value) => value))],
  ['a trailing newline', Buffer.from(`${json}\r\n`)],
  ['1 MiB', Buffer.alloc(1_048_576, 'x')],
];

describe.each(builds)('the bytes of a body, %s', (_, create) => {
  const verifier = create(options);

  describe.each(bodies)('a body of %s', (_name, bytes) => {
    const signature = signatureOf(bytes);

    test.each(shapesOf(bytes))('verifies as %s', async (_shape, body) => {
      expect(await hasRightSignature(verifier, body, signature)).toBe(true);
    });

    test.each(shapesOf(bytes))('does not verify under another signature as %s', async (_, body) => {
      const other = signatureOf(Buffer.concat([bytes, bytes, Buffer.from([0])]));
      expect(await hasRightSignature(verifier, body, other)).toBe(false);
    });

    test('does not verify with an extra byte', async () => {
      const longer = Buffer.concat([bytes, Buffer.from([0])]);
      expect(await hasRightSignature(verifier, longer, signature)).toBe(false);
    });
  });

  test.each(shapesOf(Buffer.from(json)))('parses the event of a %s', async (_shape, body) => {
    const event = await verifier.verify(body as Uint8Array, signatureOf(Buffer.from(json)));
    expect(event).toEqual(vaultDeleted);
  });

  test('verifies a string as its UTF-8 bytes', async () => {
    const text = `\ufeff${json}\0Grüße, 金庫 🗄`;
    expect(await hasRightSignature(verifier, text, signatureOf(Buffer.from(text)))).toBe(true);
  });

  test('refuses re-serialised JSON', async () => {
    const received = Buffer.from(JSON.stringify(vaultDeleted, null, 2));
    const signature = signatureOf(received);
    await expect(verifier.verify(received, signature)).resolves.toEqual(vaultDeleted);
    await expect(verifier.verify(json, signature)).rejects.toMatchObject({
      code: 'signature_mismatch',
    });
  });

  test('does not modify the bytes', async () => {
    const bytes = Buffer.from(json);
    await verifier.verify(bytes, signatureOf(bytes));
    expect(bytes.toString()).toBe(json);
  });
});

describe('a parsed or missing body', () => {
  const detached = new ArrayBuffer(8);
  const detachedView = new Uint8Array(detached);
  structuredClone(detached, { transfer: [detached] });

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a parsed object', vaultDeleted],
    ['a parsed array', [1, 2, 3]],
    ['an empty object', {}],
    ['a number', 42],
    ['a boolean', true],
    ['a symbol', Symbol('body')],
    ['a function', () => json],
    ['a Blob', new Blob([json])],
    ['a stream', new Blob([json]).stream()],
    [
      'an object that looks like a view',
      { buffer: new ArrayBuffer(2), byteOffset: 0, byteLength: 2 },
    ],
    ['a String object', Object(json)],
    ['a detached ArrayBuffer', detached],
    ['a detached Uint8Array', detachedView],
    ['an object of the wrong kind', Object.create(Uint8Array.prototype)],
    ['a proxy of bytes', new Proxy(Buffer.from(json), {})],
    ['a proxy that throws', new Proxy({}, throwingHandler)],
    ['a revoked proxy', revokedProxy()],
    [
      'bytes that lie about their length',
      Object.defineProperty(Buffer.from(json), 'byteLength', { value: 2 ** 40 }),
    ],
    [
      'bytes whose properties throw',
      Object.defineProperty(Buffer.from(json), 'buffer', { get: throwingHandler.get }),
    ],
  ])('gives body_not_raw when it is %s', async (_, body) => {
    expect(await sharedOutcome(options, body, signatureOf(Buffer.from(json)))).toEqual({
      name: 'WebhookVerificationError',
      code: 'body_not_raw',
      message: 'The body is missing or parsed.',
    });
  });

  test('gives body_not_raw before the header is checked', async () => {
    expect(await sharedOutcome(options, {}, undefined)).toMatchObject({ code: 'body_not_raw' });
  });
});
