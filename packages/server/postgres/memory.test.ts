import { describe, expect, onTestFinished, test } from 'vitest';
import { createAccessTokens } from '../src/domain/accounts/access-tokens.ts';
import { uploadPartBytes } from '../src/generated/rules/uploads.ts';
import { startS3, useS3Credentials } from '../test/support/contents/s3-server.ts';
import { startReceiver } from '../test/support/delivery/receiver.ts';
import { query } from '../test/support/postgres/cluster.ts';
import { urlOfFolder } from '../test/support/postgres/databases.ts';
import { startTwo } from '../test/support/postgres/two-servers.ts';
import { documentOf, newVault } from '../test/support/resources.ts';
import type { TestServer } from '../test/support/server.ts';
import {
  begin,
  contentOfLength,
  documentOfUpload,
  partOf,
  putPart,
} from '../test/support/uploads.ts';

// What one process knows from its own memory: sessions, keys, places of lists, open uploads, used bytes. Both servers
// have one address, as behind a load balancer.

const baseUrl = 'https://vault.example.com';
const me = '/api/v1/users/me';

async function startWithLogin() {
  const { servers, ...two } = await startTwo({ baseUrl });
  const { email, password } = await servers[0].signUp('ada@example.com');
  const login = async (index: 0 | 1): Promise<{ accessToken: string; refreshToken: string }> =>
    (await servers[index].anonymous('POST', '/auth/login', { body: { email, password } })).body;
  const refresh = (index: 0 | 1, refreshToken: string) =>
    servers[index].anonymous('POST', '/auth/refresh', { body: { refreshToken } });
  return { ...two, servers, login, refresh };
}

describe('sessions of two servers with one database', () => {
  test('an access token of one server is accepted by the other, and by neither after a logout at one', async () => {
    const { servers, login } = await startWithLogin();
    const { accessToken, refreshToken } = await login(0);
    const callers = servers.map((server) => server.withToken(accessToken));
    // Each server has verified the token, and could remember it.
    for (const call of callers) expect(await call('GET', me)).toMatchObject({ status: 200 });
    await servers[1].anonymous('POST', '/auth/logout', { body: { refreshToken } });
    for (const call of callers) {
      expect(await call('GET', me)).toMatchObject({
        status: 401,
        body: { error: { code: 'INVALID_TOKEN' } },
      });
    }
  });

  test('a refresh token that both servers exchange at the same time has one successor', async () => {
    const { servers, login, refresh } = await startWithLogin();
    for (let round = 0; round < 10; round += 1) {
      const { refreshToken } = await login(0);
      const replies = await Promise.all(
        [0, 1, 0, 1].map((index) => refresh(index as 0 | 1, refreshToken)),
      );
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(new Set(replies.map(({ body }) => body.refreshToken)).size).toBe(1);
    }
    expect(servers[0].clock.now()).toBe(servers[1].clock.now());
  });

  test('a refresh token that is repeated at the other server after the grace period ends the session at both', async () => {
    const { servers, login, refresh } = await startWithLogin();
    const { refreshToken } = await login(0);
    const { body } = await refresh(0, refreshToken);
    const callers = servers.map((server) => server.withToken(body.accessToken));
    for (const call of callers) expect((await call('GET', me)).status).toBe(200);
    for (const { clock } of servers) clock.advance(10_001);
    expect((await refresh(1, refreshToken)).status).toBe(401);
    expect((await refresh(0, body.refreshToken)).status).toBe(401);
    for (const call of callers) expect((await call('GET', me)).status).toBe(401);
  });

  test('a token with a key that another process has just rotated is accepted by both at once', async () => {
    const { servers } = await startWithLogin();
    const [{ store, clock }] = servers;
    const third = await createAccessTokens({ store, clock, issuer: () => baseUrl });
    await third.rotate({ now: true });
    // The new key signs from the next millisecond on. Servers look for rotated keys once a second.
    for (const server of servers) server.clock.advance(1);
    const user = (await store.users.findByEmail('ada@example.com')) ?? expect.fail();
    const token = await third.issue(user, 'session');
    for (const server of servers) {
      // The session of the token does not exist, which a server says only of a token with a known key.
      expect((await server.withToken(token)('GET', me)).body.error).toMatchObject({
        code: 'INVALID_TOKEN',
        message: expect.stringContaining('session of this token has ended'),
      });
      expect((await server.anonymous('GET', '/.well-known/jwks.json')).body.keys).toHaveLength(2);
    }
  });
});

test('a deep page of one server is the current one after a deletion at the other', async () => {
  const { data, callers } = await startTwo();
  const { id, userId, instanceId } = await newVault(callers[0]);
  const url = urlOfFolder(data) ?? expect.fail();
  await query(
    { url },
    `INSERT INTO vaults (id, user_id, instance_id, name, name_folded, is_active, created_at, updated_at)
     SELECT '00000000-0000-7000-8000-' || LPAD(i::text, 12, '0'), '${userId}', '${instanceId}', 'v', 'v', 1, i, i FROM generate_series(1, 2500) i`,
  );
  await query({ url }, `UPDATE account_usage SET vaults = 2501 WHERE user_id = '${userId}'`);
  const page = async (index: 0 | 1): Promise<number[]> => {
    const path = '/api/v1/vaults?page=22&pageSize=100&sortBy=createdAt&sortOrder=desc';
    const { status, body } = await callers[index]('GET', path);
    expect(status).toBe(200);
    return body.data.map((vault: { id: string }) => Number(vault.id.slice(-12)));
  };
  const numbers = (first: number) => Array.from({ length: 100 }, (_, index) => first - index);
  // The newest vault comes first. The second look is from memory.
  for (let look = 0; look < 2; look += 1) {
    for (const index of [0, 1] as const) expect(await page(index)).toEqual(numbers(401));
  }
  expect((await callers[1]('DELETE', `/api/v1/vaults/${id}`)).status).toBe(204);
  for (const index of [0, 1] as const) expect(await page(index)).toEqual(numbers(400));
});

/** Starts a service with the interface of S3. */
async function startBucket() {
  useS3Credentials();
  const s3 = await startS3();
  onTestFinished(() => s3.close());
  const options = { contents: { bucket: s3.bucket, prefix: 'p/' }, contentsEndpoint: s3.endpoint };
  return { s3, options };
}

describe('uploads at two servers with one database', () => {
  test.each([
    ['PostgreSQL', 'database', async () => ({})],
    ['S3', 's3', async () => (await startBucket()).options],
  ])(
    'parts that arrive at both at the same time are one document in %s',
    async (_, place, contents) => {
      const { data, servers, callers, apiKey } = await startTwo(await contents());
      const content = contentOfLength(3 * uploadPartBytes + 1000);
      const { id: vaultId } = await newVault(callers[0]);
      const upload = (await begin(callers[0], vaultId, content.length)).body;
      const replies = await Promise.all(
        [0, 1, 2, 3].map((part) =>
          putPart({
            url: servers[part % 2 ? 0 : 1].url,
            headers: { 'x-api-key': apiKey },
            ...{ id: upload.id, part, bytes: partOf(content, part) },
          }),
        ),
      );
      expect(replies.map(({ status }) => status)).toEqual([204, 204, 204, 204]);
      const body = documentOfUpload(upload);
      const made = await Promise.all(
        callers.map((call) => call('POST', '/api/v1/documents', { body })),
      );
      // The later one returns the document of the earlier one, or 404 before that is committed.
      const ids = made.filter(({ status }) => status === 201).map(({ body: { id } }) => id);
      expect(new Set(ids).size).toBe(1);
      expect(made.every(({ status }) => status === 201 || status === 404)).toBe(true);
      const [id] = ids;
      const url = urlOfFolder(data) ?? expect.fail();
      const stored = await query({ url }, 'SELECT content_store AS place FROM documents');
      expect(stored).toEqual([{ place }]);
      for (const { url } of servers) {
        const response = await fetch(`${url}/api/v1/documents/${id}/content`, {
          headers: { 'x-api-key': apiKey },
        });
        expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
      }
      const { body: vault } = await callers[1]('GET', `/api/v1/vaults/${vaultId}`);
      expect(vault).toMatchObject({ documentCount: 1, totalSize: content.length });
    },
  );

  test('of 30 uploads that begin at both at the same time, the account gets 20', async () => {
    const { callers } = await startTwo();
    const { id } = await newVault(callers[0]);
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, index) => begin(callers[index % 2 ? 0 : 1], id, 10)),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(10);
  });
});

test('documents that are stored at both servers at the same time never exceed the bytes of their vault', async () => {
  const { callers } = await startTwo({ vaultQuota: { enterprise: 1000 } });
  const { id } = await newVault(callers[0]);
  const body = documentOf(id, Buffer.alloc(100));
  const replies = await Promise.all(
    Array.from({ length: 24 }, (_, index) =>
      callers[index % 2 ? 0 : 1]('POST', '/api/v1/documents', { body }),
    ),
  );
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(10);
  for (const { status, body: refused } of replies.filter(({ status: each }) => each !== 201)) {
    expect(status).toBe(400);
    expect(refused.error.details).toMatchObject({ constraint: 'vaultQuota' });
  }
  const { body: vault } = await callers[1]('GET', `/api/v1/vaults/${id}`);
  expect(vault).toMatchObject({ documentCount: 10, totalSize: 1000 });
});

test('a server refuses what exceeds the quota of the instance a second after the other one has filled it', async () => {
  const { callers } = await startTwo({ instanceQuota: 1000 });
  const { id } = await newVault(callers[0]);
  const store = (index: 0 | 1, bytes: number) =>
    callers[index]('POST', '/api/v1/documents', { body: documentOf(id, Buffer.alloc(bytes)) });
  // Each server has read the sum. What one does not know of the other yet is too little to matter.
  for (const index of [1, 0] as const) expect((await store(index, 1)).status).toBe(201);
  expect((await store(0, 900)).status).toBe(201);
  expect((await store(0, 200)).status).toBe(400);
  const storeBeyond = async () => {
    const { status, body } = await store(1, 200);
    // Documents of its own must not fill the quota.
    if (status === 201) await callers[1]('DELETE', `/api/v1/documents/${body.id}`);
    return status;
  };
  await expect.poll(storeBeyond, { timeout: 30_000 }).toBe(400);
});

test('one server reports the health of the instance, and another one after it is closed', async () => {
  const { s3, options } = await startBucket();
  const { servers } = await startTwo(options);
  const report = async (moved: readonly TestServer[]) => {
    for (const { clock } of moved) clock.advance(30_000);
    await Promise.all(moved.map((server) => server.settled()));
    const events = await servers[1].events();
    return events.map(({ type }) => type).filter((type) => type.startsWith('instance.health'));
  };
  s3.fault = (_, response) => {
    response.writeHead(503).end();
    return true;
  };
  expect(await report(servers)).toEqual(['instance.health.degraded']);
  expect(await report(servers)).toEqual(['instance.health.degraded']);
  s3.fault = undefined;
  await servers[0].close();
  expect((await report([servers[1]])).toSorted()).toEqual([
    'instance.health.degraded',
    'instance.health.recovered',
  ]);
});

test('a receiving host gets at most as many attempts at a time from each server as its limit', async () => {
  const { callers } = await startTwo({ webhookConcurrencyPerHost: 2 });
  const running = new Set<() => void>();
  let most = 0;
  const receiver = await startReceiver((response) => {
    running.add(() => response.end());
    most = Math.max(most, running.size);
  });
  onTestFinished(() => receiver.close());
  const webhook = { events: ['vault.created'], secret: 'a secret of 32 characters or more' };
  for (let index = 0; index < 12; index += 1) {
    const url = `${receiver.url}/${index}`;
    await callers[index % 2 ? 0 : 1]('POST', '/api/v1/webhooks', { body: { ...webhook, url } });
  }
  for (const call of callers) await newVault(call);
  let before = 0;
  const respond = () => {
    const count = receiver.requests.length;
    const [end] = running;
    // One response at a time, when no more attempts begin.
    if (count === before && end) {
      running.delete(end);
      end();
    }
    before = count;
    return count;
  };
  await expect.poll(respond, { timeout: 60_000, interval: 20 }).toBe(24);
  for (const end of running) end();
  expect(most).toBeGreaterThanOrEqual(2);
  expect(most).toBeLessThanOrEqual(4);
});
