import { expect, test } from 'vitest';
import { createDiskSpace } from '../src/domain/limits/account-limits.ts';
import { dataFolder } from './support/data-folder.ts';
import { documentOf, newDocument, newKey, newVault } from './support/resources.ts';
import { startTestServer } from './support/server.ts';
import { begin } from './support/uploads.ts';

test('free disk space is read at most once a second, and only when a request stores data', () => {
  const disk = { free: 99, reads: 0, time: 0 };
  const freeBytes = () => {
    disk.reads += 1;
    return disk.free;
  };
  const { refuseGrowth } = createDiskSpace({ freeBytes, minimumBytes: 100, now: () => disk.time });
  expect(disk.reads).toBe(0);
  for (let count = 0; count < 50; count += 1) expect(refuseGrowth).toThrow(/nearly full/);
  disk.free = 100;
  disk.time = 999;
  expect(refuseGrowth).toThrow(/nearly full/);
  expect(disk.reads).toBe(1);
  disk.time = 1000;
  for (let count = 0; count < 50; count += 1) refuseGrowth();
  expect(disk.reads).toBe(2);
});

test('requests are accepted when the free disk space cannot be read', () => {
  const freeBytes = () => {
    throw new Error('EIO');
  };
  createDiskSpace({ freeBytes, minimumBytes: 100 }).refuseGrowth();
});

test('below min-free-disk creations and growth return 500, reads and deletions succeed, and GET /health/ready returns 503', async () => {
  const data = await dataFolder();
  const before = await startTestServer({ data });
  const vault = await newVault(before.developer, { description: 'long' });
  const document = await newDocument(before.developer, vault.id);
  const upload = (await begin(before.developer, vault.id, 1)).body;
  const { email, password } = await before.signUp('ada@example.com');
  const webhook = {
    url: 'https://example.com/hook',
    events: ['vault.created'],
    secret: 'a secret of the tests, 32 and more',
  };
  const own = await before.developer('POST', '/api/v1/webhooks', { body: webhook });
  const consent = await before.developer('POST', '/api/v1/consents', {
    body: { purpose: 'P', grantedTo: 'G' },
  });
  await before.close();

  const server = await startTestServer({ data, minFreeDisk: 2 ** 50 });
  const { developer, anonymous } = server;
  const full = {
    status: 500,
    body: {
      error: {
        code: 'INTERNAL_ERROR',
        message: expect.stringMatching(/^The disk of the server is nearly full/),
      },
    },
  };
  const path = `/api/v1/vaults/${vault.id}`;
  const webhookPath = `/api/v1/webhooks/${own.body.id}`;
  const consentPath = `/api/v1/consents/${consent.body.id}`;
  const revoked = await developer('PUT', consentPath, { body: { status: 'revoked' } });
  expect(revoked).toMatchObject({ status: 200, body: { status: 'revoked' } });
  const share = `/api/v1/documents/${document.id}/share`;
  for (const [method, target, body] of [
    ['POST', '/api/v1/vaults', { name: 'V' }],
    ['POST', '/api/v1/documents', documentOf(vault.id, 'x')],
    ['POST', '/api/v1/uploads', { vaultId: vault.id, sizeBytes: 1 }],
    ['PUT', `/api/v1/uploads/${upload.id}/parts/0`, Buffer.from('x')],
    ['POST', share, {}],
    ['POST', '/api/v1/consents', { purpose: 'P', grantedTo: 'G' }],
    ['POST', '/api/v1/webhooks', webhook],
    ['PUT', path, { description: 'longer' }],
    ['PUT', path, { description: 'same' }],
    ['PUT', path, { isActive: false }],
    ['PUT', '/api/v1/users/me', { name: 'Another' }],
    ['PUT', consentPath, { status: 'granted' }],
    ['POST', `${webhookPath}/test`, {}],
  ] as const) {
    expect(await developer(method, target, { body }), target).toMatchObject(full);
  }
  const account = { email: 'eve@example.com', password: 'correct horse battery', name: 'Eve' };
  expect(await anonymous('POST', '/auth/register', { body: account })).toMatchObject(full);
  const ready = await fetch(`${server.url}/health/ready`);
  expect(ready.status).toBe(503);
  expect(await ready.text()).toContain('the disk is nearly full');

  await server.signIn({ email, password });
  expect(await developer('GET', `/api/v1/documents/${document.id}`)).toMatchObject({ status: 200 });
  expect(await developer('PUT', path, { body: { description: 'l' } })).toMatchObject({
    status: 200,
  });
  const paused = { status: 200, body: { active: false } };
  expect(await developer('PUT', webhookPath, { body: { active: false } })).toMatchObject(paused);
  expect(await developer('DELETE', `/api/v1/uploads/${upload.id}`)).toMatchObject({ status: 204 });
  expect(await developer('DELETE', path)).toMatchObject({ status: 204 });
  await server.close();

  const later = await startTestServer({ data, minFreeDisk: 1 });
  expect((await fetch(`${later.url}/health/ready`)).status).toBe(200);
  await newVault(later.developer);
  await newKey(await later.signIn({ email, password }), ['vaults:read']);
});
