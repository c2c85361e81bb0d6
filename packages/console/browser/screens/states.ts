import type { Page } from 'playwright-core';
import type { Screen } from '../support/screens.ts';

/** The scripts of the console. */
export const scripts = /\/console\/assets\/.*\.js$/;
/** Everything of the console but its icons, which browsers keep. */
export const uncached = /\/console\/(?!assets\/icons)/;
export const events = /\/api\/v1\/events/;

/** A page of events that the console cannot show: one has no `data`. */
export const faultyEvents = {
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

/** What the console reports of it. */
export const noData = "TypeError: Cannot read properties of undefined \\(reading 'object'\\)";
/** What it reports of a script that the server does not have. */
export const notFetched = 'Failed to fetch dynamically imported module';

/** The response of a service that refuses a request. */
const refusal = (status: number, code: string, retryAfter?: number) => ({
  status,
  headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  json: {
    error: {
      code,
      message: 'Not now',
      details: {},
      requestId: 'req_11993c0d74f19bf15acac07994a2e87d',
      timestamp: '2026-03-02T09:17:30.512Z',
      ...(retryAfter !== undefined && { retryAfter }),
    },
  },
});

/** Opens the navigation where it is behind a button. */
async function openNavigation(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Menu', exact: true });
  if (await button.isVisible()) await button.click();
}

async function openActivity(page: Page): Promise<void> {
  await openNavigation(page);
  await page.getByRole('link', { name: 'Activity' }).click();
}

/** What the shell and the lists show when something is slow, refused or narrow. */
export const stateScreens: readonly Screen[] = [
  {
    name: 'navigation',
    async show(page) {
      await openNavigation(page);
      await page.locator('.account-button').click();
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    },
  },
  {
    name: 'session-expired',
    async show(page) {
      // Other requests are still on their way, and would end the session before the click.
      for (const refused of [events, /\/auth\//]) {
        await page.route(refused, (route) => route.fulfill(refusal(401, 'INVALID_TOKEN')));
      }
      await openActivity(page);
      await page.getByText('Your session has ended').waitFor();
    },
  },
  {
    name: 'loading',
    async show(page) {
      await page.route(events, () => undefined);
      await openActivity(page);
      await page.locator('.placeholder').first().waitFor();
    },
  },
  {
    name: 'failed',
    async show(page) {
      const response = refusal(500, 'INTERNAL_ERROR');
      await page.route(events, (route) => route.fulfill(response));
      await openActivity(page);
      await page.getByText('An error occurred in the service').waitFor();
    },
  },
  {
    name: 'rate-limit',
    async show(page) {
      const response = refusal(429, 'RATE_LIMIT_EXCEEDED', 3000);
      await page.route(events, (route) => route.fulfill(response));
      await openActivity(page);
      await page.locator('.banner').waitFor();
    },
  },
  {
    name: 'toast',
    seed: ({ client }) => client.vaults.create({ name: 'Taxes' }),
    async show(page) {
      await page.route('**/api/v1/vaults/*', (route) => route.abort());
      await page.getByRole('button', { name: 'Actions for Taxes' }).click();
      await page.getByRole('menuitem', { name: 'Archive' }).click();
      await page.locator('.toast.error').waitFor();
    },
  },
  {
    name: 'insecure',
    staysSignedIn: true,
    async show(page) {
      await page.addInitScript(() => {
        Object.defineProperty(window, 'isSecureContext', { value: false });
      });
      await page.reload();
      await page.locator('.note.warning').waitFor();
    },
  },
  {
    name: 'not-loaded',
    async show(page) {
      await page.route(uncached, (route) => route.abort());
      await openActivity(page);
      await page.getByRole('heading', { name: 'This could not be loaded' }).waitFor();
    },
  },
  {
    name: 'outdated',
    faults: [notFetched],
    async show(page) {
      await page.route(scripts, (route) => route.fulfill({ status: 404 }));
      await openActivity(page);
      await page.getByText('The console may have been updated.').waitFor();
    },
  },
  {
    name: 'broken',
    faults: [noData],
    async show(page) {
      await page.route(events, (route) => route.fulfill({ json: faultyEvents }));
      await openActivity(page);
      await page.getByRole('heading', { name: 'Something went wrong in the console' }).waitFor();
    },
  },
];
