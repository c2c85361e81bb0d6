import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { passphrase, signIn, storedIn, type TestConsole, unlock, type Visit } from './console.ts';

/** Creates a vault with documents under encrypted names. */
export async function createVault(console: TestConsole, names: readonly string[]) {
  const client = await console.unlocked();
  const vault = await client.vaults.create({ name: 'Taxes' });
  for (const fileName of names) {
    await client.documents.upload(`content of ${fileName}`, {
      vaultId: vault.id,
      fileName,
      mimeType: 'text/plain',
      encryptFileName: true,
    });
  }
  return vault;
}

/** Signs in, opens the vault and unlocks. */
export async function openVault(
  console: TestConsole,
  id: string,
  { staySignedIn = false } = {},
): Promise<Visit> {
  const visit = await console.open({ path: `vaults/${id}` });
  await signIn(console, visit, { staySignedIn });
  await unlock(visit);
  return visit;
}

/** The names in the table, from top to bottom. */
export const namesIn = (page: Page) => page.locator('.document-open').allTextContents();

export const documentIn = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true });

/** Chooses an action in the menu of a row. */
export async function choose(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

type Files = Parameters<ReturnType<Page['locator']>['setInputFiles']>[0];

/** Chooses files for an upload. */
export function pickFiles(page: Page, files: Files): Promise<void> {
  return page.locator('input[type=file][multiple]').first().setInputFiles(files);
}

/** Expects that the page reported no problem, and that its requests and its address have no secret. */
export async function expectClean(visit: Visit, secrets: readonly string[]): Promise<void> {
  expect(visit.problems).toEqual([]);
  const stored = await storedIn(visit);
  for (const secret of [passphrase, ...secrets]) {
    expect(visit.sent.join('\n')).not.toContain(secret);
    expect(visit.page.url()).not.toContain(secret);
    expect(stored).not.toContain(secret);
  }
  await visit.context.close();
}
