import { DocumentVault } from '@document-vault/sdk';
import { localStorageTokenStore } from '@document-vault/sdk/stores';
import { check } from './check.ts';
import { requestCounter } from './clients.ts';
import { control } from './control.ts';
import type { Environment } from './suite.ts';

const storeName = 'tabs';

/** Creates the client of one tab. All tabs share one token store. */
function openTab({ service }: Environment) {
  const { of, onRequest } = requestCounter();
  const session = { store: localStorageTokenStore(storeName) };
  const client = new DocumentVault({ baseUrl: service, session, onRequest });
  const callMany = async () => {
    await Promise.all(Array.from({ length: 10 }, () => client.users.me()));
    return of('/auth/refresh');
  };
  return { client, callMany };
}

/** Makes calls in this tab and returns how often it renewed the token. */
export function callAsTab(environment: Environment): Promise<number> {
  return openTab(environment).callMany();
}

/** A window that has loaded the suite, or will. */
type Tab = Window & { conformance?: { callAsTab: typeof callAsTab } };

/** Makes calls with one expired token in this page and in a second tab. Returns the number of renewals. */
export async function renewTogether(environment: Environment): Promise<number> {
  const { client, callMany } = openTab(environment);
  const { email, password } = environment.account;
  await client.auth.login({ email, password });
  const tab: Tab | null = window.open(location.href);
  check(tab !== null, 'the second tab did not open');
  while (!tab.conformance) await new Promise((resolve) => setTimeout(resolve, 10));
  await control(environment, 'advance', { ms: 3_601_000 });
  const renewals = await Promise.all([callMany(), tab.conformance.callAsTab(environment)]);
  tab.close();
  return renewals.reduce((sum, count) => sum + count);
}
