import { readFile } from 'node:fs/promises';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  choosePassphrase,
  signIn,
  startConsole,
  type TestConsole,
  unlock,
  type Visit,
} from './support/console.ts';

// What users, other tabs and the network do while something is on its way.

let testConsole: TestConsole;
beforeAll(async () => {
  testConsole = await startConsole();
});
beforeEach(() => testConsole.server.reset());
afterAll(() => testConsole.close());

const login = { email: 'ada@example.com', password: 'the password of Ada' };

/** Creates a vault with documents, opens it in the browser and unlocks it. */
async function openVault(names: readonly string[]): Promise<Visit & { readonly path: string }> {
  const client = await testConsole.unlocked();
  const { id } = await client.vaults.create({ name: 'Taxes' });
  for (const fileName of names) {
    const options = { vaultId: id, fileName, encryptFileName: true };
    await client.documents.upload(`content of ${fileName}`, options);
  }
  const path = `vaults/${id}`;
  const visit = await testConsole.open({ path });
  await signIn(testConsole, visit, { staySignedIn: true });
  await unlock(visit);
  for (const name of names) await documentIn(visit.page, name).waitFor();
  return { ...visit, path };
}

const documentIn = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const unlockHeading = (page: Page) => page.getByRole('heading', { name: 'Unlock your documents' });

test('an export that a lock interrupts saves nothing and says so', async () => {
  const { page, context, problems } = await openVault(['return.txt']);
  let downloads = 0;
  page.on('download', () => {
    downloads += 1;
  });
  const release = await hold(page, /documents\?.*pageSize=100/);
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const listing = page.waitForRequest(/documents\?.*pageSize=100/);
  await page.getByRole('menuitem', { name: 'Export as CSV' }).click();
  await listing;
  await page.locator('.lock-state button').click();
  await unlockHeading(page).waitFor();
  release();
  await page.getByText('The console was locked before this was complete').waitFor();
  expect(downloads).toBe(0);
  expect(problems).toEqual([]);
  await context.close();
});

function pickFile(page: Page, name: string) {
  const file = { name, mimeType: 'text/plain', buffer: Buffer.from(name) };
  return page.locator('input[type=file][multiple]').first().setInputFiles(file);
}

/** Holds the requests to a path back until the returned function is called. */
async function hold(page: Page, path: RegExp, count = Number.POSITIVE_INFINITY) {
  const { promise: released, resolve } = Promise.withResolvers<void>();
  let left = count;
  await page.route(path, async (route: Route) => {
    left -= 1;
    if (left >= 0) await released;
    // A request that was cancelled meanwhile cannot go on.
    await route.continue().catch(() => undefined);
  });
  return resolve;
}

async function signOut(page: Page): Promise<void> {
  await page.locator('.account-button').click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}

describe('loading', () => {
  test('a list that is loaded while an upload ends is loaded again', async () => {
    const { page, context } = await openVault(['old.txt']);
    const release = await hold(page, /\/documents\?.*mimeType/, 1);
    const asked = page.waitForRequest(/\/documents\?.*mimeType/);
    await page.getByLabel('Type').selectOption('text/plain');
    await asked;
    await pickFile(page, 'new.txt');
    await page.getByText('Uploaded').waitFor();
    release();
    await documentIn(page, 'new.txt').waitFor();
    await context.close();
  });

  test('"Refresh" reads a list again that is sorted by name', async () => {
    const { page, context, path } = await openVault(['a.txt']);
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await page.waitForURL(/sortBy=fileName/);
    await documentIn(page, 'a.txt').waitFor();
    const client = await testConsole.unlocked();
    const options = { fileName: 'b.txt', encryptFileName: true };
    await client.documents.upload('text', { ...options, vaultId: path.split('/').at(-1) ?? '' });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await documentIn(page, 'b.txt').waitFor();
    await context.close();
  });

  test('a deletion that failed half-way goes on', async () => {
    const { page, context } = await openVault(['a.txt', 'b.txt']);
    let left = 1;
    await page.route(/\/documents\/[^/]+$/, (route) => {
      left -= 1;
      return left < 0 ? route.abort() : route.continue();
    });
    await page.getByLabel('Select all on this page').check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByText('The service cannot be reached').waitFor({ timeout: 60_000 });
    await page.unroute(/\/documents\/[^/]+$/);
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('No documents yet').waitFor();
    await context.close();
  });

  test('an export waits for names that are decrypted', async () => {
    const { page, context } = await openVault(['a.txt']);
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    await page.evaluate(() => {
      const { decrypt } = SubtleCrypto.prototype;
      const { promise, resolve } = Promise.withResolvers<void>();
      Object.assign(window, { release: resolve });
      SubtleCrypto.prototype.decrypt = async function (...values) {
        const { additionalData } = values[0] as AesGcmParams;
        // Keys are not held up.
        if (new TextDecoder().decode(additionalData) === 'fileName') await promise;
        return decrypt.apply(this, values);
      };
    });
    await unlock({ page } as Visit);
    await page.getByLabel('Decrypting the name').waitFor();
    const saved = page.waitForEvent('download');
    const listed = page.waitForResponse(/\/documents\?.*pageSize=100/);
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Export as JSON' }).click();
    await listed;
    await page.evaluate(() => (window as unknown as { release(): void }).release());
    expect(await readFile(await (await saved).path(), 'utf8')).toContain('a.txt');
    await context.close();
  });
});

describe('sessions and keys', () => {
  test('signing out does not wait for the service', async () => {
    const { page, context } = await openVault(['a.txt']);
    await page.route('**/auth/logout', () => undefined);
    await signOut(page);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await context.close();
  });

  test('a registration whose login fails leads to the login', async () => {
    const { page, context } = await testConsole.open();
    await page.route('**/auth/login', (route) => route.abort());
    await page.getByRole('button', { name: 'Create an account' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Ada');
    await page.getByLabel('E-mail address').fill(login.email);
    await page.getByLabel('Password', { exact: true }).fill(login.password);
    await page.getByRole('button', { name: 'Create an account' }).first().click();
    await page.getByText('The account exists. Sign in.').waitFor();
    await context.close();
  });

  test('a lock while another tab reads the kept keys leaves that tab locked', async () => {
    const { page, context, path } = await openVault(['a.txt']);
    await context.addInitScript(() => {
      const { prototype } = IDBTransaction;
      const { set } = Object.getOwnPropertyDescriptor(prototype, 'oncomplete') ?? {};
      const { promise, resolve } = Promise.withResolvers<void>();
      Object.assign(window, { release: resolve, hasRead: false });
      Object.defineProperty(prototype, 'oncomplete', {
        set(handler: (event: Event) => void) {
          set?.call(this, async (event: Event) => {
            Object.assign(window, { hasRead: true });
            await promise;
            handler.call(this, event);
          });
        },
      });
    });
    const second = await testConsole.open({ context, path });
    await second.page.waitForFunction(() => (window as unknown as { hasRead: boolean }).hasRead);
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    await unlockHeading(page).waitFor();
    await unlockHeading(second.page).waitFor();
    await second.page.evaluate(() => (window as unknown as { release(): void }).release());
    await second.page.evaluate(() => new Promise(requestAnimationFrame));
    expect(await unlockHeading(second.page).count()).toBe(1);
    await context.close();
  });

  test('another account in the same browser finds neither keys nor transfers', async () => {
    const { client, server } = testConsole;
    const baseUrl = server.url;
    await client.auth.register({ ...login, name: 'Ada' });
    const { page, context } = await openVault(['a.txt']);
    await pickFile(page, 'mine.txt');
    await page.getByText('Uploaded').waitFor();
    await page.getByRole('link', { name: 'Vaults' }).first().click();
    await page.getByRole('link', { name: 'Taxes' }).waitFor();
    const other = await testConsole.open();
    await signIn(testConsole, other, { account: login, staySignedIn: true });
    const entry = 'document-vault-console';
    const tokens = await other.page.evaluate((key) => localStorage.getItem(key) ?? '', entry);
    // Another tab signs in: this one sees the new tokens alone.
    const second = await context.newPage();
    await second.goto(`${baseUrl}/share/`);
    await second.evaluate(
      ([key = '', value = '']) => localStorage.setItem(key, value),
      [entry, tokens],
    );
    await page.getByText(login.email).waitFor();
    await page.getByRole('heading', { name: 'No vaults yet' }).waitFor();
    await page.getByRole('button', { name: 'New vault' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('Of Ada');
    await page.getByRole('button', { name: 'Create the vault' }).click();
    await choosePassphrase({ page });
    await page.getByText('No documents yet').waitFor();
    expect(await page.content()).not.toContain('mine.txt');
    await context.close();
    await other.context.close();
  });

  test('a download that a lock interrupts goes on after the next unlocking', async () => {
    const { page, context } = await openVault(['a.txt']);
    const opened = /\/documents\/[^/?]+(\?content=false)?$/;
    const release = await hold(page, opened);
    const asked = page.waitForRequest(opened);
    await page.getByRole('button', { name: 'Actions for a.txt' }).click();
    await page.getByRole('menuitem', { name: 'Download' }).click();
    await asked;
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    await unlockHeading(page).waitFor();
    release();
    const saved = page.waitForEvent('download');
    await unlock({ page } as Visit);
    expect((await saved).suggestedFilename()).toBe('a.txt');
    await context.close();
  });
});
