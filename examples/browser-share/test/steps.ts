/** What a sender does on the pages. */
import type { Page } from 'playwright-core';

/** Registers an account on the sender's page. Returns its recovery key. */
export async function register(page: Page, url: string, passphrase: string): Promise<string> {
  await page.goto(url);
  await page.getByLabel('New account').check();
  await page.getByLabel('Your name').fill('Ada');
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Create the account' }).click();
  await unlock(page, passphrase);
  await page.getByRole('heading', { name: 'Keep your recovery key' }).waitFor();
  const text = (await page.locator('#recovery-key').textContent()) ?? '';
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await page.getByRole('heading', { name: 'Choose a file' }).waitFor();
  return text;
}

/** Enters the passphrase. */
export async function unlock(page: Page, passphrase: string): Promise<void> {
  await page.getByLabel('Your passphrase').fill(passphrase);
  await page.getByRole('button', { name: 'Unlock' }).click();
}

/** What is chosen in the form. */
export interface Sending {
  readonly file: { readonly name: string; readonly mimeType: string; readonly buffer: Buffer };
  /** The label of the option. */
  readonly opens: string;
}

/** Sends a file and returns the link that the page shows. */
export async function send(page: Page, { file, opens }: Sending): Promise<string> {
  await page.locator('[name=file]').setInputFiles(file);
  await page.getByLabel('It can be opened').selectOption({ label: opens });
  await page.getByRole('button', { name: 'Encrypt and make a link' }).click();
  await page.getByRole('heading', { name: 'Your link is ready' }).waitFor();
  return page.getByRole('textbox', { name: 'Link' }).inputValue();
}
