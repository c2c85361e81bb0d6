import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { events, faultyEvents, noData, notFetched, scripts, uncached } from './screens/states.ts';
import { signIn, startConsole, type TestConsole, unlock, type Visit } from './support/console.ts';

// Code that cannot be loaded, and code that has a fault.

let testConsole: TestConsole;
let visit: Visit;
beforeAll(async () => {
  testConsole = await startConsole();
});
beforeEach(() => testConsole.server.reset());
afterEach(() => visit.context.close());
afterAll(() => testConsole.close());

const noVaults = (page: Page) => page.getByText('No vaults yet');
const notLoaded = (page: Page) => page.getByRole('heading', { name: 'This could not be loaded' });
const broken = (page: Page) =>
  page.getByRole('heading', { name: 'Something went wrong in the console' });
const activity = (page: Page) => page.getByRole('heading', { name: 'Activity', exact: true });
const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** Opens the vaults, and marks the page: one that is loaded anew has no mark. */
async function openVaults(): Promise<Page> {
  visit = await testConsole.open({ path: 'vaults' });
  const { page } = visit;
  await signIn(testConsole, visit);
  await noVaults(page).waitFor();
  await page.evaluate(() => Object.assign(window, { isMarked: true }));
  return page;
}

const isMarked = (page: Page) => page.evaluate(() => 'isMarked' in window);

test('a screen is loaded by a second request when the first one fails', async () => {
  const page = await openVaults();
  await page.route(scripts, (route) => route.abort());
  let probes = 0;
  await page.route(testConsole.url, async (route) => {
    probes += 1;
    await page.unroute(scripts);
    await route.continue();
  });
  await follow(page, 'Activity');
  await activity(page).waitFor();
  expect(probes).toBe(1);
  expect(await isMarked(page)).toBe(true);
  expect(visit.problems).toEqual([]);
});

test('without connection, a screen offers another try, and others can still be opened', async () => {
  const page = await openVaults();
  await visit.context.setOffline(true);
  await follow(page, 'Activity');
  await notLoaded(page).waitFor();
  await follow(page, 'Vaults');
  await noVaults(page).waitFor();
  await follow(page, 'Activity');
  await page.getByRole('alert').getByText('The service cannot be reached.').waitFor();
  await visit.context.setOffline(false);
  await press(page, 'Try again');
  await activity(page).waitFor();
  expect(await isMarked(page)).toBe(true);
  expect(visit.problems).toEqual([]);
});

test('a screen that the server does not have offers to reload the page, and names the consequence', async () => {
  const page = await openVaults();
  await page.route(scripts, (route) => route.fulfill({ status: 404 }));
  await follow(page, 'Activity');
  await page.getByText('After a reload, you sign in again and enter your passphrase.').waitFor();
  expect(visit.problems).toEqual([expect.stringMatching(`^${notFetched}`)]);
  expect(await isMarked(page)).toBe(true);
  await page.unroute(scripts);
  await press(page, 'Reload');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await isMarked(page)).toBe(false);
});

test('a preview that cannot be loaded offers another try in its dialog', async () => {
  const client = await testConsole.unlocked();
  const { id } = await client.vaults.create({ name: 'Taxes' });
  const options = { vaultId: id, fileName: 'return.txt', mimeType: 'text/plain' };
  await client.documents.upload('Total: 42', options);
  visit = await testConsole.open({ path: `vaults/${id}` });
  const { page } = visit;
  await signIn(testConsole, visit);
  await unlock(visit);
  const name = page.getByRole('button', { name: 'return.txt', exact: true });
  await name.waitFor();
  await page.route(uncached, (route) => route.abort());
  await name.click();
  const dialog = page.getByRole('dialog', { name: 'return.txt' });
  await dialog.getByText('This could not be loaded').waitFor();
  await page.unroute(uncached);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(testConsole.url, async (route) => {
    await released;
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await dialog.locator('[aria-busy]').waitFor();
  release();
  await dialog.getByText('Total: 42').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(visit.problems).toEqual([]);
});

test('a screen with a fault is replaced by a message, and others can still be opened', async () => {
  const page = await openVaults();
  await page.route(events, (route) => route.fulfill({ json: faultyEvents }));
  await follow(page, 'Activity');
  await broken(page).waitFor();
  await follow(page, 'Vaults');
  await noVaults(page).waitFor();
  // The events are kept: the screen has the fault in its first rendering now.
  await follow(page, 'Activity');
  await broken(page).waitFor();
  expect(await activity(page).count()).toBe(0);
  const fault = expect.stringMatching(`^${noData}`);
  expect(visit.problems).toEqual([fault, fault]);
});
