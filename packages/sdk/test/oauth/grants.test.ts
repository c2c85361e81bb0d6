import { type Clock, DocumentVault, type Tokens } from '@document-vault/sdk';
import {
  authorizeOwner,
  beginDeviceAuthorization,
  finishDeviceAuthorization,
  oauthSession,
} from '@document-vault/sdk/oauth';
import { describe, expect, test, vi } from 'vitest';
import { approveDevice, Browser } from '../../../../test/form-browser.ts';
import { rejection } from '../support/client.ts';
import { clientSecret, startApp } from '../support/oauth.ts';
import { hour } from '../support/session.ts';

const scopes = ['vaults:read'] as const;

/** A clock that runs a step in each sleep. */
function stepping(server: { clock: { now(): number; advance(ms: number): void } }) {
  const slept: number[] = [];
  const steps: (() => unknown)[] = [];
  const clock: Clock = {
    now: () => server.clock.now(),
    async sleep(ms) {
      slept.push(ms / 1_000);
      server.clock.advance(ms);
      await steps[slept.length - 1]?.();
    },
  };
  return { clock, slept, steps };
}

/** A device that shows its code to a user. */
async function startDevice() {
  const app = await startApp();
  const { clock, slept, steps } = stepping(app.server);
  const client = app.open({ clock });
  const device = await beginDeviceAuthorization(client, { scopes });
  const decide = (decision: 'agree' | 'refuse') => () =>
    approveDevice(new Browser(app.server), device, app.user, decision);
  return { ...app, client, device, slept, steps, decide };
}

describe('guarantee 20, OAuth: a sign-in on a device', () => {
  test('beginDeviceAuthorization returns the code and the page for the user', async () => {
    const { device, server, sent } = await startDevice();
    expect(device).toEqual({
      userCode: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
      verificationUri: `${server.url}/oauth/activate`,
      verificationUriComplete: expect.stringContaining(device.userCode),
      expiresIn: 600,
      interval: 5,
      deviceCode: expect.any(String),
    });
    expect(sent).toEqual(['POST /oauth/device']);
  });

  test('finishDeviceAuthorization polls until the user agrees, then signs the client in', async () => {
    const { client, device, slept, steps, decide } = await startDevice();
    steps[2] = decide('agree');
    expect(await finishDeviceAuthorization(client, device)).toEqual({ scopes: [...scopes] });
    expect(slept).toEqual([5, 5, 5]);
    expect((await client.vaults.list()).data).toEqual([]);
  });

  test('slow_down adds 5 seconds to the interval for good', async () => {
    const { open, server, device, user } = await startDevice();
    const { clock, slept, steps } = stepping(server);
    let polls = 0;
    const client = open({
      clock,
      fetch: async (url, init) =>
        url.endsWith('/oauth/token') && ++polls === 2
          ? Response.json({ error: 'slow_down' }, { status: 400 })
          : fetch(url, init),
    });
    steps[3] = () => approveDevice(new Browser(server), device, user);
    await finishDeviceAuthorization(client, device);
    expect(slept).toEqual([5, 5, 10, 10]);
  });

  test('a user who refuses gives an OAuthError with the code access_denied', async () => {
    const { client, device, steps, decide, store } = await startDevice();
    steps[1] = decide('refuse');
    const error = await rejection(finishDeviceAuthorization(client, device));
    expect(error).toMatchObject({ name: 'OAuthError', code: 'access_denied' });
    expect(store.get()).toBeUndefined();
  });

  test('a code that no user enters ends with expired_token after 10 minutes', async () => {
    const { client, device, slept } = await startDevice();
    const error = await rejection(finishDeviceAuthorization(client, device));
    expect(error).toMatchObject({ name: 'OAuthError', code: 'expired_token' });
    expect(slept.reduce((sum, seconds) => sum + seconds)).toBe(600);
  });

  test('an aborted signal ends the wait with an AbortError and sends no further request', async () => {
    const { client, device, steps, sent } = await startDevice();
    const abort = new AbortController();
    steps[1] = () => abort.abort();
    sent.length = 0;
    const { signal } = abort;
    const error = await rejection(finishDeviceAuthorization(client, device, { signal }));
    expect(error).toMatchObject({ name: 'AbortError' });
    expect(sent).toEqual(['POST /oauth/token']);
  });

  test('an abort during the wait of the system clock, or before it, ends the sign-in at once', async () => {
    const { open, device, sent } = await startDevice();
    const client = open({ clock: undefined });
    sent.length = 0;
    const startedAt = Date.now();
    for (const signal of [AbortSignal.abort(), AbortSignal.timeout(10)]) {
      const error = await rejection(finishDeviceAuthorization(client, device, { signal }));
      expect(error).toMatchObject({ name: 'AbortError' });
    }
    expect(Date.now() - startedAt).toBeLessThan(device.interval * 1_000);
    expect(sent).toEqual([]);
  });

  test('totalTimeout ends the sign-in with a TimeoutError and sends no further request', async () => {
    const { open, device, sent } = await startDevice();
    sent.length = 0;
    const signingIn = finishDeviceAuthorization(open({ clock: undefined }), device, {
      totalTimeout: 10,
    });
    expect(await rejection(signingIn)).toMatchObject({ name: 'TimeoutError' });
    expect(sent).toEqual([]);
  });

  test('polls leave no listener at the signal', async () => {
    const { client, device, steps, decide } = await startDevice();
    const { signal } = new AbortController();
    const adds = vi.spyOn(signal, 'addEventListener');
    const removes = vi.spyOn(signal, 'removeEventListener');
    steps[20] = decide('agree');
    await finishDeviceAuthorization(client, device, { signal });
    const gone = removes.mock.calls.map(([, listener]) => listener);
    expect(adds.mock.calls.filter(([, listener]) => !gone.includes(listener))).toEqual([]);
  });

  test('a client without the device grant gets an OAuthError with the code unauthorized_client', async () => {
    const { client } = await startApp({ registered: { grantTypes: ['authorization_code'] } });
    const error = await rejection(beginDeviceAuthorization(client, { scopes }));
    expect(error).toMatchObject({ name: 'OAuthError', code: 'unauthorized_client' });
  });
});

describe('guarantee 20, OAuth: access for the owner of a client', () => {
  test('authorizeOwner signs in as the owner, and requests new tokens when they expire', async () => {
    const { client, server, store, sent, onExpired } = await startApp();
    const asked = ['vaults:read', 'users:read'] as const;
    expect(await authorizeOwner(client, { scopes: asked })).toEqual({ scopes: [...asked] });
    expect(await client.users.me()).toMatchObject({ email: 'owner@example.com' });
    const first = store.get() as Tokens;
    server.clock.advance(hour);
    expect(await client.users.me()).toMatchObject({ email: 'owner@example.com' });
    expect((store.get() as Tokens).accessToken).not.toBe(first.accessToken);
    expect(sent.filter((request) => request === 'POST /oauth/token')).toHaveLength(2);
    expect(onExpired).not.toHaveBeenCalled();
  });

  test('logout revokes the token', async () => {
    const { client, server, store } = await startApp();
    await authorizeOwner(client, { scopes });
    const { accessToken } = store.get() as Tokens;
    await client.auth.logout();
    expect((await server.withToken(accessToken)('GET', '/api/v1/vaults')).status).toBe(401);
  });

  test('a scope that the client does not have gives invalid_scope', async () => {
    const { client } = await startApp();
    const error = await rejection(authorizeOwner(client, { scopes: ['documents:write'] }));
    expect(error).toMatchObject({ name: 'OAuthError', code: 'invalid_scope' });
  });

  test('stored tokens that expired need authorizeOwner again', async () => {
    const { client, clientId, server, store, open } = await startApp();
    await authorizeOwner(client, { scopes });
    const restarted = open({ session: oauthSession({ clientId, clientSecret, store }) });
    await restarted.vaults.list();
    server.clock.advance(hour);
    const error = await rejection(restarted.vaults.list());
    expect(error).toMatchObject({ name: 'SessionExpiredError' });
    await authorizeOwner(restarted, { scopes });
    expect((await restarted.vaults.list()).data).toEqual([]);
  });

  test('authorizeOwner of a client with an API key rejects with a UsageError', async () => {
    const apiKey = `service_sk_${'a'.repeat(40)}`;
    const client = new DocumentVault({ baseUrl: 'https://vault.example.com', apiKey });
    const error = await rejection(authorizeOwner(client, { scopes }));
    expect(error).toMatchObject({ name: 'UsageError' });
  });
});
