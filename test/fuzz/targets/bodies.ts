import fc from 'fast-check';
import { assertSound, deliver, requestBytes } from '../connection.ts';
import type { Target } from '../target.ts';
import { hostileText } from '../values.ts';

// How a body arrives: its framing, its pieces, its end. Its meaning does not matter here.

const paths = [
  '/auth/login',
  '/auth/register',
  '/auth/refresh',
  '/graphql',
  '/api/v1/vaults',
  '/api/v1/documents',
] as const;

interface Content {
  /** Repeated between `before` and `after`. */
  readonly unit: string;
  readonly times: number;
  readonly before: string;
  readonly after: string;
}

interface Input {
  readonly path: (typeof paths)[number];
  readonly isAuthorised: boolean;
  readonly content: Content;
  readonly framing:
    | { readonly kind: 'length'; readonly difference: number }
    | {
        readonly kind: 'chunked';
        /** Sizes of the chunks, in turns. */
        readonly sizes: readonly number[];
        readonly extension: string;
        readonly trailers: string;
        readonly isWhole: boolean;
      };
  readonly headers: readonly (readonly [string, string])[];
  /** Sizes of the writes, in turns; none: all in one. */
  readonly writes: readonly number[];
  /** How much of the request is sent, from 0 to 1. */
  readonly sent: number;
  readonly ending: 'wait' | 'end' | 'destroy';
}

const json: fc.Arbitrary<Content> = fc.record({
  before: fc.constantFrom(
    '{"email":"a@example.com","password":"',
    '{"query":"',
    '{"encryptedData":"',
    '"',
  ),
  unit: fc.constantFrom('a', 'A=', '\\u0000', 'ü', '😀', '\\"'),
  times: fc.oneof(
    { weight: 20, arbitrary: fc.nat(3_000) },
    { weight: 1, arbitrary: fc.nat(400_000) },
  ),
  after: fc.constantFrom('"}', '"', '', '","name":1}'),
});

const structure: fc.Arbitrary<Content> = fc.record({
  before: fc.constantFrom('[', '{"a":[', '{"encryptedData":"AAAA","x":['),
  unit: fc.constantFrom('0,', '[],', '{},', '"",', '[', '{"a":', 'null,', '1e5,'),
  times: fc.oneof(
    { weight: 60, arbitrary: fc.nat(30_000) },
    { weight: 2, arbitrary: fc.nat(400_000) },
    // As many as the largest document has bytes.
    { weight: 1, arbitrary: fc.integer({ min: 4_000_000, max: 14_000_000 }) },
  ),
  after: fc.constantFrom('0]', ']', ']}', ''),
});

const noise: fc.Arbitrary<Content> = fc.record({
  before: fc.string({ unit: 'binary', maxLength: 50 }),
  unit: hostileText,
  times: fc.nat(3),
  after: fc.string({ maxLength: 10 }),
});

const header = fc.oneof(
  fc.constantFrom<readonly [string, string]>(
    ['Content-Type', 'application/json'],
    ['Content-Type', 'application/json; charset=utf-16'],
    ['Content-Type', 'text/plain'],
    ['Content-Type', 'multipart/form-data; boundary=x'],
    ['Content-Encoding', 'gzip'],
    ['Content-Length', '5'],
    ['Content-Length', '-1'],
    ['Content-Length', '99999999999999999999'],
    ['Transfer-Encoding', 'chunked'],
    ['Transfer-Encoding', 'gzip, chunked'],
    ['Expect', '100-continue'],
    ['Expect', 'tea'],
    ['Upgrade', 'websocket'],
    ['Connection', 'Upgrade'],
    ['Idempotency-Key', 'key'],
  ),
);

const size = fc.oneof(fc.constantFrom(1, 1, 1, 2, 3, 7, 100), fc.integer({ min: 1, max: 70_000 }));

const inputs: fc.Arbitrary<Input> = fc.record({
  path: fc.constantFrom(...paths),
  isAuthorised: fc.boolean(),
  content: fc.oneof(json, structure, noise),
  framing: fc.oneof(
    fc.record({
      kind: fc.constant('length' as const),
      difference: fc.oneof(
        fc.constantFrom(0, 0, 0, 1, -1),
        fc.integer({ min: -100, max: 1_000_000 }),
      ),
    }),
    fc.record({
      kind: fc.constant('chunked' as const),
      sizes: fc.array(size, { minLength: 1, maxLength: 4 }),
      extension: fc.constantFrom('', '', ';a=b', ';a="b"', ` ;${'x'.repeat(2_000)}`),
      trailers: fc.constantFrom('', '', 'X-Trailer: 1\r\n', 'Content-Length: 3\r\n', 'broken\r\n'),
      isWhole: fc.boolean(),
    }),
  ),
  headers: fc.array(header, { maxLength: 3 }),
  writes: fc.array(size, { maxLength: 3 }),
  sent: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
  ending: fc.constantFrom('wait', 'end', 'end', 'destroy'),
});

/** Above this, pieces of one byte would take the fuzzer more time than the server. */
const manyWrites = 2_000;
/** More chunks would not fit into the memory of the fuzzer; the last one takes the rest. */
const manyChunks = 1_100_000;

function slices(bytes: Buffer, sizes: readonly number[], most: number): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (let index = 0; at < bytes.length && pieces.length < most; index += 1) {
    const length = sizes[index % sizes.length] ?? bytes.length;
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return at < bytes.length ? [...pieces, bytes.subarray(at)] : pieces;
}

function framed(bytes: Buffer, framing: Input['framing']): Buffer {
  if (framing.kind === 'length') return bytes;
  const { sizes, extension, trailers, isWhole } = framing;
  const parts: Buffer[] = [];
  for (const chunk of slices(bytes, sizes, manyChunks)) {
    parts.push(
      Buffer.from(`${chunk.length.toString(16)}${extension}\r\n`),
      chunk,
      Buffer.from('\r\n'),
    );
  }
  if (isWhole) parts.push(Buffer.from(`0\r\n${trailers}\r\n`));
  return Buffer.concat(parts);
}

function requestOf(
  { path, isAuthorised, content, framing, headers }: Input,
  apiKey: string,
): Buffer {
  const { before, unit, times, after } = content;
  const bytes = Buffer.from(before + unit.repeat(times) + after);
  const given = headers.some(([name]) => name === 'Content-Type');
  const length = Math.max(0, bytes.length + (framing.kind === 'length' ? framing.difference : 0));
  return requestBytes(
    'POST',
    path,
    [
      ...(given ? [] : [['Content-Type', 'application/json'] as const]),
      ...(isAuthorised ? [['X-Api-Key', apiKey] as const] : []),
      framing.kind === 'length'
        ? ['Content-Length', String(length)]
        : ['Transfer-Encoding', 'chunked'],
      ['Connection', 'close'],
      ...headers,
    ],
    framed(bytes, framing),
  );
}

/** Whether the server receives all of the request that its framing announces. */
function isWhole({ framing, sent }: Input): boolean {
  return sent === 1 && (framing.kind === 'length' ? framing.difference <= 0 : framing.isWhole);
}

export const bodies: Target<Input> = {
  name: 'bodies',
  weight: 4,
  inputs,
  async attempt(input, { subject }) {
    const request = requestOf(input, subject.apiKey);
    const bytes = request.subarray(0, Math.ceil(request.length * input.sent));
    const pieces = input.writes.length === 0 ? [bytes] : slices(bytes, input.writes, manyWrites);
    // Otherwise the server would wait for the rest until its time limit.
    const ending = input.ending === 'wait' && !isWhole(input) ? 'end' : input.ending;
    for (const response of await deliver(subject.port, { pieces, ending })) assertSound(response);
    await subject.assertUnharmed(bytes.length);
  },
};
