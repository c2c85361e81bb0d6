import { DocumentVault, localStorageTokenStore, memoryTokenStore } from '@document-vault/sdk';
import { check, rejects, same } from '../check.ts';
import { JumpingClock, requestCounter, signedIn } from '../clients.ts';
import { control } from '../control.ts';
import { request } from '../kept.ts';
import { browserOnly, type Case, type World } from '../suite.ts';
import { renewTogether } from '../tabs.ts';

const hour = 3_600_000;
const refreshPath = '/auth/refresh';

/** Node has the name and, without a file for it, no value. */
const hasLocalStorage = () => typeof globalThis.localStorage === 'object';

async function signedInNowhere(world: World): Promise<void> {
  const session = { store: localStorageTokenStore() };
  await rejects(signedIn(world, { session }), { name: 'VaultError' });
}

const workerOnly = ({ worker }: World) =>
  worker === undefined ? 'no work ends with a request' : undefined;

export const sessionCases: readonly Case[] = [
  {
    name: 'a session logs in, calls and logs out',
    async run(world) {
      const client = await signedIn(world);
      same((await client.users.me()).email, world.account.email, 'who it is');
      await client.auth.logout();
      await rejects(client.users.me(), { name: 'AuthenticationError', code: 'MISSING_AUTH' });
    },
  },
  {
    name: 'a token that is about to expire is renewed, once for 10 calls',
    async run(world) {
      const clock = new JumpingClock();
      const { of, onRequest } = requestCounter();
      const client = await signedIn(world, { clock, onRequest });
      await client.users.me();
      same(of(refreshPath), 0, 'renewals early');
      clock.advance(hour - 20_000);
      await Promise.all(Array.from({ length: 10 }, () => client.users.me()));
      same([of(refreshPath), of('/api/v1/users/me')], [1, 11], 'renewals and calls');
    },
  },
  {
    name: '50 calls with an expired token renew it once, and are replayed',
    async run(world) {
      const { of, onRequest } = requestCounter();
      const client = await signedIn(world, { onRequest });
      await control(world, 'advance', { ms: hour + 1_000 });
      const calls = Array.from({ length: 50 }, () => client.users.me());
      same((await Promise.all(calls)).length, 50, 'answers');
      same([of(refreshPath), of('/api/v1/users/me')], [1, 100], 'renewals and calls');
    },
  },
  {
    name: 'a session that cannot be renewed ends once',
    async run(world) {
      let told = 0;
      const store = memoryTokenStore();
      const client = await signedIn(world, { session: { store, onExpired: () => told++ } });
      await control(world, 'advance', { ms: 31 * 24 * hour });
      const calls = Array.from({ length: 5 }, () =>
        rejects(client.users.me(), { name: 'SessionExpiredError' }),
      );
      await Promise.all(calls);
      same([told, await store.get()], [1, undefined], 'how often it was told, and what is stored');
    },
  },
  {
    name: 'localStorage keeps a session over clients',
    skip: () => (hasLocalStorage() ? undefined : 'no localStorage: tokens stay in memory'),
    async run(world) {
      const session = { store: localStorageTokenStore('kept') };
      await signedIn(world, { session });
      check(localStorage.getItem('kept')?.includes('accessToken') ?? false, 'nothing is stored');
      const store = localStorageTokenStore('kept');
      const again = new DocumentVault({ baseUrl: world.service, session: { store } });
      same((await again.users.me()).email, world.account.email, 'who it is');
      await again.auth.logout();
      same(localStorage.getItem('kept'), null, 'what is stored after the logout');
    },
  },
  {
    name: 'localStorage that is not there is a VaultError',
    skip: () => (hasLocalStorage() ? 'it is there' : undefined),
    run: (world) => signedInNowhere(world),
  },
  {
    name: 'two clients of one store renew one after the other, where there are locks',
    async run(world) {
      const { of, onRequest } = requestCounter();
      const session = { store: { ...memoryTokenStore(), lockName: 'shared' } };
      const first = await signedIn(world, { session, onRequest });
      const second = new DocumentVault({ baseUrl: world.service, session, onRequest });
      await control(world, 'advance', { ms: hour + 1_000 });
      await Promise.all([first.users.me(), second.users.me()]);
      const renewals = globalThis.navigator?.locks ? [1] : [1, 2];
      check(renewals.includes(of(refreshPath)), `${of(refreshPath)} renewals`);
    },
  },
  {
    name: 'two tabs renew a token once, under a lock',
    skip: browserOnly('no tabs'),
    async run(world) {
      same(await renewTogether(world), 1, 'renewals of both tabs');
    },
  },
  {
    name: 'a renewal is over when the request is that began it',
    skip: workerOnly,
    async run(world) {
      const before = await request({ world, login: 'slow-refresh' });
      const after = await request({ world, advance: hour - 20_000 });
      check(before !== after, 'the token is the old one');
    },
  },
  {
    name: 'a renewal that ended with its request is begun anew',
    skip: workerOnly,
    async run(world) {
      await request({ world, login: 'refresh-lost' });
      await control(world, 'advance', { ms: hour + 1_000 });
      await request({ world, leave: true });
      await Promise.all([request({ world }), request({ world })]);
    },
  },
];
