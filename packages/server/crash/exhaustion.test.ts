import { expect, type TestContext, test, vi } from 'vitest';
import { commandJson } from '../test/support/command-line.ts';
import { everyType, secret } from '../test/support/webhook-events.ts';
import { drain, judgeArrivals } from './deliveries.ts';
import { read, send } from './http.ts';
import { inspect } from './inspection.ts';
import { type MovableServer, startMovableServer } from './movable-server.ts';
import * as operations from './operations.ts';
import { report } from './report.ts';
import {
  attempt,
  expectClearFailure,
  type Refused,
  ready,
  type Scene,
  setUp,
  uploadUntilRefused,
  useUp,
} from './scene.ts';
import { limitFileSize, mountSmallDisk, type Storage, StorageUnavailableError } from './storage.ts';

vi.setConfig({ testTimeout: 120_000 });

/** From one look at the health of the instances to the next, in milliseconds. */
const healthInterval = 30_000;

/** From the end of one sweep to the next, in milliseconds. */
const sweepInterval = 60_000;

const mebibyte = 2 ** 20;

const places: readonly (readonly [name: string, make: () => Promise<Storage>])[] = [
  ['a disk that is full', () => mountSmallDisk()],
  ['a file that may not grow', limitFileSize],
];

/** Provides storage, or skips the test with the reason why there is none. */
async function provide<Place extends Storage>(
  context: TestContext,
  make: () => Promise<Place>,
): Promise<Place> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof StorageUnavailableError)) throw error;
    report('skipped', { test: context.task.name, because: error.message });
    return context.skip(error.message);
  }
}

/** A vault with a document and an open share, to be read and changed. */
async function furnish(scene: Scene) {
  const vault = await attempt(scene, operations.createVault(scene.unique()));
  const vaultId: string = vault.body.id;
  const document = await attempt(scene, operations.upload(scene.unique(), vaultId, 100_000));
  const documentId: string = document.body.id;
  const share = await attempt(scene, operations.share(scene.unique(), documentId));
  return { vaultId, documentId, shareId: share.body.id, token: share.body.shareToken };
}

/** Returns an API key of another account. */
async function anotherKey(server: MovableServer): Promise<string> {
  const credentials = { email: 'other@example.com', password: 'correct horse battery' };
  const body = { ...credentials, name: 'Other' };
  await send(server, { method: 'POST', path: '/auth/register', body });
  const session = await send(server, { method: 'POST', path: '/auth/login', body: credentials });
  const response = await fetch(`${server.url}/api/v1/api-keys`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${session.body.accessToken}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: 'Key', scopes: ['users:read'] }),
  });
  return (await response.json()).key;
}

type Furniture = Awaited<ReturnType<typeof furnish>>;

/** Every kind of change, none of which is possible. */
async function tryEverything(scene: Scene, furniture: Furniture): Promise<Refused[]> {
  const { expected, unique } = scene;
  const { vaultId, documentId, shareId, token } = furniture;
  const changes = [
    operations.createVault(unique()),
    operations.renameVault(unique(), vaultId),
    operations.deleteVault(vaultId),
    operations.upload(unique(), vaultId, 1),
    operations.upload(unique(), vaultId, 3_000_000),
    operations.renameDocument(unique(), documentId),
    operations.deleteDocument(documentId),
    operations.share(unique(), documentId),
    operations.openShare(expected, shareId, token),
    operations.revokeShare(expected, shareId),
  ];
  const refused: Refused[] = [];
  for (const operation of changes) {
    const idempotencyKey = `key ${unique()}`;
    expect((await attempt(scene, operation, idempotencyKey)).status, operation.path).toBe(500);
    if (operation.method === 'POST') refused.push({ operation, idempotencyKey });
  }
  const others = [
    {
      path: '/auth/register',
      body: { email: 'a@example.com', password: 'x'.repeat(12), name: 'A' },
    },
    { path: '/api/v1/consents', body: { purpose: 'Tax return', grantedTo: 'Advisers' } },
    { path: '/api/v1/webhooks', body: { url: 'http://127.0.0.1:9/', events: everyType, secret } },
  ];
  for (const { path, body } of others) {
    const response = await send(scene.server, { method: 'POST', path, body });
    scene.refused.push(expectClearFailure(response));
  }
  return refused;
}

/** What goes on while nothing can be written. */
async function expectReading({ server, storage, expected }: Scene, instanceId: string) {
  expect(await inspect(server)).toEqual(expected);
  expect(await read(server, '/health/live')).toEqual({ status: 'live' });
  expect(await read(server, `/api/v1/instances/${instanceId}/health`)).toMatchObject({
    status: 'degraded',
    checks: [{ name: 'store', status: 'degraded' }, { name: 'disk' }, { name: 'deliveries' }],
  });
  expect(await commandJson(['doctor', '--data', storage.folder])).toMatchObject({ ok: true });
}

/** The log has each refused request, with what the database said. */
function expectExplained({ server: { log }, refused }: Scene): void {
  const failures = log.filter(({ msg }) => msg === 'request failed');
  const reasons = new Map<string, string>(
    failures.map(({ requestId, err }) => [requestId, err.message]),
  );
  const unexplained = refused.filter(
    (requestId) => !/disk is full|disk I\/O error/.test(reasons.get(requestId) ?? ''),
  );
  expect(unexplained).toEqual([]);
  expect(
    log.filter(({ said }) => said),
    'all that it said',
  ).toEqual([]);
}

for (const [name, make] of places) {
  test(`${name} refuses changes and nothing else, and takes them again when there is room`, async (context) => {
    const scene = await setUp(await provide(context, make));
    const { storage, server, expected, journal, subscription } = scene;
    const { instanceId } = await read(server, '/api/v1/users/me');
    const furniture = await furnish(scene);

    await storage.exhaust(server.pid);
    const refused = await uploadUntilRefused(scene, furniture.vaultId);
    await useUp(scene, furniture.vaultId);
    refused.push(...(await tryEverything(scene, furniture)));
    await expectReading(scene, instanceId);
    await server.advance(healthInterval);
    await expect.poll(() => server.log.map(({ msg }) => msg)).toContain('health was not recorded');
    expect((await ready(scene)).body).toEqual({
      status: 'not ready',
      problems: ['the store cannot be read and written'],
    });
    expectExplained(scene);

    await storage.relieve(server.pid);
    expect(await ready(scene)).toEqual({ status: 200, body: { status: 'ready' } });
    for (const { operation, idempotencyKey } of refused) {
      const response = await attempt(scene, operation, idempotencyKey);
      expect(response).toMatchObject({ status: 201, replayed: false });
    }
    await server.advance(healthInterval);
    for (const type of ['degraded', 'recovered']) {
      journal.events.set(`instance.health.${type} ${instanceId}`, 1);
    }
    const types = () =>
      subscription.receiver.requests.map(({ headers }) => headers['x-service-event-type']);
    await expect.poll(types, { timeout: 10_000 }).toContain('instance.health.recovered');
    // The list of a key without admin:* leaves out the two events on the health of the instance.
    const listed = await drain(server, subscription);
    expect(listed).toBe(judgeArrivals(subscription, journal) - 2);
    expect(await inspect(server)).toEqual(expected);

    await server.stop();
    expect(await commandJson(['doctor', '--data', storage.folder])).toMatchObject({ ok: true });
    const again = await startMovableServer(storage.folder);
    expect(await inspect(again)).toEqual(expected);
    report(name, { confirmed: journal.confirmed, refused: scene.refused.length });
  });
}

test('a disk that one account has filled is ready again within two sweeps after it deleted everything', async (context) => {
  const disk = await provide(context, () => mountSmallDisk(650 * mebibyte));
  const server = await startMovableServer(disk.folder, { minFreeDisk: 256 * mebibyte });
  const usage = async (key?: string): Promise<number> =>
    (await read(key ? { ...server, apiKey: key } : server, '/api/v1/users/me')).usage.bytes.used;
  const status = async () => {
    await server.advance(1_001);
    return (await send(server, { method: 'GET', path: '/health/ready' })).status;
  };
  const other = await anotherKey(server);
  const usageOfOther = await usage(other);
  const vaultId = (await send(server, operations.createVault(1))).body.id;
  let stored = 0;
  for (let unique = 2; ; unique += 1) {
    const { status, body } = await send(server, operations.upload(unique, vaultId, 16 * mebibyte));
    if (status === 201) stored += 16 * mebibyte;
    else {
      expect(body.error.message).toMatch(/^The disk of the server is nearly full/);
      break;
    }
  }
  expect(stored).toBeGreaterThan(300 * mebibyte);
  expect(await status()).toBe(503);
  const freeWhenFull = await disk.freeBytes();

  expect((await send(server, operations.deleteVault(vaultId))).status).toBe(204);
  // Nothing is erased yet: the bytes count, and only against the account that stored them.
  expect(await usage()).toBeGreaterThanOrEqual(stored);
  expect(await usage(other)).toBe(usageOfOther);
  await server.advance(sweepInterval);
  await server.advance(sweepInterval);
  await expect.poll(() => usage(), { timeout: 60_000 }).toBeLessThan(mebibyte);
  // A reading of the disk is reused for a second of the machine's time.
  await expect.poll(status, { timeout: 30_000, interval: 200 }).toBe(200);
  expect((await send(server, operations.createVault(3))).status).toBe(201);
  expect(await usage(other)).toBe(usageOfOther);

  // After one more sweep at the latest, the file is smaller, but for its free pages and its log, of which at most
  // 64 MiB each stay.
  await server.advance(sweepInterval);
  const returned = async () => (await disk.freeBytes()) - freeWhenFull;
  await expect.poll(returned, { timeout: 60_000 }).toBeGreaterThan(stored - 144 * mebibyte);
  await server.stop();
  expect(await commandJson(['doctor', '--data', disk.folder])).toMatchObject({ ok: true });
  report('a disk that one account has filled', { stored, returned: await returned() });
}, 300_000);

test('a server ends and starts again on a disk that is full', async (context) => {
  const disk = await provide(context, () => mountSmallDisk());
  const first = await setUp(disk);
  await furnish(first);
  await disk.fill();
  await first.server.stop();

  const second = { ...first, server: await startMovableServer(disk.folder) };
  expect(await inspect(second.server)).toEqual(first.expected);
  expect((await ready(second)).status).toBe(503);
  expect((await attempt(second, operations.createVault(first.unique()))).status).toBe(500);
  await second.server.stop();

  await disk.relieve();
  const third = { ...first, server: await startMovableServer(disk.folder) };
  expect(await ready(third)).toEqual({ status: 200, body: { status: 'ready' } });
  await furnish(third);
  await drain(third.server, first.subscription);
  expect(await inspect(third.server)).toEqual(first.expected);
  expect(await commandJson(['doctor', '--data', disk.folder])).toMatchObject({ ok: true });
});

test('a first start on a disk that is full says what is wrong, and the next one begins anew', async (context) => {
  const disk = await provide(context, () => mountSmallDisk());
  await disk.fill();
  await expect(startMovableServer(disk.folder)).rejects.toThrow('database or disk is full');
  await disk.relieve();
  await furnish(await setUp(disk));
  expect(await commandJson(['doctor', '--data', disk.folder])).toMatchObject({ ok: true });
});
