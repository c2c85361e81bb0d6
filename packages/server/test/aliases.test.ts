import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { contractDocument, contractOperations, type Operation } from '../src/contract/contract.ts';
import { dataFolder, makeAdmin } from './support/data-folder.ts';
import { expectEveryHeader } from './support/front-door.ts';
import { createResources, pathWithIds, type ResourceIds } from './support/owned-resources.ts';
import { invalid } from './support/replies.ts';
import { brokenBodies, brokenQueries, exampleBody } from './support/request-fields.ts';
import { newKey } from './support/resources.ts';
import { type Caller, type Reply, startTestServer } from './support/server.ts';

// Generated from the contract: the same requests to two copies of a server, by the path and by its alias.

const pairs = contractOperations.flatMap((operation) =>
  operation.aliases.map((alias) => [operation.method, alias, operation] as const),
);

/** A data folder with one of each resource, and keys with and without the needed scopes. */
interface Model {
  readonly folder: string;
  readonly resources: ResourceIds;
  readonly instanceId: string;
  readonly adminKey: string;
  readonly otherKey: string;
}

let model: Model;

// A test server is closed with its test, so the first test makes the model.
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
    resources: await createResources(server, call),
    instanceId: (await call('GET', '/api/v1/users/me')).body.instanceId,
    adminKey: (await newKey(call, ['admin:*'])).key,
    otherKey: (await newKey(call, ['vaults:read'])).key,
  };
  await server.close();
  return made;
}

afterAll(() => rm(model.folder, { recursive: true }));

/** Starts a server on a copy of the model. */
async function startCopy() {
  const data = await dataFolder();
  await cp(model.folder, data, { recursive: true });
  const server = await startTestServer({ data, requestsPerMinute: { enterprise: 100_000 } });
  // New resources are younger than those of the model, which fixes the order of lists.
  server.clock.advance(1000);
  return {
    ...server,
    admin: server.withKey(model.adminKey),
    withoutScope: server.withKey(model.otherKey),
  };
}

type ServerCopy = Awaited<ReturnType<typeof startCopy>>;

/** Replaces the parameter of a path with the id of an existing resource. */
function pathAt(template: string, operation: Operation): string {
  const end = pathWithIds(model.resources, operation)?.split('/').at(-1) ?? model.instanceId;
  return template.replace(/\{[^}]+\}/, end);
}

/** Sends valid and invalid requests, and returns each reply by the name of its case. */
async function sendEach(copy: ServerCopy, operation: Operation, template: string) {
  const replies = new Map<string, Reply>();
  const method = operation.method.toUpperCase();
  const path = pathAt(template, operation);
  const body = operation.body === 'none' ? undefined : exampleBody(operation);
  const send = async (name: string, call: Caller, to: string, options = {}) => {
    const reply = await call(method, to, { body, ...options });
    expectEveryHeader(reply);
    replies.set(name, reply);
  };
  const { admin, anonymous, withoutScope, withKey } = copy;
  await send('no credentials', anonymous, path);
  await send('an invalid key', withKey('rubbish'), path);
  await send('no scope', withoutScope, path);
  await send('an unknown id', admin, template.replace(/\{[^}]+\}/, 'unknown'));
  for (const { query } of brokenQueries(operation)) await send(query, admin, `${path}?${query}`);
  for (const broken of body ? brokenBodies(operation) : []) {
    await send(`${broken.field} ${broken.constraint}`, admin, path, { body: broken.body });
  }
  if (body) await send('a body that is not JSON', admin, path, { body: '{' });
  // Operations without idempotency ignore the header.
  const headers = { 'idempotency-key': 'one' };
  await send('valid', admin, path, { headers });
  await send('repeated', admin, path, { headers });
  if (body) await send('another body', admin, path, { headers, body: `${JSON.stringify(body)} ` });
  await send('with a trailing slash', admin, `${path}/`);
  return replies;
}

/** A reply without ids and durations, which differ between servers. */
function comparable({ status, headers, body }: Reply) {
  const text = JSON.stringify(body ?? null).replaceAll(
    /[0-9a-f]{8}-[0-9a-f-]{27}|\b(dlv|key|evt|req)_[0-9a-f]{32}/g,
    'some id',
  );
  const timeless = text
    .replaceAll(/"durationMs":\d+/g, '"durationMs":0')
    // The error of an unknown path names it.
    .replaceAll(/( operation at [A-Z]+ |"path":")[^\s"]+/g, '$1some path');
  // The 404 of an unknown path names the path that was asked for.
  const pathless = timeless.replaceAll(
    /((?:GET|POST|PUT|DELETE) |"path":")\/[^"]*/g,
    '$1/some path',
  );
  const names = ['content-type', 'idempotency-replayed', 'x-ratelimit-tier', 'x-ratelimit-limit'];
  return { status, headers: names.map((name) => headers.get(name)), body: JSON.parse(pathless) };
}

test('the tests cover every alias of the contract with every method', () => {
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

test.each(pairs)(
  '%s %s returns the same replies as its canonical path',
  async (_method, alias, operation) => {
    const [byPath, byAlias] = [await startCopy(), await startCopy()];
    const expected = await sendEach(byPath, operation, operation.path);
    const replies = await sendEach(byAlias, operation, alias);
    expect(expected.get('valid')?.status).toBe(operation.successStatus);
    expect(expected.get('no credentials')?.status).toBe(401);
    expect(expected.get('no scope')?.status).toBe(403);
    expect([...replies.keys()]).toEqual([...expected.keys()]);
    for (const [name, reply] of replies) {
      const canonical = expected.get(name);
      expect(canonical && comparable(reply), name).toEqual(canonical && comparable(canonical));
    }
    const read = operation.path.replace(/\/\{[^}]+\}$/, '');
    if (operation.id === 'openShare') return;
    const lists = [await byPath.admin('GET', read), await byAlias.admin('GET', read)];
    const [left, leftByAlias] = lists.map(comparable);
    expect(leftByAlias, 'resources afterwards').toEqual(left);
  },
);

test.each(pairs.filter(([method]) => method === 'post'))(
  '%s %s replays outcomes stored by its canonical path, and the reverse',
  async (_method, alias, operation) => {
    const { admin } = await startCopy();
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
