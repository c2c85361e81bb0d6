import { readFile } from 'node:fs/promises';
import { createOAuthClients } from '@document-vault/sdk/oauth-clients';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { seedVerifiedClient, signedIn } from './screens/account.ts';
import { history } from './screens/operation.ts';
import { signIn, startConsole, type TestConsole, type Visit } from './support/console.ts';

// Screens of the account and of administrators, against the real server.

let testConsole: TestConsole;
let visit: Visit;
beforeAll(async () => {
  testConsole = await startConsole();
});
afterAll(() => testConsole.close());
beforeEach(() => testConsole.server.reset());
afterEach(async () => {
  expect(visit.problems).toEqual([]);
  await visit.context.close();
});

type Options = Parameters<typeof signIn>[2] & { readonly locale?: string };

async function open(path: string, { locale, ...options }: Options = {}): Promise<Visit['page']> {
  visit = await testConsole.open({ path, ...(locale && { locale }) });
  await signIn(testConsole, visit, options);
  return visit.page;
}

const logIn = async () => {
  const { email = '', password = '' } = testConsole.server.account ?? {};
  const response = await fetch(`${testConsole.server.url}/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  return response.json() as Promise<{ accessToken: string }>;
};

/** The scopes of an OAuth client of the account. */
async function scopesOf(name: string): Promise<readonly string[] | undefined> {
  const { data } = await createOAuthClients(await signedIn(testConsole)).list();
  return data.find((client) => client.name === name)?.scopes;
}

test('sessions: the present one is marked, and ending all others refuses their tokens', async () => {
  const other = await logIn();
  const page = await open('sessions');
  await page.getByText('This session').waitFor();
  expect(await page.getByRole('rowheader').count()).toBe(2);
  expect(await page.getByRole('button', { name: /^Actions for/ }).count()).toBe(1);
  await page.getByRole('button', { name: 'End all others' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click();
  await page.getByText('All other sessions are ended.').waitFor();
  await expect.poll(() => page.getByRole('rowheader').count()).toBe(1);
  const headers = { Authorization: `Bearer ${other.accessToken}` };
  const { status } = await fetch(`${testConsole.server.url}/api/v1/users/me`, { headers });
  expect(status).toBe(401);
});

test('consents: one is recorded, revoked with a reason and renewed', async () => {
  const page = await open('consents');
  await page.getByRole('button', { name: 'New consent' }).first().click();
  await page.getByLabel('Purpose').fill('Tax return');
  await page.getByLabel('Granted to').fill('Linden Tax Advisers');
  await page.getByRole('button', { name: 'Record the consent' }).click();
  const act = async (name: string) => {
    await page.getByRole('button', { name: 'Actions for Tax return' }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await act('Revoke');
  await page.getByLabel('Reason').fill('The return is filed');
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('The consent is revoked.').waitFor();
  const [revoked] = (await testConsole.client.consents.list()).data;
  expect(revoked).toMatchObject({ status: 'revoked', revocationReason: 'The return is filed' });
  await act('Renew');
  await page.getByText('The consent is granted again.').waitFor();
  const [renewed] = (await testConsole.client.consents.list()).data;
  expect(renewed?.status).toBe('granted');
});

describe('settings', () => {
  test('a wrong password is shown at its field, and the right one changes the address', async () => {
    const page = await open('settings');
    await page.getByLabel('E-mail address').fill('ada@example.com');
    const profile = page.locator('.setting').first();
    const save = () => profile.getByRole('button', { name: 'Save' }).click();
    await save();
    await page.getByText('Enter your current password.').waitFor();
    await profile.locator('[name=currentPassword]').fill('not the password');
    await save();
    await page.getByText('The password is wrong.').waitFor();
    await profile
      .locator('[name=currentPassword]')
      .fill(testConsole.server.account?.password ?? '');
    await save();
    await page.getByText('Your profile is saved.').waitFor();
    expect((await testConsole.client.users.me()).email).toBe('ada@example.com');
    await page.locator('.account').getByText('ada@example.com').waitFor();
    expect(visit.requests.filter((request) => request.includes('/users/me'))).toEqual([
      'GET /api/v1/users/me',
      'PUT /api/v1/users/me',
      'PUT /api/v1/users/me',
    ]);
  });

  test('the problem of a field changes its language with the page', async () => {
    const page = await open('settings');
    const profile = page.locator('.setting').first();
    const save = () => profile.locator('[type=submit]').click();
    await profile.locator('[name=email]').fill('ada@example.com');
    await save();
    await page.getByText('Enter your current password.').waitFor();
    await page.getByRole('combobox', { name: 'Language' }).selectOption('de');
    await page.getByText('Geben Sie Ihr aktuelles Passwort ein.').waitFor();
    await profile.locator('[name=currentPassword]').fill('not the password');
    await save();
    await page.getByText('Das Passwort ist falsch.').waitFor();
    await page.getByRole('combobox', { name: 'Sprache' }).selectOption('en');
    await page.getByText('The password is wrong.').waitFor();
    expect(await page.getByText('Das Passwort ist falsch.').count()).toBe(0);
  });

  test('language and theme hold at once and survive a reload', async () => {
    const page = await open('settings', { staySignedIn: true });
    await page.getByRole('combobox', { name: 'Language' }).selectOption('de');
    await page.getByRole('heading', { name: 'Einstellungen' }).waitFor();
    await page.getByRole('combobox', { name: 'Farben' }).selectOption('dark');
    await page.reload();
    await page.getByRole('heading', { name: 'Einstellungen' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('de');
  });

  test('deleting the account ends the session, and the login is refused', async () => {
    const password = 'correct horse battery';
    await testConsole.client.auth.register({ email: 'bob@example.com', password, name: 'Bob' });
    const page = await open('settings', { account: { email: 'bob@example.com', password } });
    await page.getByRole('button', { name: 'Delete the account' }).click();
    await page.getByRole('dialog').locator('[name=password]').fill(password);
    await page.getByRole('button', { name: 'Delete everything' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.locator('[name=email]').fill('bob@example.com');
    await page.locator('[name=password]').fill(password);
    await page.locator('form button[type=submit]').click();
    await page.getByText('The e-mail address or the password is wrong.').waitFor();
  });
});

describe('the form of an OAuth client', () => {
  const change = async (page: Visit['page'], name: RegExp) => {
    await page.getByRole('button', { name }).click();
    await page.getByRole('menuitem', { name: 'Change' }).click();
    return page.getByRole('dialog');
  };

  test('a verified client has a warning, and a scope that the user cannot grant can be kept', async () => {
    await seedVerifiedClient(testConsole);
    const page = await open('oauth-clients');
    const dialog = await change(page, /^Actions for Ledger/);
    await dialog.getByText('ends the verification').waitFor();
    const scope = (name: string) => dialog.getByRole('checkbox', { name });
    const save = () => dialog.getByRole('button', { name: 'Save' }).click();
    expect(await scope('admin:*').isChecked()).toBe(true);
    await scope('vaults:read').check();
    await save();
    await dialog.getByText('“admin:*”: ').waitFor();
    await scope('vaults:read').uncheck();
    await scope('admin:*').uncheck();
    await scope('admin:*').check();
    await save();
    await page.getByText('“Ledger” is changed.').waitFor();
    expect(await scopesOf('Ledger')).toEqual(['documents:read', 'admin:*']);
  });

  test('an unverified client has no warning, and the address that is refused is named', async () => {
    await seedVerifiedClient(testConsole);
    const page = await open('oauth-clients');
    const dialog = await change(page, /^Actions for An app/);
    expect(await dialog.getByText('ends the verification').count()).toBe(0);
    expect(await dialog.getByRole('checkbox', { name: 'admin:*' }).count()).toBe(0);
    const addresses = 'https://a.example.com/\nhttp://b.example.com/';
    await dialog.locator('[name=redirectUris]').fill(addresses);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('“http://b.example.com/”: ').waitFor();
  });
});

describe('administration', () => {
  test('an ordinary user has no entry for users, and the address shows that the right is missing', async () => {
    const page = await open('users');
    await page.getByText('Your account may not do this.').waitFor();
    expect(await page.locator('.sidebar').getByRole('link', { name: 'Users' }).count()).toBe(0);
    expect(await page.getByText('developer@example.com').count()).toBe(1);
  });

  test('an administrator finds, suspends and resumes an account', async () => {
    const account = await testConsole.createAdministrator();
    const page = await open('vaults', { account });
    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('searchbox').fill('developer');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('rowheader').count()).toBe(1);
    const act = async (name: string) => {
      await page.getByRole('button', { name: 'Actions for developer@example.com' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await act('Suspend');
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
    await page.getByText('developer@example.com is suspended.').waitFor();
    await expect(testConsole.client.users.me()).rejects.toMatchObject({ status: 403 });
    await act('Resume');
    await page.getByText('developer@example.com is active again.').waitFor();
    expect((await testConsole.client.users.me()).status).toBe('active');
  });

  test('an administrator lists own vaults, and names and sizes of those of another account', async () => {
    const { client } = testConsole;
    const { id: vaultId } = await client.vaults.create({ name: 'Of the developer' });
    const sealed = {
      fileName: 'a.txt',
      mimeType: 'text/plain',
      sizeBytes: 3,
      encryptedData: 'AAAA',
      encryptionMetadata: { algorithm: 'AES256_GCM_HKDF_1MB', iv: 'AAAA', authTag: 'AAAA' },
    };
    await client.documents.create({ vaultId, ...sealed });
    const account = await testConsole.createAdministrator();
    const page = await open('vaults', { account });
    await page.getByRole('heading', { name: 'No vaults yet' }).waitFor();
    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('button', { name: 'Actions for developer@example.com' }).click();
    await page.getByRole('menuitem', { name: 'Show the vaults' }).click();
    const dialog = page.getByRole('dialog', { name: 'Vaults of developer@example.com' });
    await dialog.getByText('Of the developer').waitFor();
    await dialog.getByText('1 document, 3 bytes').waitFor();
    expect(await dialog.getByRole('link').count()).toBe(0);
  });

  test('the plots of an instance have the figures of the table and of the export', async () => {
    const page = await open('vaults');
    await page.route('**/statistics/history?*', (route) => route.fulfill({ json: history() }));
    await page.getByRole('link', { name: 'Instances' }).click();
    await page.getByRole('rowheader').getByRole('link').click();
    const slider = page.getByRole('slider', { name: /^Requests/ });
    await slider.waitFor();
    const scale = page.locator('.plot-scale').first().locator('span');
    expect(await scale.allTextContents()).toEqual(['10,000', '5,000', '0']);
    const plotted: string[] = [];
    for (const key of ['End', 'ArrowLeft', 'ArrowLeft']) {
      await slider.press(key);
      plotted.push((await slider.getAttribute('aria-valuetext')) ?? '');
    }
    await page.getByRole('button', { name: 'Show as a table' }).click();
    const rows = page.getByRole('table').getByRole('row');
    expect(await rows.count()).toBe(history().data.length + 1);
    for (const [index, text] of plotted.entries()) {
      const row = rows.nth(index + 1);
      expect(text).toContain(await row.getByRole('rowheader').textContent());
      expect(text).toContain(await row.getByRole('cell').first().textContent());
    }
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Export as JSON' }).click();
    const exported = JSON.parse(await readFile(await (await saved).path(), 'utf8'));
    const { start, requests, deliveries } = history().data.at(-1) ?? expect.fail();
    const { succeeded: delivered, failed } = deliveries;
    expect(exported.at(-1)).toMatchObject({ day: start, requests, delivered, failed });
  });

  test('an instance shows its health checks on request, with two requests before', async () => {
    const page = await open('instances');
    await page.getByRole('rowheader').getByRole('link').click();
    await page.getByRole('heading', { name: 'The last 90 days' }).waitFor();
    await page.locator('.loading').first().waitFor({ state: 'detached' });
    const ofInstance = () =>
      visit.requests.filter((request) => /\/instances\/[0-9a-f-]{36}/.test(request));
    expect(ofInstance()).toHaveLength(2);
    await page.getByRole('button', { name: 'Run the checks' }).click();
    await page.locator('.check-results li').first().waitFor();
    expect(ofInstance()).toHaveLength(3);
  });

  test('a day of the history has its date west of Greenwich too', async () => {
    const point = { requests: 3, documents: 1, usedBytes: 10 };
    const deliveries = { succeeded: 0, failed: 0 };
    const data = [{ start: '2026-11-23T00:00:00.000Z', ...point, deliveries }];
    visit = await testConsole.open({ path: 'instances', timezoneId: 'America/New_York' });
    await visit.page.route(/\/history\?/, (route) =>
      route.fulfill({
        json: { from: data[0]?.start, to: '2026-11-24T00:00:00.000Z', step: 'day', data },
      }),
    );
    await signIn(testConsole, visit);
    const { page } = visit;
    await page.getByRole('rowheader').getByRole('link').click();
    await page.getByText('23 Nov 2026: 3').waitFor();
    await page.getByRole('button', { name: 'Show as a table' }).click();
    await page.getByRole('rowheader', { name: '23 Nov 2026' }).waitFor();
  });
});
