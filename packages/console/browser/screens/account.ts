import { DocumentVault } from '@document-vault/sdk';
import { createOAuthClients } from '@document-vault/sdk/oauth-clients';
import type { TestConsole } from '../support/console.ts';
import type { Screen } from '../support/screens.ts';

/** Signs in: the key of the development account may not create credentials. */
export async function signedIn({ server }: TestConsole): Promise<DocumentVault> {
  const client = new DocumentVault({ baseUrl: server.url, session: {} });
  await client.auth.login({
    email: server.account?.email ?? '',
    password: server.account?.password ?? '',
  });
  return client;
}

async function seedKeys(console: TestConsole): Promise<void> {
  const client = await signedIn(console);
  await client.apiKeys.create({ name: 'Backup job', scopes: ['documents:read', 'vaults:read'] });
  await client.apiKeys.create({
    name: 'A-name-that-has-no-space-and-is-longer-than-the-column-'.padEnd(118, 'x'),
    scopes: ['vaults:read', 'vaults:write', 'documents:read', 'documents:write'],
    expiresAt: new Date(Date.now() + 9e9).toISOString(),
  });
}

async function seedClients(console: TestConsole): Promise<void> {
  const clients = createOAuthClients(await signedIn(console));
  await clients.create({
    name: 'An app with a name that does not end where the column ends, and a little more',
    type: 'public',
    redirectUris: ['http://127.0.0.1/callback'],
    scopes: ['vaults:read', 'documents:read', 'documents:write', 'webhooks:read'],
  });
  const old = await clients.create({
    name: 'Ledger',
    type: 'confidential',
    redirectUris: [`https://ledger.example.com/${'a-path-without-end-'.repeat(6)}`],
    scopes: ['documents:read'],
  });
  await clients.update(old.clientId, { disabled: true });
}

/** The account was an administrator: it has a verified client with a scope that it cannot grant any more. */
export async function seedVerifiedClient(console: TestConsole): Promise<void> {
  await seedClients(console);
  const administrator = new DocumentVault({ baseUrl: console.server.url, session: {} });
  await administrator.auth.login(await console.createAdministrator());
  const { id } = await console.client.users.me();
  await administrator.users.update(id, { role: 'admin' });
  const clients = createOAuthClients(await signedIn(console));
  const { data } = await clients.list();
  const client = data.find(({ name }) => name === 'Ledger');
  await clients.update(client?.clientId ?? '', {
    verified: true,
    scopes: ['documents:read', 'admin:*'],
  });
  await administrator.users.update(id, { role: 'user' });
}

async function seedConsents({ client }: TestConsole): Promise<void> {
  const { consents } = client;
  const old = await consents.create({ purpose: 'Tax return', grantedTo: 'Linden Tax Advisers' });
  await consents.update(old.id, { status: 'revoked', reason: 'The return is filed' });
  await consents.create({
    purpose: 'A purpose that does not end where the column ends. '.repeat(3),
    grantedTo: 'Insurance company',
    scopes: ['documents:read', 'vaults:read', 'documents:share'],
    expiresAt: new Date(Date.now() + 9e9).toISOString(),
  });
}

async function seedEvents({ client }: TestConsole): Promise<void> {
  await client.vaults.create({ name: '<img src=x onerror=alert(1)>' });
  const vault = await client.vaults.create({ name: 'Taxes' });
  await client.vaults.update(vault.id, { name: 'Taxes and contracts' });
}

/** What belongs to the account: activity, keys, sessions, consents, settings. */
export const accountScreens: readonly Screen[] = [
  {
    name: 'activity',
    path: 'activity',
    seed: seedEvents,
    show: (page) => page.getByText('Taxes and contracts').waitFor(),
  },
  {
    name: 'activity-nothing-found',
    path: 'activity?type=document.deleted',
    show: (page) => page.getByRole('heading', { name: 'Nothing matches the filters' }).waitFor(),
  },
  {
    name: 'activity-event',
    path: 'activity',
    seed: seedEvents,
    async show(page) {
      await page.getByRole('button', { name: 'vault.updated' }).click();
      await page.getByRole('dialog', { name: 'vault.updated' }).waitFor();
    },
  },
  {
    name: 'api-keys',
    path: 'api-keys',
    seed: seedKeys,
    show: (page) => page.getByText('Backup job').waitFor(),
  },
  {
    name: 'api-keys-revoke',
    path: 'api-keys',
    seed: seedKeys,
    async show(page) {
      await page.getByRole('button', { name: /^Actions for A-name/ }).click();
      await page.getByRole('menuitem', { name: 'Revoke' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'api-keys-create',
    path: 'api-keys',
    async show(page) {
      await page.getByRole('button', { name: 'New API key' }).click();
      await page.getByLabel('Name', { exact: true }).fill('Backup job');
      await page.getByRole('button', { name: 'Create the key' }).click();
      await page.getByText('Choose at least one scope.').waitFor();
    },
  },
  {
    name: 'api-keys-secret',
    path: 'api-keys',
    async show(page) {
      await page.getByRole('button', { name: 'New API key' }).click();
      await page.getByLabel('Name', { exact: true }).fill('Backup job');
      await page.getByRole('button', { name: 'Read only' }).click();
      await page.getByRole('button', { name: 'Create the key' }).click();
      await page.getByText('service_sk_').first().waitFor();
    },
  },
  {
    name: 'oauth-clients-empty',
    path: 'oauth-clients',
    show: (page) => page.getByRole('heading', { name: 'No OAuth clients yet' }).waitFor(),
  },
  {
    name: 'oauth-clients',
    path: 'oauth-clients',
    seed: seedClients,
    show: (page) => page.getByText('Ledger').waitFor(),
  },
  {
    name: 'oauth-clients-create',
    path: 'oauth-clients',
    async show(page) {
      await page.getByRole('button', { name: 'New OAuth client' }).first().click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'oauth-clients-change',
    path: 'oauth-clients',
    seed: seedClients,
    async show(page) {
      await page.getByRole('button', { name: 'Actions for Ledger' }).click();
      await page.getByRole('menuitem', { name: 'Change' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'oauth-clients-verified',
    path: 'oauth-clients',
    seed: seedVerifiedClient,
    async show(page) {
      await page.getByRole('button', { name: 'Actions for Ledger' }).click();
      await page.getByRole('menuitem', { name: 'Change' }).click();
      await page.getByText('ends the verification').waitFor();
      await page.getByRole('checkbox', { name: 'admin:*' }).waitFor();
    },
  },
  {
    name: 'oauth-clients-secret',
    path: 'oauth-clients',
    seed: seedClients,
    async show(page) {
      await page.getByRole('button', { name: 'Actions for Ledger' }).click();
      await page.getByRole('menuitem', { name: 'New secret' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
      await page.getByText('It is not shown again').waitFor();
    },
  },
  {
    name: 'sessions',
    path: 'sessions',
    seed: signedIn,
    show: (page) => page.getByText('This session').waitFor(),
  },
  {
    name: 'sessions-end',
    path: 'sessions',
    seed: signedIn,
    async show(page) {
      await page.getByText('This session').waitFor();
      await page.getByRole('button', { name: /^Actions for/ }).click();
      await page.getByRole('menuitem').first().click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'consents-empty',
    path: 'consents',
    show: (page) => page.getByRole('heading', { name: 'No consents yet' }).waitFor(),
  },
  {
    name: 'consents',
    path: 'consents',
    seed: seedConsents,
    show: (page) => page.getByText('Linden Tax Advisers').waitFor(),
  },
  {
    name: 'consents-create',
    path: 'consents',
    async show(page) {
      await page.getByRole('button', { name: 'New consent' }).first().click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'consents-revoke',
    path: 'consents',
    seed: seedConsents,
    async show(page) {
      await page.getByRole('button', { name: /^Actions for A purpose/ }).click();
      await page.getByRole('menuitem', { name: 'Revoke' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'settings',
    path: 'settings',
    show: (page) => page.getByRole('heading', { name: 'Usage' }).waitFor(),
  },
  {
    name: 'settings-delete',
    path: 'settings',
    async show(page) {
      await page.getByRole('heading', { name: 'Usage' }).waitFor();
      await page.getByRole('button', { name: 'Delete the account' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
];
