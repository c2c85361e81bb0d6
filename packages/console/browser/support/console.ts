import { DocumentVault } from '@document-vault/sdk';
import type { RunningServer, StartOptions } from '@document-vault/server';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium } from '../../../../test/chromium.ts';
import { runWithServices } from '../../../server/src/app/start.ts';
import { resolveConfig } from '../../../server/src/config/config.ts';
import { serverItself } from '../../../server/src/domain/actor.ts';

/** The passphrase of the keyring that tests create. */
export const passphrase = 'open sesame, said the vault';

/** A server with the console, and a browser to open it. */
export interface TestConsole {
  readonly server: RunningServer;
  /** The address of the console, with a slash at its end. */
  readonly url: string;
  /** The development account, outside of the browser. */
  readonly client: DocumentVault;
  /** Returns the client, unlocked. The account gets a keyring with `passphrase`, unless it has one. */
  unlocked(): Promise<DocumentVault>;
  /** Of the keyring that `unlocked` has created. */
  readonly recoveryKey: string;
  /** Another client of the service, without a session. */
  newClient(): DocumentVault;
  /** Creates an account with the role `admin`. Only the command line of the server can do that, too. */
  createAdministrator(): Promise<TestLogin>;
  open(options?: OpenOptions): Promise<Visit>;
  close(): Promise<void>;
}

export interface TestLogin {
  readonly email: string;
  readonly password: string;
}

export interface OpenOptions {
  /** Below the console. @default '' */
  readonly path?: string;
  /** @default 1280 */
  readonly width?: number;
  /** @default light */
  readonly colorScheme?: 'light' | 'dark';
  /** @default en-GB */
  readonly locale?: string;
  /** @default Europe/Berlin */
  readonly timezoneId?: string;
  /** Another tab of the same browser profile. @default a new profile */
  readonly context?: BrowserContext;
  /** Whether `page.clock` can move the time of the profile's pages. @default false */
  readonly hasTestClock?: boolean;
  /** Whether the browser has service workers, which some private windows lack. @default true */
  readonly hasServiceWorkers?: boolean;
  /** Whether the browser shows PDFs, which some browsers on phones do not. @default true */
  readonly hasPdfViewer?: boolean;
}

/** A page of the console, with everything that it has sent and complained about. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Requests to other hosts, reports of the policy, errors and warnings of the page. */
  readonly problems: string[];
  /** Each request to the contract, as `GET /api/v1/vaults`. */
  readonly requests: string[];
  /** Each request in full, to look for what must not be there. */
  readonly sent: string[];
}

/** Starts a server on a free port with a fresh database. */
export async function startConsole(options: Partial<StartOptions> = {}): Promise<TestConsole> {
  const browser = await launchChromium();
  const { clock, log, ...input } = options;
  const config = resolveConfig({
    port: 0,
    data: ':memory:',
    mode: 'development',
    logLevel: 'error',
    ...input,
  });
  const { server, services } = await runWithServices(config, { clock, log });
  const url = `${server.url}/console/`;
  const client = new DocumentVault({
    baseUrl: server.url,
    ...(server.apiKey ? { apiKey: server.apiKey } : { session: {} }),
  });
  let recoveryKey = '';
  return {
    server,
    url,
    client,
    async unlocked() {
      await client.keyring.get().catch(async () => {
        ({ recoveryKey } = await client.keyring.create({ passphrase }));
      });
      return client;
    },
    newClient: () => new DocumentVault({ baseUrl: server.url, session: {} }),
    get recoveryKey() {
      return recoveryKey;
    },
    async createAdministrator() {
      const login = { email: 'root@example.com', password: 'correct horse battery' };
      await services.users.create(serverItself, { ...login, name: 'Root' }, { role: 'admin' });
      return login;
    },
    open: (how = {}) => visit(browser, url, how),
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

async function visit(browser: Browser, url: string, options: OpenOptions): Promise<Visit> {
  const { path = '', width = 1280, colorScheme = 'light', locale = 'en-GB' } = options;
  const context =
    options.context ??
    (await browser.newContext({
      colorScheme,
      locale,
      timezoneId: options.timezoneId ?? 'Europe/Berlin',
      reducedMotion: 'reduce',
      viewport: { width, height: 900 },
      permissions: ['clipboard-read', 'clipboard-write'],
    }));
  if (options.hasTestClock) await context.clock.install();
  if (options.hasServiceWorkers === false) {
    await context.addInitScript(() =>
      Object.defineProperty(Navigator.prototype, 'serviceWorker', { value: undefined }),
    );
  }
  if (options.hasPdfViewer === false) {
    await context.addInitScript(() =>
      Object.defineProperty(Navigator.prototype, 'pdfViewerEnabled', { value: false }),
    );
  }
  const page = await context.newPage();
  const watched = await watch(page, new URL(url).origin);
  await page.goto(url + path);
  return { page, context, ...watched };
}

async function watch(page: Page, origin: string) {
  const problems: string[] = [];
  const requests: string[] = [];
  const sent: string[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    // Chromium's viewer of PDFs is an extension.
    if (['blob:', 'chrome:', 'chrome-extension:'].includes(url.protocol)) return;
    if (url.origin !== origin) problems.push(request.url());
    sent.push(JSON.stringify([request.url(), request.headers(), request.postData()]));
    if (/^\/(api|auth)\//.test(url.pathname)) requests.push(`${request.method()} ${url.pathname}`);
  });
  page.on('pageerror', (error) => problems.push(error.stack || error.message));
  page.on('console', (message) => {
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (['error', 'warning'].includes(message.type()) && !isRefusal) problems.push(message.text());
  });
  await page.exposeFunction('reportViolation', (violation: string) => problems.push(violation));
  await page.addInitScript(() => {
    const { reportViolation } = window as unknown as { reportViolation(text: string): void };
    document.addEventListener('securitypolicyviolation', (event) =>
      reportViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
    );
  });
  return { problems, requests, sent };
}

export interface SignInOptions {
  /** @default the development account */
  readonly account?: TestLogin | undefined;
  /** @default false */
  readonly staySignedIn?: boolean;
}

/** Signs in at the page of the login. */
export async function signIn(
  { server }: TestConsole,
  { page }: Visit,
  { account = server.account, staySignedIn = false }: SignInOptions = {},
): Promise<void> {
  await page.locator('[name=email]').fill(account?.email ?? '');
  await page.locator('[name=password]').fill(account?.password ?? '');
  if (staySignedIn) await page.locator('[name=staySignedIn]').check();
  await page.locator('form button[type=submit]').click();
  await page.locator('.shell').waitFor();
}

/** Enters the passphrase of an account that has a keyring. */
export async function unlock({ page }: Visit, secret = passphrase): Promise<void> {
  await page.locator('[name=passphrase]').fill(secret);
  await page.locator('.unlock button[type=submit]').click();
  await page.locator('.lock-open').waitFor();
}

/** Chooses the first passphrase of an account, and confirms that the recovery key is kept. Returns the key. */
export async function choosePassphrase({ page }: Pick<Visit, 'page'>): Promise<string> {
  await page.getByRole('radio', { name: 'My own' }).check();
  await page.locator('[name=passphrase]').fill(passphrase);
  await page.locator('[name=repeated]').fill(passphrase);
  await page.getByRole('button', { name: 'Use this passphrase' }).click();
  return keepRecoveryKey({ page });
}

/** Types the end of the shown recovery key. Returns the key. */
export async function keepRecoveryKey({ page }: Pick<Visit, 'page'>): Promise<string> {
  const recoveryKey = (await page.locator('output[aria-label]').textContent()) ?? '';
  await page.locator('[name=last]').fill(recoveryKey.slice(-4).toLowerCase());
  await page.getByRole('button', { name: 'I have kept it' }).click();
  return recoveryKey;
}

/** Everything that the browser stores for the console, as text. */
export function storedIn({ page }: Visit): Promise<string> {
  return page.evaluate(async () => {
    const databases = await indexedDB.databases();
    const contents = databases.map(
      ({ name = '' }) =>
        new Promise((resolve, reject) => {
          const opening = indexedDB.open(name);
          opening.onerror = () => reject(opening.error);
          opening.onsuccess = async () => {
            const database = opening.result;
            const stores = [...database.objectStoreNames].map(
              (store) =>
                new Promise((found) => {
                  const reading = database.transaction(store).objectStore(store).getAll();
                  reading.onsuccess = () => found(reading.result);
                }),
            );
            resolve(await Promise.all(stores));
            database.close();
          };
        }),
    );
    const bytes = (_: string, value: unknown) => {
      if (value instanceof Uint8Array) return `bytes ${[...value].join()}`;
      return value instanceof CryptoKey ? `key, extractable: ${value.extractable}` : value;
    };
    return JSON.stringify(
      [{ ...localStorage }, { ...sessionStorage }, await Promise.all(contents)],
      bytes,
    );
  });
}
