import { beforeEach, describe, expect, test } from 'vitest';
import { invalid } from './support/replies.ts';
import { newConsent } from './support/resources.ts';
import { type Caller, startTestServer, type TestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

const day = 24 * 60 * 60 * 1000;

let server: TestServer;
let call: Caller;
let webhook: Awaited<ReturnType<typeof listen>>;
/** Day 0 of the consent that is looked at. */
let start: number;
beforeEach(async () => {
  server = await startTestServer();
  call = server.developer;
  webhook = await listen({ server, call });
});

/** The moment on that day, as the contract writes it. */
const on = (days: number) => new Date(start + days * day).toISOString();

type State = 'granted' | 'endless' | 'revoked' | 'revoked, endless' | 'revoked, past' | 'expired';

/** A consent of day 0, in some state on day 5: its end is on day 10, for `past` and `expired` on day 3. */
async function consentThatIs(state: State): Promise<{ id: string }> {
  start = server.clock.now();
  const end = state === 'expired' || state.endsWith('past') ? 3 : 10;
  const fields = state.includes('endless') ? {} : { expiresAt: on(end) };
  const { id } = await newConsent(call, fields);
  server.clock.advance(day);
  if (state.startsWith('revoked')) {
    await change(id, { status: 'revoked', reason: 'no longer needed' });
  }
  server.clock.advance(4 * day);
  await reported();
  return { id };
}

/** The events since the last look, without those of the time that has passed. */
async function reported() {
  return (await webhook.events()).filter(({ type }) => type !== 'consent.expired');
}

const change = (id: string, body: object) => call('PUT', `/api/v1/consents/${id}`, { body });

/** The states that change, what they are asked, what they become, and what is told. */
const transitions: [State, () => object, () => object, string[]][] = [
  [
    'granted',
    () => ({ status: 'revoked', reason: 'The return is filed' }),
    () => ({ status: 'revoked', revokedAt: on(5), revocationReason: 'The return is filed' }),
    ['consent.revoked'],
  ],
  [
    'endless',
    () => ({ status: 'revoked' }),
    () => ({ status: 'revoked', revokedAt: on(5), revocationReason: null, expiresAt: null }),
    ['consent.revoked'],
  ],
  [
    'granted',
    () => ({ expiresAt: on(11) }),
    () => ({ status: 'granted', grantedAt: on(5), expiresAt: on(11) }),
    ['consent.renewed'],
  ],
  [
    'granted',
    () => ({ status: 'granted', expiresAt: on(11) }),
    () => ({ status: 'granted', grantedAt: on(5), expiresAt: on(11) }),
    ['consent.renewed'],
  ],
  [
    'revoked',
    () => ({ status: 'granted' }),
    () => ({ status: 'granted', grantedAt: on(5), expiresAt: on(10) }),
    ['consent.renewed'],
  ],
  [
    'revoked',
    () => ({ expiresAt: on(30) }),
    () => ({ status: 'granted', grantedAt: on(5), expiresAt: on(30) }),
    ['consent.renewed'],
  ],
  [
    'revoked, endless',
    () => ({ status: 'granted' }),
    () => ({ status: 'granted', grantedAt: on(5), expiresAt: null }),
    ['consent.renewed'],
  ],
  [
    'revoked, endless',
    () => ({ status: 'granted', expiresAt: on(6) }),
    () => ({ status: 'granted', grantedAt: on(5), expiresAt: on(6) }),
    ['consent.renewed'],
  ],
  [
    'revoked, past',
    () => ({ status: 'granted' }),
    () => ({ status: 'granted', grantedAt: on(5), expiresAt: on(8) }),
    ['consent.renewed'],
  ],
  [
    'expired',
    () => ({ status: 'granted' }),
    () => ({ status: 'granted', grantedAt: on(5), expiresAt: on(8) }),
    ['consent.renewed'],
  ],
  [
    'expired',
    () => ({ expiresAt: on(20), description: 'again', metadata: { n: 1 } }),
    () => ({ status: 'granted', expiresAt: on(20), description: 'again', metadata: { n: 1 } }),
    ['consent.renewed'],
  ],
  ['granted', () => ({ description: 'new' }), () => ({ description: 'new' }), []],
  ['revoked', () => ({ metadata: { a: 1 } }), () => ({ metadata: { a: 1 } }), []],
  [
    'expired',
    () => ({ description: 'late' }),
    () => ({ status: 'expired', description: 'late' }),
    [],
  ],
];

const stored = async () => (await call('GET', '/api/v1/consents')).body.data[0];

describe('a change', () => {
  test('that makes sense is made and told', async () => {
    for (const [state, body, expected, types] of transitions) {
      const { id } = await consentThatIs(state);
      const asked = `${state}: ${JSON.stringify(body())}`;
      const reply = await change(id, body());
      expect(reply, asked).toMatchObject({
        status: 200,
        body: { ...expected(), updatedAt: on(5) },
      });
      if (reply.body.status === 'granted') {
        expect(reply.body, asked).toMatchObject({ revokedAt: null, revocationReason: null });
      }
      expect(await stored(), asked).toEqual(reply.body);

      const events = await reported();
      expect(
        events.map(({ type }) => type),
        asked,
      ).toEqual(types);
      const { revocationReason: reason } = reply.body;
      const object = types.includes('consent.revoked') ? { id, reason } : reply.body;
      for (const { data } of events) expect(data, asked).toEqual({ object });
    }
  });

  test('that changes nothing says nothing', async () => {
    for (const [state, body] of [
      ['granted', { status: 'granted' }],
      ['endless', { status: 'granted' }],
      ['revoked', { status: 'revoked', reason: 'another reason' }],
      ['granted', { description: null, metadata: null }],
      ['expired', { description: null }],
    ] as const) {
      const { id } = await consentThatIs(state);
      const before = await stored();
      const asked = `${state}: ${JSON.stringify(body)}`;
      expect(await change(id, body), asked).toMatchObject({ status: 200, body: before });
      expect(await stored(), asked).toEqual(before);
      expect(await reported(), asked).toEqual([]);
    }
  });

  test('that makes no sense is refused', async () => {
    const refusals: [State, () => object, string, string][] = [
      ['expired', () => ({ status: 'revoked' }), 'status', 'transition'],
      ['granted', () => ({ expiresAt: on(10) }), 'expiresAt', 'future'],
      ['granted', () => ({ expiresAt: on(9) }), 'expiresAt', 'future'],
      ['granted', () => ({ expiresAt: on(4) }), 'expiresAt', 'future'],
      ['endless', () => ({ expiresAt: on(20) }), 'expiresAt', 'future'],
      ['revoked', () => ({ expiresAt: on(10) }), 'expiresAt', 'future'],
      ['revoked, endless', () => ({ expiresAt: on(5) }), 'expiresAt', 'future'],
      ['revoked, past', () => ({ expiresAt: on(4) }), 'expiresAt', 'future'],
      ['expired', () => ({ status: 'granted', expiresAt: on(5) }), 'expiresAt', 'future'],
      ['granted', () => ({ status: 'expired' }), 'status', 'enum'],
      ['granted', () => ({ reason: 'x' }), 'status', 'required'],
      ['granted', () => ({ status: 'granted', reason: 'x' }), 'status', 'const'],
      ['granted', () => ({ status: 'revoked', expiresAt: on(20) }), 'status', 'const'],
      ['granted', () => ({ status: 'revoked', reason: '' }), 'reason', 'minLength'],
      ['granted', () => ({ expiresAt: null }), 'expiresAt', 'type'],
      ['granted', () => ({ purpose: 'another' }), 'purpose', 'additionalProperties'],
      ['granted', () => ({}), 'body', 'minProperties'],
    ];
    for (const [state, body, field, constraint] of refusals) {
      const { id } = await consentThatIs(state);
      const before = await stored();
      const asked = `${state}: ${JSON.stringify(body())}`;
      expect(await change(id, body()), asked).toMatchObject(invalid(field, constraint));
      expect(await stored(), asked).toEqual(before);
      expect(await reported(), asked).toEqual([]);
    }
  });
});

test('the end of a consent is told soon after it, once', async () => {
  start = server.clock.now();
  const { id } = await newConsent(call, { expiresAt: on(1) });
  await newConsent(call, { expiresAt: on(2) });
  await webhook.events();
  server.clock.advance(day - 1);
  expect(await webhook.events()).toEqual([]);
  server.clock.advance(60_001);
  expect(await webhook.events()).toMatchObject([
    {
      type: 'consent.expired',
      data: { object: { id, status: 'expired', expiresAt: on(1) } },
      context: { userId: null, requestId: null },
    },
  ]);
  server.clock.advance(60_000);
  expect(await webhook.events()).toEqual([]);
});

test('a consent reads as expired from its end on', async () => {
  start = server.clock.now();
  const { id } = await newConsent(call, { expiresAt: on(1) });
  const status = async () => (await call('GET', '/api/v1/consents')).body.data[0].status;
  server.clock.advance(day - 1);
  expect(await status()).toBe('granted');
  server.clock.advance(1);
  expect(await status()).toBe('expired');
  const reply = await change(id, { metadata: { seen: true } });
  expect(reply.body.status).toBe('expired');
});
