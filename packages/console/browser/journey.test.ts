import { openShare } from '@document-vault/sdk/share';
import { pino } from 'pino';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startConsole, storedIn, type TestConsole } from './support/console.ts';

let testConsole: TestConsole;
const logged: string[] = [];
beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line: string) => logged.push(line) });
  testConsole = await startConsole({ log });
});
beforeEach(() => testConsole.server.reset());
afterAll(() => testConsole.close());

/** What must not leave the browser. */
const secret = {
  passphrase: 'the passphrase canary of Ada',
  fileName: 'name-canary.txt',
  content: 'the plaintext canary',
};

/** Moves the focus by the Tab key until it is there. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let count = 0; count < 60; count += 1) {
    const isThere = await target.evaluate((element) => element === document.activeElement);
    if (isThere) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The Tab key does not reach ${target}`);
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const isFocused = (target: Locator) =>
  target.evaluate((element) => element === document.activeElement);

async function signInByKeys(page: Page): Promise<void> {
  const { email = '', password = '' } = testConsole.server.account ?? {};
  await expect.poll(() => isFocused(page.locator('[name=email]'))).toBe(true);
  await page.keyboard.type(email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'No vaults yet' }).waitFor();
}

async function createVaultByKeys(page: Page): Promise<void> {
  await page.keyboard.press('n');
  await expect.poll(() => isFocused(page.locator('dialog [name=name]'))).toBe(true);
  await page.keyboard.type('Taxes');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Choose a passphrase' }).waitFor();
}

async function choosePassphraseByKeys(page: Page): Promise<string> {
  await tabTo(page, page.getByRole('radio', { name: 'Generated' }));
  await page.keyboard.press('ArrowRight');
  await tabTo(page, page.locator('[name=passphrase]'));
  await page.keyboard.type(secret.passphrase);
  await tabTo(page, page.locator('[name=repeated]'));
  await page.keyboard.type(secret.passphrase);
  await page.keyboard.press('Enter');
  await tabTo(page, page.locator('[name=last]'));
  const recoveryKey = (await page.locator('output[aria-label]').textContent()) ?? '';
  await page.keyboard.type(recoveryKey.slice(-4));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'No documents yet' }).waitFor();
  return recoveryKey;
}

async function uploadByKeys(page: Page): Promise<void> {
  // Playwright does not wait until Chromium reports file choosers. By the time the menu is open, it does.
  const choosing = page.waitForEvent('filechooser');
  await tabTo(page, page.locator('.page-actions .button.primary'));
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator(':focus').textContent()).toBe('Choose files');
  await page.keyboard.press('Enter');
  const buffer = Buffer.from(secret.content);
  await (await choosing).setFiles({ name: secret.fileName, mimeType: 'text/plain', buffer });
  await button(page, secret.fileName).waitFor();
}

/** Returns the link, which is in the clipboard too. */
async function shareByKeys(page: Page): Promise<string> {
  const actions = button(page, `Actions for ${secret.fileName}`);
  await tabTo(page, actions);
  await page.keyboard.press('Enter');
  for (const item of ['Open', 'Download', 'Share']) {
    await expect.poll(() => page.locator(':focus').textContent()).toBe(item);
    if (item !== 'Share') await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Enter');
  await tabTo(page, button(page, 'Create the link'));
  await page.keyboard.press('Enter');
  await page.locator('.share-link').waitFor();
  await tabTo(page, button(page, 'Copy the link'));
  await page.keyboard.press('Enter');
  await button(page, 'Copied').waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.keyboard.press('Escape');
  await expect.poll(() => isFocused(actions)).toBe(true);
  return link;
}

async function lockAndUnlockByKeys(page: Page): Promise<void> {
  await page.keyboard.press('Shift+L');
  await page.getByRole('heading', { name: 'Unlock your documents' }).waitFor();
  await tabTo(page, page.locator('[name=passphrase]'));
  await page.keyboard.type(secret.passphrase);
  await page.keyboard.press('Enter');
  await button(page, secret.fileName).waitFor();
}

test('the whole journey works by keyboard, and its secrets are in no request, log, address or storage', async () => {
  const visit = await testConsole.open();
  const { page } = visit;
  await signInByKeys(page);
  await createVaultByKeys(page);
  const recoveryKey = await choosePassphraseByKeys(page);
  await uploadByKeys(page);
  const link = await shareByKeys(page);
  const opened = await openShare(link);
  expect(Buffer.from(opened.bytes).toString()).toBe(secret.content);
  await lockAndUnlockByKeys(page);

  const document = button(page, secret.fileName);
  await tabTo(page, document);
  await page.keyboard.press('Enter');
  await page.getByText(secret.content).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => isFocused(document)).toBe(true);

  const key = link.split('.').at(-1) ?? '';
  expect(key.length).toBeGreaterThan(40);
  expect(logged.length).toBeGreaterThan(5);
  const places = [...visit.sent, ...logged, page.url(), await storedIn(visit)].join('\n');
  for (const text of [...Object.values(secret), recoveryKey, btoa(secret.content), key]) {
    expect(places).not.toContain(text);
  }
  expect(visit.problems).toEqual([]);
  await visit.context.close();
});

test('each shortcut of the help sheet opens its screen, whose heading has the focus', async () => {
  const visit = await testConsole.open();
  const { page } = visit;
  await signInByKeys(page);
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await sheet.waitFor();
  const listed = await sheet.locator('.shortcut-list > div').evaluateAll((rows) =>
    rows.map((row) => ({
      label: row.querySelector('dt')?.textContent ?? '',
      keys: [...row.querySelectorAll('kbd')].map(({ textContent }) => textContent ?? ''),
    })),
  );
  await page.keyboard.press('Escape');
  const goTo = listed.filter(({ keys }) => keys[0] === 'g');
  expect(goTo.length).toBeGreaterThan(7);
  // The first one is the screen that is open.
  for (const { label, keys } of [...goTo.slice(1), ...goTo.slice(0, 1)]) {
    for (const letter of keys) await page.keyboard.press(letter);
    const current = page.locator('.nav-link[aria-current=page]');
    await expect.poll(async () => `Go to ${await current.textContent()}`).toBe(label);
    await expect.poll(() => page.locator('h1:focus').count()).toBe(1);
  }
  expect(visit.problems).toEqual([]);
  await visit.context.close();
});
