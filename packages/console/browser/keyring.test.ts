import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  keepRecoveryKey,
  passphrase,
  signIn,
  startConsole,
  storedIn,
  type TestConsole,
  unlock,
  type Visit,
} from './support/console.ts';
import { choose, createVault, documentIn } from './support/documents.ts';
import { addAuthenticator, fillProof } from './support/keyring.ts';

let testConsole: TestConsole;
beforeAll(async () => {
  testConsole = await startConsole();
});
beforeEach(() => testConsole.server.reset());
afterAll(() => testConsole.close());

const next = 'another passphrase, which is longer';

/** Opens the page "Encryption" of an account with a document. */
async function openEncryption(): Promise<Visit> {
  await createVault(testConsole, ['a.txt']);
  const visit = await testConsole.open({ path: 'settings/encryption' });
  await signIn(testConsole, visit);
  await unlock(visit);
  await visit.page.getByRole('button', { name: 'Add a recovery key' }).waitFor();
  return visit;
}

/** Opens the vault of the document after a lock. */
async function openTaxesLocked(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Lock', exact: true }).click();
  await openTaxes(page);
}

/** Opens the vault of an account with a document, which is locked. */
async function openLocked(): Promise<Visit> {
  const { id } = await createVault(testConsole, ['a.txt']);
  const visit = await testConsole.open({ path: `vaults/${id}` });
  await signIn(testConsole, visit);
  await visit.page.getByRole('heading', { name: 'Unlock your documents' }).waitFor();
  return visit;
}

async function openTaxes(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Vaults', exact: true }).first().click();
  await page.getByRole('link', { name: 'Taxes' }).click();
}

async function useRecoveryKey(page: Page, recoveryKey: string): Promise<void> {
  await page.getByRole('button', { name: 'Use the recovery key' }).click();
  await page.locator('[name=recoveryKey]').fill(recoveryKey);
  await page.getByRole('button', { name: 'Unlock', exact: true }).click();
}

/** Fills in a new passphrase, and the further fields of its form. */
async function chooseNew(page: Page, fill: () => Promise<void>, action: string): Promise<void> {
  await page.getByRole('radio', { name: 'My own' }).check();
  await page.locator('[name=passphrase]').fill(next);
  await page.locator('[name=repeated]').fill(next);
  await fill();
  await page.getByRole('button', { name: action }).click();
}

const fillPassword = (page: Page) =>
  page.locator('[name=currentPassword]').fill(testConsole.server.account?.password ?? '');

/** Expects that no secret has left the browser or stays in it, and closes it. */
async function finish(visit: Visit, secrets: readonly string[]): Promise<void> {
  expect(visit.problems).toEqual([]);
  const seen = [visit.page.url(), await storedIn(visit), await visit.page.content()].join('\n');
  for (const secret of secrets) {
    expect(seen).not.toContain(secret);
    expect(visit.sent.join('\n')).not.toContain(secret);
  }
  await visit.context.close();
}

describe('the page "Encryption"', () => {
  test('asks a locked console for a secret, and a lock removes the unlockers', async () => {
    const visit = await openEncryption();
    const { page } = visit;
    const add = page.getByRole('button', { name: 'Add a recovery key' });
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    await page.getByRole('heading', { name: 'Unlock your documents' }).waitFor();
    expect(await add.count()).toBe(0);
    await unlock(visit);
    await add.waitFor();
    await finish(visit, [passphrase]);
  });

  test('changing the passphrase sends GET and PUT, reloads the keyring, and the old one is refused', async () => {
    const visit = await openEncryption();
    const { page } = visit;
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    const before = visit.requests.length;
    await chooseNew(page, () => fillProof(page, testConsole), 'Change the passphrase');
    await page.getByText('The passphrase is changed').waitFor();
    const keyring = ['GET /api/v1/keyring', 'PUT /api/v1/keyring', 'GET /api/v1/keyring'];
    await expect.poll(() => visit.requests.slice(before)).toEqual(keyring);
    await openTaxesLocked(page);
    await page.locator('[name=passphrase]').fill(passphrase);
    await page.locator('.unlock button[type=submit]').click();
    await page.getByText('This does not open your keyring').waitFor();
    await unlock(visit, next);
    await documentIn(page, 'a.txt').waitFor();
    await finish(visit, [passphrase, next]);
  });

  test('a wrong passphrase and a wrong password change nothing, and have messages of their own', async () => {
    const visit = await openEncryption();
    const { page } = visit;
    const before = await testConsole.client.keyring.get();
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    const wrong = { passphrase: 'not the passphrase' };
    await chooseNew(page, () => fillProof(page, testConsole, wrong), 'Change the passphrase');
    await page.getByText('This does not open your keyring').waitFor();
    await fillProof(page, testConsole);
    await page.locator('[name=currentPassword]').fill('not the password');
    await page.getByRole('dialog').getByRole('button', { name: 'Change the passphrase' }).click();
    await page.getByText('The password is wrong.').waitFor();
    expect(await page.locator(':focus').getAttribute('name')).toBe('currentPassword');
    expect(await testConsole.client.keyring.get()).toEqual(before);
    await visit.context.close();
  });

  test('a second recovery key opens, until it is removed', async () => {
    const visit = await openEncryption();
    const { page } = visit;
    await page.getByRole('button', { name: 'Add a recovery key' }).click();
    await page.locator('[name=label]').fill('At my sister');
    await fillProof(page, testConsole, { recoveryKey: testConsole.recoveryKey });
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const second = await keepRecoveryKey(visit);
    await page.getByText('At my sister').waitFor();
    await openTaxesLocked(page);
    await useRecoveryKey(page, second.toLowerCase().replaceAll('-', ' '));
    await page.getByRole('button', { name: 'Not now' }).click();
    await documentIn(page, 'a.txt').waitFor();
    await page.getByRole('link', { name: 'Encryption' }).click();
    await page.getByRole('button', { name: 'Remove: At my sister' }).click();
    await page.getByText('can still be opened with it').waitFor();
    await fillProof(page, testConsole);
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('“At my sister” is removed').waitFor();
    await openTaxesLocked(page);
    await useRecoveryKey(page, second);
    await page.getByText('This does not open your keyring').waitFor();
    await finish(visit, [second, testConsole.recoveryKey]);
  });

  test('a keyring of 20 unlockers offers no further one', async () => {
    const visit = await openEncryption();
    const { page } = visit;
    await page.route('**/api/v1/keyring', async (route) => {
      const response = await route.fetch();
      const keyring = await response.json();
      const [, recoveryKey] = keyring.unlockers;
      for (let n = 3; n <= 20; n += 1) keyring.unlockers.push({ ...recoveryKey, id: String(n) });
      await route.fulfill({ response, json: keyring });
    });
    await page.reload();
    await signIn(testConsole, visit);
    await unlock(visit);
    await page.getByRole('button', { name: 'Remove: Recovery key' }).last().waitFor();
    expect(await page.getByRole('button', { name: 'Add a' }).count()).toBe(0);
    await visit.context.close();
  });

  test('a passkey is created after the proof was checked, and once', async () => {
    const visit = await openEncryption();
    const { page } = visit;
    const countPasskeys = await addAuthenticator(page);
    const send = () => page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await fillProof(page, testConsole, { passphrase: 'not the passphrase' });
    await send();
    await page.getByText('This does not open your keyring').waitFor();
    expect(await countPasskeys()).toBe(0);
    await fillProof(page, testConsole);
    await page.locator('[name=currentPassword]').fill('not the password');
    await send();
    await page.getByText('The password is wrong.').waitFor();
    await fillPassword(page);
    await send();
    await page.getByText('The passkey is set up').waitFor();
    expect(await countPasskeys()).toBe(1);
    await finish(visit, [passphrase]);
  });

  test('a console at an IP address says that passkeys need a host name', async () => {
    await createVault(testConsole, ['a.txt']);
    const visit = await testConsole.open();
    const { page } = visit;
    await page.goto(`${testConsole.url.replace('localhost', '127.0.0.1')}settings/encryption`);
    await signIn(testConsole, visit);
    await unlock(visit);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await fillProof(page, testConsole);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Passkeys need a host name').waitFor();
    await visit.context.close();
  });

  test('a passkey is added, opens the documents, and is not created twice', async () => {
    const visit = await openEncryption();
    const { page } = visit;
    await addAuthenticator(page);
    const add = async () => {
      await page.getByRole('button', { name: 'Add a passkey' }).click();
      await fillProof(page, testConsole);
      await page.getByRole('button', { name: 'Add', exact: true }).click();
    };
    await add();
    await page.getByText('The passkey is set up').waitFor();
    await add();
    await page.getByText('This device already has a passkey for your keyring').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await openTaxesLocked(page);
    await page.getByRole('button', { name: 'Unlock with a passkey' }).click();
    await documentIn(page, 'a.txt').waitFor();
    await page.reload();
    await signIn(testConsole, visit);
    await page.getByRole('button', { name: 'Unlock with a passkey' }).click();
    await documentIn(page, 'a.txt').waitFor();
    await finish(visit, [passphrase]);
  });

  test('an authenticator that derives no secrets adds nothing, and the page says why', async () => {
    const visit = await openEncryption();
    const { page } = visit;
    await addAuthenticator(page, { hasPrf: false });
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await fillProof(page, testConsole);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('This passkey does not support encryption').waitFor();
    expect((await testConsole.client.keyring.get()).unlockers).toHaveLength(2);
    await visit.context.close();
  });

  test('an account without a keyring gets one there', async () => {
    const visit = await testConsole.open({ path: 'settings/encryption' });
    const { page } = visit;
    await signIn(testConsole, visit);
    await chooseNew(page, async () => {}, 'Use this passphrase');
    // A user who prints the kit leaves the tab and returns.
    await page.getByRole('heading', { name: 'Keep your recovery key' }).waitFor();
    await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
    const recoveryKey = await keepRecoveryKey(visit);
    await page.getByRole('button', { name: 'Remove: Recovery key' }).waitFor();
    await page.locator('.lock-open').waitFor();
    await finish(visit, [next, recoveryKey]);
  });
});

describe('a locked vault', () => {
  test('lists documents without names, and deletes them', async () => {
    const visit = await openLocked();
    const { page } = visit;
    await page.getByText('Locked document').waitFor();
    expect(await page.content()).not.toContain('a.txt');
    expect(await page.getByRole('button', { name: 'Upload documents' }).count()).toBe(0);
    expect(await page.getByLabel('Search names').count()).toBe(0);
    await page.getByRole('button', { name: 'Actions for Locked document' }).click();
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Delete']);
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The document is deleted').waitFor();
    expect((await testConsole.client.documents.list()).data).toEqual([]);
    await finish(visit, []);
  });

  test('refuses a mistyped recovery key before a request; the right one replaces a forgotten passphrase', async () => {
    const visit = await openLocked();
    const { page } = visit;
    await useRecoveryKey(page, `${testConsole.recoveryKey.slice(0, -1)}*`);
    const before = visit.requests.length;
    await page.getByText('This is not valid').waitFor();
    expect(visit.requests).toHaveLength(before);
    await page.locator('[name=recoveryKey]').fill(testConsole.recoveryKey);
    await page.getByRole('button', { name: 'Unlock', exact: true }).click();
    await page.getByRole('heading', { name: 'Choose a new passphrase' }).waitFor();
    expect(await page.locator('.lock-open').count()).toBe(0);
    await chooseNew(page, () => fillPassword(page), 'Use this passphrase');
    await documentIn(page, 'a.txt').waitFor();
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    await unlock(visit, next);
    await documentIn(page, 'a.txt').waitFor();
    await finish(visit, [next, testConsole.recoveryKey]);
  });

  test('starts anew once the word is typed: old documents stay unreadable, new ones are listed by name', async () => {
    const visit = await openLocked();
    const { page } = visit;
    await page.getByRole('button', { name: 'Use the recovery key' }).click();
    await page.getByRole('button', { name: 'I have lost everything' }).click();
    expect(await page.locator('[name=currentPassword]').count()).toBe(0);
    await page.locator('[name=typed]').fill('lost');
    await chooseNew(page, () => fillPassword(page), 'Give up the old documents');
    const recoveryKey = await keepRecoveryKey(visit);
    await page.getByText('Encrypted with another key').waitFor();
    const buffer = Buffer.from('Total: 42');
    const files = page.locator('input[type=file][multiple]').first();
    await files.setInputFiles({ name: 'b.txt', mimeType: 'text/plain', buffer });
    await documentIn(page, 'b.txt').waitFor();
    await finish(visit, [next, recoveryKey, testConsole.recoveryKey]);
  });

  test('opens with a passphrase that another device has set', async () => {
    const visit = await openLocked();
    const { server, recoveryKey } = testConsole;
    const other = testConsole.newClient();
    const { email = '', password: currentPassword = '' } = server.account ?? {};
    await other.auth.login({ email, password: currentPassword });
    await other.keyring.setPassphrase(next, { current: { recoveryKey }, currentPassword });
    await unlock(visit, next);
    await documentIn(visit.page, 'a.txt').waitFor();
    await visit.context.close();
  });

  test('a reload after another device replaced the keyring asks for the new passphrase', async () => {
    const { id: vaultId } = await createVault(testConsole, ['a.txt']);
    const visit = await testConsole.open({ path: `vaults/${vaultId}` });
    const { page } = visit;
    await signIn(testConsole, visit, { staySignedIn: true });
    await unlock(visit);
    await documentIn(page, 'a.txt').waitFor();
    const { server } = testConsole;
    const other = testConsole.newClient();
    const { email = '', password: currentPassword = '' } = server.account ?? {};
    await other.auth.login({ email, password: currentPassword });
    await other.keyring.replace({ passphrase: next, currentPassword });
    await other.documents.upload('b', { vaultId, fileName: 'b.txt', encryptFileName: true });
    await page.reload();
    await page.getByRole('heading', { name: 'Unlock your documents' }).waitFor();
    await unlock(visit, next);
    await documentIn(page, 'b.txt').waitFor();
    await visit.context.close();
  });
});

describe('secrets on the page', () => {
  const minute = 60_000;

  test('an idle console locks after the recovery key has opened it, before a new passphrase', async () => {
    const { id } = await createVault(testConsole, ['a.txt']);
    const visit = await testConsole.open({ path: `vaults/${id}`, hasTestClock: true });
    const { page } = visit;
    await signIn(testConsole, visit);
    await useRecoveryKey(page, testConsole.recoveryKey);
    await page.getByRole('heading', { name: 'Choose a new passphrase' }).waitFor();
    await page.clock.fastForward(16 * minute);
    await page.getByRole('heading', { name: 'Unlock your documents' }).waitFor();
    expect(await page.getByRole('button', { name: 'Not now' }).count()).toBe(0);
    await finish(visit, [testConsole.recoveryKey]);
  });

  test('a lock of another tab removes a new recovery key, and the passphrase opens', async () => {
    const visit = await testConsole.open({ path: 'settings/encryption' });
    const { page } = visit;
    await signIn(testConsole, visit);
    await chooseNew(page, async () => {}, 'Use this passphrase');
    const shown = page.locator('output[aria-label]');
    const recoveryKey = (await shown.textContent()) ?? '';
    const tab = await visit.context.newPage();
    await tab.goto(testConsole.url);
    await tab.evaluate(() => new BroadcastChannel('document-vault-console').postMessage('locked'));
    await shown.waitFor({ state: 'detached' });
    await tab.close();
    await page.getByText('it is not shown again').waitFor();
    await unlock(visit, next);
    await page.getByRole('button', { name: 'Remove: Recovery key' }).waitFor();
    expect(await page.getByText('it is not shown again').count()).toBe(0);
    await finish(visit, [recoveryKey]);
  });

  test('a lock removes the recovery key that was added', async () => {
    const visit = await openEncryption();
    const { page } = visit;
    await page.getByRole('button', { name: 'Add a recovery key' }).click();
    await fillProof(page, testConsole);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const shown = page.locator('output[aria-label]');
    const added = (await shown.textContent()) ?? '';
    const tab = await visit.context.newPage();
    await tab.goto(testConsole.url);
    await tab.evaluate(() => new BroadcastChannel('document-vault-console').postMessage('locked'));
    await shown.waitFor({ state: 'detached' });
    await finish(visit, [added]);
  });

  test('a new recovery key waits for a user who opens another screen meanwhile', async () => {
    const visit = await testConsole.open({ path: 'settings/encryption' });
    const { page } = visit;
    await signIn(testConsole, visit);
    const { promise: released, resolve } = Promise.withResolvers<void>();
    await page.route('**/api/v1/keyring', async (route) => {
      if (route.request().method() === 'PUT') await released;
      await route.continue();
    });
    await chooseNew(page, async () => {}, 'Use this passphrase');
    await page.getByRole('link', { name: 'Vaults', exact: true }).first().click();
    await page.getByRole('heading', { name: 'No vaults yet' }).waitFor();
    const stored = page.waitForResponse((response) => response.request().method() === 'PUT');
    resolve();
    await stored;
    await page.getByRole('link', { name: 'Encryption' }).click();
    const recoveryKey = await keepRecoveryKey(visit);
    await page.locator('.lock-open').waitFor();
    await finish(visit, [next, recoveryKey]);
  });

  test('the name of a renamed document is in no message', async () => {
    const { id } = await createVault(testConsole, ['a.txt']);
    const visit = await testConsole.open({ path: `vaults/${id}` });
    const { page } = visit;
    await signIn(testConsole, visit);
    await unlock(visit);
    await choose(page, 'a.txt', 'Rename');
    await page.locator('[name=fileName]').fill('biopsy.txt');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByText('The document is renamed.').waitFor();
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    await page.getByText('Locked document').waitFor();
    expect(await page.content()).not.toContain('biopsy.txt');
    await finish(visit, []);
  });
});
