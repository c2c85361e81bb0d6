import type { Screen } from '../support/screens.ts';

/** Before and around the screens: login, registration, shell. */
export const sessionScreens: readonly Screen[] = [
  {
    name: 'sign-in',
    isSignedIn: false,
    show: (page) => page.getByRole('heading', { name: 'Sign in' }).waitFor(),
  },
  {
    name: 'sign-in-refused',
    isSignedIn: false,
    async show(page) {
      await page.getByLabel('E-mail address').fill('ada@example.com');
      await page.getByLabel('Password', { exact: true }).fill('not the password');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('The e-mail address or the password is wrong.').waitFor();
    },
  },
  {
    name: 'register',
    isSignedIn: false,
    async show(page) {
      await page.getByRole('button', { name: 'Create an account' }).click();
      await page.getByRole('heading', { name: 'Create an account' }).waitFor();
    },
  },
  {
    name: 'register-refused',
    isSignedIn: false,
    async show(page) {
      await page.getByRole('button', { name: 'Create an account' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Ada');
      await page.getByLabel('E-mail address').fill('developer@example.com');
      await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
      await page.getByRole('button', { name: 'Create an account' }).click();
      await page.locator('.problem, .note.error').first().waitFor();
    },
  },
  {
    name: 'shortcuts',
    async show(page) {
      await page.getByRole('heading', { name: 'Vaults', exact: true }).waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    },
  },
  {
    name: 'not-found',
    path: 'nowhere',
    show: (page) => page.getByRole('heading', { name: 'There is no such page' }).waitFor(),
  },
];
