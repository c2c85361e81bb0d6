import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openShare } from '@document-vault/sdk/share';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { signIn, startConsole, storedIn, type TestConsole, unlock } from './support/console.ts';
import {
  choose,
  createVault,
  documentIn,
  expectClean,
  namesIn,
  openVault,
  pickFiles,
} from './support/documents.ts';

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

test('from sign-in to a shared link are 7 requests, which succeed and have no secret', async () => {
  const { name } = await createVault(testConsole, ['old.txt']);
  const visit = await testConsole.open();
  const { page } = visit;
  const refused: string[] = [];
  page.on('response', (response) => {
    if (!response.ok()) refused.push(response.url());
  });
  await signIn(testConsole, visit);
  await page.getByRole('link', { name }).click();
  await unlock(visit);
  const buffer = Buffer.from('the plaintext canary');
  await pickFiles(page, { name: 'canary-name.txt', mimeType: 'text/plain', buffer });
  await choose(page, 'canary-name.txt', 'Share');
  await page.getByRole('button', { name: 'Create the link' }).click();
  const link = (await page.locator('.share-link').textContent()) ?? '';
  expect(visit.requests).toHaveLength(7);
  expect(refused).toEqual([]);
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
  const { id } = await createVault(testConsole, ['old.txt']);
  const visit = await openVault(testConsole, id);
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
  const { id } = await createVault(testConsole, ['old.txt']);
  const inner = join(folder, 'taxes', '2026');
  await mkdir(inner, { recursive: true });
  await writeFile(join(folder, 'taxes', 'letter.txt'), 'a letter');
  await writeFile(join(inner, 'return.txt'), 'a return');
  const visit = await openVault(testConsole, id);
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
  const { id } = await createVault(testConsole, ['old.txt']);
  const bytes = randomBytes(24 * 1024 * 1024);
  const file = join(folder, 'large.bin');
  await writeFile(file, bytes);
  const visit = await openVault(testConsole, id, { staySignedIn: true });
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
  const client = await testConsole.unlocked();
  const [newest] = (await client.documents.list()).data;
  const stored = await client.documents.download(newest?.id ?? '');
  expect(Buffer.from(stored.bytes).equals(bytes)).toBe(true);
  await expectClean(visit, ['large.bin']);
});

test.each(['before', 'after'])(
  'an upload that ends by a lock %s the next unlocking goes on',
  async (when) => {
    const { id } = await createVault(testConsole, ['old.txt']);
    const visit = await openVault(testConsole, id);
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
  const { id } = await createVault(testConsole, ['old.txt']);
  const visit = await openVault(testConsole, id);
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
  const { id } = await createVault(testConsole, ['old.txt']);
  const visit = await openVault(testConsole, id);
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
  const { id } = await createVault(testConsole, ['old.txt']);
  const visit = await openVault(testConsole, id);
  const { page } = visit;
  const buffer = Buffer.from('text');
  await pickFiles(page, { name: `${'ü'.repeat(90)}.txt`, mimeType: 'text/plain', buffer });
  await page.getByText('This name cannot be used').waitFor();
  expect(visit.requests.filter((request) => request.startsWith('POST /api'))).toEqual([]);
  await visit.context.close();
});
