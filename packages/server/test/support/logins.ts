import { decodeJwt } from 'jose';
import { beforeEach, expect } from 'vitest';
import { refusal } from './front-door.ts';
import { ask, refusedWith } from './graphql/asking.ts';
import { type Account, type Caller, startTestServer } from './server.ts';

export const sessionsPath = '/api/v1/auth/sessions';
export const me = '/api/v1/users/me';
export const newPassword = 'a new and longer passphrase';
export const day = 24 * 60 * 60 * 1000;

/** A new session with its tokens. */
export interface Login {
  readonly id: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly call: Caller;
}

/** A server with two accounts, and helpers for their sessions. */
type Accounts = Awaited<ReturnType<typeof startWithAccounts>>;

/** Starts a server with two accounts before each test. The returned object changes with each test. */
export function accountsOfEachTest(): Accounts {
  const accounts = {} as Accounts;
  beforeEach(async () => {
    Object.assign(accounts, await startWithAccounts());
  });
  return accounts;
}

async function startWithAccounts() {
  const server = await startTestServer({ requestsPerMinute: { enterprise: 100_000 } });
  const ada = await server.signUp('ada@example.com');
  const bob = await server.signUp('bob@example.com');

  const refresh = (refreshToken: string) =>
    server.anonymous('POST', '/auth/refresh', { body: { refreshToken } });

  return {
    server,
    ada,
    bob,
    refresh,
    async login(
      { email, password }: Pick<Account, 'email' | 'password'> = ada,
      userAgent = 'test',
    ): Promise<Login> {
      const { status, body } = await server.anonymous('POST', '/auth/login', {
        body: { email, password },
        headers: { 'user-agent': userAgent },
      });
      expect(status).toBe(200);
      const { accessToken, refreshToken } = body;
      const id = String(decodeJwt(accessToken).sid);
      return { id, accessToken, refreshToken, call: server.withToken(accessToken) };
    },
    /** Requires that the next requests of a session are rejected, over REST and GraphQL. */
    async expectEnded({ call, refreshToken }: Login): Promise<void> {
      const ended = refusal('INVALID_TOKEN', {});
      const read = await call('GET', me);
      expect(read).toMatchObject(ended);
      expect(read.body.error.message).toBe('The session of this token has ended. Sign in again.');
      const body = { name: 'Key', scopes: ['vaults:read'] };
      expect(await call('POST', '/api/v1/api-keys', { body })).toMatchObject(ended);
      expect(await call('GET', sessionsPath)).toMatchObject(ended);
      expect(await ask(call, '{ me { id } }')).toMatchObject(refusedWith(401, 'INVALID_TOKEN'));
      expect(await refresh(refreshToken)).toMatchObject(refusal('INVALID_TOKEN'));
    },
  };
}

/** Requires that the next requests of a session succeed, over REST and GraphQL. */
export async function expectLive({ call }: Pick<Login, 'call'>): Promise<void> {
  expect(await call('GET', me)).toMatchObject({ status: 200 });
  expect(await ask(call, '{ me { id } }')).toMatchObject({ status: 200 });
}

/** The ids of the sessions that a caller lists, newest first. */
export async function idsOf(call: Caller): Promise<string[]> {
  return (await call('GET', sessionsPath)).body.data.map(({ id }: { id: string }) => id);
}
