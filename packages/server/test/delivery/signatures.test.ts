import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, test } from 'vitest';
import { serviceSignature, standardHeaders } from '../../src/delivery/signatures.ts';
import contract from '../../src/generated/contract.json' with { type: 'json' };
import { signingKeys } from '../../src/generated/rules/webhook-secrets.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { attempt, receiver } from '../support/delivery/attempts.ts';

const libraries = [
  { library: 'standardwebhooks', Webhook: StandardWebhook },
  { library: 'svix', Webhook: SvixWebhook },
];

const prefixed = (key: Buffer | string) => `whsec_${Buffer.from(key).toString('base64')}`;

/** `isBase64`: a library decodes it. */
const secrets = [
  { kind: 'whsec_ and 30 bytes', secret: prefixed(randomBytes(30)), isBase64: true },
  { kind: 'whsec_ and 32 bytes, padded', secret: prefixed(randomBytes(32)), isBase64: true },
  { kind: '64 hex digits', secret: randomBytes(32).toString('hex'), isBase64: true },
  {
    kind: 'whsec_ and 64 hex digits',
    secret: `whsec_${randomBytes(32).toString('hex')}`,
    isBase64: true,
  },
  { kind: 'base64 of 32 bytes', secret: randomBytes(32).toString('base64'), isBase64: true },
  {
    kind: 'text with hyphens',
    secret: 'a-secret-of-these-tests-long-enough',
    isBase64: false,
  },
  { kind: 'text with ü and 🔑', secret: 'Schlüssel 🔑 dieser Tests, lang genug', isBase64: false },
  { kind: '256 characters', secret: 'long, '.repeat(43).slice(0, 256), isBase64: false },
];

const bodies = Object.values(contract.webhooks).map(({ post }) =>
  JSON.stringify({ ...post.requestBody.content['application/json'].example, note: 'Grüße 📄' }),
);

/** Sends every event of the contract to a receiver. */
async function deliverAll(secret: string) {
  const { url, requests } = await receiver();
  for (const body of bodies) {
    const { id: eventId } = JSON.parse(body);
    await attempt({ url, secret, eventId, body }, { clock: systemClock });
  }
  expect(requests).toHaveLength(22);
  return requests.map(({ headers, body }) => ({
    headers: headers as Record<string, string>,
    body,
  }));
}

test('signingKeys reads base64 of 24 to 64 bytes, and nothing else, as a key of its own', () => {
  for (const [length, count] of [
    [23, 1],
    [24, 2],
    [64, 2],
    [65, 1],
    [66, 1],
  ] as const) {
    const bytes = randomBytes(length);
    const [first, ...others] = signingKeys(prefixed(bytes));
    expect(others.length + 1, `${length} bytes`).toBe(count);
    if (count === 2) expect(first).toEqual({ text: bytes.toString('base64'), encoding: 'base64' });
  }
  const hostile = `${'='.repeat(1_000_000)}x`;
  expect(signingKeys(hostile)).toEqual([{ text: hostile, encoding: 'utf8' }]);
});

describe.each(secrets)('a delivery signed with $kind', ({ secret, isBase64 }) => {
  test('is verified by both libraries, for all 22 event types, and refused after a change', async () => {
    const deliveries = await deliverAll(secret);
    for (const { library, Webhook } of libraries) {
      const raw = { format: 'raw' } as const;
      const readings = [
        new Webhook(Buffer.from(secret), raw),
        new Webhook(prefixed(secret)),
        ...(isBase64 ? [new Webhook(secret)] : []),
      ];
      for (const webhook of readings) {
        for (const { body, headers } of deliveries) {
          expect(() => webhook.verify(body, headers), library).not.toThrow();
          expect(() => webhook.verify(body.toString(), headers), library).not.toThrow();
          const refused = /No matching signature found/;
          expect(() => webhook.verify(`${body} `, headers)).toThrow(refused);
          const renamed = { ...headers, 'webhook-id': 'evt_other' };
          expect(() => webhook.verify(body, renamed)).toThrow(refused);
          const time = `${Number(headers['webhook-timestamp']) - 1}`;
          const moved = { ...headers, 'webhook-timestamp': time };
          expect(() => webhook.verify(body, moved)).toThrow(refused);
        }
      }
      const [{ body, headers } = expect.fail()] = deliveries;
      const other = new Webhook(prefixed(randomBytes(32)));
      expect(() => other.verify(body, headers)).toThrow(/No matching signature found/);
      if (!isBase64) expect(() => new Webhook(secret)).toThrow(/Base64Coder/);
    }
  });

  test('has the headers of the contract and the service signature of its UTF-8 bytes', async () => {
    const [{ body, headers } = expect.fail()] = await deliverAll(secret);
    expect(headers['webhook-id']).toBe(headers['x-service-event-id']);
    const { StandardWebhookId, StandardWebhookTimestamp, StandardWebhookSignature } =
      contract.components.parameters;
    for (const { name, schema } of [
      StandardWebhookId,
      StandardWebhookTimestamp,
      StandardWebhookSignature,
    ]) {
      expect(headers[name]).toMatch(new RegExp(schema.pattern));
    }
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(isBase64 ? 2 : 1);
    const hex = createHmac('sha256', Buffer.from(secret)).update(body).digest('hex');
    expect(headers['x-service-signature']).toBe(`hmac_sha256=${hex}`);
  });
});

const message = { eventId: 'evt_1', startedAt: 1_772_443_050_999, body: Buffer.from('{}') };
const signatureCount = (secret: string) =>
  standardHeaders(message, [secret])[2]?.[1].split(' ').length;

test('a decoded secret below 24 or above 64 bytes, and base64 that is not canonical, is no key', () => {
  for (const length of [24, 64]) expect(signatureCount(prefixed(randomBytes(length)))).toBe(2);
  for (const length of [0, 23, 65]) expect(signatureCount(prefixed(randomBytes(length)))).toBe(1);
  const padded = prefixed(Buffer.alloc(32, 0xfb));
  expect(signatureCount(padded)).toBe(2);
  expect(signatureCount(padded.slice(0, -1))).toBe(1);
  expect(signatureCount(padded.replaceAll('+', '-').replaceAll('/', '_'))).toBe(1);
  expect(signatureCount(`${padded}\n`)).toBe(1);
});

test('webhook-timestamp is the start of the attempt in whole seconds', () => {
  expect(standardHeaders(message, ['x'.repeat(32)])[1]).toEqual([
    'webhook-timestamp',
    '1772443050',
  ]);
});

describe('neither signature can be used as the other', () => {
  const secret = 'a-secret-of-these-tests-long-enough';
  const webhook = new StandardWebhook(Buffer.from(secret), { format: 'raw' });

  test('no part of a body after a timestamp is JSON, although its signature matches', () => {
    const now = String(Math.floor(Date.now() / 1000));
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('', '{"id":"evt_1"}', '[]', '1', '"}', '\\'),
    );
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), text, text, (names, before, after) => {
        const name = `${before}.${now}.${after}`;
        const body = JSON.stringify({ id: 'evt_1', names: [...names, name], [name]: name });
        const signature = Buffer.from(serviceSignature(Buffer.from(body), secret).slice(12), 'hex');
        let count = 0;
        for (let at = body.indexOf(`.${now}.`); at >= 0; at = body.indexOf(`.${now}.`, at + 1)) {
          const headers = {
            'webhook-id': body.slice(0, at),
            'webhook-timestamp': now,
            'webhook-signature': `v1,${signature.toString('base64')}`,
          };
          const rest = body.slice(at + now.length + 2);
          expect(() => webhook.verify(rest, headers)).toThrow(SyntaxError);
          count += 1;
        }
        expect(count).toBeGreaterThanOrEqual(3);
      }),
    );
  });

  test('what the standard headers sign is no JSON', () => {
    for (const body of bodies) {
      const { id: eventId } = JSON.parse(body);
      const [, [, timestamp = ''] = [], [, value = ''] = []] = standardHeaders(
        { eventId, startedAt: Date.now(), body: Buffer.from(body) },
        [secret],
      );
      const signed = `${eventId}.${timestamp}.${body}`;
      const digits = Buffer.from(value.slice(3), 'base64').toString('hex');
      expect(serviceSignature(Buffer.from(signed), secret)).toBe(`hmac_sha256=${digits}`);
      expect(() => JSON.parse(signed)).toThrow(SyntaxError);
    }
  });
});
