import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCipher } from '@document-vault/sdk/crypto';
import { openShare } from '@document-vault/sdk/share';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  passphrase,
  signIn,
  startConsole,
  storedIn,
  type TestConsole,
  unlock,
  type Visit,
} from './support/console.ts';

let testConsole: TestConsole;
let folder: string;
beforeAll(async () => {
  testConsole = await startConsole();
  folder = await mkdtemp(join(tmpdir(), 'console-'));
});
beforeEach(() => testConsole.server.reset());
afterAll(async () => {
  await testConsole.close();
  await rm(folder, { recursive: true });
});

/** Creates a vault with documents under encrypted names. */
async function createVault(names: readonly string[], mimeType = 'text/plain') {
  const { client, cipher } = testConsole;
  const vault = await client.vaults.create({ name: 'Taxes' });
  for (const fileName of names) {
    const options = { vaultId: vault.id, cipher, fileName, mimeType, encryptFileName: true };
    await client.documents.upload(`content of ${fileName}`, options);
  }
  return vault;
}

/** Signs in, opens the vault and unlocks. */
async function openVault(id: string, how: { path?: string; staySignedIn?: boolean } = {}) {
  const visit = await testConsole.open({ path: how.path ?? `vaults/${id}` });
  await signIn(testConsole, visit, { staySignedIn: how.staySignedIn ?? false });
  await unlock(visit);
  return visit;
}

/** The names in the table, from top to bottom. */
const namesIn = (page: Page) => page.locator('.document-open').allTextContents();

const documentIn = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function choose(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

function pickFiles(page: Page, files: Parameters<ReturnType<Page['locator']>['setInputFiles']>[0]) {
  return page.locator('input[type=file][multiple]').first().setInputFiles(files);
}

/** Expects that the page reported no problem, and that its requests and its address have no secret. */
async function expectClean(visit: Visit, secrets: readonly string[]): Promise<void> {
  expect(visit.problems).toEqual([]);
  const stored = await storedIn(visit);
  for (const secret of [passphrase, ...secrets]) {
    expect(visit.sent.join('\n')).not.toContain(secret);
    expect(visit.page.url()).not.toContain(secret);
    expect(stored).not.toContain(secret);
  }
  await visit.context.close();
}

describe('the documents of a vault', () => {
  test('a list shows decrypted names, and keeps order and filter over a reload', async () => {
    const { id } = await createVault(['b-secret.txt', 'a-secret.txt', 'c-secret.txt']);
    const visit = await openVault(id, { staySignedIn: true });
    const { page } = visit;
    await documentIn(page, 'a-secret.txt').waitFor();
    expect(await namesIn(page)).toEqual(['c-secret.txt', 'a-secret.txt', 'b-secret.txt']);
    // Login, vault, newest document and page of documents.
    expect(visit.requests).toHaveLength(4);
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

  test('a search finds encrypted names on other pages, and sends no part of them', async () => {
    const names = Array.from({ length: 23 }, (_, index) => `secret-${index}.txt`);
    const { id } = await createVault(names);
    const visit = await openVault(id);
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

  test('a document of another program opens after the passphrase is entered again', async () => {
    const { id: vaultId } = await createVault(['own.txt']);
    const visit = await openVault(vaultId, { staySignedIn: true });
    const { page } = visit;
    await documentIn(page, 'own.txt').waitFor();
    const other = await createCipher({ passphrase, iterations: 1000 });
    const options = { vaultId, cipher: other, fileName: 'other.txt', encryptFileName: true };
    await testConsole.client.documents.upload('of another program', options);
    await page.reload();
    await page.getByText('Needs the passphrase').waitFor();
    await documentIn(page, 'own.txt').waitFor();
    await page.getByRole('button', { name: 'Enter the passphrase' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('[name=passphrase]').fill(passphrase);
    await dialog.getByRole('button', { name: 'Unlock' }).click();
    await documentIn(page, 'other.txt').waitFor();
    await expect.poll(() => page.locator('h1:focus').count()).toBe(1);
    await page.reload();
    await documentIn(page, 'other.txt').waitFor();
    await expectClean(visit, ['other.txt']);
  });

  test('locking removes names and previews from the page', async () => {
    const { id } = await createVault(['secret.txt']);
    const visit = await openVault(id);
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

describe('uploading and sharing', () => {
  test('from sign-in to a shared link are at most 7 requests, and none has a secret', async () => {
    const { name } = await createVault(['old.txt']);
    const visit = await testConsole.open();
    const { page } = visit;
    await signIn(testConsole, visit);
    await page.getByRole('link', { name }).click();
    await unlock(visit);
    const buffer = Buffer.from('the plaintext canary');
    await pickFiles(page, { name: 'canary-name.txt', mimeType: 'text/plain', buffer });
    await choose(page, 'canary-name.txt', 'Share');
    await page.getByRole('button', { name: 'Create the link' }).click();
    const link = (await page.locator('.share-link').textContent()) ?? '';
    expect(visit.requests.length).toBeLessThanOrEqual(7);
    const opened = await openShare(link);
    expect(opened.fileName).toBe('canary-name.txt');
    expect(Buffer.from(opened.bytes).toString()).toBe('the plaintext canary');
    await page.getByRole('radio', { name: 'Existing links' }).check();
    await page.getByRole('button', { name: 'Access log' }).click();
    await page.locator('.accesses code').waitFor();
    const saved = page.waitForEvent('download');
    await page.locator('.accesses').getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Export as JSON' }).last().click();
    const accesses = JSON.parse(await readFile(await (await saved).path(), 'utf8'));
    expect(accesses).toMatchObject([{ ipAddress: '127.0.0.1' }]);
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Ended', { exact: true }).waitFor();
    await expect(openShare(link)).rejects.toThrow();
    const key = link.split('.').at(-1) ?? '';
    expect(key.length).toBeGreaterThan(40);
    await expectClean(visit, [
      'canary-name',
      'the plaintext canary',
      btoa('the plaintext canary'),
      key,
    ]);
  });

  test('dropped and pasted files are uploaded', async () => {
    const { id } = await createVault(['old.txt']);
    const visit = await openVault(id);
    const { page } = visit;
    await documentIn(page, 'old.txt').waitFor();
    await page.evaluate(() => {
      const transfer = (name: string) => {
        const data = new DataTransfer();
        data.items.add(new File(['some text'], name, { type: 'text/plain' }));
        return data;
      };
      const dataTransfer = transfer('dropped.txt');
      const options = { dataTransfer, bubbles: true, cancelable: true };
      document.body.dispatchEvent(new DragEvent('drop', options));
      const clipboardData = transfer('pasted.txt');
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    });
    await documentIn(page, 'dropped.txt').waitFor();
    await documentIn(page, 'pasted.txt').waitFor();
    await expectClean(visit, ['dropped.txt', 'pasted.txt']);
  });

  test('a folder is uploaded with all files of its folders, dropped or chosen', async () => {
    const { id } = await createVault(['old.txt']);
    const inner = join(folder, 'taxes', '2026');
    await mkdir(inner, { recursive: true });
    await writeFile(join(folder, 'taxes', 'letter.txt'), 'a letter');
    await writeFile(join(inner, 'return.txt'), 'a return');
    const visit = await openVault(id);
    const { page } = visit;
    await documentIn(page, 'old.txt').waitFor();
    await page.locator('input[webkitdirectory]').setInputFiles(join(folder, 'taxes'));
    await documentIn(page, 'letter.txt').waitFor();
    await documentIn(page, 'return.txt').waitFor();
    await page.evaluate(() => {
      const entryOf = (name: string) => ({
        isFile: true,
        file: (done: (file: File) => void) => done(new File(['text'], name)),
      });
      const folderOf = (...inner: object[]) => ({
        isFile: false,
        createReader: () => ({
          readEntries: (done: (entries: object[]) => void) => done(inner.splice(0)),
        }),
      });
      const root = folderOf(entryOf('top.txt'), folderOf(entryOf('deep.txt')));
      const event = new DragEvent('drop', { bubbles: true, cancelable: true });
      const items = [{ kind: 'file', webkitGetAsEntry: () => root }];
      Object.defineProperty(event, 'dataTransfer', { value: { types: ['Files'], items } });
      document.body.dispatchEvent(event);
    });
    await documentIn(page, 'top.txt').waitFor();
    await documentIn(page, 'deep.txt').waitFor();
    await expectClean(visit, ['letter.txt', 'deep.txt']);
  });

  test('an upload goes on after a reload with the parts that have arrived', async () => {
    const { id } = await createVault(['old.txt']);
    const bytes = randomBytes(24 * 1024 * 1024);
    const file = join(folder, 'large.bin');
    await writeFile(file, bytes);
    const visit = await openVault(id, { staySignedIn: true });
    const { page } = visit;
    const parts: string[] = [];
    let isCut = true;
    await page.route(/\/parts\/\d+$/, async (route) => {
      const part = route.request().url().split('/').at(-1) ?? '';
      if (isCut && part !== '0') return;
      parts.push(part);
      await route.continue();
    });
    await pickFiles(page, file);
    await page.getByText(/ of 25 MB/).waitFor();
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByText('Interrupted. Choose the same file again').waitFor();
    await page.getByText('large.bin').waitFor();
    isCut = false;
    await page.locator('.transfer input[type=file]').setInputFiles(file);
    await documentIn(page, 'large.bin').waitFor();
    expect(parts.filter((part) => part === '0')).toHaveLength(1);
    expect(await storedIn(visit)).not.toContain('"uploadId"');
    const { client, cipher } = testConsole;
    const [newest] = (await client.documents.list()).data;
    const stored = await client.documents.download(newest?.id ?? '', { cipher });
    expect(Buffer.from(stored.bytes).equals(bytes)).toBe(true);
    await expectClean(visit, ['large.bin']);
  });

  test.each(['before', 'after'])(
    'an upload that ends by a lock %s the next unlocking goes on',
    async (when) => {
      const { id } = await createVault(['old.txt']);
      const visit = await openVault(id);
      const { page } = visit;
      const file = join(folder, 'locked.bin');
      await writeFile(file, randomBytes(24 * 1024 * 1024));
      const { promise: release, resolve } = Promise.withResolvers<void>();
      await page.route(/\/parts\/[1-9]$/, async (route) => {
        await release;
        await route.continue();
      });
      await pickFiles(page, file);
      await page.getByText(/ of 25 MB/).waitFor();
      await page.getByRole('button', { name: 'Lock', exact: true }).click();
      await page.getByRole('heading', { name: 'Unlock your documents' }).waitFor();
      expect(await page.content()).not.toContain('locked.bin');
      if (when === 'before') resolve();
      await unlock(visit);
      resolve();
      await documentIn(page, 'locked.bin').waitFor();
      await expectClean(visit, ['locked.bin']);
    },
  );

  test('an upload that fails is sent by "Try again"', async () => {
    const { id } = await createVault(['old.txt']);
    const visit = await openVault(id);
    const { page } = visit;
    await page.route('**/api/v1/documents', (route) => route.abort());
    const buffer = Buffer.from('text');
    await pickFiles(page, { name: 'late.txt', mimeType: 'text/plain', buffer });
    await page.getByText('The service cannot be reached').waitFor();
    expect(await namesIn(page)).toEqual(['old.txt']);
    await page.unroute('**/api/v1/documents');
    await page.getByRole('button', { name: 'Try again' }).click();
    await documentIn(page, 'late.txt').waitFor();
    await visit.context.close();
  });

  test('a cancelled upload leaves neither document nor parts', async () => {
    const { id } = await createVault(['old.txt']);
    const visit = await openVault(id);
    const { page } = visit;
    const file = join(folder, 'cancelled.bin');
    await writeFile(file, randomBytes(24 * 1024 * 1024));
    await page.route(/\/parts\/[1-9]$/, () => undefined);
    await pickFiles(page, file);
    await page.getByText(/ of 25 MB/).waitFor();
    const given = page.waitForRequest((request) => request.method() === 'DELETE');
    await page.getByRole('button', { name: 'Cancel cancelled.bin' }).click();
    await given;
    expect(await page.locator('.transfers').count()).toBe(0);
    expect(await namesIn(page)).toEqual(['old.txt']);
    await visit.context.close();
  });

  test('a name that cannot be encrypted is refused with the reason', async () => {
    const { id } = await createVault(['old.txt']);
    const visit = await openVault(id);
    const { page } = visit;
    const buffer = Buffer.from('text');
    await pickFiles(page, { name: `${'ü'.repeat(90)}.txt`, mimeType: 'text/plain', buffer });
    await page.getByText('This name cannot be used').waitFor();
    expect(visit.requests.filter((request) => request.startsWith('POST /api'))).toEqual([]);
    await visit.context.close();
  });
});

describe('changing documents', () => {
  test('a downloaded document has its name and content', async () => {
    const { id } = await createVault(['secret.txt']);
    const visit = await openVault(id);
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
    const { id } = await createVault(names);
    const visit = await openVault(id);
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
    const { id } = await createVault(['secret.txt']);
    const visit = await openVault(id);
    const { page } = visit;
    const actions = page.getByRole('button', { name: 'Actions for secret.txt' });
    await actions.focus();
    await page.keyboard.press('ArrowUp');
    expect(await page.locator(':focus').textContent()).toBe('Delete');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Delete “secret.txt”?' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(await actions.evaluate((button) => button === document.activeElement)).toBe(true);
    await visit.context.close();
  });

  test('renaming stores an encrypted name, and gives the focus back', async () => {
    const { id } = await createVault(['secret.txt']);
    const visit = await openVault(id);
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
    const { id } = await createVault(['a.txt', 'b.txt', 'c.txt']);
    const other = await testConsole.client.vaults.create({ name: 'Insurance' });
    const visit = await openVault(id);
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
      const { client, cipher } = testConsole;
      const { id: vaultId } = await client.vaults.create({ name: 'Taxes' });
      // A slash is no character of a name.
      const fileName = '<img src=x onerror=top.hacked=1>.html';
      const content = `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`;
      await client.documents.upload(content, { vaultId, cipher, fileName, mimeType });
      const visit = await openVault(vaultId);
      const { page } = visit;
      await documentIn(page, fileName).click();
      await page.locator('.preview pre').filter({ hasText: 'top.hacked' }).waitFor();
      expect(await page.locator('.preview iframe, .preview img, .preview svg').count()).toBe(0);
      expect(await isHacked(page)).toBe(false);
      await expectClean(visit, []);
    },
  );

  test.each(['image/png', 'application/pdf', 'video/mp4'])(
    'HTML that claims to be %s runs nothing',
    async (mimeType) => {
      const { client, cipher } = testConsole;
      const { id: vaultId } = await client.vaults.create({ name: 'Taxes' });
      const options = { vaultId, cipher, fileName: 'page.html', mimeType };
      await client.documents.upload(`<!doctype html>${script}`, options);
      const visit = await openVault(vaultId);
      const { page } = visit;
      await documentIn(page, 'page.html').click();
      await page.locator('.preview :is(iframe, img, video)').waitFor({ state: 'attached' });
      expect(await isHacked(page)).toBe(false);
      await visit.context.close();
    },
  );
});
