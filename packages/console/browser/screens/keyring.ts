import type { Page } from 'playwright-core';
import { passphrase, type TestConsole } from '../support/console.ts';
import { addAuthenticator, fillProof } from '../support/keyring.ts';
import type { Screen } from '../support/screens.ts';
import { createVault, openTaxes, seed as seedDocuments } from './documents.ts';

/** The console of the screen that is shown. */
let console: TestConsole;

async function seed(shown: TestConsole): Promise<void> {
  console = shown;
  await seedDocuments(shown);
}

async function choose(page: Page): Promise<void> {
  await openTaxes(page);
  await chooseFirst(page);
}

async function chooseFirst(page: Page): Promise<void> {
  await page.getByRole('radio', { name: 'My own' }).check();
  await page.locator('[name=passphrase]').fill(passphrase);
  await page.locator('[name=repeated]').fill(passphrase);
  await page.getByRole('button', { name: 'Use this passphrase' }).click();
  await page.getByRole('heading', { name: 'Keep your recovery key' }).waitFor();
}

async function useRecoveryKey(page: Page): Promise<void> {
  await openTaxes(page);
  await page.getByRole('button', { name: 'Use the recovery key' }).click();
  await page.locator('[name=recoveryKey]').waitFor();
}

async function unlock(page: Page): Promise<void> {
  await page.locator('[name=passphrase]').fill(passphrase);
  await page.locator('.unlock button[type=submit]').click();
}

/** Locks as another tab does: in narrow windows, the button is in the navigation. */
async function lock(page: Page): Promise<void> {
  await page.evaluate(() => {
    localStorage.removeItem('console.unlocked');
    new BroadcastChannel('document-vault-console').postMessage('locked');
  });
}

function showDialog(action: string) {
  return async (page: Page) => {
    await unlock(page);
    await page.getByRole('button', { name: action }).first().click();
    await page.getByRole('dialog').waitFor();
  };
}

const path = 'settings/encryption';

/** Screens of the keyring: the first one, unlocking, and the page "Encryption". */
export const keyringScreens: readonly Screen[] = [
  { name: 'keyring-kit', seed: createVault, show: choose },
  {
    name: 'keyring-kit-printed',
    seed: createVault,
    async show(page) {
      await choose(page);
      await page.emulateMedia({ media: 'print' });
    },
  },
  { name: 'keyring-recovery', seed, show: useRecoveryKey },
  {
    name: 'keyring-recovery-typo',
    seed,
    async show(page) {
      await useRecoveryKey(page);
      await page.locator('[name=recoveryKey]').fill('AAAA-BBBB');
      await page.getByRole('button', { name: 'Unlock', exact: true }).click();
      await page.getByText('This is not valid').waitFor();
    },
  },
  {
    name: 'keyring-recovered',
    seed,
    async show(page) {
      await useRecoveryKey(page);
      await page.locator('[name=recoveryKey]').fill(console.recoveryKey);
      await page.getByRole('button', { name: 'Unlock', exact: true }).click();
      await page.getByRole('heading', { name: 'Choose a new passphrase' }).waitFor();
    },
  },
  {
    name: 'keyring-anew',
    seed,
    async show(page) {
      await useRecoveryKey(page);
      await page.getByRole('button', { name: 'I have lost everything' }).click();
      await page.locator('[name=typed]').fill('lost');
      await page.getByRole('button', { name: 'Give up the old documents' }).waitFor();
    },
  },
  {
    name: 'encryption',
    seed,
    path,
    async show(page) {
      await unlock(page);
      await page.getByRole('button', { name: 'Add a passkey' }).waitFor();
    },
  },
  {
    name: 'keyring-lost-key',
    path,
    async show(page) {
      await chooseFirst(page);
      await lock(page);
      await page.getByText('it is not shown again').waitFor();
    },
  },
  {
    name: 'encryption-first',
    path,
    show: (page) => page.getByRole('heading', { name: 'Choose a passphrase' }).waitFor(),
  },
  { name: 'encryption-change', seed, path, show: showDialog('Change') },
  { name: 'encryption-add-key', seed, path, show: showDialog('Add a recovery key') },
  { name: 'encryption-add-passkey', seed, path, show: showDialog('Add a passkey') },
  { name: 'encryption-remove', seed, path, show: showDialog('Remove: Recovery key') },
  {
    name: 'keyring-passkey',
    seed,
    path,
    staysSignedIn: true,
    async show(page) {
      await addAuthenticator(page);
      await unlock(page);
      await page.getByRole('button', { name: 'Add a passkey' }).click();
      await fillProof(page, console);
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText('The passkey is set up').waitFor();
      await lock(page);
      await page.goto(console.url);
      await openTaxes(page);
      await page.getByRole('button', { name: 'Unlock with a passkey' }).waitFor();
    },
  },
];
