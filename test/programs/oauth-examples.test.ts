import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type CreateOAuthClient, DocumentVault } from '@document-vault/sdk';
import {
  beginDeviceAuthorization,
  finishDeviceAuthorization,
  oauthSession,
} from '@document-vault/sdk/oauth';
import { createOAuthClients } from '@document-vault/sdk/oauth-clients';
import { type RunningServer, startServer } from '@document-vault/server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fileTokenStore } from '../../examples/device-login/file-token-store.ts';
import { approve, approveDevice, Browser, type Visit } from '../form-browser.ts';
import {
  linesOf,
  runExample,
  spawnExample,
  startExample,
  stopExamples,
} from './example-processes.ts';

// The examples of OAuth against the real server: users sign in on its pages.

const webhookSecret = 'example-secret-0123456789abcdefghijk';
const ada = { email: 'ada@example.com', password: 'a long passphrase' };

let server: RunningServer;
let user: DocumentVault;

beforeEach(async () => {
  server = await startServer({ port: 0, data: ':memory:', logLevel: 'warn' });
  user = new DocumentVault({ baseUrl: server.url, session: {} });
  await user.auth.register({ ...ada, name: 'Ada <b>Lovelace</b>' });
  await user.auth.login(ada);
  await user.vaults.create({ name: '<i>Taxes</i>' });
});

afterEach(async () => {
  await stopExamples();
  await server.close();
});

/** Registers an example at the server. */
function register(
  client: Pick<CreateOAuthClient, 'type' | 'redirectUris' | 'scopes' | 'grantTypes'>,
) {
  return createOAuthClients(user).create({ name: 'Vault list', ...client });
}

async function revokeConsent(): Promise<void> {
  const [consent] = (await user.consents.list()).data;
  await user.consents.update(consent?.id ?? '', { status: 'revoked' });
}

describe('oauth-app', () => {
  let app: { readonly url: string; warned(): Promise<string> };
  let atApp: Browser;
  let atVault: Browser;
  let clientSecret: string;

  beforeEach(async () => {
    const registered = await register({
      type: 'confidential',
      redirectUris: ['http://127.0.0.1/callback'],
      scopes: ['vaults:read', 'users:read'],
      grantTypes: ['authorization_code', 'refresh_token'],
    });
    clientSecret = registered.clientSecret ?? '';
    app = await startExample('examples/oauth-app/oauth-app.ts', {
      CLIENT_ID: registered.clientId,
      CLIENT_SECRET: clientSecret,
      VAULT_URL: server.url,
    });
    atApp = new Browser(app);
    atVault = new Browser(server);
  });

  /** Presses the button of the app, and returns the address at the vault. */
  async function begin(browser = atApp): Promise<URL> {
    const { leaves } = await browser.submit(await browser.open('/'), {});
    return leaves ?? expect.fail('the app did not lead to the vault');
  }

  /** Agrees on the pages of the vault, and returns the address that leads back to the app. */
  async function agree(url: URL): Promise<URL> {
    const { leaves, html } = await approve(atVault, url, ada);
    return leaves ?? expect.fail(html);
  }

  const signIn = async (): Promise<Visit> => atApp.open(await agree(await begin()));

  test('lists the vaults of a user who agreed, and no more after the consent is revoked', async () => {
    const receiver = await startExample('examples/koa-receiver.ts', {
      WEBHOOK_SECRET: webhookSecret,
    });
    const events = ['consent.granted', 'consent.revoked'] as const;
    await user.webhooks.create({ url: receiver.url, events: [...events], secret: webhookSecret });

    const listed = await signIn();
    expect(listed).toMatchObject({ status: 200, url: `${app.url}/` });
    expect(listed.html).toContain('<li>&lt;i&gt;Taxes&lt;/i&gt;</li>');
    expect(listed.html).toContain('Vaults of Ada &lt;b&gt;Lovelace&lt;/b&gt;');
    expect(listed.html).not.toMatch(/eyJ|code=/);
    expect(listed.html).not.toContain(clientSecret);
    expect(await receiver.printed()).toMatch(/^consent\.granted evt_/);

    await revokeConsent();
    const refused = await atApp.open('/');
    expect(refused.status).toBe(401);
    expect(refused.html).toContain('The access of this app has ended.');
    expect(refused.html).not.toContain('Taxes');
    expect(await receiver.printed()).toMatch(/^consent\.revoked evt_/);
    expect((await atApp.open('/')).html).toContain('Sign in with Document Vault');

    expect((await signIn()).html).toContain('Taxes');
  });

  test('keeps its cookies from scripts and other sites, and renews the session at each sign-in', async () => {
    await signIn();
    const before = atApp.cookies;
    expect(before).toEqual([
      expect.objectContaining({
        name: 'session',
        path: '/',
        attributes: ['httponly', 'samesite=lax'],
      }),
    ]);
    await atApp.open(await agree(await beginAgain()));
    expect(atApp.cookies).toHaveLength(1);
    expect(atApp.cookies[0]?.value).not.toBe(before[0]?.value);
  });

  async function beginAgain(): Promise<URL> {
    const { leaves } = await atApp.post('/sign-in', new URLSearchParams());
    return leaves ?? expect.fail('the app did not lead to the vault');
  }

  test('a user without the scope users:read sees vaults without a name', async () => {
    const url = await begin();
    const page = await atVault.submit(await atVault.open(url), ada);
    const { leaves } = await atVault.submit(page, { scope: 'vaults:read' });
    const { html } = await atApp.open(leaves ?? '');
    expect(html).toContain('Your vaults');
    expect(html).toContain('Taxes');
    expect(html).not.toContain('Lovelace');
  });

  test('a user without the scope vaults:read sees no vaults', async () => {
    const url = await begin();
    const page = await atVault.submit(await atVault.open(url), ada);
    const { leaves } = await atVault.submit(page, { scope: 'users:read' });
    const { html } = await atApp.open(leaves ?? '');
    expect(html).toContain('You have not agreed that this app sees your vaults.');
    expect(html).not.toContain('Taxes');
  });

  test('a user who refuses is not signed in', async () => {
    const url = await begin();
    const page = await atVault.submit(await atVault.open(url), ada);
    const { leaves } = await atVault.submit(page, { cancel: 'yes' });
    const refused = await atApp.open(leaves ?? '');
    expect(refused.status).toBe(403);
    expect(refused.html).toContain('You have refused the access.');
    expect(atApp.cookies).toEqual([]);
  });

  test('a response in a browser that did not begin the sign-in is rejected with 400', async () => {
    const back = await agree(await begin());
    const other = new Browser(app);
    expect((await other.open(back)).status).toBe(400);
    await begin(other);
    expect((await other.open(back)).status).toBe(400);
    expect(await app.warned()).toMatch(/state/);
    expect(other.cookies).toEqual([]);
    expect((await other.open('/')).html).toContain('Sign in with Document Vault');
  });

  test('signing out revokes the tokens, and the session works no more', async () => {
    const listed = await signIn();
    const cookie = `session=${atApp.cookies[0]?.value}`;
    expect((await atApp.submit(listed, {})).html).toContain('Sign in with Document Vault');
    expect(atApp.cookies).toEqual([]);
    const replayed = await fetch(`${app.url}/`, { headers: { cookie } });
    expect(await replayed.text()).not.toContain('Taxes');
    expect((await user.consents.list()).data).toMatchObject([{ status: 'granted' }]);
  });

  test('shows that the vault is not available, without a stack', async () => {
    await signIn();
    await server.close();
    const failed = await atApp.open('/');
    expect(failed.status).toBe(502);
    expect(failed.html).toContain('The vault is not available.');
    expect(failed.html).not.toContain('127.0.0.1');
  });
});

describe('device-login', () => {
  let folder: string;
  let tokens: string;
  let env: Record<string, string>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'document-vault-device-'));
    tokens = join(folder, 'tokens.json');
    const { clientId } = await register({
      type: 'public',
      redirectUris: [],
      scopes: ['vaults:read'],
      grantTypes: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
    });
    env = { CLIENT_ID: clientId, VAULT_URL: server.url, VAULT_TOKENS: tokens };
  });

  afterEach(() => rm(folder, { recursive: true }));

  const program = 'examples/device-login/device-login.ts';
  const run = (...args: string[]) => runExample(program, args, env);

  /** Starts the program, and decides on the page that it names. */
  async function runAndDecide(decision: 'agree' | 'refuse' = 'agree') {
    const child = spawnExample(program, [], env);
    const warned = linesOf(child.stderr);
    const printed = text(child.stdout);
    let line = await warned();
    if (!line.startsWith('Open ')) line = await warned();
    const [, verificationUri = '', userCode = ''] = /^Open (\S+) and enter (\S+)$/.exec(line) ?? [];
    await approveDevice(new Browser(server), { verificationUri, userCode }, ada, decision);
    const last = decision === 'agree' ? '' : await warned();
    if (child.exitCode === null) await once(child, 'close');
    return { code: child.exitCode, stdout: await printed, last };
  }

  test('lists the vaults after the user has entered the code, and keeps the tokens', async () => {
    expect(await runAndDecide()).toEqual({ code: 0, stdout: '<i>Taxes</i>\n', last: '' });
    expect((await stat(tokens)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['tokens.json']);
  });

  test('ends with 1 when the user refuses, and keeps no tokens', async () => {
    const refused = await runAndDecide('refuse');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.last).toMatch(/^access_denied/);
    expect(await readdir(folder)).toEqual([]);
  });

  describe('with the tokens of an earlier run', () => {
    let accessToken: string;

    beforeEach(async () => {
      const { CLIENT_ID: clientId = '', VAULT_URL: baseUrl = '' } = env;
      const store = fileTokenStore(tokens);
      // The user has decided before the first request: no wait is needed.
      const clock = { now: Date.now, sleep: async () => {} };
      const client = new DocumentVault({
        baseUrl,
        clock,
        session: oauthSession({ clientId, store }),
      });
      const device = await beginDeviceAuthorization(client, { scopes: ['vaults:read'] });
      await approveDevice(new Browser(server), device, ada);
      await finishDeviceAuthorization(client, device);
      accessToken = (await store.get())?.accessToken ?? '';
    });

    test('lists the vaults without a code', async () => {
      expect(await run()).toEqual({ code: 0, stdout: ['<i>Taxes</i>'], stderr: [] });
    });

    test('asks for a new code after the consent was revoked', async () => {
      await revokeConsent();
      expect(await runAndDecide()).toMatchObject({ code: 0, stdout: '<i>Taxes</i>\n' });
      expect(await readFile(tokens, 'utf8')).not.toContain(accessToken);
    });

    test('--sign-out revokes the tokens and deletes their file', async () => {
      expect(await run('--sign-out')).toEqual({ code: 0, stdout: [], stderr: [] });
      expect(await readdir(folder)).toEqual([]);
      const authorization = `Bearer ${accessToken}`;
      const reply = await fetch(`${server.url}/api/v1/vaults`, { headers: { authorization } });
      expect(reply.status).toBe(401);
    });

    test('ends with 1 and keeps the tokens when the server is not reachable', async () => {
      await server.close();
      const failed = await run();
      expect(failed).toMatchObject({ code: 1, stdout: [] });
      expect(failed.stderr).toHaveLength(1);
      expect(await readdir(folder)).toEqual(['tokens.json']);
    });
  });
});
