import { afterEach, describe, expect, test, vi } from 'vitest';
import { createVerifier, WebhookVerificationError } from '../src/index.ts';
import { builds, onWebCrypto, otherSecret, secret, sharedOutcome } from './support/builds.ts';
import { vaultDeleted } from './support/events.ts';
import { sign } from './support/sign.ts';

const body = JSON.stringify(vaultDeleted);

describe('secret rotation', () => {
  const third = 'a third secret of more than 32 characters';
  const secrets = [secret, otherSecret, third];

  test.each([...secrets.entries()])(
    'secretIndex is %i when that secret matches',
    async (index, used) => {
      expect(await sharedOutcome({ secrets }, body, sign(body, used))).toEqual({
        secretIndex: index,
        event: vaultDeleted,
      });
    },
  );

  test('a removed secret gives signature_mismatch', async () => {
    expect(await sharedOutcome({ secrets: [secret] }, body, sign(body, otherSecret))).toMatchObject(
      {
        code: 'signature_mismatch',
      },
    );
  });

  test.each(builds)(
    'a later change of the array of secrets has no effect, %s',
    async (_, create) => {
      const changing = [secret];
      const verifier = create({ secrets: changing });
      changing[0] = otherSecret;
      await expect(verifier.verify(body, sign(body, secret))).resolves.toEqual(vaultDeleted);
    },
  );

  test('secretIndex is the first of two equal secrets', async () => {
    const outcome = await sharedOutcome(
      { secrets: [third, secret, secret] },
      body,
      sign(body, secret),
    );
    expect(outcome).toMatchObject({ secretIndex: 1 });
  });

  test('a hundred secrets are accepted', async () => {
    const hundred = Array.from({ length: 100 }, (_, index) => `${secret}-${index}`);
    const outcome = await sharedOutcome({ secrets: hundred }, body, sign(body, `${secret}-99`));
    expect(outcome).toMatchObject({ secretIndex: 99 });
  });

  test('a bare string of a JavaScript caller is one secret', async () => {
    const untyped: unknown = secret;
    const options = { secrets: untyped as string[] };
    expect(await sharedOutcome(options, body, sign(body, secret))).toMatchObject({
      secretIndex: 0,
    });
  });

  test.each([
    ['beyond ASCII', '🗄 Grüße an alle, die Geheimnisse hüten'],
    ['with a lone surrogate', `\ud800 ${'x'.repeat(32)}`],
    ['longer than a block of the hash', 'x'.repeat(1_000)],
    ['with NUL', `${secret}\0${secret}`],
  ])('accepts secrets %s', async (_, secret) => {
    expect(await sharedOutcome({ secrets: [secret] }, body, sign(body, secret))).toMatchObject({
      secretIndex: 0,
    });
  });
});

describe.each(builds)('secrets as a function, %s', (_, create) => {
  const signature = sign(body, secret);

  test('secrets as a function are read once, by the first delivery with a well-formed signature', async () => {
    const secrets = vi.fn(() => [otherSecret, secret]);
    const verifier = create({ secrets });
    await expect(verifier.verify(body, undefined)).rejects.toThrow('No webhook-signature');
    expect(secrets).not.toHaveBeenCalled();
    expect(await verifier.verifyDetailed(body, signature)).toMatchObject({ secretIndex: 1 });
    await verifier.verify(body, signature);
    expect(secrets).toHaveBeenCalledTimes(1);
  });

  test('secrets that are not set refuse deliveries until they are', async () => {
    const current: (string | undefined)[] = [undefined];
    const verifier = create({ secrets: () => current as string[] });
    const refusal = { name: 'WebhookVerificationError', code: 'secret_too_short' };
    await expect(verifier.verify(body, signature)).rejects.toMatchObject(refusal);
    current[0] = `${secret}\n`;
    const other = { ...refusal, code: 'secret_whitespace' };
    await expect(verifier.verify(body, signature)).rejects.toMatchObject(other);
    current[0] = secret;
    await expect(verifier.verify(body, signature)).resolves.toEqual(vaultDeleted);
  });

  test('secrets may be a promise, and one text', async () => {
    const verifier = create({ secrets: async () => secret });
    await expect(verifier.verify(body, signature)).resolves.toEqual(vaultDeleted);
  });

  test('secrets whose promise rejects are asked again', async () => {
    const secrets = vi.fn(async () => secret).mockRejectedValueOnce(new Error('away'));
    const verifier = create({ secrets });
    const refusal = { code: 'secrets_unavailable' };
    await expect(verifier.verify(body, signature)).rejects.toMatchObject(refusal);
    await expect(verifier.verify(body, signature)).resolves.toEqual(vaultDeleted);
  });

  test('secrets that cannot be read refuse deliveries as secrets_unavailable, with the cause', async () => {
    const cause = new Error('WEBHOOK_SECRET is not set');
    const verifier = create({
      secrets() {
        throw cause;
      },
    });
    const refusal = { name: 'WebhookVerificationError', code: 'secrets_unavailable', cause };
    await expect(verifier.verify(body, signature)).rejects.toMatchObject(refusal);
  });
});

describe('createVerifier() on Web Crypto', () => {
  afterEach(() => vi.restoreAllMocks());

  test('imports each secret once', async () => {
    const importKey = vi.spyOn(crypto.subtle, 'importKey');
    const verifier = onWebCrypto(() => createVerifier({ secrets: [secret, otherSecret] }));
    const signature = sign(body, otherSecret);
    await Promise.all(Array.from({ length: 20 }, () => verifier.verify(body, signature)));

    expect(importKey).toHaveBeenCalledTimes(2);
    expect(importKey.mock.calls.map(([, , , extractable]) => extractable)).toEqual([false, false]);
  });
});

test.each(builds)('verifies the bytes of the moment of the call, %s', async (_, create) => {
  const bytes = Buffer.from(body);
  const verified = create({ secrets: [secret] }).verify(bytes, sign(body, secret));
  bytes.fill(0);
  await expect(verified).resolves.toEqual(vaultDeleted);
});

describe.each(builds)('createVerifier() checks its secrets, %s', (_, create) => {
  test.each<[string, unknown, string]>([
    ['no secret', [], 'secret_too_short'],
    ['no list', undefined, 'secret_too_short'],
    ['null for a list', null, 'secret_too_short'],
    ['a short one by itself', 'short', 'secret_too_short'],
    ['an object for a list', { length: 1 }, 'secret_too_short'],
    ['a list with a hole', new Array(1), 'secret_too_short'],
    ['an empty one', [''], 'secret_too_short'],
    ['white space alone', [' '.repeat(40)], 'secret_whitespace'],
    ['one that is not set', [undefined], 'secret_too_short'],
    ['31 characters', ['x'.repeat(31)], 'secret_too_short'],
    ['16 characters of two UTF-16 units each', ['🗄'.repeat(16)], 'secret_too_short'],
    ['32 bytes that are no string', [new Uint8Array(32)], 'secret_too_short'],
    ['a short second one', [secret, 'short'], 'secret_too_short'],
    ['a trailing newline', [`${secret}\n`], 'secret_whitespace'],
    ['a leading space', [` ${secret}`], 'secret_whitespace'],
    ['a byte order mark', [`\ufeff${secret}`], 'secret_whitespace'],
    ['a no-break space', [`${secret}\u00a0`], 'secret_whitespace'],
    ['double quotes around it', [`"${secret}"`], 'secret_quoted'],
    ['single quotes around it', [`'${secret}'`], 'secret_quoted'],
    ['typographic quotes around it', [`“${secret}”`], 'secret_quoted'],
    ['a zero-width space within', [`${secret}\u200b${secret}`], 'secret_zero_width'],
    ['a zero-width joiner at the end', [`${secret}\u200d`], 'secret_zero_width'],
    ['a word joiner at the start', [`\u2060${secret}`], 'secret_zero_width'],
    ['a byte order mark within', [`${secret}\ufeff${secret}`], 'secret_zero_width'],
  ])('throws for %s', (_name, secrets, code) => {
    const construct = () => create({ secrets: secrets as string[] });
    expect(construct).toThrow(WebhookVerificationError);
    expect(construct).toThrow(expect.objectContaining({ code }));
  });

  test('the message does not contain the secret', () => {
    const construct = () => create({ secrets: [`${secret}\n`] });
    expect(construct).toThrow('The secret has white space at an end.');
    expect(construct).not.toThrow(secret);
  });

  test('accepts 32 characters, inner white space and a quote at one end', () => {
    expect(() =>
      create({ secrets: ['x'.repeat(32), `${'x'.repeat(16)} ${'y'.repeat(16)}`, `"${secret}`] }),
    ).not.toThrow();
  });
});
