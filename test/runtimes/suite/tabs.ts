import { DocumentVault, localStorageTokenStore } from '@document-vault/sdk';
import { check } from './check.ts';
import { requestCounter } from './clients.ts';
import { control } from './control.ts';
import type { World } from './suite.ts';

const storeName = 'tabs';

/** One tab: a client on the store that all tabs share. */
function openTab({ service }: World) {
  const { of, onRequest } = requestCounter();
  const session = { store: localStorageTokenStore(storeName) };
  const client = new DocumentVault({ baseUrl: service, session, onRequest });
  const callMany = async () => {
    await Promise.all(Array.from({ length: 10 }, () => client.users.me()));
    return of('/auth/refresh');
  };
  return { client, callMany };
}

/** Calls as a tab of its own, and answers how often that renewed the token. */
export function callAsTab(world: World): Promise<number> {
  return openTab(world).callMany();
}

/** A window in which the suite is loaded too. */
type Tab = Window & { conformance?: { callAsTab: typeof callAsTab } };

/** Lets this page and a second tab meet the same expired token, and counts their renewals. */
export async function renewTogether(world: World): Promise<number> {
  const { client, callMany } = openTab(world);
  const { email, password } = world.account;
  await client.auth.login({ email, password });
  const tab: Tab | null = window.open(location.href);
  check(tab !== null, 'no second tab');
  while (!tab.conformance) await new Promise((resolve) => setTimeout(resolve, 10));
  await control(world, 'advance', { ms: 3_601_000 });
  const renewals = await Promise.all([callMany(), tab.conformance.callAsTab(world)]);
  tab.close();
  return renewals.reduce((sum, count) => sum + count);
}
