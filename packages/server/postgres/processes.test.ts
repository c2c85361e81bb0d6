import type { ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TestClock } from '../src/lib/clock.ts';
import { createIds } from '../src/lib/ids.ts';
import { startReceiver } from '../test/support/delivery/receiver.ts';
import { startTwo } from '../test/support/postgres/two-servers.ts';
import { documentOf, newDocument, newShare, newVault } from '../test/support/resources.ts';
import type { TestServer } from '../test/support/server.ts';

const webhook = { events: ['vault.created'], secret: 'a secret of 32 characters or more' };

describe('two servers with one database', () => {
  test('servers that start together create one instance and one development account', async () => {
    const { servers, callers } = await startTwo();
    expect(new Set(servers.map(({ account }) => account?.id)).size).toBe(1);
    const lists = await Promise.all(callers.map((call) => call('GET', '/api/v1/instances')));
    for (const { body } of lists) expect(body.pagination.totalCount).toBe(1);
  });

  test('requests with one Idempotency-Key at both create one vault and get the same response', async () => {
    const { callers } = await startTwo();
    for (let round = 0; round < 10; round += 1) {
      const request = {
        body: { name: `Vault ${round}` },
        headers: { 'idempotency-key': `key-${round}` },
      };
      const replies = await Promise.all(
        callers.map((call) => call('POST', '/api/v1/vaults', request)),
      );
      expect(replies.map(({ status }) => status)).toEqual([201, 201]);
      expect(replies[0]?.body).toEqual(replies[1]?.body);
      const replayed = replies.filter(({ headers }) => headers.get('idempotency-replayed'));
      expect(replayed).toHaveLength(1);
    }
    const { body } = await callers[0]('GET', '/api/v1/vaults');
    expect(body.pagination.totalCount).toBe(10);
  });

  test('a share with a limit of 20 opens 20 times, however the accesses are spread', async () => {
    const { servers, callers } = await startTwo();
    const { id } = await newDocument(callers[0], (await newVault(callers[0])).id, 'x');
    const share = await newShare(callers[0], id, { access: 'anyone', maxAccessCount: 20 });
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 ? servers[0] : servers[1]).anonymous('GET', `/shares/${share.shareToken}`),
      ),
    );
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 404)).toHaveLength(20);
  });

  test('an id that a document and an upload want at the same time at both is used once', async () => {
    const { servers } = await startTwo();
    const { call: ada } = await servers[0].signUp('ada@example.com');
    const { call: bob } = await servers[1].signUp('bob@example.com');
    const [ofAda, ofBob] = [await newVault(ada), await newVault(bob)];
    const ids = createIds(new TestClock());
    for (let round = 0; round < 20; round += 1) {
      const id = ids.resource();
      const replies = await Promise.all([
        ada('POST', '/api/v1/documents', { body: { ...documentOf(ofAda.id, 'x'), id } }),
        bob('POST', '/api/v1/uploads', { body: { vaultId: ofBob.id, sizeBytes: 1, id } }),
      ]);
      expect(replies.map(({ status }) => status).sort()).toEqual([201, 400]);
      const rejected = replies.find(({ status }) => status === 400);
      expect(rejected?.body.error.details).toMatchObject({ field: 'id', constraint: 'unique' });
      // At most 20 uploads are open at a time.
      await bob('DELETE', `/api/v1/uploads/${id}`);
    }
  });

  test('a key that one server has revoked is rejected by the other at once', async () => {
    const { servers } = await startTwo();
    const { email, password } = servers[0].account ?? expect.fail();
    const signedIn = await servers[0].signIn({ email, password });
    const created = await signedIn('POST', '/api/v1/api-keys', {
      body: { name: 'Other', scopes: ['vaults:read'] },
    });
    const other = servers[1].withKey(created.body.key);
    expect(await other('GET', '/api/v1/vaults')).toMatchObject({ status: 200 });
    await signedIn('DELETE', `/api/v1/api-keys/${created.body.keyId}`);
    expect(await other('GET', '/api/v1/vaults')).toMatchObject({
      status: 401,
      body: { error: { code: 'INVALID_API_KEY' } },
    });
  });

  test('concurrent changes of one vault at both keep its counters right', async () => {
    const { callers } = await startTwo();
    const vault = await newVault(callers[0]);
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        newDocument(callers[index % 2 ? 0 : 1] ?? expect.fail(), vault.id, 'four'),
      ),
    );
    const { body } = await callers[1]('GET', `/api/v1/vaults/${vault.id}`);
    expect(body).toMatchObject({ documentCount: 20, totalSize: 80 });
  });

  test('each event is delivered once, also when the server that delivers is closed', async () => {
    const { servers, callers } = await startTwo();
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    await callers[0]('POST', '/api/v1/webhooks', { body: { ...webhook, url: receiver.url } });
    const settled = () => Promise.all(servers.map((server) => server.settled()));
    const deliveries = () =>
      receiver.requests.map((request) => request.headers['x-service-event-id']);
    await Promise.all(callers.map((call) => newVault(call)));
    await expect.poll(() => settled().then(deliveries), { timeout: 20_000 }).toHaveLength(2);
    expect(new Set(deliveries()).size).toBe(2);
    await servers[0].close();
    await newVault(callers[1]);
    await expect.poll(deliveries, { timeout: 20_000 }).toHaveLength(3);
    expect(new Set(deliveries()).size).toBe(3);
  });

  test('a webhook gets as many attempts at a time as one server makes', async () => {
    const { servers, callers } = await startTwo({ webhookConcurrencyPerWebhook: 2 });
    const waiting: ServerResponse[] = [];
    const receivers = [
      await startReceiver((response) => void waiting.push(response)),
      await startReceiver(),
    ];
    onTestFinished(() => Promise.all(receivers.map((receiver) => receiver.close())).then(() => {}));
    for (const { url } of receivers) {
      await callers[0]('POST', '/api/v1/webhooks', { body: { ...webhook, url } });
    }
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(callers.map((call) => newVault(call)));
      await Promise.all(servers.map(({ clock }) => clock.advance(5_000)));
    }
    // The other webhook goes on meanwhile.
    await expect.poll(() => receivers[1]?.requests.length, { timeout: 20_000 }).toBe(10);
    expect(waiting).toHaveLength(2);
    const respond = () => {
      for (const response of waiting.splice(0)) response.end();
      return receivers[0]?.requests.length;
    };
    await expect.poll(respond, { timeout: 20_000 }).toBe(10);
  });

  test.each([
    ['is retried again', {}],
    ['has failed for good', { webhookRetryDelays: [] }],
  ])(
    'a delivery that %s gets the attempt that was requested at the other server meanwhile',
    async (_, options) => {
      const { servers, callers } = await startTwo(options);
      const waiting: ServerResponse[] = [];
      const receiver = await startReceiver((response) => void waiting.push(response));
      onTestFinished(() => receiver.close());
      const { body } = await callers[0]('POST', '/api/v1/webhooks', {
        body: { ...webhook, url: receiver.url },
      });
      await newVault(callers[0]);
      await expect.poll(() => waiting.length, { timeout: 20_000 }).toBe(1);
      const list = `/api/v1/webhooks/${body.id}/deliveries`;
      const [delivery] = (await callers[0]('GET', list)).body.data;
      const retries = await Promise.all(
        callers.map((call) => call('POST', `${list}/${delivery.id}/retry`)),
      );
      // The server that delivers refuses. The other one does not know of the attempt.
      expect(retries.map(({ status }) => status).sort()).toEqual([200, 400]);
      waiting[0]?.writeHead(500).end();
      await expect.poll(() => waiting.length, { timeout: 20_000 }).toBe(2);
      waiting[1]?.end();
      const state = async () => (await callers[0]('GET', `${list}/${delivery.id}`)).body;
      await expect
        .poll(state, { timeout: 20_000 })
        .toMatchObject({ status: 'succeeded', attemptNumber: 2 });
      const { attempts } = await state();
      expect(attempts.map(({ manual }: { manual: boolean }) => manual)).toEqual([false, true]);
      await Promise.all(servers.map((server) => server.settled()));
      expect(receiver.requests).toHaveLength(2);
    },
  );

  test('a delivery that another server queued starts at once, without a look at the clock', async () => {
    // The test clocks stand still, so that no server looks by itself.
    const { servers, callers } = await startTwo();
    await Promise.all(servers.map((server) => server.settled()));
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    await callers[0]('POST', '/api/v1/webhooks', { body: { ...webhook, url: receiver.url } });
    for (const call of callers) await newVault(call);
    await expect.poll(() => receiver.requests.length, { timeout: 20_000 }).toBe(2);
  });

  test('one server sweeps, and another one after it is closed', async () => {
    const { servers, callers } = await startTwo();
    const { id } = await newDocument(callers[0], (await newVault(callers[0])).id, 'x');
    const settle = async (moved: readonly TestServer[]) => {
      for (const { clock } of moved) clock.advance(60 * 60 * 1000);
      await Promise.all(moved.map((server) => server.settled()));
    };
    const expiries = async () =>
      (await servers[1].events()).filter(({ type }) => type === 'document.share.expired').length;
    const share = () =>
      newShare(callers[1], id, {
        expiresAt: new Date(servers[1].clock.now() + 1000).toISOString(),
      });
    await share();
    await settle(servers);
    expect(await expiries()).toBe(1);
    await share();
    await servers[0].close();
    await settle([servers[1]]);
    expect(await expiries()).toBe(2);
  });
});
