import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
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

/** A page of events that the console cannot show: one has no `data`. */
const faultyEvents = {
  data: [{ id: 'evt_1', type: 'vault.created', timestamp: '2026-03-02T09:17:30.512Z' }],
  pagination: {
    page: 1,
    pageSize: 20,
    totalPages: 1,
    totalCount: 1,
    hasNextPage: false,
    hasPreviousPage: false,
  },
};

const events = /\/api\/v1\/events/;
const assets = /\/console\/assets\/.*\.js$/;
const notLoaded = (page: Page) => page.getByRole('heading', { name: 'This could not be loaded' });
const activity = (page: Page) => page.getByRole('heading', { name: 'Activity', exact: true });
const retry = (page: Page) => page.getByRole('button', { name: 'Try again' }).click();

async function open(path: string): Promise<Page> {
  visit = await testConsole.open({ path });
  await signIn(testConsole, visit, { staySignedIn: true });
  return visit.page;
}

/** Marks the page. A page that is loaded anew has no mark. */
const mark = (page: Page) => page.evaluate(() => Object.assign(window, { isMarked: true }));
const isMarked = (page: Page) => page.evaluate(() => 'isMarked' in window);

test('a screen that could not be loaded does not prevent others, and is loaded by another try', async () => {
  const page = await open('vaults');
  await page.getByText('No vaults yet').waitFor();
  await mark(page);
  await page.route(assets, (route) => route.abort());
  await page.getByRole('link', { name: 'Activity' }).click();
  await notLoaded(page).waitFor();
  await page.getByRole('link', { name: 'Vaults' }).click();
  await page.getByText('No vaults yet').waitFor();
  await page.unroute(assets);
  await page.getByRole('link', { name: 'Activity' }).click();
  await retry(page);
  await activity(page).waitFor();
  expect(await isMarked(page)).toBe(true);
  expect(visit.problems).toEqual([]);
});

test('a console that was updated is loaded anew', async () => {
  const page = await open('vaults');
  await page.getByText('No vaults yet').waitFor();
  await mark(page);
  await page.route(assets, (route) => route.fulfill({ status: 404 }));
  await page.getByRole('link', { name: 'Activity' }).click();
  await notLoaded(page).waitFor();
  await page.route(`${testConsole.url}activity`, async (route) => {
    await page.unroute(assets);
    await route.continue();
  });
  await retry(page);
  await activity(page).waitFor();
  expect(await isMarked(page)).toBe(false);
});

test('a page without connection is not loaded anew', async () => {
  const page = await open('vaults');
  await page.getByText('No vaults yet').waitFor();
  await mark(page);
  await visit.context.setOffline(true);
  await page.getByRole('link', { name: 'Activity' }).click();
  const failure = page.waitForEvent('requestfailed', (request) => request.method() === 'HEAD');
  await retry(page);
  await failure;
  await notLoaded(page).waitFor();
  expect(await isMarked(page)).toBe(true);
});

test('a preview that could not be loaded says so in its dialog', async () => {
  const { client, cipher } = testConsole;
  const { id } = await client.vaults.create({ name: 'Taxes' });
  const options = { vaultId: id, cipher, fileName: 'return.txt', mimeType: 'text/plain' };
  await client.documents.upload('Total: 42', options);
  const page = await open(`vaults/${id}`);
  await unlock(visit);
  const name = page.getByRole('button', { name: 'return.txt', exact: true });
  await name.waitFor();
  await page.route(assets, (route) => route.abort());
  await name.click();
  const dialog = page.getByRole('dialog', { name: 'return.txt' });
  await dialog.getByText('This could not be loaded').waitFor();
  await page.unroute(assets);
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await dialog.getByText('Total: 42').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(visit.problems).toEqual([]);
});

test('a screen with a fault does not prevent others', async () => {
  const page = await open('vaults');
  await page.getByText('No vaults yet').waitFor();
  await page.route(events, (route) => route.fulfill({ json: faultyEvents }));
  await page.getByRole('link', { name: 'Activity' }).click();
  await page.getByRole('heading', { name: 'Something went wrong in the console' }).waitFor();
  expect(visit.problems).toHaveLength(1);
  await page.getByRole('link', { name: 'Vaults' }).click();
  await page.getByText('No vaults yet').waitFor();
  await page.unroute(events);
  await page.getByRole('link', { name: 'Activity' }).click();
  await activity(page).waitFor();
});
