import type { Screen } from '../support/screens.ts';

const openInstance: Screen['show'] = async (page) => {
  await page.getByRole('rowheader').getByRole('link').click();
  await page.getByRole('heading', { name: 'The last 90 days' }).waitFor();
  await page.locator('.loading').waitFor({ state: 'detached' });
};

const day = 86_400_000;

/** Figures of 90 days with a gap: a new server has none. */
export function history() {
  const from = Date.UTC(2026, 0, 1);
  const at = (index: number) => new Date(from + index * day).toISOString();
  const days = Array.from({ length: 90 }, (_, index) => index).filter(
    (index) => index < 40 || index > 45,
  );
  return {
    instanceId: '019b8d2b-8c00-7db1-baa7-76cb5c5c64ab',
    from: at(0),
    to: at(90),
    step: 'day',
    data: days.map((index) => ({
      start: at(index),
      documents: 100 + index * 3,
      usedBytes: 5e8 + index * 1e7,
      requests: Math.round(4000 + 2500 * Math.sin(index / 3)),
      deliveries: { succeeded: 200 + (index % 7) * 30, failed: index % 11 === 0 ? 12 : 0 },
    })),
  };
}

/** Instances, and the screens of administrators. */
export const operationScreens: readonly Screen[] = [
  {
    name: 'instances',
    path: 'instances',
    show: (page) => page.getByText('Healthy').waitFor(),
  },
  {
    name: 'instance',
    path: 'instances',
    async show(page) {
      await openInstance(page);
      await page.getByRole('button', { name: 'Run the checks' }).click();
      await page.locator('.check-results').waitFor();
    },
  },
  {
    name: 'instance-history',
    path: 'instances',
    async show(page) {
      await page.route('**/statistics/history?*', (route) => route.fulfill({ json: history() }));
      await openInstance(page);
      await page.getByRole('slider').first().press('ArrowLeft');
    },
  },
  {
    name: 'instance-table',
    path: 'instances',
    async show(page) {
      await page.route('**/statistics/history?*', (route) => route.fulfill({ json: history() }));
      await openInstance(page);
      await page.getByRole('button', { name: 'Show as a table' }).click();
      await page.getByRole('table').waitFor();
    },
  },
  {
    name: 'users',
    path: 'users',
    isAdministrator: true,
    show: (page) => page.getByText('Administrator').nth(1).waitFor(),
  },
  {
    name: 'users-change',
    path: 'users',
    isAdministrator: true,
    async show(page) {
      await page.getByRole('button', { name: 'Actions for developer@example.com' }).click();
      await page.getByRole('menuitem', { name: 'Change role and tier' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'users-usage',
    path: 'users',
    isAdministrator: true,
    async show(page) {
      await page.getByRole('button', { name: 'Actions for developer@example.com' }).click();
      await page.getByRole('menuitem', { name: 'Show the usage' }).click();
      await page.getByText('Open uploads').waitFor();
    },
  },
  {
    name: 'users-suspend',
    path: 'users',
    isAdministrator: true,
    async show(page) {
      await page.getByRole('button', { name: 'Actions for developer@example.com' }).click();
      await page.getByRole('menuitem', { name: 'Suspend' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'users-suspended',
    path: 'users',
    isAdministrator: true,
    async show(page) {
      await page.getByRole('button', { name: 'Actions for developer@example.com' }).click();
      await page.getByRole('menuitem', { name: 'Suspend' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
      await page.getByText('Suspended', { exact: true }).last().waitFor();
    },
  },
  {
    name: 'instance-change',
    path: 'instances',
    isAdministrator: true,
    async show(page) {
      await openInstance(page);
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
];
