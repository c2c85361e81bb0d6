import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  choosePassphrase,
  keepRecoveryKey,
  passphrase,
  signIn,
  startConsole,
  storedIn,
  type TestConsole,
  unlock,
  type Visit,
} from './support/console.ts';
import { webm } from './support/samples.ts';

let testConsole: TestConsole;
beforeAll(async () => {
  testConsole = await startConsole();
});
beforeEach(() => testConsole.server.reset());
afterAll(() => testConsole.close());

const account = { email: 'ada@example.com', password: 'the password of Ada' };
const minute = 60_000;

/** Creates a vault with one document of the development account. */
async function createDocument() {
  const client = await testConsole.unlocked();
  const vault = await client.vaults.create({ name: 'Taxes' });
  const options = { vaultId: vault.id, fileName: 'return.txt', encryptFileName: true };
  await client.documents.upload('Total: 42', options);
  return vault;
}

/** Creates a vault with a document, opens it in the browser and unlocks it. */
async function openUnlocked(how: { hasTestClock?: boolean; staySignedIn?: boolean } = {}) {
  const { hasTestClock = false, staySignedIn = true } = how;
  const path = `vaults/${(await createDocument()).id}`;
  const visit = await testConsole.open({ path, hasTestClock });
  await signIn(testConsole, visit, { staySignedIn });
  await unlock(visit);
  await isListed(visit.page).waitFor();
  return { visit, path };
}

const isListed = (page: Page) => page.getByRole('button', { name: 'return.txt', exact: true });
const unlockHeading = (page: Page) => page.getByRole('heading', { name: 'Unlock your documents' });

/** Expects a locked page, without decrypted names and kept keys. */
async function expectLocked(visit: Visit): Promise<void> {
  await unlockHeading(visit.page).waitFor();
  expect(await visit.page.content()).not.toContain('return.txt');
  expect(await storedIn(visit)).not.toContain('extractable');
}

async function register(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Ada');
  await page.getByLabel('E-mail address').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByRole('button', { name: 'Create an account' }).first().click();
  await page.getByRole('heading', { name: 'No vaults yet' }).waitFor();
}

async function createVault(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New vault' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('Taxes');
  await page.getByRole('button', { name: 'Create the vault' }).click();
  await page.getByRole('heading', { name: 'Choose a passphrase' }).waitFor();
}

async function uploadFile(page: Page): Promise<void> {
  await page
    .locator('input[type=file][multiple]')
    .first()
    .setInputFiles({
      name: 'return.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('Total: 42'),
    });
  await isListed(page).waitFor();
}

/** Chooses an entry of the account menu. */
async function chooseInAccount(page: Page, name: string | RegExp): Promise<void> {
  await page.locator('.account-button').click();
  await page.getByRole(typeof name === 'string' ? 'menuitem' : 'menuitemradio', { name }).click();
}

describe('a new account', () => {
  test('a new account types its passphrase twice, and it opens the first document later', async () => {
    const visit = await testConsole.open();
    const { page } = visit;
    await register(page);
    await createVault(page);
    await page.getByRole('radio', { name: 'My own' }).check();
    await page.locator('[name=passphrase]').fill('too short');
    await page.getByRole('button', { name: 'Use this passphrase' }).click();
    await page.locator('.problem').filter({ hasText: 'Use at least 12 characters' }).waitFor();
    await page.locator('[name=passphrase]').fill(passphrase);
    await page.locator('[name=repeated]').fill(`${passphrase}.`);
    await page.getByRole('button', { name: 'Use this passphrase' }).click();
    await page.getByText('The two passphrases differ.').waitFor();
    expect(await page.locator(':focus').getAttribute('name')).toBe('repeated');
    expect(await page.locator('.lock-open').count()).toBe(0);
    const recoveryKey = await choosePassphrase(visit);
    await uploadFile(page);
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    await expectLocked(visit);
    await unlock(visit);
    await isListed(page).waitFor();
    expect(visit.problems).toEqual([]);
    const seen = [...visit.sent, await storedIn(visit), await page.content()].join('\n');
    for (const secret of [passphrase, recoveryKey]) expect(seen).not.toContain(secret);
    await visit.context.close();
  });

  test('a generated passphrase is used once it is saved, and the recovery kit is printed alone', async () => {
    const visit = await testConsole.open();
    const { page } = visit;
    await register(page);
    await createVault(page);
    const first = await page.locator('.generated').textContent();
    await page.getByRole('button', { name: 'Generate again' }).click();
    await expect.poll(() => page.locator('.generated').textContent()).not.toBe(first);
    const generated = (await page.locator('.generated').textContent()) ?? '';
    expect(generated).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){4}[0-9A-HJKMNP-TV-Z]{5}$/);
    await page.getByRole('button', { name: 'Use this passphrase' }).click();
    await page.getByText('Save the passphrase first').waitFor();
    await page.getByLabel('I have saved the passphrase').check();
    await page.getByRole('button', { name: 'Use this passphrase' }).click();
    await page.getByRole('heading', { name: 'Keep your recovery key' }).waitFor();
    expect(await page.locator('input[type=file]').count()).toBe(0);

    const shown = page.getByLabel('Recovery key', { exact: true });
    const recoveryKey = (await shown.textContent()) ?? '';
    expect(recoveryKey).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){8}[0-9A-HJKMNP-TV-Z]{4}$/);
    const kit = page.locator('.kit');
    expect(await kit.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    expect(await kit.isVisible()).toBe(true);
    for (const text of [recoveryKey, account.email, testConsole.server.url]) {
      expect(await kit.textContent()).toContain(text);
    }
    expect(await page.getByRole('button', { name: 'Print', exact: true }).isVisible()).toBe(false);
    await page.emulateMedia({ media: 'screen' });

    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    expect(await readFile(await (await saved).path(), 'utf8')).toContain(recoveryKey);
    await page.locator('[name=last]').fill('0000');
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByText('These are not the last four characters').waitFor();
    expect(await page.locator('input[type=file]').count()).toBe(0);
    await keepRecoveryKey(visit);
    await uploadFile(page);
    for (const secret of [generated, recoveryKey]) {
      expect(await page.content()).not.toContain(secret);
    }
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    await unlock(visit, generated);
    await isListed(page).waitFor();
    expect(visit.problems).toEqual([]);
    expect(visit.sent.join('\n')).not.toContain(generated);
    expect(await storedIn(visit)).not.toContain(generated);
    await visit.context.close();
  });
});

describe('unlocking', () => {
  test('a wrong passphrase is refused after one request for the keyring, and the right one opens', async () => {
    const { id } = await createDocument();
    const visit = await testConsole.open({ path: `vaults/${id}` });
    const { page } = visit;
    await signIn(testConsole, visit);
    await unlockHeading(page).waitFor();
    const before = visit.requests.length;
    await page.locator('[name=passphrase]').fill('not the passphrase');
    await page.keyboard.press('Enter');
    await page.getByText('This does not open your keyring').waitFor();
    expect(visit.requests.slice(before)).toEqual(['GET /api/v1/keyring']);
    await unlock(visit);
    await isListed(page).waitFor();
    expect(visit.problems).toEqual([]);
    await visit.context.close();
  });

  test('an offline browser refuses a wrong passphrase; a service that fails or cannot be reached does not', async () => {
    const { id } = await createDocument();
    const visit = await testConsole.open({ path: `vaults/${id}` });
    const { page, context } = visit;
    await signIn(testConsole, visit);
    await unlockHeading(page).waitFor();
    const refusal = page.getByText('This does not open your keyring');
    const keyring = '**/api/v1/keyring';
    await page.route(keyring, (route) => route.fulfill({ status: 500, json: {} }));
    await page.locator('[name=passphrase]').fill('not the passphrase');
    await page.keyboard.press('Enter');
    await page.locator('.unlock').getByText('An error occurred in the service').waitFor();
    expect(await refusal.count()).toBe(0);
    await page.unroute(keyring);
    await page.route(keyring, (route) => route.abort());
    await page.keyboard.press('Enter');
    await page.locator('.unlock').getByText('cannot be reached').waitFor();
    expect(await refusal.count()).toBe(0);
    await page.unroute(keyring);
    await context.setOffline(true);
    await page.keyboard.press('Enter');
    await refusal.waitFor();
    await context.setOffline(false);
    await unlock(visit);
    await isListed(page).waitFor();
    await context.close();
  });

  test('a page without https and localhost says why nothing is decrypted', async () => {
    const { id } = await createDocument();
    const visit = await testConsole.open();
    const { page } = visit;
    const origin = 'http://vault.example';
    await page.route(`${origin}/**`, async (route) => {
      const { pathname, search } = new URL(route.request().url());
      const url = testConsole.server.url + pathname + search;
      await route.fulfill({ response: await route.fetch({ url }) });
    });
    await page.goto(`${origin}/console/vaults/${id}`);
    await signIn(testConsole, visit);
    await page.getByText('This page was opened without https').waitFor();
    expect(await page.locator('[name=passphrase]').count()).toBe(0);
    expect(await page.getByRole('table').count()).toBe(0);
    // Requests can be on their way still.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await visit.context.close();
  });
});

describe('the kept keys', () => {
  test('a reload stays unlocked for a user who stays signed in', async () => {
    const { visit } = await openUnlocked();
    const { page } = visit;
    await page.reload();
    await isListed(page).waitFor();
    const stored = await storedIn(visit);
    expect(stored).toContain('key, extractable: false');
    expect(stored).not.toContain('extractable: true');
    expect(visit.problems).toEqual([]);
    await visit.context.close();
  });

  test('neither tokens nor keys are stored for a user who does not stay signed in', async () => {
    const { visit } = await openUnlocked({ staySignedIn: false });
    const { page } = visit;
    const stored = await storedIn(visit);
    expect(stored).not.toContain('extractable');
    expect(stored).not.toContain('eyJ');
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await visit.context.close();
  });

  test('15 minutes without input lock the console', async () => {
    const { visit } = await openUnlocked({ hasTestClock: true });
    const { page } = visit;
    await page.clock.fastForward(14 * minute);
    await page.keyboard.press('Shift');
    await page.clock.fastForward(14 * minute);
    expect(await isListed(page).count()).toBe(1);
    await page.clock.fastForward(2 * minute);
    await expectLocked(visit);
    await visit.context.close();
  });

  test('a film that plays keeps the console unlocked', async () => {
    const { visit, path } = await openUnlocked({ hasTestClock: true });
    const { page } = visit;
    await testConsole.client.documents.upload(webm, {
      vaultId: path.split('/').at(-1) ?? '',
      fileName: 'film.webm',
      mimeType: 'video/webm',
    });
    await page.reload();
    await page.getByRole('button', { name: 'film.webm', exact: true }).click();
    const player = page.locator('.preview video');
    for (let count = 0; count < 2; count += 1) {
      await page.clock.fastForward(14 * minute);
      await player.dispatchEvent('timeupdate');
    }
    expect(await player.count()).toBe(1);
    await page.clock.fastForward(16 * minute);
    await expectLocked(visit);
    await visit.context.close();
  });

  test('a tab that is opened 15 minutes later asks for the passphrase', async () => {
    const { visit, path } = await openUnlocked({ hasTestClock: true });
    const { context, page } = visit;
    const other = await context.newPage();
    await page.close();
    await context.clock.fastForward(16 * minute);
    await other.goto(testConsole.url + path);
    await expectLocked({ ...visit, page: other });
    await context.close();
  });

  test.each([
    ['After 8 hours', 7 * 60 + 58, true],
    ['After 8 hours', 8 * 60 + 1, false],
    ['Never', 7 * 24 * 60, true],
  ] as const)(
    '%s: after %i minutes without input, unlocked is %s',
    async (choice, minutes, isOpen) => {
      const { visit } = await openUnlocked({ hasTestClock: true });
      const { page } = visit;
      await chooseInAccount(page, new RegExp(choice));
      await page.clock.fastForward(minutes * minute);
      if (isOpen) {
        expect(await isListed(page).count()).toBe(1);
        await page.reload();
        await isListed(page).waitFor();
      } else await expectLocked(visit);
      await visit.context.close();
    },
  );

  test('signing out removes the tokens and the keys', async () => {
    const { visit } = await openUnlocked();
    const { page } = visit;
    await chooseInAccount(page, 'Sign out');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expect.poll(() => storedIn(visit)).not.toContain('extractable');
    expect(await storedIn(visit)).not.toContain('eyJ');
    expect(await page.content()).not.toContain('return.txt');
    await visit.context.close();
  });
});

describe('several tabs', () => {
  test('a lock in one of three tabs locks all, also after a reload', async () => {
    const { visit, path } = await openUnlocked();
    const { context } = visit;
    const second = await testConsole.open({ context, path });
    await isListed(second.page).waitFor();
    const third = await testConsole.open({ context, path });
    await isListed(third.page).waitFor();
    await second.page.getByRole('button', { name: 'Lock', exact: true }).click();
    for (const tab of [second, visit, third]) await expectLocked(tab);
    for (const tab of [second, visit, third]) {
      await tab.page.reload();
      await expectLocked(tab);
    }
    await context.close();
  });

  test('unlocking one tab unlocks the others', async () => {
    const { visit, path } = await openUnlocked();
    const { context, page } = visit;
    const second = await testConsole.open({ context, path });
    await isListed(second.page).waitFor();
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    await unlockHeading(second.page).waitFor();
    await unlock(visit);
    await isListed(second.page).waitFor();
    await context.close();
  });

  test('expired tokens are refreshed once for all tabs', async () => {
    const { visit } = await openUnlocked({ hasTestClock: true });
    const { context } = visit;
    await visit.page.getByRole('link', { name: 'Vaults' }).first().click();
    const second = await testConsole.open({ context, path: 'vaults' });
    const tabs = [visit, second];
    for (const { page } of tabs) await page.getByRole('link', { name: 'Taxes' }).waitFor();
    const { clock } = testConsole.server;
    // A client compares its clock with the date of a response, which is the real one.
    await context.route(/\/(api|auth)\//, async (route) => {
      const response = await route.fetch();
      const headers = { ...response.headers(), date: new Date(clock.now()).toUTCString() };
      await route.fulfill({ response, headers });
    });
    clock.advance(24 * 60 * minute);
    await context.clock.fastForward(24 * 60 * minute);
    await Promise.all(
      tabs.map(async ({ page }) => {
        const reloaded = page.waitForResponse((response) => /vaults/.test(response.url()));
        await page.getByRole('button', { name: 'Refresh' }).click();
        expect((await reloaded).status()).toBe(200);
      }),
    );
    const all = tabs.flatMap(({ requests }) => requests);
    expect(all.filter((request) => request === 'POST /auth/refresh')).toHaveLength(1);
    for (const { problems } of tabs) expect(problems).toEqual([]);
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  });

  test('a tab that does not stay signed in leaves the kept keys and the session of another one', async () => {
    const path = `vaults/${(await createDocument()).id}`;
    const passing = await testConsole.open({ path });
    const { context } = passing;
    const lasting = await testConsole.open({ context, path });
    await signIn(testConsole, lasting, { staySignedIn: true });
    await unlock(lasting);
    await signIn(testConsole, passing);
    await unlock(passing);
    await lasting.page.reload();
    await isListed(lasting.page).waitFor();
    const ended = passing.page.waitForResponse(/auth\/logout/);
    await chooseInAccount(passing.page, 'Sign out');
    await (await ended).finished();
    await unlockHeading(lasting.page).waitFor();
    await passing.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await passing.page.getByText('could not remove the session').count()).toBe(0);
    await context.close();
  });

  test('an unlock after 15 idle minutes restores no kept keys of another tab', async () => {
    const path = `vaults/${(await createDocument()).id}`;
    const passing = await testConsole.open({ path, hasTestClock: true });
    const { context } = passing;
    const lasting = await testConsole.open({ context, path });
    await signIn(testConsole, lasting, { staySignedIn: true });
    await unlock(lasting);
    await lasting.page.close();
    await context.clock.fastForward(16 * minute);
    await signIn(testConsole, passing);
    await unlock(passing);
    const later = await testConsole.open({ context, path });
    await unlockHeading(later.page).waitFor();
    await context.close();
  });

  test('signing out in one tab ends the session of the others', async () => {
    const { visit, path } = await openUnlocked();
    const { context } = visit;
    const second = await testConsole.open({ context, path });
    await isListed(second.page).waitFor();
    await chooseInAccount(visit.page, 'Sign out');
    await second.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await second.page.content()).not.toContain('return.txt');
    await context.close();
  });
});

test('the login is shown before anything but the script and the styles has arrived', async () => {
  const { context } = await testConsole.open();
  const page = await context.newPage();
  const held: string[] = [];
  await page.route(/icons-|\/auth\/|\/api\//, (route) => {
    held.push(route.request().url());
  });
  await page.goto(testConsole.url, { waitUntil: 'commit' });
  await page.getByLabel('E-mail address').waitFor();
  await expect.poll(() => held).toContainEqual(expect.stringMatching(/icons-/));
  await context.close();
});

test('"The account exists" leaves when the user chooses the other form', async () => {
  const { page, context } = await testConsole.open();
  await page.route('**/auth/login', (route) => route.abort());
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Ada');
  await page.getByLabel('E-mail address').fill(account.email);
  await page.getByLabel('Password', { exact: true }).fill(account.password);
  await page.getByRole('button', { name: 'Create an account' }).first().click();
  const message = page.getByText('The account exists. Sign in.');
  await message.waitFor();
  await page.locator('.welcome-switch button').click();
  await page.locator('.welcome-switch button').click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await message.count()).toBe(0);
  await context.close();
});
