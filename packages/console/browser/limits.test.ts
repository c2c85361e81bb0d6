import { readFile } from 'node:fs/promises';
import { DocumentVault } from '@document-vault/sdk';
import { openShare } from '@document-vault/sdk/share';
import { TestClock } from '@document-vault/server';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  choosePassphrase,
  signIn,
  startConsole,
  type TestConsole,
  unlock,
  type Visit,
} from './support/console.ts';

const minute = 60_000;
const account = { email: 'ada@example.com', password: 'the password of Ada', name: 'Ada' };

/** A server in production, whose new accounts have the free tier: 10 requests a minute. */
describe('the free tier in production', () => {
  let testConsole: TestConsole;
  const clock = new TestClock();
  beforeAll(async () => {
    testConsole = await startConsole({ mode: 'production', host: '127.0.0.1', clock });
    await new DocumentVault({ baseUrl: testConsole.server.url, session: {} }).auth.register(
      account,
    );
  });
  afterAll(() => testConsole.close());

  const statusesOf = ({ page }: Visit): number[] => {
    const statuses: number[] = [];
    page.on('response', (response) => {
      if (/\/(api|auth)\//.test(response.url())) statuses.push(response.status());
    });
    return statuses;
  };

  const uploadText = async (page: Page, name: string) => {
    const files = page.locator('input[type=file][multiple]').first();
    await files.setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('Total: 42') });
  };

  test('a new account shares a document of a new vault without status 429', async () => {
    const visit = await testConsole.open();
    const statuses = statusesOf(visit);
    const { page } = visit;
    await signIn(testConsole, visit, { account });
    await page.getByRole('button', { name: 'New vault' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('Taxes');
    await page.getByRole('button', { name: 'Create the vault' }).click();
    await choosePassphrase(visit);
    await uploadText(page, 'return.txt');
    await page.getByRole('button', { name: 'Actions for return.txt' }).click();
    await page.getByRole('menuitem', { name: 'Share' }).click();
    await page.getByRole('button', { name: 'Create the link' }).click();
    const link = (await page.locator('.share-link').textContent()) ?? '';
    expect(Buffer.from((await openShare(link)).bytes).toString()).toBe('Total: 42');
    // The login has a limit of its own.
    expect(visit.requests).toHaveLength(11);
    // An account without a keyring.
    expect(statuses.filter((status) => status >= 300)).toEqual([404]);
    expect(visit.problems).toEqual([]);
    await visit.context.close();
  });

  test('status 429 counts down, and the console goes on by itself', async () => {
    clock.advance(2 * minute);
    const visit = await testConsole.open({ hasTestClock: true });
    const statuses = statusesOf(visit);
    const { page } = visit;
    await signIn(testConsole, visit, { account });
    await page.getByRole('link', { name: 'Taxes' }).waitFor();
    const banner = page.locator('.banner');
    const refresh = page.getByRole('button', { name: 'Refresh' });
    while (!statuses.includes(429)) {
      const response = page.waitForResponse(/\/vaults/);
      await refresh.click();
      await response;
    }
    const shown = () => banner.textContent();
    await expect.poll(shown).toMatch(/goes on by itself in (1:00|0:\d\d)\./);
    const before = await shown();
    await page.clock.runFor(5000);
    await expect.poll(shown).not.toBe(before);
    expect(await page.locator('.gauge-text').textContent()).toContain('0 of 10 left');
    expect(statuses.at(-1)).toBe(429);

    clock.advance(minute);
    const goesOn = page.waitForResponse(/\/vaults/);
    await page.clock.fastForward(minute);
    expect((await goesOn).status()).toBe(200);
    await expect.poll(() => banner.count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Taxes' }).count()).toBe(1);
    expect(visit.problems).toEqual([]);
    await visit.context.close();
  });

  test('a login beyond the limit is refused at once, with the time to wait', async () => {
    clock.advance(2 * minute);
    const visit = await testConsole.open();
    const { page } = visit;
    await page.locator('[name=email]').fill(account.email);
    for (;;) {
      await page.locator('[name=password]').fill('not the password');
      const response = page.waitForResponse(/\/auth\/login/);
      await page.locator('form button[type=submit]').click();
      if ((await response).status() === 429) break;
    }
    await page.getByText('Too many requests. The service accepts the next one').waitFor();
    await visit.context.close();
  });
});

describe('in development', () => {
  let testConsole: TestConsole;
  beforeAll(async () => {
    testConsole = await startConsole();
  });
  afterAll(() => testConsole.close());

  /** Waits until the screen has loaded everything. */
  async function settle(page: Page): Promise<void> {
    await page.locator('h1').waitFor();
    await page.waitForLoadState('networkidle');
    await expect.poll(() => page.locator('.loading, [aria-busy=true]').count()).toBe(0);
  }

  test('every entry of the navigation opens with at most 2 requests, and stays silent', async () => {
    const client = await testConsole.unlocked();
    const { id } = await client.vaults.create({ name: 'Taxes' });
    await client.documents.upload('Total: 42', { vaultId: id, fileName: 'return.txt' });
    const visit = await testConsole.open({ path: `vaults/${id}`, hasTestClock: true });
    const { page } = visit;
    await signIn(testConsole, visit, { staySignedIn: true });
    await unlock(visit);
    await settle(page);
    const links = page.locator('.nav-link');
    const names = await links.allTextContents();
    expect(names.length).toBeGreaterThan(7);
    for (const name of names) {
      // A load of the page: data of other screens is not in memory.
      const path = await links.filter({ hasText: name }).first().getAttribute('href');
      const before = visit.requests.length;
      await page.goto(new URL(path ?? '', testConsole.url).href);
      await settle(page);
      expect(visit.requests.length - before, name).toBeLessThanOrEqual(2);
      const loaded = visit.requests.length;
      await page.clock.fastForward(5 * minute);
      await page.waitForLoadState('networkidle');
      expect(visit.requests.slice(loaded), name).toEqual([]);
    }
    expect(visit.problems).toEqual([]);
    await visit.context.close();
  });

  test('screens below the navigation open with at most 2 requests', async () => {
    const client = await testConsole.unlocked();
    const { server } = testConsole;
    const { id } = await client.vaults.create({ name: 'Taxes' });
    await client.documents.upload('Total: 42', { vaultId: id, fileName: 'return.txt' });
    const webhook = await client.webhooks.create({
      url: `${server.url}/no-receiver`,
      events: ['vault.created'],
      secret: 'whsec_example_0123456789abcdefghijklmnop',
    });
    const delivery = await client.webhooks.test(webhook.id);
    const [instance] = (await client.instances.list()).data;
    const [event] = (await client.events.list()).data;
    const visit = await testConsole.open({ path: `vaults/${id}` });
    const { page } = visit;
    await signIn(testConsole, visit, { staySignedIn: true });
    await unlock(visit);
    for (const path of [
      `vaults/${id}`,
      `webhooks/${webhook.id}`,
      `webhooks/${webhook.id}/deliveries/${delivery.id}`,
      'webhooks/signature',
      'oauth-clients',
      `instances/${instance?.id}`,
      `activity?event=${event?.id}`,
    ]) {
      await settle(page);
      const before = visit.requests.length;
      await page.goto(testConsole.url + path);
      await settle(page);
      expect(await page.getByText('This could not be loaded').count(), path).toBe(0);
      expect(visit.requests.length - before, path).toBeLessThanOrEqual(2);
    }
    expect(visit.problems).toEqual([]);
    await visit.context.close();
  });

  test('a German browser gets texts, dates and numbers in German, until another choice', async () => {
    await testConsole.client.vaults.create({ name: 'Steuern' });
    const visit = await testConsole.open({ locale: 'de-DE' });
    const { page } = visit;
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await page.locator('[name=email]').fill('ada@example.com');
    await page.locator('[name=password]').fill('not the password');
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
    await page.getByText('Die E-Mail-Adresse oder das Passwort ist falsch.').waitFor();
    await signIn(testConsole, visit, { staySignedIn: true });
    await page.getByRole('link', { name: 'Steuern' }).waitFor();
    expect(await page.locator('time').first().textContent()).toMatch(/^\d\d\.\d\d\.\d{4}$/);
    expect(await page.locator('.gauge-text').textContent()).toContain('von 1.000 übrig');
    await page.getByRole('button', { name: 'Sprache' }).click();
    await page.getByRole('menuitemradio', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'Vaults', exact: true }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Vaults', exact: true }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    await visit.context.close();
  });

  test('an export has every page of the list, as CSV without formulas and as JSON', async () => {
    await testConsole.server.reset();
    const { client } = testConsole;
    await client.vaults.create({ name: '=1+1' });
    await client.vaults.create({ name: 'a "quoted", name' });
    for (let index = 0; index < 21; index += 1) await client.vaults.create({ name: `v${index}` });
    const visit = await testConsole.open();
    const { page } = visit;
    await signIn(testConsole, visit);
    const exportAs = async (name: string) => {
      await page.getByRole('button', { name: 'Export', exact: true }).click();
      const saved = page.waitForEvent('download');
      await page.getByRole('menuitem', { name }).click();
      const download = await saved;
      return [download.suggestedFilename(), await readFile(await download.path(), 'utf8')] as const;
    };
    const [csvName, csv] = await exportAs('Export as CSV');
    expect(csvName).toBe('vaults.csv');
    const lines = csv.trimEnd().split('\r\n');
    expect(lines[0]).toBe('\uFEFFname,category,documentCount,totalSize,isActive,createdAt');
    expect(lines).toHaveLength(24);
    expect(lines.some((line) => line.startsWith("'=1+1,,0,0,true,2"))).toBe(true);
    expect(lines.some((line) => line.startsWith('"a ""quoted"", name",'))).toBe(true);
    const [jsonName, json] = await exportAs('Export as JSON');
    expect(jsonName).toBe('vaults.json');
    const rows: { name: string; documentCount: number }[] = JSON.parse(json);
    expect(rows).toHaveLength(23);
    expect(rows.at(-1)).toMatchObject({ name: '=1+1', documentCount: 0 });
    expect(visit.problems).toEqual([]);
    await visit.context.close();
  });
});
