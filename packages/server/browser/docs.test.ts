import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../../test/chromium.ts';
import { type RunningServer, startServer } from '../src/index.ts';

let browser: Browser;
let server: RunningServer;
beforeAll(async () => {
  browser = await launchChromium();
  server = await startServer({ port: 0, data: ':memory:', mode: 'development' });
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

interface OpenPage {
  readonly page: Page;
  /** URLs of requests to other hosts, violations of the content security policy, and page errors. */
  readonly problems: string[];
}

async function openReference(width: number, colorScheme: 'light' | 'dark'): Promise<OpenPage> {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:' && origin !== server.url) problems.push(request.url());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  await page.exposeFunction('reportViolation', (violation: string) => problems.push(violation));
  await page.addInitScript(() => {
    const { reportViolation } = window as unknown as { reportViolation(text: string): void };
    document.addEventListener('securitypolicyviolation', (event) =>
      reportViolation(`${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  await page.goto(`${server.url}/docs`);
  await page.getByRole('heading', { name: 'Document Vault API' }).waitFor();
  return { page, problems };
}

describe.each([
  [1280, 'light'],
  [1280, 'dark'],
  [390, 'light'],
  [390, 'dark'],
] as const)('/docs at a width of %i px in %s colours', (width, colorScheme) => {
  test('shows the contract without overflow, foreign requests or CSP violations', async () => {
    const { page, problems } = await openReference(width, colorScheme);
    await page.getByText('Send one of two credentials').waitFor();
    const [scrollWidth, theme] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.body.className,
    ]);
    expect(scrollWidth).toBe(width);
    expect(theme).toContain(`${colorScheme}-mode`);
    expect(problems).toEqual([]);
  });
});

test('/docs finds an operation by search, opens it and sends it with an API key', async () => {
  const headers = { 'X-Api-Key': server.apiKey ?? '', 'Content-Type': 'application/json' };
  const body = JSON.stringify({ name: 'Letters' });
  await fetch(`${server.url}/api/v1/vaults`, { method: 'POST', headers, body });
  const { page, problems } = await openReference(1280, 'light');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('list vaults');
  await page.getByRole('option', { name: 'List vaults' }).click();
  await page.waitForURL('**/docs#**/GET/api/v1/vaults');
  await page.getByRole('button', { name: 'Test Request (get /api/v1/vaults)' }).click();

  const dialog = page.getByRole('dialog');
  const key = dialog.locator('input[type=text]').first();
  await key.fill(server.apiKey ?? '');
  const sent = page.waitForResponse(`${server.url}/api/v1/vaults**`);
  await dialog.getByRole('button', { name: /Send/ }).first().click();
  expect((await sent).status()).toBe(200);
  expect((await (await sent).json()).data).toMatchObject([{ name: 'Letters' }]);
  expect((await sent).request().headers()['x-api-key']).toBe(server.apiKey);
  expect(problems).toEqual([]);
});
