import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { contractDocument, contractOperations, type Operation } from '../src/contract/contract.ts';
import { dataFolder, makeAdmin } from './support/data-folder.ts';
import { expectEveryHeader } from './support/front-door.ts';
import { invalid } from './support/replies.ts';
import { brokenBodies, brokenQueries, exampleBody } from './support/request-fields.ts';
import { newKey } from './support/resources.ts';
import { type Caller, type Reply, startTestServer } from './support/server.ts';
import { newWorld, pathInto, type World } from './support/world.ts';

// Generated from the contract: the same requests, on two servers alike, by the path and by its alias.

const pairs = contractOperations.flatMap((operation) =>
  operation.aliases.map((alias) => [operation.method, alias, operation] as const),
);

/** A data folder with one of everything, and who may and may not do something there. */
interface Model {
  readonly folder: string;
  readonly world: World;
  readonly instanceId: string;
  readonly adminKey: string;
  readonly otherKey: string;
}

let model: Model;

// A test server belongs to a test, and so the first test makes the model.
beforeEach(async () => {
  model ??= await makeModel();
});

async function makeModel(): Promise<Model> {
  const folder = await mkdtemp(join(tmpdir(), 'document-vault-test-'));
  const first = await startTestServer({ data: folder });
  const account = await first.signUp('admin@example.com');
  await first.close();
  makeAdmin(folder, account.email);
  const server = await startTestServer({ data: folder });
  const call = await server.signIn(account);
  const made = {
    folder,
    world: await newWorld(server, call),
    instanceId: (await call('GET', '/api/v1/users/me')).body.instanceId,
    adminKey: (await newKey(call, ['admin:*'])).key,
    otherKey: (await newKey(call, ['vaults:read'])).key,
  };
  await server.close();
  return made;
}

afterAll(() => rm(model.folder, { recursive: true }));

/** A server on a copy of it. */
async function startHouse() {
  const data = await dataFolder();
  await cp(model.folder, data, { recursive: true });
  const server = await startTestServer({ data, enterpriseRequestsPerMinute: 100_000 });
  // What comes now is younger than what is there.
  server.clock.advance(1000);
  return {
    ...server,
    admin: server.withKey(model.adminKey),
    withoutScope: server.withKey(model.otherKey),
  };
}

type House = Awaited<ReturnType<typeof startHouse>>;

/** The end of a path that has a parameter: the one of something that is there, or of nothing. */
function pathAt(template: string, operation: Operation): string {
  const end = pathInto(model.world, operation)?.split('/').at(-1) ?? model.instanceId;
  return template.replace(/\{[^}]+\}/, end);
}

/** Good requests and bad ones; answers what came of each, by its name. */
async function tellStory(house: House, operation: Operation, template: string) {
  const replies = new Map<string, Reply>();
  const method = operation.method.toUpperCase();
  const path = pathAt(template, operation);
  const body = operation.body === 'none' ? undefined : exampleBody(operation);
  const ask = async (name: string, call: Caller, to: string, options = {}) => {
    const reply = await call(method, to, { body, ...options });
    expectEveryHeader(reply);
    replies.set(name, reply);
  };
  const { admin, anonymous, withoutScope, withKey } = house;
  await ask('no credentials', anonymous, path);
  await ask('rubbish for a key', withKey('rubbish'), path);
  await ask('no scope', withoutScope, path);
  await ask('nothing there', admin, template.replace(/\{[^}]+\}/, 'unknown'));
  for (const { query } of brokenQueries(operation)) await ask(query, admin, `${path}?${query}`);
  for (const broken of body ? brokenBodies(operation) : []) {
    await ask(`${broken.field} ${broken.constraint}`, admin, path, { body: broken.body });
  }
  if (body) await ask('no JSON', admin, path, { body: '{' });
  // Whatever may be repeated is; the header is ignored where it means nothing.
  const headers = { 'idempotency-key': 'one' };
  await ask('good', admin, path, { headers });
  await ask('again', admin, path, { headers });
  if (body) await ask('another body', admin, path, { headers, body: `${JSON.stringify(body)} ` });
  await ask('with a slash', admin, `${path}/`);
  return replies;
}

/** An answer without what differs from server to server. */
function comparable({ status, headers, body }: Reply) {
  const text = JSON.stringify(body ?? null).replaceAll(
    /[0-9a-f]{8}-[0-9a-f-]{27}|\b(dlv|key|evt|req)_[0-9a-f]{32}/g,
    'some id',
  );
  // How long a check has taken is nobody's promise.
  const timeless = text.replaceAll(/"durationMs":\d+/g, '"durationMs":0');
  const names = ['content-type', 'idempotency-replayed', 'x-ratelimit-tier', 'x-ratelimit-limit'];
  return { status, headers: names.map((name) => headers.get(name)), body: JSON.parse(timeless) };
}

test('every alias of the contract is looked at, with every method', () => {
  const aliases = new Set(pairs.map(([, alias]) => alias));
  expect(aliases).toEqual(new Set(Object.keys(contractDocument['x-path-aliases'])));
  expect(pairs.map(([method, alias]) => `${method} ${alias}`)).toEqual([
    'get /shares/{token}',
    'get /api/v1/shares/{token}',
    'get /instances',
    'post /instances',
    'get /instances/{id}',
    'put /instances/{id}',
    'get /consents',
    'post /consents',
    'put /consents/{id}',
    'get /webhooks',
    'post /webhooks',
    'get /webhooks/{id}',
    'put /webhooks/{id}',
    'delete /webhooks/{id}',
  ]);
});

test.each(pairs)('%s %s is what its path is', async (_method, alias, operation) => {
  const [there, here] = [await startHouse(), await startHouse()];
  const expected = await tellStory(there, operation, operation.path);
  const replies = await tellStory(here, operation, alias);
  expect(expected.get('good')?.status).toBe(operation.successStatus);
  expect(expected.get('no credentials')?.status).toBe(401);
  expect(expected.get('no scope')?.status).toBe(403);
  expect([...replies.keys()]).toEqual([...expected.keys()]);
  for (const [name, reply] of replies) {
    const canonical = expected.get(name);
    expect(canonical && comparable(reply), name).toEqual(canonical && comparable(canonical));
  }
  const read = operation.path.replace(/\/\{[^}]+\}$/, '');
  if (operation.id === 'openShare') return;
  const lists = [await there.admin('GET', read), await here.admin('GET', read)];
  const [left, leftByAlias] = lists.map(comparable);
  expect(leftByAlias, 'what is left behind').toEqual(left);
});

test.each(pairs.filter(([method]) => method === 'post'))(
  '%s %s has the idempotency keys of its path',
  async (_method, alias, operation) => {
    const { admin } = await startHouse();
    const body = exampleBody(operation);
    for (const [key, first, second] of [
      ['one', alias, operation.path],
      ['two', operation.path, alias],
    ] as const) {
      const headers = { 'idempotency-key': key };
      const named = 'name' in body ? { ...body, name: key } : body;
      const created = await admin('POST', first, { body: named, headers });
      expect(created.status).toBe(201);
      const repeated = await admin('POST', second, { body: named, headers });
      expect(repeated).toMatchObject({ status: 201, body: created.body });
      expect(repeated.headers.get('idempotency-replayed')).toBe('true');
      const reused = await admin('POST', second, { body: `${JSON.stringify(named)} `, headers });
      expect(reused).toMatchObject(invalid('Idempotency-Key', 'reuse'));
    }
  },
);
