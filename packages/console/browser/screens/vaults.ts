import type { TestConsole } from '../support/console.ts';
import type { Screen } from '../support/screens.ts';

async function seed(console: TestConsole): Promise<void> {
  const client = await console.unlocked();
  const taxes = await client.vaults.create({
    name: 'Taxes',
    category: 'personal',
    description: 'Returns and receipts of the last ten years',
  });
  await client.documents.upload('Total: 42', { vaultId: taxes.id, fileName: 'return.txt' });
  const old = await client.vaults.create({ name: 'Insurance', category: 'personal' });
  await client.vaults.update(old.id, { isActive: false });
  await client.vaults.create({
    name: 'Contracts-with-a-name-that-has-no-space-and-is-longer-than-the-column-'.padEnd(118, 'x'),
    category: 'a-category-of-the-longest-kind-that-is-allowed',
    description: 'A description that does not end where the column ends. '.repeat(6),
  });
}

export const vaultScreens: readonly Screen[] = [
  {
    name: 'vaults-empty',
    show: (page) => page.getByRole('heading', { name: 'No vaults yet' }).waitFor(),
  },
  { name: 'vaults', seed, show: (page) => page.getByText('Insurance').waitFor() },
  {
    name: 'vaults-nothing-found',
    seed,
    path: 'vaults?search=xyz',
    show: (page) => page.getByRole('heading', { name: 'Nothing matches the filters' }).waitFor(),
  },
  {
    name: 'vaults-menu',
    seed,
    async show(page) {
      await page.getByRole('button', { name: 'Actions for Taxes' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
    },
  },
  {
    name: 'vaults-create',
    async show(page) {
      await page.getByRole('button', { name: 'New vault' }).first().click();
      await page.getByLabel('Name').fill('Taxes');
      await page.getByLabel('Category').fill('Not Allowed');
      await page.getByRole('button', { name: 'Create the vault' }).click();
      await page.locator('.problem').waitFor();
    },
  },
  {
    name: 'vaults-delete',
    seed,
    async show(page) {
      await page.getByRole('button', { name: 'Actions for Taxes' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
];
