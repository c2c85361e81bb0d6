import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TestClock } from '../src/clock.ts';
import { userScopes } from '../src/domain/access.ts';
import { ofConsents, ofUsers } from './event-acts/accounts.ts';
import type { EventAct, Scene } from './event-acts/act.ts';
import { ofDocuments } from './event-acts/documents.ts';
import { ofInstances } from './event-acts/instances.ts';
import { ofVaults } from './event-acts/vaults.ts';
import { dataFolder, everyRow, inDatabase, makeAdmin } from './support/data-folder.ts';
import { startReceiver } from './support/delivery/receiver.ts';
import { newKey } from './support/resources.ts';
import { startTestServer, type TestServerOptions } from './support/server.ts';
import { everyType, secret, verifiedEvent } from './support/webhook-events.ts';

const second = 1000;

const eventActs = [...ofVaults, ...ofDocuments, ...ofConsents, ...ofUsers, ...ofInstances];

/** A data folder with an administrator, whose webhook hears everything, and an account, by its key. */
async function openHouse(options: TestServerOptions = {}) {
  const data = await dataFolder();
  const clock = new TestClock();
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const first = await startTestServer({ ...options, data, clock });
  const admin = await first.signUp('admin@example.com');
  const ada = await first.signUp('ada@example.com');
  const { key } = await newKey(ada.call, userScopes);
  const me = (await ada.call('GET', '/api/v1/users/me')).body;
  const body = { url: receiver.url, events: everyType, secret };
  expect(await admin.call('POST', '/webhooks', { body })).toMatchObject({ status: 201 });
  await first.close();
  makeAdmin(data, admin.email);
  return {
    data,
    clock,
    /** Starts a server on it. */
    async open(more: TestServerOptions = {}): Promise<Scene> {
      const server = await startTestServer({ ...options, ...more, data, clock });
      return { server, owner: server.withKey(key), me, password: ada.password };
    },
    /** What has come in since the last look, once everything due is delivered. */
    async reported({ server }: Scene) {
      await server.settled();
      return receiver.requests.splice(0).map(verifiedEvent);
    },
  };
}

type House = Awaited<ReturnType<typeof openHouse>>;

/** Everything up to the act; answers what was made for it. */
async function prepare(house: House, { restart, prepare: make, silent, type }: EventAct) {
  const scene = await house.open(restart?.from);
  // The key is marked as used now, and not by the act.
  await scene.owner('GET', '/api/v1/users/me');
  const before = await make?.(scene);
  await house.reported(scene);
  await silent(scene, before);
  const types = (await house.reported(scene)).map((event) => event.type);
  expect(types, 'what is much like the act').not.toContain(type);
  await scene.server.close();
  house.clock.advance(second);
  return before;
}

test('each type of the contract has its act, once', () => {
  const types = eventActs.map(({ type }) => type);
  expect(types.toSorted()).toEqual(everyType.toSorted());
  expect(new Set(types).size).toBe(22);
});

describe.each(eventActs.map((row) => [row.type, row] as const))('%s', (type, row) => {
  const { restart, options, act, data, beside = [], by } = row;

  test('is delivered once, as the contract has it, because of its act alone', async () => {
    const house = await openHouse(options);
    const before = await prepare(house, row);
    const scene = await house.open(restart?.to);
    const reply = await act(scene, before);

    const events = await house.reported(scene);
    expect(events.map((event) => event.type).toSorted()).toEqual([type, ...beside].toSorted());
    const { me, server } = scene;
    expect(events.find((event) => event.type === type)).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      type,
      timestamp: new Date(server.clock.now()).toISOString(),
      apiVersion: 'v1',
      data: await data(reply?.body, before, scene),
      context: {
        userId: by ? by(reply?.body) : me.id,
        instanceId: me.instanceId,
        requestId: reply?.headers.get('x-request-id') ?? null,
        ...(reply && { ipAddress: '127.0.0.1' }),
      },
    });
    server.clock.advance(60 * second);
    expect(await house.reported(scene)).toEqual([]);
  });

  test('takes its act back when it cannot be stored with its deliveries', async () => {
    const house = await openHouse(options);
    const before = await prepare(house, row);
    inDatabase(house.data, (database) =>
      database.exec(`CREATE TRIGGER broken BEFORE INSERT ON deliveries
        BEGIN SELECT RAISE(ABORT, 'deliveries are broken'); END`),
    );
    const stored = everyRow(house.data);
    const complaints: string[] = [];
    const log = pino({ level: 'error' }, { write: (line) => complaints.push(line) });
    const scene = await house.open({ ...restart?.to, log });
    const reply = await act(scene, before);
    if (reply) {
      expect(reply).toMatchObject({ status: 500, body: { error: { code: 'INTERNAL_ERROR' } } });
    }
    expect(await house.reported(scene)).toEqual([]);
    expect(complaints.join()).toContain('deliveries are broken');
    await scene.server.close();
    expect(everyRow(house.data)).toEqual(stored);

    inDatabase(house.data, (database) => database.exec('DROP TRIGGER broken'));
    const mended = await house.open(restart?.to);
    if (reply) await act(mended, before);
    const types = (await house.reported(mended)).map((event) => event.type);
    expect(types.toSorted(), 'as if it had not been tried').toEqual([type, ...beside].toSorted());
  });
});
