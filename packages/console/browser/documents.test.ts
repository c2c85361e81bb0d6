import { readFile } from 'node:fs/promises';
import { createCipher } from '@document-vault/sdk/crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { passphrase, startConsole, type TestConsole } from './support/console.ts';
import {
  choose,
  createVault,
  documentIn,
  expectClean,
  namesIn,
  openVault,
} from './support/documents.ts';

let testConsole: TestConsole;
beforeAll(async () => {
  testConsole = await startConsole();
});
beforeEach(() => testConsole.server.reset());
afterAll(() => testConsole.close());

describe('the documents of a vault', () => {
  test('a list shows decrypted names, and keeps order and filter over a reload', async () => {
    const { id } = await createVault(testConsole, ['b-secret.txt', 'a-secret.txt', 'c-secret.txt']);
    const visit = await openVault(testConsole, id, { staySignedIn: true });
    const { page } = visit;
    await documentIn(page, 'a-secret.txt').waitFor();
    expect(await namesIn(page)).toEqual(['c-secret.txt', 'a-secret.txt', 'b-secret.txt']);
    // Login, vault, page of documents, keyring, and keys of all vaults.
    expect(visit.requests).toHaveLength(5);
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await page.getByLabel('Type').selectOption('text/plain');
    await expect
      .poll(() => namesIn(page))
      .toEqual(['a-secret.txt', 'b-secret.txt', 'c-secret.txt']);
    await page.reload();
    await expect
      .poll(() => namesIn(page))
      .toEqual(['a-secret.txt', 'b-secret.txt', 'c-secret.txt']);
    expect(new URL(page.url()).searchParams.get('mimeType')).toBe('text/plain');
    await expectClean(visit, ['a-secret']);
  });

  test('a search finds a name with accents, composed or decomposed', async () => {
    const { id } = await createVault(testConsole, [
      'Re\u0301sume\u0301.txt',
      'R\u00e9sum\u00e9 2.txt',
    ]);
    const { page, context } = await openVault(testConsole, id);
    for (const search of ['r\u00e9sum\u00e9', 're\u0301sume\u0301']) {
      await page.getByLabel('Search names').fill(search);
      await expect.poll(async () => (await namesIn(page)).length).toBe(2);
    }
    await page.getByLabel('Search names').fill('r\u00e9sum\u00e9 2');
    await expect.poll(async () => (await namesIn(page)).length).toBe(1);
    await context.close();
  });

  test('a search finds encrypted names on other pages, and sends no part of them', async () => {
    const names = Array.from({ length: 23 }, (_, index) => `secret-${index}.txt`);
    const { id } = await createVault(testConsole, names);
    const visit = await openVault(testConsole, id);
    const { page } = visit;
    await documentIn(page, 'secret-22.txt').waitFor();
    expect(await namesIn(page)).not.toContain('secret-0.txt');
    const before = visit.requests.length;
    await page.getByLabel('Search names').fill('SECRET-0');
    await expect.poll(() => namesIn(page)).toEqual(['secret-0.txt']);
    expect(visit.requests.length - before).toBe(1);
    expect(new URL(page.url()).search).toBe('');
    await page.getByLabel('Search names').fill('nothing of this name');
    await page.getByRole('heading', { name: 'Nothing matches the filters' }).waitFor();
    await expectClean(visit, ['secret-0', 'SECRET-0', 'nothing of this name']);
  });

  test('a document under the passphrase of a program is listed as "Encrypted with another key"', async () => {
    const { id: vaultId } = await createVault(testConsole, ['a.txt']);
    const cipher = await createCipher({ passphrase });
    const options = { vaultId, cipher, fileName: 'other.txt', encryptFileName: true };
    await testConsole.client.documents.upload('text', options);
    const visit = await openVault(testConsole, vaultId);
    await documentIn(visit.page, 'a.txt').waitFor();
    await visit.page.getByText('Encrypted with another key').waitFor();
    await expectClean(visit, []);
  });

  test('locking removes names and previews from the page', async () => {
    const { id } = await createVault(testConsole, ['secret.txt']);
    const visit = await openVault(testConsole, id);
    const { page } = visit;
    await documentIn(page, 'secret.txt').click();
    await page.getByText('content of secret.txt').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    await page.getByRole('heading', { name: 'Unlock your documents' }).waitFor();
    expect(await page.content()).not.toContain('secret.txt');
    await expectClean(visit, ['secret.txt']);
  });
});

describe('changing documents', () => {
  test('a downloaded document has its name and content', async () => {
    const { id } = await createVault(testConsole, ['secret.txt']);
    const visit = await openVault(testConsole, id);
    const { page } = visit;
    const saved = page.waitForEvent('download');
    await choose(page, 'secret.txt', 'Download');
    const download = await saved;
    expect(download.suggestedFilename()).toBe('secret.txt');
    expect(await readFile(await download.path(), 'utf8')).toBe('content of secret.txt');
    await expectClean(visit, ['secret.txt']);
  });

  test('an export has the decrypted names of every page', async () => {
    const names = Array.from({ length: 22 }, (_, index) => `secret-${index}.txt`);
    const { id } = await createVault(testConsole, names);
    const visit = await openVault(testConsole, id);
    const { page } = visit;
    await documentIn(page, 'secret-21.txt').waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Export as JSON' }).click();
    const rows = JSON.parse(await readFile(await (await saved).path(), 'utf8'));
    const exported = rows.map(({ fileName }: { fileName: string }) => fileName);
    expect(exported.toSorted()).toEqual(names.toSorted());
    await expectClean(visit, ['secret-21']);
  });

  test('the keyboard opens a menu and a dialog, and gets its focus back', async () => {
    const { id } = await createVault(testConsole, ['secret.txt']);
    const visit = await openVault(testConsole, id);
    const { page } = visit;
    const actions = page.getByRole('button', { name: 'Actions for secret.txt' });
    await actions.focus();
    expect(await page.locator('.cell-actions [role=menuitem]').count()).toBe(0);
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Delete');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Delete “secret.txt”?' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(await actions.evaluate((button) => button === document.activeElement)).toBe(true);
    await visit.context.close();
  });

  test('renaming stores an encrypted name, and gives the focus back', async () => {
    const { id } = await createVault(testConsole, ['secret.txt']);
    const visit = await openVault(testConsole, id);
    const { page } = visit;
    await choose(page, 'secret.txt', 'Rename');
    await page.getByLabel('Name', { exact: true }).fill('other-secret.txt');
    await page.keyboard.press('Enter');
    await documentIn(page, 'other-secret.txt').waitFor();
    expect(await namesIn(page)).toEqual(['other-secret.txt']);
    const focused = page.locator(':focus');
    expect(await focused.getAttribute('aria-label')).toBe('Actions for other-secret.txt');
    const [stored] = (await testConsole.client.documents.list()).data;
    expect(stored?.fileName).toMatch(/^enc\./);
    await expectClean(visit, ['secret.txt']);
  });

  test('selected documents are moved, then deleted after a question', async () => {
    const { id } = await createVault(testConsole, ['a.txt', 'b.txt', 'c.txt']);
    const other = await testConsole.client.vaults.create({ name: 'Insurance' });
    const visit = await openVault(testConsole, id);
    const { page } = visit;
    await page.getByLabel('Select a.txt').check();
    await page.getByLabel('Select b.txt').check();
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click();
    await expect.poll(() => namesIn(page)).toEqual(['c.txt']);
    const moved = await testConsole.client.documents.list({ vaultId: other.id });
    expect(moved.pagination.totalCount).toBe(2);
    await choose(page, 'c.txt', 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'No documents yet' }).waitFor();
    const left = await testConsole.client.documents.list({ vaultId: id });
    expect(left.pagination.totalCount).toBe(0);
    await expectClean(visit, []);
  });
});

describe('hostile documents', () => {
  const script = '<script>top.hacked = true</script><img src=x onerror="top.hacked = true">';
  const isHacked = (page: Page) => page.evaluate(() => 'hacked' in window);

  test.each(['text/html', 'image/svg+xml', 'application/xhtml+xml'])(
    'a preview of %s shows its source and runs nothing',
    async (mimeType) => {
      const client = await testConsole.unlocked();
      const { id: vaultId } = await client.vaults.create({ name: 'Taxes' });
      // A slash is no character of a name.
      const fileName = '<img src=x onerror=top.hacked=1>.html';
      const content = `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`;
      await client.documents.upload(content, { vaultId, fileName, mimeType });
      const visit = await openVault(testConsole, vaultId);
      const { page } = visit;
      await documentIn(page, fileName).click();
      await page.locator('.preview pre').filter({ hasText: 'top.hacked' }).waitFor();
      expect(await page.locator('.preview iframe, .preview img, .preview svg').count()).toBe(0);
      expect(await isHacked(page)).toBe(false);
      await expectClean(visit, []);
    },
  );

  test.each([
    ['image/png', 'h2:text("Your browser cannot show this file")'],
    ['application/pdf', '.preview iframe'],
    ['video/mp4', 'h2:text("Your browser cannot show this file")'],
  ])('HTML that claims to be %s runs nothing', async (mimeType, shown) => {
    const client = await testConsole.unlocked();
    const { id: vaultId } = await client.vaults.create({ name: 'Taxes' });
    const options = { vaultId, fileName: 'page.html', mimeType };
    await client.documents.upload(`<!doctype html>${script}`, options);
    const visit = await openVault(testConsole, vaultId);
    const { page } = visit;
    await documentIn(page, 'page.html').click();
    await page.locator(shown).waitFor({ state: 'attached' });
    expect(await isHacked(page)).toBe(false);
    await visit.context.close();
  });
});
