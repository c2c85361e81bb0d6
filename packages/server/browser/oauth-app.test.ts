import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchChromium } from '../../../test/chromium.ts';
import { type OAuthServer, startOAuthServer } from '../test/support/oauth.ts';
import { newVault } from '../test/support/resources.ts';
import type { Account } from '../test/support/server.ts';
import type { AppPage, Registration } from './oauth-app/page.ts';
import { type AppSite, startAppSite } from './support/app-site.ts';

// A public app of another origin in Chromium, on the pages and endpoints of the real server.

let browser: Browser;
let site: AppSite;
beforeAll(async () => {
  site = await startAppSite(new URL('oauth-app/page.ts', import.meta.url));
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  site.close();
});

let context: BrowserContext;
let page: Page;
let problems: string[];
beforeEach(async () => {
  context = await browser.newContext();
  page = await context.newPage();
  problems = [];
  page.on('console', (message) => problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
});
afterEach(() => context.close());

interface RegisteredApp {
  readonly server: OAuthServer;
  readonly ada: Account;
  readonly registration: Registration;
}

/** Starts a server that the page is registered at. */
async function start(corsOrigins: readonly string[]): Promise<RegisteredApp> {
  const server = await startOAuthServer({ corsOrigins: [...corsOrigins] });
  const app = await server.register({
    type: 'public',
    tokenEndpointAuthMethod: 'none',
    secretHash: null,
    redirectUris: [site.url],
  });
  const ada = await server.signUp('ada@example.com');
  await newVault(ada.call, { name: 'Taxes' });
  return { server, ada, registration: { issuer: server.url, clientId: app.id } };
}

function call<Name extends keyof AppPage>(
  name: Name,
  argument: Parameters<AppPage[Name]>[0],
): Promise<Awaited<ReturnType<AppPage[Name]>>> {
  return page.evaluate(
    ([key, given]) => {
      const { app } = window as unknown as { app: Record<string, (given: unknown) => never> };
      return app[key]?.(given) as never;
    },
    [name, argument] as const,
  );
}

test('oauth4webapi signs in on the pages, lists vaults, refreshes and revokes from another origin', async () => {
  const { ada, registration } = await start([site.origin]);
  await page.goto(site.url);
  await call('signIn', registration);

  await page.getByLabel('Email address').fill(ada.email);
  await page.getByLabel('Password').fill('a wrong password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  expect(await page.getByRole('alert').textContent()).toMatch(/password is wrong/);
  await page.getByLabel('Password').fill(ada.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  expect(await page.getByRole('heading').textContent()).toBe(
    'Allow Example App access to your account?',
  );
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.waitForURL(`${site.url}?**`);
  problems.length = 0;

  expect(await call('finish', registration)).toEqual({
    scope: 'vaults:read',
    vaults: ['Taxes'],
    isRotated: true,
    statusAfterwards: 401,
    challenge: expect.stringContaining(
      `resource_metadata="${registration.issuer}/.well-known/oauth-protected-resource/api/v1"`,
    ),
    repeated: 'invalid_grant',
  });
  expect(problems.filter((text) => !/status of (400|401)/.test(text))).toEqual([]);
});

test('a page cannot read the pages of the service with the cookies of their user', async () => {
  const { server, ada, registration } = await start(['*']);
  await page.goto(site.url);
  await call('signIn', registration);
  await page.getByLabel('Email address').fill(ada.email);
  await page.getByLabel('Password').fill(ada.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const url = page.url();
  expect(url).toContain(`${server.url}/oauth/interaction/`);
  await page.goto(site.url);
  expect(await call('readPage', { url, credentials: 'omit' })).toBe(400);
  expect(await call('readPage', { url, credentials: 'include' })).toBe('TypeError');
});

test('a page of an origin that is not allowed cannot use the endpoints', async () => {
  const { registration } = await start(['https://other.example']);
  await page.goto(site.url);
  await expect(call('signIn', registration)).rejects.toThrow('Failed to fetch');
});
