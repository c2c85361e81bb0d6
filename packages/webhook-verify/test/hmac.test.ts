import { describe, expect, test } from 'vitest';
import { hmac } from '../src/hmac.node.ts';
import { createMatches, hmac as webHmac } from '../src/hmac.web.ts';

const bytes = (count: number, value: number) => new Uint8Array(count).fill(value);
const text = (value: string) => new TextEncoder().encode(value);
const hex = (digits: string) => new Uint8Array(Buffer.from(digits, 'hex'));

/** RFC 4231, section 4, and the example of GitHub's "Validating webhook deliveries". */
const vectors = [
  {
    name: 'RFC 4231 test case 1',
    key: bytes(20, 0x0b),
    data: text('Hi There'),
    digest: 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  },
  {
    name: 'RFC 4231 test case 2, a short key',
    key: text('Jefe'),
    data: text('what do ya want for nothing?'),
    digest: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  },
  {
    name: 'RFC 4231 test case 3',
    key: bytes(20, 0xaa),
    data: bytes(50, 0xdd),
    digest: '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe',
  },
  {
    name: 'RFC 4231 test case 4',
    key: Uint8Array.from({ length: 25 }, (_, index) => index + 1),
    data: bytes(50, 0xcd),
    digest: '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b',
  },
  {
    name: 'RFC 4231 test case 6, a key longer than a block',
    key: bytes(131, 0xaa),
    data: text('Test Using Larger Than Block-Size Key - Hash Key First'),
    digest: '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  },
  {
    name: 'RFC 4231 test case 7, key and data longer than a block',
    key: bytes(131, 0xaa),
    data: text(
      'This is a test using a larger than block-size key and a larger than block-size data. ' +
        'The key needs to be hashed before being used by the HMAC algorithm.',
    ),
    digest: '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
  },
  {
    name: "GitHub's documented example",
    key: text("It's a Secret to Everybody"),
    data: text('Hello, World!'),
    digest: '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  },
];

describe.each(vectors)('HMAC-SHA256: $name', ({ key, data, digest }) => {
  test('both builds compute the digest', async () => {
    expect(hmac(key, data)).toBe(digest);
    expect(Buffer.from(await webHmac(key, data)).toString('hex')).toBe(digest);
  });

  test('Web Crypto accepts the digest and refuses a changed or shortened one', async () => {
    const matches = createMatches(key);
    const wrong = hex(digest);
    wrong[31] = (wrong[31] ?? 0) ^ 1;

    expect(await matches(hex(digest), data)).toBe(true);
    expect(await matches(wrong, data)).toBe(false);
    expect(await matches(hex(digest).subarray(0, 16).slice(), data)).toBe(false);
  });
});

test('HMAC-SHA256: the first 16 bytes match RFC 4231 test case 5', () => {
  const digest = hmac(bytes(20, 0x0c), text('Test With Truncation'));
  expect(digest.slice(0, 32)).toBe('a3b6167473100ee06e0c796c2955552b');
});
