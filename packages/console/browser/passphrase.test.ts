import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cipher, createCipher } from '@document-vault/sdk/crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
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
beforeAll(async () => {
  testConsole = await startConsole();
});
beforeEach(() => testConsole.server.reset());
afterAll(() => testConsole.close());

const next = 'another passphrase, which is longer';
const account = { email: 'ada@example.com', password: 'the password of Ada' };

/** Creates a vault with documents under encrypted names. */
async function createVault(names: readonly string[]) {
  const vault = await testConsole.client.vaults.create({ name: 'Taxes' });
  for (const name of names) await upload(vault.id, name);
  return vault;
}

function upload(vaultId: string, fileName: string) {
  const { client, cipher } = testConsole;
  const options = { vaultId, cipher, fileName, encryptFileName: true };
  return client.documents.upload(`content of ${fileName}`, options);
}

/** Opens the screen of the change. */
async function openChange() {
  const visit = await testConsole.open({ path: 'settings/encryption' });
  await signIn(testConsole, visit);
  return visit;
}

/** Fills in both passphrases. */
async function begin(page: Page, present: string, chosen = next): Promise<void> {
  await page.locator('.unlock [name=passphrase]').fill(present);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('radio', { name: 'My own' }).check();
  await page.locator('.unlock [name=passphrase]').fill(chosen);
  await page.locator('.unlock [name=repeated]').fill(chosen);
  await page.getByRole('button', { name: 'Change the passphrase' }).click();
}

/** Gives every document the next passphrase, outside of the browser. */
async function changeElsewhere(): Promise<Cipher> {
  const { client, cipher: from } = testConsole;
  const to = await createCipher({ passphrase: next });
  for (const document of (await client.documents.list()).data) {
    await client.documents.rewrap(document, { from, to });
  }
  return to;
}

/** How many documents of the account a cipher opens. */
async function countOpened(by: Cipher): Promise<number> {
  let count = 0;
  for await (const document of testConsole.client.documents.list()) {
    if (await by.check(document)) count += 1;
  }
  return count;
}

/** Holds requests to documents back until the returned function is called. */
async function holdDocuments(page: Page, count: number): Promise<() => void> {
  const { promise: released, resolve } = Promise.withResolvers<void>();
  let left = count;
  await page.route(/\/documents\/[^/]+$/, async (route) => {
    left -= 1;
    if (left >= 0) await released;
    // A request that was cancelled meanwhile cannot go on.
    await route.continue().catch(() => undefined);
  });
  return resolve;
}

const isChanged = (page: Page) =>
  page.getByRole('heading', { name: 'The passphrase is changed' }).waitFor();

describe('the change of the passphrase', () => {
  test('every document opens with the new passphrase alone', async () => {
    await createVault(['a.txt', 'b.txt', 'c.txt']);
    const visit = await openChange();
    const { page } = visit;
    await begin(page, passphrase);
    await isChanged(page);
    expect(await countOpened(testConsole.cipher)).toBe(0);
    await page.getByRole('link', { name: 'Vaults', exact: true }).click();
    await page.getByRole('link', { name: 'Taxes' }).click();
    const document = page.getByRole('button', { name: 'a.txt', exact: true });
    await document.waitFor();
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    await page.locator('[name=passphrase]').fill(passphrase);
    await page.locator('.unlock button[type=submit]').click();
    await page.getByText('This passphrase does not open your newest document').waitFor();
    await unlock(visit, next);
    await document.waitFor();
    expect(visit.problems).toEqual([]);
    const seen = [page.url(), await storedIn(visit), ...visit.sent].join('\n');
    for (const secret of [passphrase, next]) expect(seen).not.toContain(secret);
    await visit.context.close();
  });

  test('lists that were shown before have their names afterwards', async () => {
    const { id } = await createVault(['a.txt']);
    const visit = await testConsole.open({ path: `vaults/${id}` });
    const { page } = visit;
    await signIn(testConsole, visit);
    await unlock(visit);
    const document = page.getByRole('button', { name: 'a.txt', exact: true });
    await document.waitFor();
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await page.waitForURL(/sortBy=fileName/);
    await document.waitFor();
    await page.getByRole('link', { name: 'Encryption' }).click();
    await begin(page, passphrase);
    await isChanged(page);
    await page.goBack();
    await document.waitFor();
    await page.getByRole('link', { name: 'Vaults', exact: true }).first().click();
    await page.getByRole('link', { name: 'Taxes' }).click();
    await document.waitFor();
    await visit.context.close();
  });

  test('an interrupted change goes on with the same two passphrases', async () => {
    await createVault(['a.txt', 'b.txt', 'c.txt']);
    const { page, context } = await openChange();
    let left = 1;
    await page.route(/\/documents\/[^/]+$/, (route) => {
      left -= 1;
      return left < 0 ? route.abort() : route.continue();
    });
    await begin(page, passphrase);
    await page.getByRole('alert').waitFor({ timeout: 60_000 });
    await page.unroute(/\/documents\/[^/]+$/);
    await begin(page, passphrase);
    await isChanged(page);
    await page.getByText('3 documents have the new passphrase').waitFor();
    expect(await countOpened(testConsole.cipher)).toBe(0);
    await context.close();
  });

  test('a stopped change does not go on when another one begins', async () => {
    await createVault(['a.txt', 'b.txt', 'c.txt']);
    const { page, context } = await openChange();
    const release = await holdDocuments(page, 1);
    await begin(page, passphrase, 'the first choice, which is given up');
    await page.getByText('0 of 3 documents').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await begin(page, passphrase);
    await isChanged(page);
    release();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('heading', { name: 'Change the passphrase' }).waitFor();
    expect(await countOpened(await createCipher({ passphrase: next }))).toBe(3);
    await context.close();
  });

  test('documents that arrive meanwhile get the new passphrase', async () => {
    const { id } = await createVault(['a.txt', 'b.txt']);
    const { page, context } = await openChange();
    const release = await holdDocuments(page, 1);
    await begin(page, passphrase);
    await page.getByText('0 of 2 documents').waitFor();
    await upload(id, 'c.txt');
    release();
    await isChanged(page);
    await page.getByText('3 documents have the new passphrase').waitFor();
    expect(await countOpened(await createCipher({ passphrase: next }))).toBe(3);
    await context.close();
  });

  test('an upload that began under the old passphrase is sent anew by "Try again"', async () => {
    const { id } = await createVault(['a.txt']);
    const visit = await testConsole.open({ path: `vaults/${id}` });
    const { page } = visit;
    await signIn(testConsole, visit);
    await unlock(visit);
    const { promise: release, resolve } = Promise.withResolvers<void>();
    await page.route(/\/parts\/[1-9]$/, async (route) => {
      await release;
      await route.continue();
    });
    const folder = await mkdtemp(join(tmpdir(), 'console-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'begun.bin');
    await writeFile(file, Buffer.alloc(24 * 1024 * 1024));
    await page.locator('input[type=file][multiple]').first().setInputFiles(file);
    await page.getByText(/ of 25 MB/).waitFor();
    const to = await changeElsewhere();
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    await page.getByRole('heading', { name: 'Unlock your documents' }).waitFor();
    resolve();
    await unlock(visit, next);
    await page.getByText('The passphrase does not fit this document').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'begun.bin', exact: true }).waitFor();
    expect(await countOpened(to)).toBe(2);
    await visit.context.close();
  });

  test('the next user of the page sees no progress of a running change', async () => {
    await testConsole.client.auth.register({ ...account, name: 'Ada' });
    await createVault(['a.txt']);
    const visit = await openChange();
    const { page } = visit;
    await holdDocuments(page, 1);
    await begin(page, passphrase);
    await page.getByText('0 of 1 document').waitFor();
    await page.locator('.account-button').click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await signIn(testConsole, visit, { account });
    await page.getByRole('link', { name: 'Encryption' }).click();
    await page.getByRole('heading', { name: 'Change the passphrase' }).waitFor();
    expect(await page.getByRole('progressbar').count()).toBe(0);
    await visit.context.close();
  });
});

describe('a locked tab', () => {
  async function openLocked(): Promise<Visit> {
    const { id } = await createVault(['a.txt']);
    const visit = await testConsole.open({ path: `vaults/${id}` });
    await signIn(testConsole, visit);
    await visit.page.getByRole('heading', { name: 'Unlock your documents' }).waitFor();
    return visit;
  }

  test('it opens with a passphrase that another device has set', async () => {
    const visit = await openLocked();
    await changeElsewhere();
    await unlock(visit, next);
    await visit.page.getByRole('button', { name: 'a.txt', exact: true }).waitFor();
    await visit.context.close();
  });

  test('it asks for a new passphrase when it is shown after another device has deleted the last document', async () => {
    const { client } = testConsole;
    const { page, context } = await openLocked();
    const [document] = (await client.documents.list()).data;
    await client.documents.delete(document?.id ?? '');
    await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
    await page.getByRole('heading', { name: 'Choose a passphrase' }).waitFor();
    await context.close();
  });
});
