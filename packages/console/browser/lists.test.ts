import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { signIn, startConsole, type TestConsole, unlock, type Visit } from './support/console.ts';

// What users do with the rows of lists: change, switch off and delete them.

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

async function open(path: string): Promise<Page> {
  visit = await testConsole.open({ path });
  await signIn(testConsole, visit);
  return visit.page;
}

/** Chooses an action of a row's menu. */
async function act(page: Page, row: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${row}` }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

/** Confirms the open dialog. */
const confirm = (page: Page, action: string) =>
  page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();

const focusedName = (page: Page) =>
  page.evaluate(
    () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent,
  );

test('a vault is found, changed, archived, restored and deleted', async () => {
  const { vaults } = testConsole.client;
  await vaults.create({ name: 'Letters' });
  const { id } = await vaults.create({ name: 'Taxes' });
  const page = await open('vaults');
  await act(page, 'Taxes', 'Change');
  await page.getByLabel('Name', { exact: true }).fill('Tax returns');
  await page.getByLabel('Category').fill('finance');
  await confirm(page, 'Save');
  await page.getByText('“Tax returns” is changed.').waitFor();
  expect(await vaults.get(id)).toMatchObject({ name: 'Tax returns', category: 'finance' });

  await act(page, 'Tax returns', 'Archive');
  await page.getByText('“Tax returns” is archived.').waitFor();
  expect((await vaults.get(id)).isActive).toBe(false);
  await act(page, 'Tax returns', 'Restore');
  await page.getByText('“Tax returns” takes documents again.').waitFor();
  expect((await vaults.get(id)).isActive).toBe(true);

  await page.getByRole('searchbox').fill('returns');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('rowheader').count()).toBe(1);
  await page.getByRole('searchbox').fill('');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('rowheader').count()).toBe(2);

  await act(page, 'Tax returns', 'Delete');
  await confirm(page, 'Delete');
  await page.getByText('“Tax returns” is deleted.').waitFor();
  await expect.poll(() => page.getByRole('rowheader').count()).toBe(1);
  await expect(vaults.get(id)).rejects.toMatchObject({ status: 404 });
});

test('after the deletion of a row, the next one has the focus, then the button of the empty list', async () => {
  const { vaults } = testConsole.client;
  await vaults.create({ name: 'Letters' });
  await vaults.create({ name: 'Taxes' });
  const page = await open('vaults');
  await act(page, 'Taxes', 'Delete');
  await confirm(page, 'Delete');
  await expect.poll(() => page.getByRole('rowheader').count()).toBe(1);
  await expect.poll(() => focusedName(page)).toBe('Actions for Letters');
  await act(page, 'Letters', 'Delete');
  await confirm(page, 'Delete');
  await page.getByRole('heading', { name: 'No vaults yet' }).waitFor();
  await expect.poll(() => focusedName(page)).toBe('New vault');
});

test('an OAuth client shows its secret once, is changed and disabled, gets a new secret and is deleted', async () => {
  const page = await open('oauth-clients');
  await page.getByRole('button', { name: 'New OAuth client' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('Ledger');
  await page.getByLabel('Addresses to return to').fill('https://ledger.example.com/callback');
  await page.getByLabel('vaults:read').check();
  await page.getByRole('button', { name: 'Create the client' }).click();
  const secret = page.locator('.secret code');
  const first = (await secret.textContent()) ?? '';
  await confirm(page, 'Done');
  await expect.poll(() => page.getByText(first).count()).toBe(0);

  await act(page, 'Ledger', 'Change');
  const addresses = page.getByLabel('Addresses to return to');
  expect(await addresses.inputValue()).toBe('https://ledger.example.com/callback');
  expect(await page.getByLabel('vaults:read').isChecked()).toBe(true);
  await addresses.fill('not an address');
  await page.getByLabel('documents:read').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').locator('.problem').first().waitFor();
  await addresses.fill('https://ledger.example.com/back');
  await confirm(page, 'Save');
  await page.getByText('“Ledger” is changed.').waitFor();
  // The row is what the service returned.
  await act(page, 'Ledger', 'Change');
  expect(await addresses.inputValue()).toBe('https://ledger.example.com/back');
  expect(await page.getByLabel('documents:read').isChecked()).toBe(true);
  await page.keyboard.press('Escape');

  await act(page, 'Ledger', 'Disable');
  await page.getByText('“Ledger” is refused from now on.').waitFor();
  await page.getByRole('cell', { name: 'Disabled' }).waitFor();
  await act(page, 'Ledger', 'Enable');
  await page.getByText('“Ledger” is accepted again.').waitFor();
  await page.getByRole('cell', { name: 'Enabled' }).waitFor();

  await act(page, 'Ledger', 'New secret');
  await confirm(page, 'New secret');
  const second = (await secret.textContent()) ?? '';
  expect([second.length, second === first]).toEqual([first.length, false]);
  await confirm(page, 'Done');
  await act(page, 'Ledger', 'Delete');
  await confirm(page, 'Delete');
  await page.getByText('“Ledger” is deleted.').waitFor();
  await page.getByRole('heading', { name: 'No OAuth clients yet' }).waitFor();
});

test('a webhook is changed, paused and deleted', async () => {
  const { webhooks } = testConsole.client;
  const url = 'https://receiver.example.com/events';
  const { id } = await webhooks.create({
    url,
    events: ['vault.created'],
    secret: 'whsec_example_0123456789abcdefghijklmnop',
  });
  const page = await open('webhooks');
  await act(page, url, 'Change');
  await page.getByLabel('Description').fill('The ledger');
  await page.getByLabel('vault.deleted').check();
  await confirm(page, 'Save');
  await page.getByText('The webhook is changed.').waitFor();
  expect(await webhooks.get(id)).toMatchObject({
    description: 'The ledger',
    events: expect.arrayContaining(['vault.created', 'vault.deleted']),
  });
  await page.getByText('The ledger').waitFor();
  await act(page, url, 'Pause');
  await page.getByText('The webhook is paused.').waitFor();
  expect((await webhooks.get(id)).active).toBe(false);
  await act(page, url, 'Delete');
  await confirm(page, 'Delete');
  await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
  await expect(webhooks.get(id)).rejects.toMatchObject({ status: 404 });
});

test('renaming a document of the second page does not change the count of the first', async () => {
  const client = await testConsole.unlocked();
  const { id: vaultId } = await client.vaults.create({ name: 'Taxes' });
  for (let count = 1; count <= 21; count += 1) {
    await client.documents.upload('text', { vaultId, fileName: `return ${count}.txt` });
  }
  const page = await open(`vaults/${vaultId}`);
  await unlock(visit);
  await page.getByText('1–20 of 21').waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await act(page, 'return 1.txt', 'Rename');
  await page.locator('[name=fileName]').fill('first return.txt');
  await confirm(page, 'Rename');
  await page.getByRole('button', { name: 'Previous page' }).click();
  await page.getByRole('button', { name: 'first return.txt', exact: true }).waitFor();
  expect(await page.locator('.pagination').textContent()).toContain('1–20 of 21');
});
