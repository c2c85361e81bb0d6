import { constants } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { secret, sharedOutcome } from './support/builds.ts';
import { vaultDeleted } from './support/events.ts';
import { revokedProxy, throwingHandler } from './support/hostile.ts';
import { sign } from './support/sign.ts';

const body = JSON.stringify(vaultDeleted);
const right = sign(body, secret);
const digits = right.slice('hmac_sha256='.length);
const options = { secrets: [secret] };

const malformed: [name: string, header: unknown][] = [
  ['nothing but the prefix', 'hmac_sha256='],
  ['no prefix', digits],
  ['another prefix', `sha256=${digits}`],
  ['a prefix in upper case', `HMAC_SHA256=${digits}`],
  ['upper-case digits', `hmac_sha256=${digits.toUpperCase()}`],
  [
    'one upper-case digit',
    `hmac_sha256=${digits.replace(/[a-f]/, (digit) => digit.toUpperCase())}`,
  ],
  ['63 digits', right.slice(0, -1)],
  ['65 digits', `${right}0`],
  ['31 bytes', right.slice(0, -2)],
  ['33 bytes', `${right}00`],
  ['a digit that is none', `hmac_sha256=${digits.slice(0, -1)}g`],
  ['a leading space', ` ${right}`],
  ['a trailing space', `${right} `],
  ['a trailing newline', `${right}\n`],
  ['a space after the equals sign', `hmac_sha256= ${digits}`],
  ['a line of its own among others', `x\n${right}\ny`],
  ['two signatures', `${right}, ${right}`],
  ['a right and a wrong one', `${right},hmac_sha256=${'0'.repeat(64)}`],
  ['base64', `hmac_sha256=${Buffer.from(digits, 'hex').toString('base64')}`],
  ['full-width digits', `hmac_sha256=${'０'.repeat(64)}`],
  ['non-ASCII text', 'Ünterschrift ✍️'],
  ['NUL', '\0'],
  ['a lone surrogate', '\ud800'],
  ['1 MB of digits', `hmac_sha256=${'a'.repeat(1_000_000)}`],
  ['1 MB of spaces', ' '.repeat(1_000_000)],
  ['1 MB of prefixes', 'hmac_sha256='.repeat(83_334)],
  ['the longest string there can be', 'a'.repeat(constants.MAX_STRING_LENGTH)],
  ['an array of two', [right, right]],
  ['a number', 42],
  ['true', true],
  ['a bigint', 1n],
  ['a symbol', Symbol('signature')],
  ['an object', { 'x-service-signature': right }],
  ['an object that prints the right one', { toString: () => right }],
  [
    'an object that cannot be printed',
    {
      toString() {
        throw new Error('never called');
      },
    },
  ],
  ['a String object', Object(right)],
  ['the bytes of the right one', Buffer.from(right)],
  ['a function', () => right],
  ['a proxy that throws', new Proxy({}, throwingHandler)],
  ['a proxy of an array that throws', new Proxy([right], throwingHandler)],
  ['a revoked proxy', revokedProxy()],
];

const absent: [name: string, header: unknown][] = [
  ['undefined', undefined],
  ['null', null],
  ['empty', ''],
  ['an empty array', []],
];

/** The header as a server hands it over. */
const given = (header: unknown) => ({ 'X-Service-Signature': header });

describe('X-Service-Signature', () => {
  test('verifies in the form of the contract', async () => {
    const outcome = { secretIndex: 0, event: vaultDeleted };
    expect(await sharedOutcome(options, body, right)).toEqual(outcome);
    expect(await sharedOutcome(options, body, given(right))).toEqual(outcome);
    expect(await sharedOutcome(options, body, given([right]))).toEqual(outcome);
    expect(await sharedOutcome(options, body, new Headers(given(right) as never))).toEqual(outcome);
  });

  test.each(absent)('gives missing_signature when it is %s', async (_, header) => {
    expect(await sharedOutcome(options, body, given(header))).toMatchObject({
      name: 'WebhookVerificationError',
      code: 'missing_signature',
      message: 'No webhook-signature.',
    });
  });

  test.each(malformed)('gives malformed_signature with %s', async (_, header) => {
    const refusal = { name: 'WebhookVerificationError', code: 'malformed_signature' };
    expect(await sharedOutcome(options, body, given(header))).toMatchObject(refusal);
    if (typeof header !== 'string') return;
    expect(await sharedOutcome(options, body, header)).toMatchObject({
      ...refusal,
      message: 'X-Service-Signature is malformed or given twice.',
    });
  });

  test.each([
    ['zeros', `hmac_sha256=${'0'.repeat(64)}`],
    ['the digits reversed', `hmac_sha256=${[...digits].reverse().join('')}`],
    ['the signature of another body', sign(`${body} `, secret)],
    ['the signature by another secret', sign(body, `${secret}x`)],
  ])('gives signature_mismatch with %s', async (_, header) => {
    expect(await sharedOutcome(options, body, header)).toMatchObject({
      name: 'WebhookVerificationError',
      code: 'signature_mismatch',
      message: 'The secret is wrong, or the body was changed.',
    });
  });

  test('gives signature_mismatch with any bit flipped', async () => {
    const signature = Buffer.from(digits, 'hex');
    for (let bit = 0; bit < 256; bit++) {
      const flipped = Buffer.from(signature);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const header = `hmac_sha256=${flipped.toString('hex')}`;
      expect(await sharedOutcome(options, body, header)).toMatchObject({
        code: 'signature_mismatch',
      });
    }
  });
});
