import type { Page } from 'playwright-core';
import { choosePassphrase, type TestConsole } from '../support/console.ts';
import type { Screen } from '../support/screens.ts';
import { uncached } from './states.ts';

export async function openTaxes(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Taxes' }).click();
}

export async function createVault({ client }: TestConsole) {
  return client.vaults.create({ name: 'Taxes', description: 'Returns and receipts' });
}

export async function seed(console: TestConsole): Promise<void> {
  const client = await console.unlocked();
  const vault = await createVault(console);
  const upload = (content: string | Uint8Array, fileName: string, mimeType: string) =>
    client.documents.upload(content, {
      vaultId: vault.id,
      fileName,
      mimeType,
      encryptFileName: true,
    });
  await upload(
    '<svg onload="window.hacked = true">',
    '<img src=x onerror=hacked=1>.svg',
    'image/svg+xml',
  );
  await upload(new Uint8Array(48_000), 'insurance policy 2025.pdf', 'application/pdf');
  await upload(
    new Uint8Array(1_400_000),
    `${'a-name-without-any-space-'.repeat(6)}.zip`,
    'application/zip',
  );
  await upload('Total: 42\n'.repeat(60), 'return 2026.txt', 'text/plain');
}

export const isListed = (page: Page) =>
  page.getByRole('button', { name: 'return 2026.txt', exact: true });

export async function openMenu(page: Page, item: string): Promise<void> {
  await openTaxes(page);
  await isListed(page).waitFor();
  await page.getByRole('button', { name: 'Actions for return 2026.txt' }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

/** Unlocks on the screen of the documents, which asks for the passphrase. */
export async function unlockHere(page: Page): Promise<void> {
  await openTaxes(page);
  await page.locator('[name=passphrase]').fill('open sesame, said the vault');
  await page.locator('.unlock button[type=submit]').click();
  await isListed(page).waitFor();
  await page.getByRole('link', { name: 'Vaults', exact: true }).first().click();
  await page.getByRole('heading', { name: 'Vaults', exact: true }).waitFor();
}

/** Screens of a vault's documents. */
export const documentScreens: readonly Screen[] = [
  {
    name: 'documents-locked',
    seed,
    async show(page) {
      await openTaxes(page);
      await page.getByRole('heading', { name: 'Unlock your documents' }).waitFor();
    },
  },
  {
    name: 'documents-first-passphrase',
    seed: createVault,
    async show(page) {
      await openTaxes(page);
      await page.getByRole('heading', { name: 'Choose a passphrase' }).waitFor();
    },
  },
  {
    name: 'documents-empty',
    seed: createVault,
    async show(page) {
      await openTaxes(page);
      await choosePassphrase({ page });
      await page.getByRole('heading', { name: 'No documents yet' }).waitFor();
    },
  },
  {
    name: 'documents',
    seed,
    async show(page) {
      await unlockHere(page);
      await openTaxes(page);
      await isListed(page).waitFor();
      await page.getByLabel('Select return 2026.txt').check();
    },
  },
  {
    name: 'documents-menu',
    seed,
    async show(page) {
      await unlockHere(page);
      await openTaxes(page);
      await page.getByRole('button', { name: 'Actions for return 2026.txt' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
    },
  },
  {
    name: 'documents-transfers',
    seed,
    async show(page) {
      await unlockHere(page);
      await openTaxes(page);
      await isListed(page).waitFor();
      await page
        .locator('input[type=file][multiple]')
        .first()
        .setInputFiles([
          { name: 'receipt.txt', mimeType: 'text/plain', buffer: Buffer.from('12.50') },
          {
            name: `${'too-long-'.repeat(20)}.txt`,
            mimeType: 'text/plain',
            buffer: Buffer.from('1'),
          },
        ]);
      await page.getByText('1 of 2 finished, 1 failed').last().waitFor();
    },
  },
  {
    name: 'documents-rename',
    seed,
    async show(page) {
      await unlockHere(page);
      await openMenu(page, 'Rename');
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'documents-move',
    async seed(console) {
      await seed(console);
      await console.client.vaults.create({ name: 'Insurance' });
    },
    async show(page) {
      await unlockHere(page);
      await openMenu(page, 'Move to another vault');
      await page.getByRole('button', { name: 'Move', exact: true }).waitFor();
    },
  },
  {
    name: 'documents-delete',
    seed,
    async show(page) {
      await unlockHere(page);
      await openMenu(page, 'Delete');
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'documents-share',
    seed,
    async show(page) {
      await unlockHere(page);
      await openMenu(page, 'Share');
      await page.getByRole('button', { name: 'Create the link' }).waitFor();
    },
  },
  {
    name: 'documents-shared',
    seed,
    async show(page) {
      await unlockHere(page);
      await openMenu(page, 'Share');
      await page.getByRole('button', { name: 'Create the link' }).click();
      await page.getByRole('img', { name: 'The link as a QR code' }).waitFor();
    },
  },
  {
    name: 'documents-links',
    async seed(console) {
      await seed(console);
      const { client } = console;
      const [document] = (await client.documents.list()).data;
      if (!document) throw new Error('No document');
      const opened = await client.shares.create(document.id, { access: 'anyone' });
      await client.shares.open(opened.shareToken);
      const ended = await client.shares.create(document.id, { maxAccessCount: 3 });
      await client.shares.delete(document.id, ended.id);
    },
    async show(page) {
      await unlockHere(page);
      await openMenu(page, 'Share');
      await page.getByRole('radio', { name: 'Existing links' }).check();
      await page.getByRole('button', { name: 'Access log' }).last().click();
      await page.locator('.accesses code').waitFor();
    },
  },
  {
    name: 'documents-preview',
    seed,
    async show(page) {
      await unlockHere(page);
      await openMenu(page, 'Open');
      await page.locator('.preview pre').filter({ hasText: 'Total: 42' }).waitFor();
    },
  },
  {
    name: 'documents-preview-none',
    seed,
    async show(page) {
      await unlockHere(page);
      await openTaxes(page);
      await page.getByRole('button', { name: /^a-name-without/ }).click();
      await page.getByRole('heading', { name: 'There is no preview of this type' }).waitFor();
    },
  },
  {
    name: 'documents-preview-not-loaded',
    seed,
    async show(page) {
      await unlockHere(page);
      await openTaxes(page);
      await isListed(page).waitFor();
      await page.route(uncached, (route) => route.abort());
      await page.getByRole('button', { name: /^a-name-without/ }).click();
      await page.getByRole('heading', { name: 'This could not be loaded' }).waitFor();
    },
  },
  {
    name: 'documents-nothing-found',
    seed,
    async show(page) {
      await unlockHere(page);
      await openTaxes(page);
      await page.getByLabel('Search names').fill('xyz');
      await page.getByRole('heading', { name: 'Nothing matches the filters' }).waitFor();
    },
  },
];
