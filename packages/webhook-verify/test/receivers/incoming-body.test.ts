import { afterEach, describe, expect, test, vi } from 'vitest';
import { IncomingBody } from '../../src/receiver/incoming-body.ts';

const mebibyte = 1_048_576;
const bodies: IncomingBody[] = [];

function open(limit = mebibyte): IncomingBody {
  const body = new IncomingBody(limit);
  bodies.push(body);
  return body;
}

/** A body with the given number of received bytes. */
function received(bytes: number, limit?: number): IncomingBody {
  const body = open(limit);
  body.add(new Uint8Array(bytes));
  return body;
}

const overloaded = expect.objectContaining({ code: 'overloaded' });

afterEach(() => {
  for (const body of bodies.splice(0)) body.discard();
});

describe('IncomingBody', () => {
  test('returns the bytes of all chunks in order, also when the chunks are overwritten later', () => {
    const body = open();
    body.declare('15000');
    const chunk = Uint8Array.of(1, 2, 3);
    for (let count = 0; count < 5000; count += 1) body.add(chunk);
    chunk.fill(0);
    expect(body.bytes()).toEqual(
      Uint8Array.from({ length: 15_000 }, (_, index) => (index % 3) + 1),
    );
  });

  test.each([
    ['no length', undefined, 4096],
    ['a length', '5000', 4096],
    ['a length that is below its first chunk', '10', 4096],
    ['the length of its first chunk', '100', 100],
    ['a length that is no number', 'many', 4096],
  ])(
    'allocates little for a first chunk of 100 bytes when the sender declares %s',
    (_, declared, size) => {
      const body = open();
      body.declare(declared);
      body.add(new Uint8Array(100));
      expect(body.bytes().buffer.byteLength).toBe(size);
    },
  );

  test.each([
    ['declares', (body: IncomingBody) => body.declare('101')],
    ['sends', (body: IncomingBody) => body.add(new Uint8Array(101))],
  ])('throws body_too_large when the sender %s more than maxBodySize', (_, refused) => {
    const body = open(100);
    expect(() => refused(body)).toThrow(expect.objectContaining({ code: 'body_too_large' }));
  });

  test.each([undefined, null])(
    'throws chunks_too_small above 1,024 chunks with fewer than 24 bytes on average, declared: %s',
    (declared) => {
      const body = open();
      body.declare(declared);
      for (let count = 0; count < 1024; count += 1) body.add(Uint8Array.of(1));
      const tooSmall = expect.objectContaining({ code: 'chunks_too_small' });
      expect(() => body.add(Uint8Array.of(1))).toThrow(tooSmall);
      const large = open();
      for (let count = 0; count < 2000; count += 1) large.add(new Uint8Array(24));
      expect(() => large.add(Uint8Array.of(1))).toThrow(tooSmall);
      expect(large.bytes()).toHaveLength(48_000);
    },
  );

  test('allocates at most maxBodySize', () => {
    const body = open(5000);
    body.add(new Uint8Array(4100));
    body.add(new Uint8Array(900));
    expect(body.bytes().buffer.byteLength).toBe(5000);
  });

  test('evicts the oldest body when 8 MiB are occupied', () => {
    const oldest = received(mebibyte);
    const others = Array.from({ length: 7 }, () => received(mebibyte));
    const event = received(4096);
    expect(event.bytes()).toHaveLength(4096);
    expect(() => oldest.add(new Uint8Array(1))).toThrow(overloaded);
    expect(() => oldest.bytes()).toThrow(overloaded);
    for (const body of others) expect(body.bytes()).toHaveLength(mebibyte);
  });

  test('accepts an event that is larger than each of 2048 unfinished bodies', () => {
    const unfinished = Array.from({ length: 2048 }, () => received(1));
    expect(received(20_000).bytes()).toHaveLength(20_000);
    expect(() => unfinished[4]?.bytes()).toThrow(overloaded);
    expect(unfinished[5]?.bytes()).toHaveLength(1);
  });

  test('throws overloaded for the oldest body itself when 8 MiB are occupied', () => {
    const oldest = received(mebibyte / 2);
    const others = Array.from({ length: 7 }, () => received(mebibyte));
    received(mebibyte / 2);
    expect(() => oldest.add(new Uint8Array(1))).toThrow(overloaded);
    for (const body of others) expect(body.bytes()).toHaveLength(mebibyte);
  });

  test('evicts no complete body', () => {
    const others = Array.from({ length: 8 }, () => received(mebibyte));
    for (const body of others) body.bytes();
    expect(() => received(1)).toThrow(overloaded);
    others[0]?.release();
    expect(received(1).bytes()).toHaveLength(1);
  });

  test('counts a body that is never released for a minute, and keeps its bytes', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const abandoned = Array.from({ length: 8 }, () => received(mebibyte).bytes());
    vi.advanceTimersByTime(59_999);
    expect(() => received(1)).toThrow(overloaded);
    vi.advanceTimersByTime(1);
    expect(received(1).bytes()).toHaveLength(1);
    for (const bytes of abandoned) expect(bytes).toHaveLength(mebibyte);
    vi.useRealTimers();
  });

  test('accepts one body whose maxBodySize is above 8 MiB', () => {
    expect(received(20 * mebibyte, 20 * mebibyte).bytes()).toHaveLength(20 * mebibyte);
  });

  test('keeps the bytes of a released body, and frees those of a discarded one', () => {
    const kept = received(100);
    const bytes = kept.bytes();
    kept.release();
    expect(bytes).toHaveLength(100);
    const refused = received(100);
    const freed = refused.bytes();
    refused.discard();
    expect(freed).toHaveLength(0);
  });
});
