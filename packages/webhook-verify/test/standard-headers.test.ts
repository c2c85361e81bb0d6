import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, test } from 'vitest';
import { eventTypes, type VerifierOptions } from '../src/index.ts';
import { fixture, newWebhookSecret, signedRequest } from '../src/testing.ts';
import { builds, otherSecret, secret, sharedOutcome } from './support/builds.ts';
import { vaultDeleted } from './support/events.ts';
import { revokedProxy, throwingHandler } from './support/hostile.ts';
import { sign, standardHeaders } from './support/sign.ts';

const { id } = vaultDeleted;
const body = JSON.stringify({ ...vaultDeleted, note: 'Grüße, 📄' });
const event = JSON.parse(body);
const accepted = { secretIndex: 0, event };
const headers = standardHeaders(body, { secret, id });
const received = (given: unknown, options: Partial<VerifierOptions> = {}, content = body) =>
  sharedOutcome({ secrets: [secret], ...options }, content, given);

describe('the headers of Standard Webhooks', () => {
  test.each<[string, unknown]>([
    ['an object with names in lower case', headers],
    ['an object with names in any case', mapped((name) => name.toUpperCase())],
    ['the Headers of fetch', new Headers(headers)],
    [
      'lists of one value',
      mapped(
        (name) => name,
        (value) => [value],
      ),
    ],
    ['an object without a prototype', Object.assign(Object.create(null), headers)],
  ])('are read from %s', async (_, given) => {
    expect(await received(given)).toEqual(accepted);
  });

  test('give the time of the attempt and the secret that matched', async () => {
    const timestamp = Math.floor(Date.now() / 1000) - 200;
    const given = standardHeaders(body, { secret: otherSecret, id, timestamp });
    for (const [, create] of builds) {
      const verified = await create({ secrets: [secret, otherSecret] }).verifyDetailed(body, given);
      expect(verified).toEqual({ event, secretIndex: 1, sentAt: new Date(timestamp * 1000) });
    }
  });

  test.each(eventTypes)(
    'of %s verify here and with the libraries standardwebhooks and svix',
    async (type) => {
      const generated = newWebhookSecret();
      const request = await signedRequest(fixture(type), generated);
      expect(await received(request.headers, { secrets: generated }, request.body)).toHaveProperty(
        'event',
      );
      const raw = { format: 'raw' } as const;
      for (const library of [
        new StandardWebhook(generated),
        new StandardWebhook(generated, raw),
        new SvixWebhook(generated),
        new SvixWebhook(generated, raw),
      ]) {
        expect(() => library.verify(request.body, request.headers)).not.toThrow();
        expect(() => library.verify(`${request.body} `, request.headers)).toThrow();
      }
    },
  );

  const [, right = ''] = headers['webhook-signature'].split(',');
  const wrong = `v1,${'A'.repeat(43)}=`;

  test.each([
    ['the right one after a wrong one', `${wrong} v1,${right}`],
    ['the right one before a wrong one', `v1,${right} ${wrong}`],
    ['the right one among other versions', `v1a,${right} v2,abc v1,${right}`],
    ['the right one beside a v1 of another length', `v1,abc v1,${right}`],
  ])('accept a list with %s', async (_, list) => {
    expect(await received({ ...headers, 'webhook-signature': list })).toEqual(accepted);
  });

  test.each<[string, unknown]>([
    ['empty', ''],
    ['without a version', right],
    ['of another version', `v1a,${right}`],
    ['of a version that begins with v1', `v10,${right}`],
    ['in base64url', `v1,${right.replaceAll('+', '-').replaceAll('/', '_')}`.replace(/=$/, '-')],
    ['without padding', `v1,${right.slice(0, -1)}`],
    ['with a newline', `v1,${right}\n`],
    ['given twice, joined as Node and fetch do', `v1,${right}, v1,${right}`],
    ['given twice, as a list', [`v1,${right}`, `v1,${right}`]],
    ['not a text', 42],
    ['1 MB of versions', 'v1,abc '.repeat(150_000)],
    ['1 MB of letters', 'v'.repeat(1_000_000)],
  ])('give malformed_signature when webhook-signature is %s', async (_, signature) => {
    expect(await received({ ...headers, 'webhook-signature': signature })).toMatchObject({
      name: 'WebhookVerificationError',
      code: 'malformed_signature',
    });
  });

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const)(
    'give malformed_signature when %s is given twice, also in another case',
    async (name) => {
      const twice = { ...headers, [name.toUpperCase()]: headers[name] };
      const refusal = {
        code: 'malformed_signature',
        message: `${name} is malformed or given twice.`,
      };
      expect(await received(twice)).toMatchObject(refusal);
      expect(await received({ ...headers, [name]: [headers[name], headers[name]] })).toMatchObject(
        refusal,
      );
    },
  );

  test.each(['webhook-id', 'webhook-timestamp'] as const)(
    'are refused when %s is given twice in the Headers of fetch',
    async (name) => {
      const twice = new Headers(headers);
      twice.append(name, headers[name]);
      expect(await received(twice)).toHaveProperty('code');
    },
  );

  test.each(['webhook-id', 'webhook-timestamp'] as const)(
    'give missing_signature without %s, also beside X-Service-Signature',
    async (name) => {
      const { [name]: _, ...rest } = headers;
      expect(await received({ ...rest, 'x-service-signature': sign(body, secret) })).toMatchObject({
        code: 'missing_signature',
        message: `No ${name}.`,
      });
    },
  );

  test.each(['now', '-5', '1.5', '0x10', ' 1700000000', '1700000000000', '1e9', '١'])(
    'give malformed_signature when webhook-timestamp is %j',
    async (timestamp) => {
      const given = standardHeaders(body, { secret, id, timestamp });
      expect(await received(given)).toMatchObject({ code: 'malformed_signature' });
    },
  );

  test.each<[string, object]>([
    ['the time', { 'webhook-timestamp': `${Number(headers['webhook-timestamp']) + 1}` }],
    ['the id', { 'webhook-id': 'evt_2' }],
    ['the signature', { 'webhook-signature': wrong }],
  ])('give signature_mismatch when %s was changed', async (_, changed) => {
    expect(await received({ ...headers, ...changed })).toMatchObject({
      code: 'signature_mismatch',
    });
  });

  test('give signature_mismatch for another body and for another secret', async () => {
    expect(await received(headers, {}, `${body} `)).toMatchObject({ code: 'signature_mismatch' });
    expect(await received(headers, { secrets: otherSecret })).toMatchObject({
      code: 'signature_mismatch',
    });
  });

  test('give invalid_event when webhook-id is not the id of the event', async () => {
    expect(await received(standardHeaders(body, { secret, id: 'evt_2' }))).toMatchObject({
      code: 'invalid_event',
      message: 'webhook-id is another event.',
    });
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['other headers', { 'content-type': 'application/json' }],
  ])('give missing_signature when the headers are %s', async (_, given) => {
    expect(await received(given)).toMatchObject({ code: 'missing_signature' });
  });

  test.each<[string, unknown]>([
    ['a number', 42],
    ['a proxy that throws', new Proxy({}, throwingHandler)],
    ['a revoked proxy', revokedProxy()],
    ['an iterable of numbers', [1, 2]],
    ['an object that cannot be iterated', { [Symbol.iterator]: throwingHandler.get }],
    ['a list that throws', { 'webhook-id': new Proxy([], throwingHandler) }],
    ['a list that was revoked', { 'webhook-id': revokedProxy() }],
  ])('give malformed_signature when the headers are %s', async (_, given) => {
    expect(await received(given)).toMatchObject({ code: 'malformed_signature' });
  });
});

describe('webhook-signature beside X-Service-Signature', () => {
  const service = { 'x-service-signature': sign(body, secret) };

  test('decides alone: a right X-Service-Signature does not help', async () => {
    const given = { ...service, ...headers, 'webhook-signature': `v1,${'A'.repeat(43)}=` };
    expect(await received(given)).toMatchObject({ code: 'signature_mismatch' });
    expect(await received({ ...service, 'webhook-signature': '' })).toHaveProperty('code');
  });

  test('decides alone: a wrong X-Service-Signature does not matter', async () => {
    expect(await received({ ...headers, 'x-service-signature': 'none' })).toEqual(accepted);
  });

  test("serviceSignature 'refuse' refuses deliveries with X-Service-Signature alone", async () => {
    const options = { serviceSignature: 'refuse' } as const;
    expect(await received(service)).toEqual(accepted);
    expect(await received(service, options)).toMatchObject({
      code: 'missing_signature',
      message: 'No webhook-signature.',
    });
    expect(await received({ ...service, ...headers }, options)).toEqual(accepted);
    const misspelt = { serviceSignature: 'accepted' as never };
    expect(await received(service, misspelt)).toMatchObject({ code: 'missing_signature' });
  });

  test('a signature of one header is never one of the other', async () => {
    const text = `${id}.${headers['webhook-timestamp']}.${body}`;
    expect(await received(sign(text, secret), {}, text)).toMatchObject({ code: 'invalid_event' });
    expect(await received(sign(text, secret))).toMatchObject({ code: 'signature_mismatch' });
  });
});

describe('tolerance', () => {
  const timestamp = Math.floor(Date.now() / 1000);
  const given = standardHeaders(body, { secret, id, timestamp });
  const at = (milliseconds: number) => ({ clock: () => timestamp * 1000 + milliseconds });

  test.each([0, 300_000, -300_000])('accepts an attempt %i ms ago by default', async (age) => {
    expect(await received(given, at(age))).toEqual(accepted);
  });

  test.each([300_001, -300_001, 400_000, -400_000])('refuses an attempt %i ms ago', async (age) => {
    expect(await received(given, at(age))).toMatchObject({ code: 'outside_tolerance' });
  });

  test('is an option, up to Infinity', async () => {
    expect(await received(given, { ...at(1_000), tolerance: 1_000 })).toEqual(accepted);
    expect(await received(given, { ...at(1_001), tolerance: 1_000 })).toHaveProperty('code');
    expect(await received(given, { ...at(86_400_000), tolerance: Infinity })).toEqual(accepted);
  });

  test('is not checked before the signature', async () => {
    const forged = { ...given, 'webhook-signature': `v1,${'A'.repeat(43)}=` };
    expect(await received(forged, at(400_000))).toMatchObject({ code: 'signature_mismatch' });
  });

  test.each(builds)('throws invalid_option for other values, on %s', (_, create) => {
    for (const tolerance of [0, -1, Number.NaN, '5m' as never]) {
      expect(() => create({ secrets: secret, tolerance })).toThrow('tolerance must be above 0.');
    }
  });
});

function mapped(
  toName: (name: string) => string,
  toValue: (value: string) => unknown = (value) => value,
): unknown {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [toName(name), toValue(value)]),
  );
}
