import { describe, expect, test } from 'vitest';
import { fixture } from '../../src/testing.ts';
import { otherSecret, secret } from '../support/builds.ts';
import { command, fileOf, run } from '../support/cli/command-line.ts';
import { vaultDeleted } from '../support/events.ts';
import { sign } from '../support/sign.ts';

const body = JSON.stringify(vaultDeleted);
/** Invalid UTF-8, a NUL, all kinds of line ends and a byte order mark. */
const bytes = Uint8Array.of(0xef, 0xbb, 0xbf, 0xff, 0x00, 0x0d, 0x0a, 0x0d, 0x7b, 0x0a);

const done = (out: string) => ({ code: 0, out, err: '' });
const refused = (err: string) => ({ code: 1, out: '', err });

const mismatch = 'signature_mismatch: The secret is wrong, or the body was changed.\n';

describe('webhook-verify sign prints the signature of the exact bytes', () => {
  const signature = done(`${sign(bytes, secret)}\n`);

  test('of a file', async () => {
    expect(await run(['sign', await fileOf(bytes)])).toEqual(signature);
  });

  test('of standard input', async () => {
    expect(await run(['sign'], { input: bytes })).toEqual(signature);
    expect(await run(['sign', '-'], { input: bytes })).toEqual(signature);
  });

  test('of empty standard input', async () => {
    expect(await run(['sign'])).toEqual(done(`${sign('', secret)}\n`));
  });

  test('with --secret in place of WEBHOOK_SECRET', async () => {
    const ended = await run(['sign', '--secret', otherSecret], { input: bytes });
    expect(ended).toEqual(done(`${sign(bytes, otherSecret)}\n`));
  });
});

describe('webhook-verify verify', () => {
  const verify = (signature: string, ...args: string[]) => [
    'verify',
    '--signature',
    signature,
    ...args,
  ];

  test('prints the event, and that WEBHOOK_SECRET matched', async () => {
    const ended = await run(verify(sign(body, secret)), { input: body });
    const out = `The signature is right. It was made with WEBHOOK_SECRET.\nvault.deleted ${vaultDeleted.id}\n`;
    expect(ended).toEqual(done(out));
  });

  test('prints which of several secrets matched', async () => {
    const both = ['--secret', otherSecret, '--secret', secret];
    const ended = await run(verify(sign(body, secret), await fileOf(body), ...both));
    const out = `The signature is right. It was made with secret 2 of 2.\nvault.deleted ${vaultDeleted.id}\n`;
    expect(ended).toEqual(done(out));
  });

  test('accepts the output of sign', async () => {
    const input = body;
    const { out } = await run(['sign'], { input });
    expect(await run(verify(out.trim()), { input })).toMatchObject({ code: 0 });
  });

  test('replaces control characters of an event', async () => {
    const input = JSON.stringify({
      ...fixture('vault.created'),
      id: '\u001b]0;owned\u0007',
      type: 'a\u009bb',
    });
    const { out } = await command(verify(sign(input, secret)), { input });
    expect(out.split('\n')[1]).toBe('a\ufffdb \ufffd]0;owned\ufffd');
  });

  test.each([
    ['another secret', sign(body, otherSecret), mismatch],
    ['another body', sign(`${body} `, secret), mismatch],
    ['no value', '', 'missing_signature: No webhook-signature.\n'],
    [
      'another algorithm',
      'sha256=abc',
      'malformed_signature: X-Service-Signature is malformed or given twice.\n',
    ],
  ])('refuses the signature of %s', async (_, signature, err) => {
    expect(await command(verify(signature), { input: body })).toEqual(refused(err));
  });

  test('reports a newline that was added at the end', async () => {
    const hint = 'Without the newline at its end, the body matches the signature.\n';
    const ended = await command(verify(sign(body, secret)), { input: `${body}\n` });
    expect(ended).toEqual(refused(hint + mismatch));
    const other = await command(verify(sign(body, otherSecret)), { input: `${body}\n` });
    expect(other).toEqual(refused(mismatch));
  });

  test('reports invalid_event for a right signature over a body that is not an event', async () => {
    const ended = await run(verify(sign('[]', secret)), { input: '[]' });
    expect(ended).toEqual({
      code: 1,
      out: '',
      err: 'invalid_event: The body is no JSON event.\n',
    });
  });
});
