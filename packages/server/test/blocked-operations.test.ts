import { expect, test } from 'vitest';
import { startWithAdministrator } from './support/administrator.ts';
import { everyRow } from './support/data-folder.ts';
import { everyRequest } from './support/every-request.ts';
import { expectEveryHeader, refusal } from './support/front-door.ts';
import { createResources } from './support/owned-resources.ts';
import { newKey } from './support/resources.ts';
import { startTestServer } from './support/server.ts';

// Generated from the contract: every operation from a blocked address and from its neighbour.

const blocked = { 'x-forwarded-for': '203.0.113.7' };
const neighbour = { 'x-forwarded-for': '203.0.113.8' };
const options = {
  requestsPerMinute: { enterprise: 100_000 },
  trustedProxies: ['127.0.0.1'],
  blockedAddresses: ['203.0.113.7/32'],
};

/** Paths outside the contract, existing and unknown. */
const otherPaths = ['/', '/api/v1/nothing', '/docs', '/metrics', '/health/live'];

/** Starts a server with one of each resource, and callers with different credentials. */
async function start() {
  const first = await startWithAdministrator(options);
  const { admin, data, instanceId, clock } = first;
  const resources = await createResources(first, admin);
  const { key } = await newKey(admin, ['admin:*']);
  await first.close();
  const before = everyRow(data);
  const server = await startTestServer({ ...options, data, clock });
  return {
    ...server,
    data,
    before,
    requests: everyRequest(resources, instanceId),
    callers: [server.anonymous, server.withKey(key), server.withKey('rubbish')],
  };
}

test('every request from a blocked address returns IP_BLOCKED and changes no row', async () => {
  const { requests, callers, close, data, before } = await start();
  for (const { name, send } of requests) {
    for (const call of callers) {
      const reply = await send(call, blocked);
      expect(reply, name).toMatchObject(refusal('IP_BLOCKED', {}));
      expectEveryHeader(reply);
    }
  }
  for (const path of otherPaths) {
    for (const call of callers) {
      for (const method of ['GET', 'POST', 'PATCH', 'OPTIONS']) {
        const reply = await call(method, path, { headers: blocked });
        expect(reply, `${method} ${path}`).toMatchObject(refusal('IP_BLOCKED', {}));
      }
    }
  }
  // With the errors of RFC 6749.
  for (const call of callers) {
    const reply = await call('POST', '/oauth/token', { headers: blocked });
    expect(reply).toMatchObject({ status: 403, body: { error: 'access_denied' } });
  }
  await close();
  expect(everyRow(data)).toEqual(before);
});

test('no request from the address next to a blocked one returns IP_BLOCKED', async () => {
  const { requests, callers } = await start();
  for (const { name, send } of requests) {
    for (const call of callers) {
      const reply = await send(call, neighbour);
      expect(reply.body?.error?.code, name).not.toBe('IP_BLOCKED');
    }
  }
});
