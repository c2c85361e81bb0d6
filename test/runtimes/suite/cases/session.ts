import { DocumentVault, memoryTokenStore } from '@document-vault/sdk';
import { localStorageTokenStore } from '@document-vault/sdk/stores';
import { check, rejects, same } from '../check.ts';
import { JumpingClock, requestCounter, signedIn } from '../clients.ts';
import { control } from '../control.ts';
import { browserOnly, type Case, type Environment } from '../suite.ts';
import { renewTogether } from '../tabs.ts';
import { requestStep } from '../worker-client.ts';

const hour = 3_600_000;
const refreshPath = '/auth/refresh';

/** Node defines `localStorage`, but it is undefined without --localstorage-file. */
const hasLocalStorage = () => typeof globalThis.localStorage === 'object';

const workerOnly = ({ worker }: Environment) =>
  worker === undefined ? 'only in workerd does work end with its request' : undefined;

export const sessionCases: readonly Case[] = [
  {
    name: 'calls after login succeed, and reject with SessionExpiredError after logout',
    async run(environment) {
      const client = await signedIn(environment);
      same((await client.users.me()).email, environment.account.email, 'email');
      await client.auth.logout();
      await rejects(client.users.me(), { name: 'SessionExpiredError', attempts: 1 });
    },
  },
  {
    name: '10 calls with a token that expires within 20 seconds renew it once',
    async run(environment) {
      const clock = new JumpingClock();
      const { of, onRequest } = requestCounter();
      const client = await signedIn(environment, { clock, onRequest });
      await client.users.me();
      same(of(refreshPath), 0, 'renewals after login');
      clock.advance(hour - 20_000);
      await Promise.all(Array.from({ length: 10 }, () => client.users.me()));
      same([of(refreshPath), of('/api/v1/users/me')], [1, 11], 'renewals and calls');
    },
  },
  {
    name: '50 calls with an expired token renew it once and are sent again',
    async run(environment) {
      const { of, onRequest } = requestCounter();
      const client = await signedIn(environment, { onRequest });
      await control(environment, 'advance', { ms: hour + 1_000 });
      const calls = Array.from({ length: 50 }, () => client.users.me());
      same((await Promise.all(calls)).length, 50, 'results');
      same([of(refreshPath), of('/api/v1/users/me')], [1, 100], 'renewals and calls');
    },
  },
  {
    name: '5 calls after the refresh token expired call onExpired once and clear the store',
    async run(environment) {
      let expirations = 0;
      const store = memoryTokenStore();
      const client = await signedIn(environment, {
        session: { store, onExpired: () => expirations++ },
      });
      await control(environment, 'advance', { ms: 31 * 24 * hour });
      const calls = Array.from({ length: 5 }, () =>
        rejects(client.users.me(), { name: 'SessionExpiredError' }),
      );
      await Promise.all(calls);
      same(
        [expirations, await store.get()],
        [1, undefined],
        'calls of onExpired and stored tokens',
      );
    },
  },
  {
    name: 'localStorageTokenStore shares a session between clients until logout',
    skip: () => (hasLocalStorage() ? undefined : 'no localStorage: tokens stay in memory'),
    async run(environment) {
      const session = { store: localStorageTokenStore('kept') };
      await signedIn(environment, { session });
      check(localStorage.getItem('kept')?.includes('accessToken') ?? false, 'no token is stored');
      const store = localStorageTokenStore('kept');
      const second = new DocumentVault({ baseUrl: environment.service, session: { store } });
      same((await second.users.me()).email, environment.account.email, 'email');
      await second.auth.logout();
      same(localStorage.getItem('kept'), null, 'stored tokens after logout');
    },
  },
  {
    name: 'login with localStorageTokenStore and without localStorage rejects with a UsageError',
    skip: () => (hasLocalStorage() ? 'localStorage exists' : undefined),
    async run(environment) {
      const session = { store: localStorageTokenStore() };
      await rejects(signedIn(environment, { session }), { name: 'UsageError' });
    },
  },
  {
    name: 'two clients with one store renew its token once, or at most twice without Web Locks',
    async run(environment) {
      const { of, onRequest } = requestCounter();
      const session = { store: { ...memoryTokenStore(), lockName: 'shared' } };
      const first = await signedIn(environment, { session, onRequest });
      const second = new DocumentVault({ baseUrl: environment.service, session, onRequest });
      await control(environment, 'advance', { ms: hour + 1_000 });
      await Promise.all([first.users.me(), second.users.me()]);
      const renewals = globalThis.navigator?.locks ? [1] : [1, 2];
      check(renewals.includes(of(refreshPath)), `${of(refreshPath)} renewals`);
    },
  },
  {
    name: 'two tabs with one store renew its token once',
    skip: browserOnly('no tabs'),
    async run(environment) {
      same(await renewTogether(environment), 1, 'renewals of both tabs');
    },
  },
  {
    name: 'a slow renewal finishes within the request to the worker that started it',
    skip: workerOnly,
    async run(environment) {
      const before = await requestStep({ environment, login: 'slow-refresh' });
      const after = await requestStep({ environment, advance: hour - 20_000 });
      check(before !== after, 'the refresh token did not change');
    },
  },
  {
    name: 'a renewal that ended with its request to the worker is started again',
    skip: workerOnly,
    async run(environment) {
      await requestStep({ environment, login: 'refresh-lost' });
      await control(environment, 'advance', { ms: hour + 1_000 });
      await requestStep({ environment, leave: true });
      await Promise.all([requestStep({ environment }), requestStep({ environment })]);
    },
  },
];
