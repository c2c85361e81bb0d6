import { beforeEach, describe, expect, test } from 'vitest';
import { invalid } from './support/replies.ts';
import { newConsent } from './support/resources.ts';
import { type Caller, startTestServer, type TestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

const day = 24 * 60 * 60 * 1000;

let server: TestServer;
let call: Caller;
let webhook: Awaited<ReturnType<typeof listen>>;
/** Day 0 of the tested consent, in milliseconds. */
let start: number;
beforeEach(async () => {
  server = await startTestServer();
  call = server.developer;
  webhook = await listen({ server, call });
});

/** ISO timestamp of a day after `start`. */
const on = (days: number) => new Date(start + days * day).toISOString();

type State = 'granted' | 'no end' | 'revoked' | 'revoked, no end' | 'revoked, past' | 'expired';

/** Creates a consent on day 0 and moves to day 5. It ends on day 10, for `past` and `expired` on day 3. */
async function consentIn(state: State): Promise<{ id: string }> {
  start = server.clock.now();
  const end = state === 'expired' || state.endsWith('past') ? 3 : 10;
  const fields = state.includes('no end') ? {} : { expiresAt: on(end) };
  const { id } = await newConsent(call, fields);
  server.clock.advance(day);
  if (state.startsWith('revoked')) {
    await change(id, { status: 'revoked', reason: 'no longer needed' });
  }
  server.clock.advance(4 * day);
  await reported();
  return { id };
}

/** The events since the last call, without `consent.expired`, which the passing of time causes. */
async function reported() {
  return (await webhook.events()).filter(({ type }) => type !== 'consent.expired');
}

const change = (id: string, body: object) => call('PUT', `/api/v1/consents/${id}`, { body });

/** State before, request body, fields afterwards, and types of the emitted events. */
const transitions: [State, () => object, () => object, string[]][] = [
  [
    'granted',
    () => ({ status: 'revoked', reason: 'The return is filed' }),
    () => ({ status: 'revoked', revokedAt: on(5), revocationReason: 'The return is filed' }),
    ['consent.revoked'],
  ],
  [
    'no end',
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
    'revoked, no end',
    () => ({ status: 'granted' }),
    () => ({ status: 'granted', grantedAt: on(5), expiresAt: null }),
    ['consent.renewed'],
  ],
  [
    'revoked, no end',
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

describe('PUT /consents/{id}', () => {
  test('with an allowed change returns 200, stores it and emits consent.revoked or consent.renewed', async () => {
    for (const [state, body, expected, types] of transitions) {
      const { id } = await consentIn(state);
      const name = `${state}: ${JSON.stringify(body())}`;
      const reply = await change(id, body());
      expect(reply, name).toMatchObject({
        status: 200,
        body: { ...expected(), updatedAt: on(5) },
      });
      if (reply.body.status === 'granted') {
        expect(reply.body, name).toMatchObject({ revokedAt: null, revocationReason: null });
      }
      expect(await stored(), name).toEqual(reply.body);

      const events = await reported();
      expect(
        events.map(({ type }) => type),
        name,
      ).toEqual(types);
      const { revocationReason: reason } = reply.body;
      const object = types.includes('consent.revoked') ? { id, reason } : reply.body;
      for (const { data } of events) expect(data, name).toEqual({ object });
    }
  });

  test('with unchanged values returns 200 and emits no event', async () => {
    for (const [state, body] of [
      ['granted', { status: 'granted' }],
      ['no end', { status: 'granted' }],
      ['revoked', { status: 'revoked', reason: 'another reason' }],
      ['granted', { description: null, metadata: null }],
      ['expired', { description: null }],
    ] as const) {
      const { id } = await consentIn(state);
      const before = await stored();
      const name = `${state}: ${JSON.stringify(body)}`;
      expect(await change(id, body), name).toMatchObject({ status: 200, body: before });
      expect(await stored(), name).toEqual(before);
      expect(await reported(), name).toEqual([]);
    }
  });

  test('with a forbidden transition or an invalid field returns 400 and changes nothing', async () => {
    const refusals: [State, () => object, string, string][] = [
      ['expired', () => ({ status: 'revoked' }), 'status', 'transition'],
      ['granted', () => ({ expiresAt: on(10) }), 'expiresAt', 'future'],
      ['granted', () => ({ expiresAt: on(9) }), 'expiresAt', 'future'],
      ['granted', () => ({ expiresAt: on(4) }), 'expiresAt', 'future'],
      ['no end', () => ({ expiresAt: on(20) }), 'expiresAt', 'future'],
      ['revoked', () => ({ expiresAt: on(10) }), 'expiresAt', 'future'],
      ['revoked, no end', () => ({ expiresAt: on(5) }), 'expiresAt', 'future'],
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
      const { id } = await consentIn(state);
      const before = await stored();
      const name = `${state}: ${JSON.stringify(body())}`;
      expect(await change(id, body()), name).toMatchObject(invalid(field, constraint));
      expect(await stored(), name).toEqual(before);
      expect(await reported(), name).toEqual([]);
    }
  });
});

test('consent.expired is emitted once, within a minute after the end of the consent', async () => {
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

test('GET /consents returns status expired from the millisecond of expiresAt', async () => {
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
