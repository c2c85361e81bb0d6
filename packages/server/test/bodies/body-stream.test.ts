import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BodyStream } from '../../src/http/bodies/body-stream.ts';
import { TestClock } from '../../src/lib/clock.ts';

const pieceBytes = 64 * 1024;

function newStream() {
  const calls: string[] = [];
  const source = { resume: () => calls.push('resume'), stop: () => calls.push('stop') };
  const clock = new TestClock();
  return { stream: new BodyStream(source, clock), calls, clock };
}

async function piecesOf(stream: BodyStream): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece);
  return pieces;
}

describe('body as a stream', () => {
  test('has the bytes of all chunks in their order, in pieces of at most 64 KiB', async () => {
    const chunk = fc.oneof(
      fc.nat(10),
      fc.constantFrom(32_767, 32_768, pieceBytes, pieceBytes - 1, 200_000),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(chunk, { maxLength: 20 }), async (lengths) => {
        const { stream } = newStream();
        const chunks = lengths.map((length, index) => Buffer.alloc(length, index));
        const sending = (async () => {
          for (const sent of chunks) {
            stream.push(sent);
            await Promise.resolve();
          }
          stream.end();
        })();
        const pieces = await piecesOf(stream);
        await sending;
        expect(Buffer.concat(pieces).equals(Buffer.concat(chunks))).toBe(true);
        for (const { length } of pieces) {
          expect(length).toBeGreaterThan(0);
          expect(length).toBeLessThanOrEqual(pieceBytes);
        }
      }),
    );
  });

  test('passes chunks of 32 to 64 KiB on without a copy, after the smaller ones before them', async () => {
    const { stream } = newStream();
    const large = Buffer.alloc(32 * 1024, 'l');
    for (const chunk of [Buffer.from('small'), large, Buffer.from('end')]) stream.push(chunk);
    stream.end();
    const [before, passed, after, ...others] = await piecesOf(stream);
    expect([String(before), String(after), others]).toEqual(['small', 'end', []]);
    expect(passed).toBe(large);
  });

  test('copies small chunks: their memory can be used again', async () => {
    const { stream } = newStream();
    const chunk = Buffer.from('a');
    stream.push(chunk);
    chunk.fill('b');
    stream.end();
    expect(Buffer.concat(await piecesOf(stream)).toString()).toBe('a');
  });

  test('is full with two waiting pieces, and resumes the connection when one is taken', async () => {
    const { stream, calls } = newStream();
    stream.push(Buffer.alloc(2 * pieceBytes - 1));
    expect(stream.isFull).toBe(false);
    stream.push(Buffer.alloc(1));
    expect(stream.isFull).toBe(true);
    expect(calls).toEqual([]);
    await stream.next();
    expect(calls).toEqual(['resume']);
  });

  test('gives a consumer that waits its piece before the end, and then the error', async () => {
    const { stream } = newStream();
    const first = stream.next();
    stream.push(Buffer.alloc(pieceBytes + 1));
    expect((await first).value).toHaveLength(pieceBytes);
    const rest = stream.next();
    stream.fail(new Error('cut'));
    await expect(rest).rejects.toThrow('cut');
  });

  test('gives a consumer that waits the bytes of an incomplete piece every 10 seconds', async () => {
    const { stream, clock } = newStream();
    const given: string[] = [];
    const consuming = (async () => {
      for await (const piece of stream) given.push(String(piece));
    })();
    /** Lets the consumer run. */
    const pass = async (milliseconds: number) => {
      clock.advance(milliseconds);
      await setImmediate();
    };
    await pass(10_000);
    for (const chunk of ['a', 'b']) stream.push(Buffer.from(chunk));
    await pass(9_999);
    expect(given).toEqual([]);
    await pass(1);
    expect(given).toEqual(['ab']);
    stream.push(Buffer.from('c'));
    await pass(10_000);
    stream.push(Buffer.from('d'));
    stream.end();
    await consuming;
    expect(given).toEqual(['ab', 'c', 'd']);
  });

  test('gives a consumer that is busy no incomplete piece', async () => {
    const { stream, clock } = newStream();
    stream.push(Buffer.alloc(pieceBytes));
    await stream.next();
    stream.push(Buffer.from('a'));
    clock.advance(60_000);
    stream.push(Buffer.from('b'));
    stream.end();
    expect(String((await stream.next()).value)).toBe('ab');
  });

  test('stops the source when the consumer stops', async () => {
    const { stream, calls } = newStream();
    stream.push(Buffer.alloc(3 * pieceBytes));
    for await (const _ of stream) break;
    expect(calls.at(-1)).toBe('stop');
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });
});
