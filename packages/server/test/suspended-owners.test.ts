import { expect, test } from 'vitest';
import { startWithAdministrator } from './support/administrator.ts';
import { command } from './support/command-line.ts';
import { dataFolder } from './support/data-folder.ts';
import { comparable } from './support/front-door.ts';
import { newDocument, newShare, newVault } from './support/resources.ts';
import { startTestServer, type TestServer } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

// Effects of a suspension on shares and webhooks of the account. The operator suspends it while the server is
// stopped.

const ada = 'ada@example.com';
const hour = 60 * 60 * 1000;
const missing = { status: 404, body: { error: { code: 'NOT_FOUND' } } };

/** Closes a server, runs a command on its data folder and starts it again at the same address. */
async function afterCommand(server: TestServer, data: string, argv: readonly string[]) {
  const port = Number(new URL(server.url).port);
  await server.close();
  expect(await command([...argv, '--data', data])).toMatchObject({ code: 0, err: '' });
  return startTestServer({ data, port, clock: server.clock });
}

test('GET /shares/{token} of a suspended owner returns 404, counts nothing and opens after resuming', async () => {
  const data = await dataFolder();
  let server = await startTestServer({ data });
  const { call } = await server.signUp(ada);
  const vault = await newVault(call);
  const document = await newDocument(call, vault.id);
  const shares = [
    await newShare(call, document.id, { access: 'anyone', maxAccessCount: 2 }),
    await newShare(call, document.id, { access: 'authenticated', maxAccessCount: 2 }),
  ];
  server = await afterCommand(server, data, ['user', 'suspend', ada]);
  for (const { shareToken } of shares) {
    for (const caller of [server.anonymous, server.developer]) {
      const refused = await caller('GET', `/shares/${shareToken}`);
      const unknown = await caller('GET', `/shares/${'A'.repeat(43)}`);
      expect(refused).toMatchObject(missing);
      expect(comparable(refused)).toEqual(comparable(unknown));
    }
  }
  const types = (await server.events()).map(({ type }) => type);
  expect(types).not.toContain('document.share.accessed');

  server = await afterCommand(server, data, ['user', 'resume', ada]);
  for (const { shareToken } of shares) {
    const opened = await server.developer('GET', `/shares/${shareToken}`);
    expect(opened).toMatchObject({ status: 200 });
  }
  const owner = await server.signIn({ email: ada, password: 'correct horse battery staple' });
  const { body } = await owner('GET', `/api/v1/documents/${document.id}/shares`);
  expect(body.data.map(({ accessCount }: { accessCount: number }) => accessCount)).toEqual([1, 1]);
});

test('GET /contents/{ticket} of a suspended owner returns 404, and the content after resuming', async () => {
  const data = await dataFolder();
  let server = await startTestServer({ data });
  const { call } = await server.signUp(ada);
  const vault = await newVault(call);
  const document = await newDocument(call, vault.id, 'ciphertext');
  const { shareToken } = await newShare(call, document.id, { access: 'anyone' });
  const { contentUrl } = (await server.anonymous('GET', `/shares/${shareToken}`)).body;
  expect((await server.anonymous('GET', contentUrl)).status).toBe(200);

  server = await afterCommand(server, data, ['user', 'suspend', ada]);
  for (const caller of [server.anonymous, server.developer]) {
    expect(await caller('GET', contentUrl)).toMatchObject(missing);
  }
  server = await afterCommand(server, data, ['user', 'resume', ada]);
  const resumed = await server.anonymous('GET', contentUrl);
  expect(resumed).toMatchObject({ status: 200, body: Buffer.from('ciphertext') });
});

test('webhooks of a suspended account keep their queue without attempts, and deliver after resuming', async () => {
  let server: TestServer & { readonly data: string } = await startWithAdministrator();
  const { data, adminAccount, admin } = server as Awaited<
    ReturnType<typeof startWithAdministrator>
  >;
  const { call } = await server.signUp(ada);
  const refuse = { isDown: true };
  const owners = await listen({
    server,
    call,
    events: ['vault.created', 'document.share.expired'],
    reply: (response) => response.writeHead(refuse.isDown ? 500 : 200).end(),
  });
  const others = await listen({ server, call: admin, events: ['document.share.expired'] });
  const vault = await newVault(call);
  const document = await newDocument(call, vault.id);
  const share = await newShare(call, document.id, {
    expiresAt: new Date(server.clock.now() + hour).toISOString(),
  });
  await server.settled();
  expect(owners.requests, 'the first attempt fails and a retry waits').toHaveLength(1);

  const restart = async (...argv: string[]) => {
    server = { ...(await afterCommand(server, data, ['user', ...argv, ada])), data };
  };
  await restart('suspend');
  owners.requests.length = 0;
  refuse.isDown = false;
  // The retry falls due, and the share expires.
  for (let step = 0; step < 4; step += 1) {
    server.clock.advance(hour);
    await server.settled();
  }
  expect(owners.requests).toEqual([]);
  expect(others.requests).toHaveLength(1);
  const expired = (await server.events()).filter(({ type }) => type === 'document.share.expired');
  expect(expired).toHaveLength(1);
  const open = (await server.deliveries()).filter(({ webhookId }) => webhookId === owners.id);
  expect(
    open.map(({ eventType, status, attemptNumber }) => [eventType, status, attemptNumber]),
  ).toEqual([
    ['vault.created', 'retrying', 1],
    ['document.share.expired', 'pending', 0],
  ]);
  const administrator = await server.signIn(adminAccount);
  const health = await administrator(
    'GET',
    `/api/v1/instances/${(await administrator('GET', '/api/v1/users/me')).body.instanceId}/health`,
  );
  expect(health.body.status, 'a paused queue is no backlog').toBe('healthy');

  await restart('resume');
  await server.settled();
  const types = owners.requests.map(({ headers }) => headers['x-service-event-type']);
  expect(types.toSorted()).toEqual(['document.share.expired', 'vault.created']);
  const after = (await server.deliveries()).filter(({ webhookId }) => webhookId === owners.id);
  expect(after.every(({ status }) => status === 'succeeded')).toBe(true);
  expect(share.isActive).toBe(true);
});
