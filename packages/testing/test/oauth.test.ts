import { DocumentVault, memoryTokenStore, type Tokens } from '@document-vault/sdk';
import { oauthSession } from '@document-vault/sdk/oauth';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { rejection } from '../../sdk/test/support/client.ts';
import { useTestVault } from './support/kit.ts';

const { service, clock } = useTestVault();

const onExpired = vi.fn();
let store: ReturnType<typeof memoryTokenStore>;
let client: DocumentVault;

beforeEach(async () => {
  const { baseUrl, account } = service;
  const { email, password } = account;
  store = memoryTokenStore();
  onExpired.mockClear();
  await new DocumentVault({ baseUrl, clock, session: { store } }).auth.login({ email, password });
  const session = oauthSession({ clientId: 'app', store, onExpired });
  client = new DocumentVault({ baseUrl, clock, session });
});

const pathsSent = () => service.requests.map(({ url }) => new URL(url).pathname);

describe('an app in the test vault', () => {
  test('refreshes an expired token at /oauth/token, with a new refresh token', async () => {
    const before = store.get() as Tokens;
    service.fault('expireTokens');
    expect((await client.users.me()).id).toBe(service.account.id);
    const me = '/api/v1/users/me';
    expect(pathsSent()).toEqual(['/auth/login', me, '/oauth/token', me]);
    expect((store.get() as Tokens).refreshToken).not.toBe(before.refreshToken);
    expect(onExpired).not.toHaveBeenCalled();
  });

  test('refreshes by the clock of the test vault', async () => {
    service.clock.advance(3_600_000);
    clock.advance(3_600_000);
    await client.users.me();
    expect(pathsSent()).toContain('/oauth/token');
    expect(pathsSent()).not.toContain('/auth/refresh');
  });

  test('ends its session when the refresh fails, and calls onExpired once', async () => {
    service.fault('expireTokens', { refresh: 'fails' });
    expect(await rejection(client.users.me())).toMatchObject({ name: 'SessionExpiredError' });
    expect(onExpired).toHaveBeenCalledTimes(1);
    expect(store.get()).toBeUndefined();
  });

  test('revokes its tokens by logout', async () => {
    const { accessToken } = store.get() as Tokens;
    await client.auth.logout();
    expect(pathsSent()).toContain('/oauth/revoke');
    const authorization = `Bearer ${accessToken}`;
    const reply = await fetch(`${service.baseUrl}/api/v1/users/me`, { headers: { authorization } });
    expect(reply.status).toBe(401);
  });

  test('loses its access by a new password with revokeApiKeys', async () => {
    const { baseUrl, account } = service;
    const owner = new DocumentVault({ baseUrl, clock, apiKey: account.apiKey });
    const password = 'another password';
    await owner.users.updateMe({
      password,
      currentPassword: account.password,
      revokeApiKeys: true,
    });
    expect(await rejection(client.users.me())).toMatchObject({ name: 'SessionExpiredError' });
    expect(pathsSent()).toContain('/oauth/token');
    expect(store.get()).toBeUndefined();
  });

  test('gets unsupported_grant_type for grants that need the pages of the service', async () => {
    const body = new URLSearchParams({ grant_type: 'authorization_code', code: 'a' });
    const reply = await fetch(`${service.baseUrl}/oauth/token`, { method: 'POST', body });
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ error: 'unsupported_grant_type' });
    expect(service.requests.at(-1)).toMatchObject({
      operation: undefined,
      method: 'POST',
      body: 'grant_type=authorization_code&code=a',
    });
    expect((await fetch(`${service.baseUrl}/oauth/authorize`)).status).toBe(404);
  });
});
