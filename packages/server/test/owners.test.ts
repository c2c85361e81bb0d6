import { expect, test } from 'vitest';
import { startWithAdministrator } from './support/administrator.ts';
import { refusal } from './support/front-door.ts';
import { ask } from './support/graphql/asking.ts';
import { newDocument, newKey, newShare, newVault } from './support/resources.ts';
import type { Caller } from './support/server.ts';
import { listen, secret } from './support/webhook-events.ts';

// What an administrator cannot do for another account, because its effect would last after the role has ended.

const denied = refusal('INSUFFICIENT_PERMISSIONS');
const day = 24 * 60 * 60_000;

async function start() {
  const server = await startWithAdministrator();
  const owner = await server.signUp('owner@example.com');
  const { key } = await newKey(server.admin, ['admin:*']);
  return { ...server, owner: owner.call, admins: [server.admin, server.withKey(key)] };
}

async function expectDenied(call: Caller, mutation: string) {
  const { body } = await ask(call, mutation);
  expect(body.errors, mutation).toMatchObject([
    { extensions: { code: 'INSUFFICIENT_PERMISSIONS' } },
  ]);
}

test('an administrator pauses and deletes the webhook of another account, and changes nothing else of it', async () => {
  const { owner, admins, ...server } = await start();
  const headers = { Authorization: 'Bearer of the receiver' };
  const events = ['vault.created'];
  const webhook = await listen({ server, call: owner, events, fields: { headers } });
  const before = (await owner('GET', webhook.path)).body;
  expect(before.headers).toEqual(headers);
  for (const call of admins) {
    const changes = [
      { url: 'http://127.0.0.1:9/mine' },
      { events: ['user.login'] },
      { secret: `another ${secret}` },
      { headers: {} },
      { accounts: 'all' },
      { description: 'Mine' },
      { metadata: { mine: true } },
      { active: false, url: 'http://127.0.0.1:9/mine' },
    ];
    for (const body of changes) {
      expect(await call('PUT', webhook.path, { body }), Object.keys(body).join()).toMatchObject(
        denied,
      );
    }
    const input = 'input: { url: "http://127.0.0.1:9/mine" }';
    await expectDenied(call, `mutation { updateWebhook(id: "${webhook.id}", ${input}) { id } }`);
    expect((await call('GET', webhook.path)).body.headers).toEqual({ Authorization: '***' });
    expect(await call('POST', `${webhook.path}/secret`)).toMatchObject(denied);
    const pause = (active: boolean) => call('PUT', webhook.path, { body: { active } });
    expect(await pause(false)).toMatchObject({ status: 200, body: { active: false } });
    expect(await pause(true)).toMatchObject({ status: 200, body: { active: true } });
  }
  const { updatedAt: _, stats: __, ...unchanged } = before;
  expect((await owner('GET', webhook.path)).body).toMatchObject(unchanged);
  await newVault(owner);
  expect(await webhook.events()).toHaveLength(1);
  expect((await server.admin('DELETE', webhook.path)).status).toBe(204);
  expect((await owner('GET', webhook.path)).status).toBe(404);
});

test('an administrator revokes the shares of another account’s document, and creates none', async () => {
  const { owner, admins, admin, anonymous } = await start();
  const vault = await newVault(owner);
  const document = await newDocument(owner, vault.id);
  const path = `/api/v1/documents/${document.id}`;
  const share = await newShare(owner, document.id, { access: 'anyone' });
  for (const call of admins) {
    expect(await call('POST', `${path}/share`, { body: {} })).toMatchObject(denied);
    const shareDocument = `shareDocument(documentId: "${document.id}") { id }`;
    await expectDenied(call, `mutation { ${shareDocument} }`);
  }
  const listed = await owner('GET', `${path}/shares`);
  expect(listed.body.data).toMatchObject([{ id: share.id, isActive: true }]);
  expect((await admin('DELETE', `${path}/shares/${share.id}`)).status).toBe(204);
  expect((await anonymous('GET', `/shares/${share.shareToken}`)).status).toBe(404);
});

test('an administrator revokes the consent of another account, and does not renew it', async () => {
  const { owner, admins, admin, clock } = await start();
  const end = (days: number) => new Date(clock.now() + days * day).toISOString();
  const body = { purpose: 'Research', grantedTo: 'A clinic', expiresAt: end(1) };
  const { body: consent } = await owner('POST', '/api/v1/consents', { body });
  const path = `/api/v1/consents/${consent.id}`;
  for (const call of admins) {
    expect(await call('PUT', path, { body: { expiresAt: end(2) } })).toMatchObject(denied);
  }
  const revoked = await admin('PUT', path, { body: { status: 'revoked', reason: 'Ended' } });
  expect(revoked).toMatchObject({ status: 200, body: { status: 'revoked' } });
  for (const call of admins) {
    expect(await call('PUT', path, { body: { status: 'granted' } })).toMatchObject(denied);
    const input = 'input: { status: granted }';
    await expectDenied(call, `mutation { updateConsent(id: "${consent.id}", ${input}) { id } }`);
  }
  const renewed = await owner('PUT', path, { body: { status: 'granted' } });
  expect(renewed).toMatchObject({ status: 200, body: { status: 'granted' } });
});
