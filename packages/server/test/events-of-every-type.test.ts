import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { userScopes } from '../src/domain/access.ts';
import { TestClock } from '../src/lib/clock.ts';
import { ofConsents, ofUsers } from './event-acts/accounts.ts';
import type { EventAct, Setting } from './event-acts/act.ts';
import { ofDocuments } from './event-acts/documents.ts';
import { ofInstances } from './event-acts/instances.ts';
import { ofVaults } from './event-acts/vaults.ts';
import { dataFolder, everyRow, inDatabase, madeOnce, makeAdmin } from './support/data-folder.ts';
import { startReceiver } from './support/delivery/receiver.ts';
import { newKey } from './support/resources.ts';
import { startTestServer, type TestServerOptions } from './support/server.ts';
import { everyType, secret, verifiedEvent } from './support/webhook-events.ts';

const second = 1000;

const eventActs = [...ofVaults, ...ofDocuments, ...ofConsents, ...ofUsers, ...ofInstances];

/** A data folder with an administrator, whose webhook gets every event, and an account with a key. */
async function makeAccounts(options?: TestServerOptions) {
  const data = await dataFolder();
  const first = await startTestServer({ ...options, data, clock: new TestClock() });
  const admin = await first.signUp('admin@example.com');
  const ada = await first.signUp('ada@example.com');
  const { key } = await newKey(ada.call, userScopes);
  const me = (await ada.call('GET', '/api/v1/users/me')).body;
  const body = { url: 'http://127.0.0.1:9/replaced', events: everyType, secret };
  expect(await admin.call('POST', '/webhooks', { body })).toMatchObject({ status: 201 });
  await first.close();
  makeAdmin(data, admin.email);
  return { data, key, me, password: ada.password };
}

const accounts = madeOnce(makeAccounts);

async function makeData(options?: TestServerOptions) {
  const { data, key, ...owner } = options ? await makeAccounts(options) : await accounts();
  const clock = new TestClock();
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  inDatabase(data, (database) =>
    database.prepare(`UPDATE webhooks SET accounts = 'all', url = ?`).run(receiver.url),
  );
  return {
    data,
    clock,
    /** Starts a server on the folder. */
    async start(more: TestServerOptions = {}): Promise<Setting> {
      const server = await startTestServer({ ...options, ...more, data, clock });
      return { server, owner: server.withKey(key), ...owner };
    },
    /** Waits for due deliveries, and returns the events received since the last call. */
    async reported({ server }: Setting) {
      await server.settled();
      return receiver.requests.splice(0).map(verifiedEvent);
    },
  };
}

type TestData = Awaited<ReturnType<typeof makeData>>;

/** Runs everything before the act, and returns the resource it needs. */
async function prepare(testData: TestData, { restart, prepare: make, silent, type }: EventAct) {
  const setting = await testData.start(restart?.from);
  // Updates `lastUsedAt` of the key now, so that the act does not change it.
  await setting.owner('GET', '/api/v1/users/me');
  const before = await make?.(setting);
  await testData.reported(setting);
  await silent(setting, before);
  const types = (await testData.reported(setting)).map((event) => event.type);
  expect(types, 'events of the silent request').not.toContain(type);
  await setting.server.close();
  testData.clock.advance(second);
  return before;
}

test('every event type of the contract has exactly one act', () => {
  const types = eventActs.map(({ type }) => type);
  expect(types.toSorted()).toEqual(everyType.toSorted());
  expect(new Set(types).size).toBe(22);
});

describe.each(eventActs.map((row) => [row.type, row] as const))('%s', (type, row) => {
  const { restart, options, act, data, otherTypes = [], by } = row;

  test('is delivered once after its act, with the fields of the contract', async () => {
    const testData = await makeData(options);
    const before = await prepare(testData, row);
    const setting = await testData.start(restart?.to);
    const reply = await act(setting, before);

    const events = await testData.reported(setting);
    expect(events.map((event) => event.type).toSorted()).toEqual([type, ...otherTypes].toSorted());
    const { me, server } = setting;
    expect(events.find((event) => event.type === type)).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      type,
      timestamp: new Date(server.clock.now()).toISOString(),
      apiVersion: 'v1',
      data: await data(reply?.body, before, setting),
      context: {
        userId: by ? by(reply?.body) : me.id,
        instanceId: me.instanceId,
        requestId: reply?.headers.get('x-request-id') ?? null,
        ...(reply && { ipAddress: '127.0.0.1' }),
      },
    });
    server.clock.advance(60 * second);
    expect(await testData.reported(setting)).toEqual([]);
  });

  test('rolls back its act when its deliveries cannot be stored', async () => {
    const testData = await makeData(options);
    const before = await prepare(testData, row);
    inDatabase(testData.data, (database) =>
      database.exec(`CREATE TRIGGER broken BEFORE INSERT ON deliveries
        BEGIN SELECT RAISE(ABORT, 'deliveries are broken'); END`),
    );
    const stored = everyRow(testData.data);
    const errors: string[] = [];
    const log = pino({ level: 'error' }, { write: (line) => errors.push(line) });
    const setting = await testData.start({ ...restart?.to, log });
    const reply = await act(setting, before);
    if (reply) {
      expect(reply).toMatchObject({ status: 500, body: { error: { code: 'INTERNAL_ERROR' } } });
    }
    expect(await testData.reported(setting)).toEqual([]);
    expect(errors.join()).toContain('deliveries are broken');
    await setting.server.close();
    expect(everyRow(testData.data)).toEqual(stored);

    inDatabase(testData.data, (database) => database.exec('DROP TRIGGER broken'));
    const repaired = await testData.start(restart?.to);
    if (reply) await act(repaired, before);
    const types = (await testData.reported(repaired)).map((event) => event.type);
    expect(types.toSorted(), 'events of the repeated act').toEqual(
      [type, ...otherTypes].toSorted(),
    );
  });
});
