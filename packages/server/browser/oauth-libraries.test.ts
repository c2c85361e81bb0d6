import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { launchChromium } from '../../../test/chromium.ts';
import { clientSecret, startOAuthServer } from '../test/support/oauth.ts';
import { newVault } from '../test/support/resources.ts';
import type { LibraryApp, LibraryPage } from './oauth-libraries/page.ts';
import { type AppSite, startAppSite } from './support/app-site.ts';

// openid-client and oauth4webapi as they are published, in Chromium, on the pages and endpoints of the real server.

let browser: Browser;
let site: AppSite;
beforeAll(async () => {
  site = await startAppSite(new URL('oauth-libraries/page.ts', import.meta.url));
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  site.close();
});

async function start(library: LibraryApp['library']) {
  const server = await startOAuthServer({ corsOrigins: [site.origin] });
  const tokenEndpointAuthMethod =
    library === 'openid-client' ? 'client_secret_post' : 'client_secret_basic';
  const { id } = await server.register({ redirectUris: [site.url], tokenEndpointAuthMethod });
  const ada = await server.signUp('ada@example.com');
  await newVault(ada.call, { name: 'Taxes' });
  const app = {
    library,
    issuer: server.url,
    clientId: id,
    clientSecret,
    redirectUri: site.url,
  };
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const call = <Name extends keyof LibraryPage>(
    name: Name,
    argument: Parameters<LibraryPage[Name]>[0],
  ): Promise<Awaited<ReturnType<LibraryPage[Name]>>> =>
    page.evaluate(
      ([key, given]) => {
        const { app } = window as unknown as { app: Record<string, (given: unknown) => never> };
        return app[key]?.(given) as never;
      },
      [name, argument] as const,
    );
  const signIn = async (at: Page) => {
    await at.getByLabel('Email address').fill(ada.email);
    await at.getByLabel('Password').fill(ada.password);
    await at.getByRole('button', { name: 'Sign in' }).click();
  };
  return { app, server, context, page, call, signIn };
}

describe.each(['openid-client', 'oauth4webapi'] as const)('%s', (library) => {
  test.each([
    ['sent by the browser', false],
    ['pushed', true],
  ])('exchanges a code, refreshes and revokes: the request is %s', async (_, isPushed) => {
    const { app, page, call, signIn } = await start(library);
    await page.goto(site.url);
    const asking = page.waitForRequest(/\/oauth\/authorize\?/);
    await call('signIn', { ...app, isPushed });
    const asked = new URL((await asking).url()).searchParams;
    expect([asked.has('scope'), asked.has('request_uri')]).toEqual([!isPushed, isPushed]);
    await signIn(page);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${site.url}?**`);
    expect(await call('finish', app)).toEqual({
      scope: 'vaults:read',
      vaults: ['Taxes'],
      isRotated: true,
      statusAfterwards: 401,
    });
  });

  test('gets and revokes a token by client credentials', async () => {
    const { app, page, call } = await start(library);
    await page.goto(site.url);
    expect(await call('actForOwner', app)).toEqual([200, 401]);
  });

  test('gets a token by the code of a device that its user enters on the pages', async () => {
    const { app, context, page, call, signIn } = await start(library);
    await page.goto(site.url);
    const device = await call('beginDevice', app);
    const pages = await context.newPage();
    await pages.goto(device.verification_uri);
    await pages.getByLabel('Code').fill(device.user_code.toLowerCase());
    await pages.getByRole('button', { name: 'Continue' }).click();
    expect(await pages.locator('.code').textContent()).toBe(device.user_code);
    await pages.getByRole('button', { name: 'Yes, continue' }).click();
    await signIn(pages);
    expect(await pages.getByRole('definition').allTextContents()).toContain('your other device');
    await pages.getByRole('button', { name: 'Allow' }).click();
    expect(await pages.getByRole('heading').textContent()).toBe('Device connected');
    expect(await call('finishDevice', { ...app, device })).toEqual(['Taxes']);
  });
});

test('another site cannot show the pages in a frame', async () => {
  const { app, page, call } = await start('oauth4webapi');
  await page.goto(site.url);
  await call('signIn', { ...app, isPushed: false });
  await page.waitForURL('**/oauth/interaction/*');
  const framed = page.url();
  const other = await page.context().newPage();
  const refusals: string[] = [];
  other.on('console', (message) => refusals.push(message.text()));
  await other.goto(site.url);
  await other.setContent(`<iframe src="${framed}"></iframe>`);
  await expect.poll(() => refusals.join()).toMatch(/frame-ancestors 'none'/);
  const frame = other.frames()[1];
  expect(await frame?.getByLabel('Password').count()).toBe(0);
  expect(frame?.url()).toBe('chrome-error://chromewebdata/');
});
