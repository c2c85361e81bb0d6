import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExcessError, ResponseError, ResponseReader } from '../../src/delivery/response-reader.ts';

const limit = 16 * 1024;

/** Reads a response in pieces, and returns what an attempt uses of it. */
function read(pieces: readonly string[], { isEnded = false } = {}) {
  const reader = new ResponseReader();
  let isComplete = false;
  for (const piece of pieces) isComplete = reader.read(Buffer.from(piece, 'latin1'));
  if (isEnded) isComplete = reader.end();
  const { statusCode, retryAfter, keptMs } = reader;
  return { isComplete, statusCode, retryAfter, keptMs, body: reader.body.toString('latin1') };
}

const ok = 'HTTP/1.1 200 OK\r\n';
const complete = { isComplete: true, statusCode: 200, retryAfter: undefined };
const forever = Number.POSITIVE_INFINITY;

describe('framing', () => {
  test.each([
    ['a length', `${ok}Content-Length: 2\r\n\r\nok`, { body: 'ok', keptMs: forever }],
    ['a length of 0', `${ok}content-length:0 \r\n\r\n`, { body: '', keptMs: forever }],
    [
      'chunks',
      `${ok}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\nB ;a=b\r\n and\r\n more\r\n0\r\nA: b\r\n\r\n`,
      { body: 'ok and\r\n more', keptMs: forever },
    ],
    [
      'chunks of another coding',
      `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
      { body: '', keptMs: forever },
    ],
    [
      'a body after informational responses',
      `HTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${ok}Content-Length: 1\r\n\r\n1`,
      { body: '1', keptMs: forever },
    ],
  ])('a response with %s ends with its last byte', (_name, text, expected) => {
    expect(read([text])).toEqual({ ...complete, ...expected });
    expect(read([text.slice(0, -1)]).isComplete).toBe(false);
    expect(read([text.slice(0, -1)], { isEnded: true }).isComplete).toBe(false);
  });

  test.each([204, 304])('a response with status %i has no body', (status) => {
    const text = `HTTP/1.1 ${status} -\r\nContent-Length: 5\r\n\r\n`;
    expect(read([text])).toMatchObject({ isComplete: true, statusCode: status, keptMs: forever });
  });

  test.each([
    ['neither length nor chunks', `${ok}\r\nall`],
    ['a coding that is not chunked', `${ok}Transfer-Encoding: gzip\r\n\r\nall`],
  ])('a response with %s ends with its connection', (_name, text) => {
    expect(read([text])).toMatchObject({ isComplete: false, statusCode: 200, body: 'all' });
    expect(read([text], { isEnded: true })).toEqual({ ...complete, body: 'all', keptMs: 0 });
  });

  test('a response is the same in pieces of any size', () => {
    const text = `HTTP/1.1 102 -\r\n\r\nHTTP/1.1 503 Busy\r\nRetry-After: 7\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1;x\r\nd\r\n0\r\nT: 1\r\n\r\n`;
    const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 });
    fc.assert(
      fc.property(sizes, (lengths) => {
        const pieces: string[] = [];
        for (let start = 0, turn = 0; start < text.length; turn += 1) {
          const end = start + (lengths[turn % lengths.length] ?? 1);
          pieces.push(text.slice(start, end));
          start = end;
        }
        const expected = { isComplete: true, statusCode: 503, retryAfter: '7', body: 'abcd' };
        expect(read(pieces)).toEqual({ ...expected, keptMs: forever });
      }),
    );
  });
});

describe('kept connections', () => {
  const empty = 'Content-Length: 0\r\n\r\n';

  test.each([
    ['Connection: close', `${ok}Connection: close\r\n${empty}`, 0],
    ['close among other options', `${ok}Connection: x, Close\r\n${empty}`, 0],
    [
      'a second field with close',
      `${ok}Connection: keep-alive\r\nConnection: close\r\n${empty}`,
      0,
    ],
    ['HTTP/1.0', `HTTP/1.0 200 OK\r\n${empty}`, 0],
    ['bytes behind its end', `${ok}${empty}H`, 0],
    ['a timeout of one second', `${ok}Keep-Alive: timeout=1, max=5\r\n${empty}`, 0],
    ['a timeout of three seconds', `${ok}Keep-Alive: max=5, timeout=3\r\n${empty}`, 2000],
    ['none of these', `${ok}Connection: keep-alive\r\n${empty}`, forever],
  ])('a response with %s', (_name, text, keptMs) => {
    expect(read([text])).toMatchObject({ isComplete: true, keptMs });
  });

  test('an incomplete response', () => {
    expect(read([`${ok}Content-Length: 2\r\n\r\no`])).toMatchObject({ keptMs: 0 });
  });
});

describe('invalid responses', () => {
  test.each([
    ['another protocol', 'SSH'],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n'],
    ['lower case', 'http/1.1 200 OK\r\n\r\n'],
    ['a line end before the status', `\r\n${ok}\r\n`],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['a line end without CR', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n'],
    ['CR in a value', `${ok}X: a\rb\r\n\r\n`],
    ['LF in a value', `${ok}X: a\nContent-Length: 0\r\n\r\n`],
    ['NUL in a value', `${ok}X: a\0\r\n\r\n`],
    ['a field without colon', `${ok}Content-Length\r\n\r\n`],
    ['a field without name', `${ok}: 1\r\n\r\n`],
    ['a space before the colon', `${ok}Content-Length : 0\r\n\r\n`],
    ['a folded field', `${ok}X: a\r\n b\r\n\r\n`],
    ['two equal lengths', `${ok}Content-Length: 0\r\nContent-Length: 0\r\n\r\n`],
    ['a list of lengths', `${ok}Content-Length: 0, 0\r\n\r\n`],
    ['a signed length', `${ok}Content-Length: +1\r\n\r\n`],
    ['a hexadecimal length', `${ok}Content-Length: 0x1\r\n\r\n`],
    ['an empty length', `${ok}Content-Length:\r\n\r\n`],
    ['a length and chunks', `${ok}Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n`],
    ['a chunk without size', `${ok}Transfer-Encoding: chunked\r\n\r\n\r\n`],
    ['a chunk with a signed size', `${ok}Transfer-Encoding: chunked\r\n\r\n-1\r\n`],
    ['a chunk without line end', `${ok}Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n`],
    ['a trailer that is no field', `${ok}Transfer-Encoding: chunked\r\n\r\n0\r\nab\r\n\r\n`],
  ])('%s is refused', (_name, text) => {
    expect(() => read([text])).toThrow(new ResponseError('the response is not valid HTTP'));
  });

  test('status 101 is refused, because no other protocol was requested', () => {
    expect(() => read(['HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n'])).toThrow(ResponseError);
  });
});

describe('limit', () => {
  const head = `${ok}Content-Length: ${limit}\r\n\r\n`;

  test('a response of exactly 16 KiB is complete, and its connection kept unless more bytes came', () => {
    const length = limit - head.length;
    const text = `${head.replace(`${limit}`, `${length}`)}${'x'.repeat(length)}`;
    expect(text).toHaveLength(limit);
    expect(read([text])).toMatchObject({ isComplete: true, keptMs: forever });
    // The byte beyond the limit is not read, but it could begin another response.
    expect(read([`${text}H`])).toMatchObject({ isComplete: true, keptMs: 0 });
  });

  test.each([1, 1000, limit, 4 * limit])(
    'pieces of %i bytes are read until 16 KiB, and the status is known',
    (size) => {
      const reader = new ResponseReader();
      const text = `${head}${'x'.repeat(limit)}`;
      let sent = 0;
      const send = () => {
        for (; sent < text.length; sent += size) {
          reader.read(Buffer.from(text.slice(sent, sent + size)));
        }
      };
      expect(send).toThrow(ExcessError);
      expect(sent).toBeLessThanOrEqual(limit);
      expect(reader.statusCode).toBe(200);
      expect(head.length + reader.body.length).toBe(limit);
      expect(reader.keptMs).toBe(0);
    },
  );

  test('informational responses count towards the limit', () => {
    const informational = 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(700);
    expect(() => read([informational])).toThrow(ExcessError);
  });
});
