import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type RawBody, type ReceivedEvent, WebhookVerificationError } from '../src/index.ts';
import * as testing from '../src/testing.ts';
import { onWebCrypto, secret, sharedOutcome } from './support/builds.ts';
import { unknownEvent, vaultDeleted } from './support/events.ts';
import { standardHeaders } from './support/sign.ts';

const { fixture, newWebhookSecret } = testing;
const tooShort = 'The secret is missing or has under 32 characters.';
const whiteSpace = 'The secret has white space at an end.';

/**
 * Computed without this package, on the 335 UTF-8 bytes of the body:
 *
 *     printf %s "$BODY" | openssl dgst -sha256 -hmac "$SECRET"
 *     python3 -c 'import hmac, sys; print(hmac.new(sys.argv[1].encode(), sys.argv[2].encode(),
 *       "sha256").hexdigest())' "$SECRET" "$BODY"
 */
const vector = {
  secret: 'whsec_example_0123456789abcdefghijklmnop',
  body: '{"id":"evt_018f3c5e","type":"vault.deleted","timestamp":"2026-03-02T09:17:30.512Z","apiVersion":"v1","data":{"object":{"id":"019cadd6-a210-7670-891a-985ccc8c71a2","documentCount":17}},"context":{"userId":null,"instanceId":"019b8d2b-8c00-7db1-baa7-76cb5c5c64ab","requestId":null,"ipAddress":"2001:db8::7"},"note":"Grüße, 金庫 🗄"}',
  header: 'hmac_sha256=e6aa402b3130607d369fd38c335bc4a86fb009bb44cee263c63a33a0f8a79af9',
};

interface Build {
  readonly sign: (body: RawBody, secret: string) => Promise<string>;
  readonly signedRequest: (event: ReceivedEvent) => Promise<testing.SignedRequest>;
}

const builds: readonly (readonly [name: string, build: Build])[] = [
  [
    'node:crypto',
    { sign: testing.sign, signedRequest: (event) => testing.signedRequest(event, secret) },
  ],
  [
    'Web Crypto',
    {
      sign: (...args) => onWebCrypto(() => testing.sign(...args)),
      signedRequest: (event) => onWebCrypto(() => testing.signedRequest(event, secret)),
    },
  ],
];

describe.each(builds)('sign() on %s', (_, { sign }) => {
  const bytes = Uint8Array.of(0xff, 0x00, 0x7b, 0x7d, 0xef, 0xbb, 0xbf);

  test('returns the fixed vector for the string and for its bytes', async () => {
    expect(await sign(vector.body, vector.secret)).toBe(vector.header);
    expect(await sign(new TextEncoder().encode(vector.body), vector.secret)).toBe(vector.header);
  });

  test.each<[string, RawBody]>([
    ['a Uint8Array', bytes],
    ['a Buffer', Buffer.from(bytes)],
    ['a view with an offset', Uint8Array.of(1, ...bytes, 2).subarray(1, -1)],
    ['an ArrayBuffer', bytes.slice().buffer],
  ])('signs the exact bytes of %s', async (_, body) => {
    const digits = createHmac('sha256', secret).update(bytes).digest('hex');
    expect(await sign(body, secret)).toBe(`hmac_sha256=${digits}`);
  });

  test('signs an empty body', async () => {
    const digits = createHmac('sha256', secret).digest('hex');
    expect(await sign('', secret)).toBe(`hmac_sha256=${digits}`);
  });

  test('replaces half a surrogate pair in body and secret, as UTF-8 encoders do', async () => {
    const half = `${secret}\ud83d`;
    const whole = `${secret}\ufffd`;
    expect(await sign('\ud83d', half)).toBe(await sign('\ufffd', whole));
  });

  test.each([
    ['no character', '', 'secret_too_short', tooShort],
    ['no value', undefined as unknown as string, 'secret_too_short', tooShort],
    ['31 characters', 'x'.repeat(31), 'secret_too_short', tooShort],
    ['16 characters of two UTF-16 units each', '🗄'.repeat(16), 'secret_too_short', tooShort],
    ['a trailing newline', `${secret}\n`, 'secret_whitespace', whiteSpace],
  ])('throws for a secret with %s', async (_, refused, code, message) => {
    const error = await sign('{}', refused).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WebhookVerificationError);
    expect(error).toMatchObject({ code, message });
  });

  test('throws body_not_raw for a parsed object', async () => {
    const body: unknown = { id: 'evt_1' };
    await expect(sign(body as string, secret)).rejects.toMatchObject({ code: 'body_not_raw' });
  });
});

test('the fixed vector verifies', async () => {
  const options = { secrets: [vector.secret], maxAge: Infinity };
  const outcome = await sharedOutcome(options, vector.body, vector.header);
  expect(outcome).toEqual({ secretIndex: 0, event: JSON.parse(vector.body) });
});

describe.each(builds)('signedRequest() on %s', (_, { signedRequest }) => {
  test('returns a delivery with the headers of the service, which verifies', async () => {
    const { method, headers, body } = await signedRequest(vaultDeleted);
    expect(await sharedOutcome({ secrets: [secret] }, body, headers)).toEqual({
      secretIndex: 0,
      event: vaultDeleted,
    });
    expect(method).toBe('POST');
    const timestamp = headers['webhook-timestamp'] ?? '';
    expect(Math.abs(Date.now() / 1000 - Number(timestamp))).toBeLessThan(60);
    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'X-Service-Signature': await testing.sign(body, secret),
      ...standardHeaders(body, { secret, id: vaultDeleted.id, timestamp }),
      'X-Service-Event-Id': vaultDeleted.id,
      'X-Service-Event-Type': 'vault.deleted',
      'X-Service-Delivery-Id': expect.stringMatching(/^dlv_[0-9a-f]{32}$/),
      'Accept-Encoding': 'identity',
      'User-Agent': expect.stringMatching(/^document-vault-webhooks\/\S+$/),
    });
  });

  test('sets X-Service-Test for a test event alone', async () => {
    const context = { ...vaultDeleted.context, test: true } as const;
    const tested = await signedRequest({ ...vaultDeleted, context });
    expect(tested.headers).toHaveProperty('X-Service-Test', 'true');
    expect((await signedRequest(vaultDeleted)).headers).not.toHaveProperty('X-Service-Test');
  });

  test('sets a new delivery id each time', async () => {
    const requests = await Promise.all(
      Array.from({ length: 100 }, () => signedRequest(vaultDeleted)),
    );
    const ids = requests.map(({ headers }) => headers['X-Service-Delivery-Id']);
    expect(new Set(ids).size).toBe(100);
  });

  test('returns a valid second argument of fetch', async () => {
    const event = unknownEvent('vault.archived');
    const request = new Request('https://receiver.example/hooks', await signedRequest(event));
    expect(request.headers.get('x-service-event-type')).toBe('vault.archived');
    expect(await request.json()).toEqual(event);
  });
});

test('signedRequest() signs the time of the option sentAt', async () => {
  const sentAt = new Date(1_800_000_000_999);
  const { body, headers } = await testing.signedRequest(vaultDeleted, secret, { sentAt });
  const expected = { secret, id: vaultDeleted.id, timestamp: '1800000000' };
  expect(headers).toMatchObject(standardHeaders(body, expected));
});

describe('the types of signedRequest()', () => {
  test('check the shape of known event types, and accept any shape of other types', async () => {
    const created = fixture('vault.created');
    const typeOf = async (request: Promise<testing.SignedRequest>) =>
      (await request).headers['X-Service-Event-Type'];
    const { signedRequest } = testing;
    expect(await typeOf(signedRequest(created, secret))).toBe('vault.created');

    const future = { ...created, type: 'vault.archived', data: { object: { reason: 'age' } } };
    expect(await typeOf(signedRequest(future, secret))).toBe('vault.archived');
    const sealed = signedRequest({ ...future, type: 'vault.sealed' }, secret);
    expect(await typeOf(sealed)).toBe('vault.sealed');

    // @ts-expect-error a vault.updated has `previous` and `changes`
    const updated = signedRequest({ ...created, type: 'vault.updated' }, secret);
    expect(await typeOf(updated)).toBe('vault.updated');
  });
});

test('newWebhookSecret() returns 30 random bytes in base64, with a prefix', () => {
  const secrets = Array.from({ length: 100 }, newWebhookSecret);
  for (const one of secrets) expect(one).toMatch(/^whsec_[\w+/]{40}$/);
  expect(new Set(secrets).size).toBe(100);
});

test('signedRequest() on Web Crypto signs with the same keys as on node:crypto', async () => {
  const sentAt = new Date();
  for (const one of [secret, newWebhookSecret(), 'ab+/'.repeat(10), `${'A'.repeat(32)}QQ==`]) {
    const signatureOf = async () =>
      (await testing.signedRequest(vaultDeleted, one, { sentAt })).headers['webhook-signature'];
    expect(await onWebCrypto(signatureOf)).toBe(await signatureOf());
  }
});
