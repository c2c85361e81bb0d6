import { describe, expect, test } from 'vitest';
import { version } from '../src/lib/version.ts';
import { startWithAdministrator } from './support/administrator.ts';
import { dataFolder, inDatabase, rowsIn } from './support/data-folder.ts';
import { refusal } from './support/front-door.ts';
import { ask } from './support/graphql/asking.ts';
import { invalid, missing } from './support/replies.ts';
import { newKey } from './support/resources.ts';
import { type Caller, startTestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

const instances = '/api/v1/instances';
const forAdministrators = refusal('INSUFFICIENT_PERMISSIONS', { requiredRole: 'admin' });

function create(call: Caller, body: unknown) {
  return call('POST', instances, { body });
}

describe('the first instance', () => {
  test('exists after the first start, with the configured quota', async () => {
    const { developer } = await startTestServer({ instanceQuota: 5000 });
    const { body: me } = await developer('GET', '/api/v1/users/me');
    const listed = await developer('GET', instances);
    expect(listed.status).toBe(200);
    const [instance, ...others] = listed.body.data;
    expect(others).toEqual([]);
    expect(instance).toEqual({
      id: me.instanceId,
      name: 'main',
      region: 'default',
      version,
      status: 'healthy',
      isActive: true,
      quotaBytes: 5000,
      usedBytes: 0,
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
    });
    const read = await developer('GET', `${instances}/${instance.id}`);
    expect(read).toMatchObject({ status: 200, body: instance });
  });

  test('is created once, keeps its quota and has the version of the running server', async () => {
    const data = await dataFolder();
    await (await startTestServer({ data, instanceQuota: 5000 })).close();
    inDatabase(data, (database) => database.exec(`UPDATE instances SET version = '0.0.1-old'`));
    const later = await startTestServer({ data, instanceQuota: 6000 });
    const { body } = await later.developer('GET', instances);
    // The configured quota applies to new instances only.
    expect(body.data).toMatchObject([{ version, quotaBytes: 5000 }]);
    await later.close();
    expect(rowsIn(data, 'instances')).toBe(1);
  });
});

describe('POST /instances', () => {
  test('with only a name returns 201 with defaults for the other fields', async () => {
    const server = await startWithAdministrator({ instanceQuota: 5000 });
    const { admin } = server;
    const webhook = await listen({ server, call: admin });
    const created = await create(admin, { name: '  Second ' });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      name: 'Second',
      region: 'default',
      version,
      status: 'healthy',
      isActive: true,
      quotaBytes: 5000,
      usedBytes: 0,
    });
    expect(created.body.id).not.toBe(server.instanceId);
    const read = await admin('GET', `/instances/${created.body.id}`);
    expect(read.body).toEqual(created.body);
    const full = { name: 'Third', region: 'eu-central', quotaBytes: Number.MAX_SAFE_INTEGER };
    expect(await create(admin, full)).toMatchObject({ status: 201, body: full });
    // No event type exists for instances.
    expect(await webhook.events()).toEqual([]);
  });

  test('with an invalid field returns 400 with its name and stores nothing', async () => {
    const { admin } = await startWithAdministrator();
    const refusals: [unknown, string, string][] = [
      [{}, 'name', 'required'],
      [{ name: ' ' }, 'name', 'minLength'],
      [{ name: 'x'.repeat(121) }, 'name', 'maxLength'],
      [{ name: null }, 'name', 'type'],
      [{ name: 'n', region: 'EU' }, 'region', 'pattern'],
      [{ name: 'n', region: '' }, 'region', 'minLength'],
      [{ name: 'n', region: 'x'.repeat(65) }, 'region', 'maxLength'],
      [{ name: 'n', quotaBytes: 0 }, 'quotaBytes', 'minimum'],
      [{ name: 'n', quotaBytes: 1.5 }, 'quotaBytes', 'type'],
      [{ name: 'n', quotaBytes: 2 ** 53 }, 'quotaBytes', 'maximum'],
      [{ name: 'n', isActive: false }, 'isActive', 'additionalProperties'],
      [{ name: 'n', usedBytes: 1 }, 'usedBytes', 'additionalProperties'],
    ];
    for (const [body, field, constraint] of refusals) {
      const refused = await create(admin, body);
      expect(refused, JSON.stringify(body)).toMatchObject(invalid(field, constraint));
    }
    expect((await admin('GET', instances)).body.pagination.totalCount).toBe(1);
  });

  test('repeated with the same Idempotency-Key creates one instance', async () => {
    const { admin } = await startWithAdministrator();
    const headers = { 'idempotency-key': 'first' };
    const send = () => admin('POST', '/instances', { body: { name: 'Second' }, headers });
    const first = await send();
    expect((await send()).body).toEqual(first.body);
    expect((await admin('GET', instances)).body.pagination.totalCount).toBe(2);
  });
});

describe('PUT /instances/{id}', () => {
  test('changes only the sent fields and updatedAt; unchanged values keep updatedAt', async () => {
    const server = await startWithAdministrator();
    const { admin, clock } = server;
    const path = `${instances}/${server.instanceId}`;
    let instance = (await admin('GET', path)).body;
    const changes = [
      { name: 'Primary' },
      { region: 'eu-1' },
      { quotaBytes: 1 },
      { isActive: false },
      { isActive: true },
      { name: 'All', region: 'at', quotaBytes: 2 ** 40, isActive: false },
    ];
    for (const change of changes) {
      clock.advance(1000);
      const updatedAt = new Date(clock.now()).toISOString();
      const expected = { ...instance, ...change, updatedAt };
      const changed = await admin('PUT', path, { body: change });
      expect(changed).toMatchObject({ status: 200, body: expected });
      instance = (await admin('GET', path)).body;
      expect(instance).toEqual(expected);
    }
    clock.advance(1000);
    const { name, region } = instance;
    const same = await admin('PUT', path, { body: { name, region } });
    expect(same).toMatchObject({ status: 200, body: instance });
  });

  test('with an invalid field returns 400 and changes nothing, and of an unknown id 404', async () => {
    const { admin, instanceId } = await startWithAdministrator();
    const path = `${instances}/${instanceId}`;
    const before = (await admin('GET', path)).body;
    const refusals: [unknown, string, string][] = [
      [{}, 'body', 'minProperties'],
      [{ name: '' }, 'name', 'minLength'],
      [{ isActive: 'no' }, 'isActive', 'type'],
      [{ quotaBytes: 0 }, 'quotaBytes', 'minimum'],
      [{ status: 'healthy' }, 'status', 'additionalProperties'],
    ];
    for (const [body, field, constraint] of refusals) {
      expect(await admin('PUT', path, { body })).toMatchObject(invalid(field, constraint));
    }
    expect((await admin('GET', path)).body).toEqual(before);
    const gone = missing({ instanceId: 'unknown' });
    expect(await admin('PUT', `${instances}/unknown`, { body: { name: 'x' } })).toMatchObject(gone);
    expect(await admin('GET', `${instances}/unknown`)).toMatchObject(gone);
  });
});

describe('an inactive instance', () => {
  test('gets no new accounts and serves its existing accounts', async () => {
    const server = await startWithAdministrator();
    const { admin, developer, anonymous, instanceId, clock } = server;
    const register = (email: string) =>
      anonymous('POST', '/auth/register', {
        body: { email, password: 'correct horse battery', name: 'Test User' },
      });
    clock.advance(1000);
    const { body: second } = await create(admin, { name: 'Second' });
    expect((await register('a@example.com')).body).toMatchObject({ instanceId });
    const setActive = (id: string, isActive: boolean) =>
      admin('PUT', `${instances}/${id}`, { body: { isActive } });

    await setActive(instanceId, false);
    const elsewhere = await register('b@example.com');
    expect(elsewhere).toMatchObject({ status: 201, body: { instanceId: second.id } });
    const vault = await developer('POST', '/api/v1/vaults', { body: { name: 'Taxes' } });
    expect(vault).toMatchObject({ status: 201, body: { instanceId } });

    await setActive(second.id, false);
    const refused = await register('c@example.com');
    expect(refused).toMatchObject(refusal('INSUFFICIENT_PERMISSIONS', {}));
    await setActive(instanceId, true);
    expect((await register('c@example.com')).body).toMatchObject({ instanceId });
  });
});

describe('permissions on instances', () => {
  test('a user gets the instance of the account and 404 for others', async () => {
    const { admin, developer, instanceId } = await startWithAdministrator();
    const { body: other } = await create(admin, { name: 'Second' });
    const { body } = await developer('GET', instances);
    expect(body.data).toMatchObject([{ id: instanceId }]);
    expect(body.pagination.totalCount).toBe(1);
    const gone = missing({ instanceId: other.id });
    expect(await developer('GET', `${instances}/${other.id}`)).toMatchObject(gone);
    expect(await developer('GET', `${instances}/${other.id}/health`)).toMatchObject(gone);
  });

  test('POST and PUT by a user return 403 with any scope, body and path', async () => {
    const { admin, developer, instanceId, signUp, withKey } = await startWithAdministrator();
    const user = await signUp('ada@example.com');
    const { key } = await newKey(user.call, ['instances:write']);
    for (const call of [developer, user.call, withKey(key)]) {
      for (const body of [{ name: 'Mine' }, { unknown: true }, undefined]) {
        expect(await create(call, body)).toMatchObject(forAdministrators);
        expect(await call('POST', '/instances', { body })).toMatchObject(forAdministrators);
        for (const id of [instanceId, 'unknown']) {
          const reply = await call('PUT', `${instances}/${id}`, { body });
          expect(reply).toMatchObject(forAdministrators);
        }
      }
    }
    const { body } = await admin('GET', instances);
    expect(body.data).toMatchObject([{ id: instanceId, name: 'main' }]);
  });

  test('an administrator’s key without admin:* reads and changes only the instance of the account', async () => {
    const { admin, withKey, instanceId } = await startWithAdministrator();
    const { body: other } = await create(admin, { name: 'Second' });
    const path = `${instances}/${other.id}`;
    const own = `${instances}/${instanceId}`;
    const reader = withKey((await newKey(admin, ['instances:read'])).key);
    const writer = withKey((await newKey(admin, ['instances:write'])).key);
    const gone = missing({ instanceId: other.id });
    const listed = await reader('GET', instances);
    expect(listed.body).toMatchObject({
      data: [{ id: instanceId }],
      pagination: { totalCount: 1 },
    });
    for (const part of ['', '/health', '/statistics/history']) {
      expect(await reader('GET', `${path}${part}`), part).toMatchObject(gone);
      expect(await reader('GET', `${own}${part}`), part).toMatchObject({ status: 200 });
    }
    const statistics = await reader('GET', `${instances}/statistics`);
    expect(statistics.body).toMatchObject({ instances: 1, perInstance: [{ instanceId }] });
    const { body: asked } = await ask(reader, '{ instances { data { id } } }');
    expect(asked.data.instances.data).toEqual([{ id: instanceId }]);
    expect(await writer('PUT', path, { body: { name: 'x' } })).toMatchObject(gone);
    const renamed = await writer('PUT', own, { body: { name: 'Renamed' } });
    expect(renamed).toMatchObject({ status: 200, body: { id: instanceId, name: 'Renamed' } });
    expect((await admin('GET', path)).body).toEqual(other);
  });

  test('an administrator’s key returns 403 without the scope, and with admin:* sees every instance', async () => {
    const { admin, withKey } = await startWithAdministrator();
    const { body: other } = await create(admin, { name: 'Second' });
    const path = `${instances}/${other.id}`;
    const reader = withKey((await newKey(admin, ['instances:read'])).key);
    const writer = withKey((await newKey(admin, ['instances:write'])).key);
    const full = withKey((await newKey(admin, ['admin:*'])).key);
    expect(await reader('PUT', path, { body: { name: 'x' } })).toMatchObject(
      refusal('INSUFFICIENT_PERMISSIONS', { requiredScopes: ['instances:write'] }),
    );
    expect(await writer('GET', path)).toMatchObject(refusal('INSUFFICIENT_PERMISSIONS'));
    expect((await full('GET', instances)).body.pagination.totalCount).toBe(2);
    const renamed = await full('PUT', `/instances/${other.id}`, { body: { name: 'Renamed' } });
    expect(renamed).toMatchObject({ status: 200, body: { id: other.id, name: 'Renamed' } });
  });
});

test('GET /instances sorts by name, createdAt or updatedAt and returns distinct pages', async () => {
  const { admin, clock, instanceId } = await startWithAdministrator();
  const ids = [instanceId];
  for (const name of ['beta', 'Alpha', 'gamma']) {
    clock.advance(1000);
    ids.push((await create(admin, { name })).body.id);
  }
  clock.advance(1000);
  await admin('PUT', `${instances}/${ids[1]}`, { body: { region: 'eu' } });
  const list = async (query: string) => {
    const { body } = await admin('GET', `/instances${query}`);
    return body.data.map(({ id }: { id: string }) => ids.indexOf(id));
  };
  expect(await list('')).toEqual([3, 2, 1, 0]);
  expect(await list('?sortOrder=asc')).toEqual([0, 1, 2, 3]);
  expect(await list('?sortBy=name')).toEqual([2, 1, 3, 0]);
  expect(await list('?sortBy=name&sortOrder=desc')).toEqual([0, 3, 1, 2]);
  expect(await list('?sortBy=updatedAt')).toEqual([1, 3, 2, 0]);
  expect(await list('?pageSize=3')).toEqual([3, 2, 1]);
  expect(await list('?pageSize=3&page=2')).toEqual([0]);
  expect(await list('?page=9')).toEqual([]);
  expect(await admin('GET', '/instances?sortBy=region')).toMatchObject(invalid('sortBy', 'enum'));
});
