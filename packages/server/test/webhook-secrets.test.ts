import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createAttempt } from '../src/delivery/attempt.ts';
import { TestClock } from '../src/lib/clock.ts';
import { startWithAdministrator } from './support/administrator.ts';
import { command } from './support/command-line.ts';
import { dataFolder } from './support/data-folder.ts';
import { never, receiver } from './support/delivery/attempts.ts';
import { queuedDelivery } from './support/delivery/queued.ts';
import type { ReceivedRequest } from './support/delivery/receiver.ts';
import { newMasterKey } from './support/master-keys.ts';
import { invalid } from './support/replies.ts';
import { newKey, newVault } from './support/resources.ts';
import { type Caller, startTestServer, type TestServerOptions } from './support/server.ts';
import { listen, secret as oldSecret, signatureOf } from './support/webhook-events.ts';

const newSecret = 'the secret that comes after the first one';
const path = '/api/v1/webhooks';
const webhook = { url: 'http://127.0.0.1:9/hook', events: ['vault.created'] };
const generated = /^whsec_[A-Za-z0-9+/]{40}$/;
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describe('POST /webhooks without a secret', () => {
  test('returns a generated secret once, and again for a repeated Idempotency-Key', async () => {
    const { developer } = await startTestServer();
    const headers = { 'idempotency-key': 'a' };
    const created = await developer('POST', path, { body: webhook, headers });
    expect(created).toMatchObject({
      status: 201,
      body: { secret: expect.stringMatching(generated) },
    });
    const again = await developer('POST', path, { body: webhook, headers });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(created.body);
    const own = `${path}/${created.body.id}`;
    for (const reply of [
      await developer('GET', own),
      await developer('PUT', own, { body: { description: 'x' } }),
      await developer('GET', path),
    ]) {
      expect(reply.status).toBe(200);
      expect(JSON.stringify(reply.body)).not.toContain('whsec_');
    }
    const other = await developer('POST', path, { body: webhook });
    expect(other.body.secret).not.toBe(created.body.secret);
  });

  test('is not replayed with a secret that signs nothing any more', async () => {
    const { developer, clock } = await startTestServer();
    const headers = { 'idempotency-key': 'a' };
    const create = () => developer('POST', path, { body: webhook, headers });
    const { id, secret } = (await create()).body;
    await developer('POST', `${path}/${id}/secret`);
    expect((await create()).body.secret).toBe(secret);
    clock.advance(hour);
    await developer('POST', `${path}/${id}/secret`);
    const replaced = await create();
    expect(replaced).toMatchObject(invalid('Idempotency-Key', 'usable'));
    expect(JSON.stringify(replaced.body)).not.toContain(secret);
  });

  test('a rotated secret is not replayed to a key that may not rotate', async () => {
    const { admin, withKey } = await startWithAdministrator();
    const body = { ...webhook, accounts: 'all' };
    const { id } = (await admin('POST', path, { body })).body;
    const headers = { 'idempotency-key': 'rotate-1' };
    const rotate = (call: Caller) => call('POST', `${path}/${id}/secret`, { body: {}, headers });
    const { secret } = (await rotate(admin)).body;
    expect((await rotate(admin)).body.secret).toBe(secret);
    const narrow = withKey((await newKey(admin, ['webhooks:write', 'vaults:read'])).key);
    const refused = await rotate(narrow);
    expect(refused).toMatchObject({ status: 403 });
    expect(JSON.stringify(refused.body)).not.toContain(secret);
  });

  test('signs deliveries with the generated secret', async () => {
    const server = await startTestServer();
    const fields = { secret: undefined };
    const hook = await listen({
      server,
      call: server.developer,
      events: ['vault.created'],
      fields,
    });
    const { body } = await server.developer('POST', `${hook.path}/secret`);
    await newVault(server.developer);
    await server.settled();
    const [request] = hook.requests;
    expect(request?.headers['x-service-signature']).toBe(
      signatureOf(request?.body ?? Buffer.of(), body.secret),
    );
  });

  test('of GraphQL returns a generated secret, and null for a given one', async () => {
    const { developer } = await startTestServer();
    const query = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { id secret } }`;
    const create = async (input: object) =>
      (await developer('POST', '/graphql', { body: { query, variables: { input } } })).body.data
        .createWebhook;
    expect((await create(webhook)).secret).toMatch(generated);
    expect((await create({ ...webhook, secret: oldSecret })).secret).toBeNull();
  });
});

/** Starts a server with a webhook of the old secret. */
async function arrange(options: TestServerOptions = {}) {
  const server = await startTestServer(options);
  const { developer, clock } = server;
  const created = await developer('POST', path, { body: { ...webhook, secret: oldSecret } });
  expect(created.body).not.toHaveProperty('secret');
  const own = `${path}/${created.body.id}`;
  return {
    ...server,
    in: (milliseconds: number) => new Date(clock.now() + milliseconds).toISOString(),
    rotate: (body?: object) => developer('POST', `${own}/secret`, body && { body }),
    change: (body: object) => developer('PUT', own, { body }),
    end: async () => (await developer('GET', own)).body.previousSecretExpiresAt,
  };
}

describe('POST /webhooks/{id}/secret', () => {
  test('returns a generated secret, and keeps the previous one for 24 hours', async () => {
    const { rotate, in: at, end, clock } = await arrange();
    expect(await end()).toBeNull();
    const previousSecretExpiresAt = at(day);
    const { status, body } = await rotate();
    expect({ status, body }).toEqual({
      status: 200,
      body: { secret: expect.stringMatching(generated), previousSecretExpiresAt },
    });
    expect(await end()).toBe(previousSecretExpiresAt);
    clock.advance(day);
    expect(await end()).toBeNull();
  });

  test('with a secret returns none', async () => {
    const { rotate, in: at } = await arrange();
    const { body } = await rotate({ secret: newSecret, previousSecretExpiresAt: at(7 * day) });
    expect(body).toEqual({ previousSecretExpiresAt: at(7 * day) });
    expect((await rotate({ previousSecretExpiresAt: null })).body).toEqual({
      secret: expect.stringMatching(generated),
      previousSecretExpiresAt: null,
    });
  });

  test('with a time that is past or more than 7 days away returns 400', async () => {
    const { rotate, in: at } = await arrange();
    const field = 'previousSecretExpiresAt';
    expect(await rotate({ [field]: at(0) })).toMatchObject(invalid(field, 'future'));
    expect(await rotate({ [field]: at(7 * day + 1) })).toMatchObject(invalid(field, 'maximum'));
    expect(await rotate({ secret: 'short' })).toMatchObject(invalid('secret', 'minLength'));
  });
});

describe('PUT /webhooks/{id}', () => {
  test('with a new secret keeps the previous one for 24 hours, with the same one changes nothing', async () => {
    const { change, in: at, end } = await arrange();
    await change({ secret: oldSecret });
    expect(await end()).toBeNull();
    await change({ secret: newSecret });
    expect(await end()).toBe(at(day));
  });

  test('with a new secret and url ends the previous secret at once, unless a time is given', async () => {
    const { change, in: at, end } = await arrange();
    await change({ secret: newSecret, url: 'http://127.0.0.1:9/other' });
    expect(await end()).toBeNull();
    const fields = { secret: oldSecret, url: 'http://127.0.0.1:9/third' };
    await change({ ...fields, previousSecretExpiresAt: at(hour) });
    expect(await end()).toBe(at(hour));
  });

  test('with previousSecretExpiresAt alone moves and ends an overlap, and needs one', async () => {
    const { change, in: at, end } = await arrange();
    const field = 'previousSecretExpiresAt';
    expect(await change({ [field]: at(hour) })).toMatchObject(invalid('secret', 'required'));
    expect(await change({ [field]: null })).toMatchObject({ status: 200 });
    await change({ secret: newSecret });
    await change({ [field]: at(hour) });
    expect(await end()).toBe(at(hour));
    await change({ [field]: null });
    expect(await end()).toBeNull();
    expect(await change({ [field]: at(hour) })).toMatchObject(invalid('secret', 'required'));
  });
});

/** Whether a receiver that reads one of the headers accepts a delivery. */
const readings = {
  'X-Service-Signature': ({ headers, body }: ReceivedRequest, secret: string) =>
    headers['x-service-signature'] === signatureOf(body, secret),
  'webhook-signature': ({ headers, body }: ReceivedRequest, secret: string) => {
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`;
    const hmac = createHmac('sha256', secret).update(signed).update(body);
    return `${headers['webhook-signature']}`.split(' ').includes(`v1,${hmac.digest('base64')}`);
  },
};
type Reading = keyof typeof readings;

interface Rotation {
  readonly reading: Reading;
  /** The secret that the receiver knows. */
  readonly known: string;
  readonly rotation?: object;
  readonly options?: TestServerOptions;
}

/** Starts a server with a rotated webhook whose receiver knows one secret. */
async function startRotated({ reading, known, rotation = {}, options = {} }: Rotation) {
  const server = await startTestServer({ webhookHostPause: 0, ...options });
  const statuses: number[] = [];
  const hook = await listen({
    server,
    call: server.developer,
    events: ['vault.created'],
    reply(response, request) {
      response.statusCode = readings[reading](request, known) ? 200 : 401;
      statuses.push(response.statusCode);
      response.end();
    },
  });
  const body = { secret: newSecret, ...rotation };
  expect((await server.developer('PUT', hook.path, { body })).status).toBe(200);
  const advance = async (milliseconds: number) => {
    server.clock.advance(milliseconds);
    await server.settled();
  };
  return { ...server, ...hook, statuses, advance };
}

const delays = [minute, 5 * minute, 15 * minute, hour, 4 * hour];

describe('deliveries during an overlap', () => {
  test.each([
    ['X-Service-Signature', 'old', [401, 200]],
    ['X-Service-Signature', 'new', [200]],
    ['webhook-signature', 'old', [200]],
    ['webhook-signature', 'new', [200]],
  ] as const)(
    'a receiver of %s with the %s secret responds %j',
    async (reading, which, expected) => {
      const known = which === 'old' ? oldSecret : newSecret;
      const { developer, statuses, advance } = await startRotated({ reading, known });
      await newVault(developer);
      await advance(0);
      for (const delay of delays) await advance(delay);
      expect(statuses).toEqual(expected);
    },
  );

  test.each(['X-Service-Signature', 'webhook-signature'] as const)(
    'after previousSecretExpiresAt: null, a receiver of %s with the old secret responds 401 six times',
    async (reading) => {
      const rotation = { previousSecretExpiresAt: null };
      const rotated = await startRotated({ reading, known: oldSecret, rotation });
      await newVault(rotated.developer);
      await rotated.advance(0);
      for (const delay of delays) await rotated.advance(delay);
      expect(rotated.statuses).toEqual([401, 401, 401, 401, 401, 401]);
    },
  );

  test.each([
    [minute, [401, 401]],
    [minute + 1, [401, 200]],
  ])(
    'a previous secret that expires %i ms after the first attempt makes the statuses %j',
    async (end, expected) => {
      const clock = new TestClock();
      const rotation = { previousSecretExpiresAt: new Date(clock.now() + end).toISOString() };
      const rotated = await startRotated({
        ...{ reading: 'X-Service-Signature', known: oldSecret, rotation },
        options: { clock },
      });
      await newVault(rotated.developer);
      await rotated.advance(0);
      await rotated.advance(minute);
      expect(rotated.statuses).toEqual(expected);
    },
  );

  test('a third secret ends the first one', async () => {
    const rotated = await startRotated({ reading: 'webhook-signature', known: oldSecret });
    await rotated.developer('POST', `${rotated.path}/secret`);
    await newVault(rotated.developer);
    await rotated.advance(0);
    expect(rotated.statuses).toEqual([401]);
    const signatures = rotated.requests.map(({ headers }) => headers['webhook-signature']);
    // Two of the generated secret, one of the previous one.
    expect(`${signatures[0]}`.split(' ')).toHaveLength(3);
  });

  test('a test event is signed with the new secret, and with both in webhook-signature', async () => {
    const rotated = await startRotated({ reading: 'X-Service-Signature', known: newSecret });
    await rotated.developer('POST', `${rotated.path}/test`);
    await rotated.advance(0);
    expect(rotated.statuses).toEqual([200]);
    const [request] = rotated.requests;
    if (!request) expect.fail('no test event');
    for (const secret of [newSecret, oldSecret]) {
      expect(readings['webhook-signature'](request, secret)).toBe(true);
    }
  });

  test('two processes whose clocks differ sign with the new secret, and with the previous one by their own clock', async () => {
    const { url, requests } = await receiver();
    const end = Date.UTC(2026, 0, 1);
    const delivery = queuedDelivery({
      ...{ url, secret: newSecret, previousSecret: oldSecret, previousSecretExpiresAt: end },
      attemptNumber: 1,
    });
    for (const skew of [-2 * minute, 2 * minute]) {
      const clock = new TestClock(end + skew);
      const userAgent = '-';
      await createAttempt({ clock, timeoutMs: 10_000, allowPrivate: true, userAgent })(
        delivery,
        never,
      );
    }
    const accepted = (reading: Reading, secret: string) =>
      requests.map((request) => readings[reading](request, secret));
    expect(accepted('webhook-signature', newSecret)).toEqual([true, true]);
    expect(accepted('webhook-signature', oldSecret)).toEqual([true, false]);
    expect(accepted('X-Service-Signature', newSecret)).toEqual([false, true]);
    expect(accepted('X-Service-Signature', oldSecret)).toEqual([true, false]);
  });
});

test('an overlap outlasts a new master key, under which doctor opens both secrets', async () => {
  const data = await dataFolder();
  const [key, next] = [newMasterKey(), newMasterKey()];
  const options = { data, masterKey: key.text };
  const rotated = await startRotated({ reading: 'webhook-signature', known: oldSecret, options });
  await rotated.close();
  const env = { DOCUMENT_VAULT_MASTER_KEY: key.text, DOCUMENT_VAULT_MASTER_KEY_NEW: next.text };
  const sealed = await command(['master-key', 'rotate', '--data', data], { env });
  expect(sealed.out).toContain('Sealed 3 secrets');
  const opened = { env: { DOCUMENT_VAULT_MASTER_KEY: next.text } };
  expect(await command(['doctor', '--data', data], opened)).toMatchObject({ code: 0 });
  const server = await startTestServer({ data, masterKey: next.text });
  await newVault(server.developer);
  await server.settled();
  expect(rotated.statuses).toEqual([200]);
});
