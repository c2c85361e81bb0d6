import { hash } from 'node:crypto';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { dataFolder, inDatabase, rowsIn, storedBytes } from './support/data-folder.ts';
import { expectEveryHeader, refusal } from './support/front-door.ts';
import { invalid } from './support/replies.ts';
import { documentOf, newDocument, newVault } from './support/resources.ts';
import { type Caller, type Reply, startTestServer } from './support/server.ts';

const day = 24 * 60 * 60 * 1000;
const vaults = '/api/v1/vaults';

/** Posts with an idempotency key. */
function post(call: Caller, path: string, body: unknown, key = 'first'): Promise<Reply> {
  return call('POST', path, { body, headers: { 'idempotency-key': key } });
}

const isReplayed = ({ headers }: Reply) => headers.get('idempotency-replayed') === 'true';

async function countVaults(call: Caller): Promise<number> {
  return (await call('GET', vaults)).body.pagination.totalCount;
}

describe('requests with the same Idempotency-Key', () => {
  test('return the first response again with Idempotency-Replayed, and change nothing', async () => {
    const { developer, clock } = await startTestServer();
    const first = await post(developer, vaults, { name: 'Taxes' });
    expect(first.status).toBe(201);
    expect(first.headers.has('idempotency-replayed')).toBe(false);

    clock.advance(60_000);
    const again = await post(developer, vaults, { name: 'Taxes' });
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expectEveryHeader(again);
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    expect(await countVaults(developer)).toBe(1);
  });

  test('return the first response even after the created resource was deleted', async () => {
    const { developer } = await startTestServer();
    const first = await post(developer, vaults, { name: 'Taxes' });
    await developer('DELETE', `${vaults}/${first.body.id}`);
    const again = await post(developer, vaults, { name: 'Taxes' });
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(await countVaults(developer)).toBe(0);
  });

  test('emit one event', async () => {
    const data = await dataFolder();
    const { developer, close } = await startTestServer({ data });
    for (let time = 0; time < 3; time += 1) await post(developer, vaults, { name: 'Taxes' });
    await close();
    const events = inDatabase(data, (database) =>
      database.prepare(`SELECT COUNT(*) FROM events WHERE type = 'vault.created'`).pluck().get(),
    );
    expect(events).toBe(1);
  });

  test('run the operation once when 20 are sent concurrently', async () => {
    const { developer } = await startTestServer();
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => post(developer, vaults, { name: 'Taxes' })),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    expect(replies.filter(isReplayed)).toHaveLength(19);
    expect(await countVaults(developer)).toBe(1);
  });

  test('and a body that differs in any byte return 400 reuse', async () => {
    const { developer } = await startTestServer();
    const first = await post(developer, vaults, '{"name":"Taxes"}');
    for (const body of ['{"name":"Other"}', '{"name":"Taxes"} ', '{"name": "Taxes"}']) {
      const reply = await post(developer, vaults, body);
      expect(reply, body).toMatchObject(invalid('Idempotency-Key', 'reuse'));
      expect(isReplayed(reply), body).toBe(false);
    }
    const again = await post(developer, vaults, '{"name":"Taxes"}');
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(await countVaults(developer)).toBe(1);
  });

  test('and two bodies, sent concurrently, succeed for one body and return 400 for the other', async () => {
    const { developer } = await startTestServer();
    const replies = await Promise.all(
      ['a', 'b', 'a', 'b'].map((name) => post(developer, vaults, { name })),
    );
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 201, 400, 400]);
    expect(await countVaults(developer)).toBe(1);
  });

  test('are replayed between an absent and an empty body', async () => {
    const { developer } = await startTestServer();
    const vault = await newVault(developer);
    const document = await newDocument(developer, vault.id);
    const path = `/api/v1/documents/${document.id}/share`;
    const first = await post(developer, path, undefined);
    expect(first.status).toBe(201);
    const again = await post(developer, path, '');
    expect(again).toMatchObject({ status: 201, body: { shareToken: first.body.shareToken } });
    expect(isReplayed(again)).toBe(true);
    expect(await post(developer, path, {})).toMatchObject(invalid('Idempotency-Key', 'reuse'));
  });

  test('are replayed after a restart', async () => {
    const data = await dataFolder();
    const { developer, close } = await startTestServer({ data });
    const first = await post(developer, vaults, { name: 'Taxes' });
    await close();
    const later = await startTestServer({ data });
    const again = await post(later.developer, vaults, { name: 'Taxes' });
    expect(again.body).toEqual(first.body);
    expect(isReplayed(again)).toBe(true);
  });

  test('run the operation again after 24 hours, and are then replayed for another 24', async () => {
    const { developer, clock } = await startTestServer();
    const send = () => post(developer, vaults, { name: 'Taxes' });
    const first = await send();
    clock.advance(day - 1);
    expect((await send()).body).toEqual(first.body);
    clock.advance(1);
    const second = await send();
    expect(second.status).toBe(201);
    expect(isReplayed(second)).toBe(false);
    expect(second.body.id).not.toBe(first.body.id);
    clock.advance(day - 1);
    expect((await send()).body).toEqual(second.body);
  });
});

describe('the scope of an Idempotency-Key', () => {
  test('is the account, the path and the exact key; an alias has the same scope as its path', async () => {
    const { developer, signUp } = await startTestServer();
    const { call } = await signUp('ada@example.com');
    const body = { name: 'Taxes' };
    const [first, others, otherCase, longer] = [
      await post(developer, vaults, body),
      await post(call, vaults, body),
      await post(developer, vaults, body, 'FIRST'),
      await post(developer, vaults, body, 'first!'),
    ];
    const ids = [first, others, otherCase, longer].map((reply) => reply.body.id);
    expect(new Set(ids).size).toBe(4);
    expect(others.body.userId).not.toBe(first.body.userId);

    const webhook = {
      url: 'http://127.0.0.1:9/',
      events: ['vault.deleted'],
      secret: 'a secret of these tests, long enough',
    };
    const elsewhere = await post(developer, '/api/v1/webhooks', webhook);
    expect(elsewhere.status).toBe(201);
    expect(isReplayed(elsewhere)).toBe(false);

    const alias = await post(developer, '/webhooks', webhook);
    expect(alias.body).toEqual(elsewhere.body);
    expect(isReplayed(alias)).toBe(true);
  });

  test('is shared by all credentials of an account', async () => {
    const { developer, signIn, account } = await startTestServer();
    const call = await signIn({ email: '', password: '', ...account });
    const first = await post(developer, vaults, { name: 'Taxes' });
    expect((await post(call, vaults, { name: 'Taxes' })).body).toEqual(first.body);
  });

  test('does not include requests without credentials, which return 401 and store nothing', async () => {
    const { developer, anonymous } = await startTestServer();
    expect((await post(anonymous, vaults, { name: 'Taxes' })).status).toBe(401);
    const first = await post(developer, vaults, { name: 'Taxes' });
    expect(first.status).toBe(201);
    expect(isReplayed(first)).toBe(false);
  });

  test('does not give another account access to a stored response', async () => {
    const { developer, signUp } = await startTestServer();
    const vault = await newVault(developer);
    const document = await newDocument(developer, vault.id);
    const path = `/api/v1/documents/${document.id}/share`;
    await post(developer, path, {});
    const { call } = await signUp('ada@example.com');
    expect(await post(call, path, {})).toMatchObject(refusal('NOT_FOUND'));
  });
});

describe('a failed request with an Idempotency-Key', () => {
  test('with a 4xx response is replayed with a new request id and time', async () => {
    const { developer, clock } = await startTestServer();
    const vault = await newVault(developer);
    const path = `${vaults}/${vault.id}`;
    await developer('PUT', path, { body: { isActive: false } });
    const body = documentOf(vault.id, 'ciphertext');
    const send = (key: string) => post(developer, '/api/v1/documents', body, key);
    const first = await send('first');
    expect(first).toMatchObject(invalid('vaultId', 'active'));

    await developer('PUT', path, { body: { isActive: true } });
    clock.advance(1000);
    const again = await send('first');
    expect(again).toMatchObject(invalid('vaultId', 'active'));
    expect(isReplayed(again)).toBe(true);
    expectEveryHeader(again);
    const { requestId, timestamp, ...error } = again.body.error;
    expect(first.body.error).toMatchObject(error);
    expect(timestamp).toBe(new Date(clock.now()).toISOString());
    expect((await send('second')).status).toBe(201);
  });

  test('with a 5xx response rolls back the change and its outcome, and runs again', async () => {
    const data = await dataFolder();
    const first = await startTestServer({ data });
    await first.close();
    inDatabase(data, (database) =>
      database.exec(`CREATE TRIGGER broken BEFORE INSERT ON idempotency_outcomes
        BEGIN SELECT RAISE(ABORT, 'outcomes are broken'); END`),
    );
    const broken = await startTestServer({ data, log: pino({ level: 'silent' }) });
    const failed = await post(broken.developer, vaults, { name: 'Taxes' });
    expect(failed).toMatchObject(refusal('INTERNAL_ERROR', {}));
    expect(JSON.stringify(failed.body)).not.toContain('broken');
    expectEveryHeader(failed);
    expect(await countVaults(broken.developer)).toBe(0);
    await broken.close();

    inDatabase(data, (database) => database.exec('DROP TRIGGER broken'));
    expect(rowsIn(data, 'idempotency_outcomes')).toBe(0);
    const events = inDatabase(data, (database) =>
      database.prepare(`SELECT type FROM events WHERE type LIKE 'vault.%'`).all(),
    );
    expect(events).toEqual([]);
    const { developer } = await startTestServer({ data });
    const repeated = await post(developer, vaults, { name: 'Taxes' });
    expect(repeated.status).toBe(201);
    expect(isReplayed(repeated)).toBe(false);
  });
});

test('the database contains neither the secrets of stored responses nor the Idempotency-Keys', async () => {
  const data = await dataFolder();
  const { developer, signUp, close } = await startTestServer({ data });
  const { call } = await signUp('ada@example.com');
  const key = 'a key that only its caller knows';
  const apiKey = { name: 'Key', scopes: ['vaults:read'] };
  const created = await post(call, '/api/v1/api-keys', apiKey, key);
  const document = await newDocument(developer, (await newVault(developer)).id);
  const shared = await post(developer, `/api/v1/documents/${document.id}/share`, {}, key);
  expect((await post(call, '/api/v1/api-keys', apiKey, key)).body).toEqual(created.body);
  await close();

  expect(rowsIn(data, 'idempotency_outcomes')).toBe(2);
  const bytes = storedBytes(data);
  for (const secret of [created.body.key.slice(15), shared.body.shareToken, key]) {
    expect(bytes.includes(secret)).toBe(false);
    expect(bytes.includes(Buffer.from(secret).toString('base64'))).toBe(false);
  }
  // Proves that the search finds stored text.
  expect(bytes.includes(shared.body.id)).toBe(true);
});

test('the database contains no plain digest of a request body, whose secret could be guessed from it', async () => {
  const data = await dataFolder();
  const { developer, close } = await startTestServer({ data });
  const body = JSON.stringify({
    url: 'http://127.0.0.1:9/',
    events: ['vault.deleted'],
    secret: 'a guessable secret of 32 letters',
  });
  expect((await post(developer, '/api/v1/webhooks', body)).status).toBe(201);
  await close();

  const [outcome] = inDatabase(data, (database) =>
    database.prepare('SELECT * FROM idempotency_outcomes').all(),
  ) as [Record<string, unknown>];
  const digests = ['', 'body\0'].map((purpose) => hash('sha256', purpose + body, 'hex'));
  const stored = Object.values(outcome).map((value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value),
  );
  for (const digest of digests) expect(stored.join(' ')).not.toContain(digest);
  // Proves that the search finds a stored digest.
  const call = JSON.stringify(['POST', '/api/v1/webhooks', 'first']);
  expect(stored).toContain(hash('sha256', `call\0${call}`, 'hex'));
});
