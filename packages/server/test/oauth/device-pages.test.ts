import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import type { OAuthClientRecord } from '../../src/store/rows/oauth/clients.ts';
import { Browser, type OAuthServer, sendForm, startOAuthServer } from '../support/oauth.ts';

// The pages on which a user connects a device. A code opens nothing without its page.

let server: OAuthServer;
let app: OAuthClientRecord;
let lines: string[];

beforeEach(async () => {
  lines = [];
  const log = pino({ level: 'error' }, { write: (line: string) => lines.push(line) });
  server = await startOAuthServer({ log });
  app = await server.register();
});

const userCode = async () =>
  (await sendForm(server, '/oauth/device', app, { scope: 'vaults:read' })).body.user_code as string;
const post = (browser: Browser, fields: Record<string, string>) =>
  browser.post(`${server.url}/oauth/activate`, new URLSearchParams(fields));
const errorPage = (text: string) => ({
  status: 400,
  leaves: undefined,
  html: expect.stringContaining(text),
});

describe.each([
  ['a browser without a cookie', 'Your browser sent no cookie', () => new Browser(server)],
  [
    'a browser with the page of another code',
    'This page has expired.',
    async () => {
      const browser = new Browser(server);
      await browser.open('/oauth/activate');
      return browser;
    },
  ],
])('%s', (_name, text, visit) => {
  test('gets an error page and no form for an unknown request', async () => {
    const page = await (await visit()).open('/oauth/activate/unknown');
    expect(page).toMatchObject(errorPage(text));
    expect(page.html).not.toContain('<form');
    expect(lines).toEqual([]);
  });

  test.each(['', 'x'])('cannot submit a code with the form token %j', async (xsrf) => {
    const code = await userCode();
    for (const confirm of [{}, { confirm: 'yes' }]) {
      const page = await post(await visit(), { user_code: code, xsrf, ...confirm });
      expect(page).toMatchObject(errorPage(text));
      expect(page.html).not.toContain(code);
    }
    expect(lines).toEqual([]);
  });
});

test('a form of another site is rejected with 403', async () => {
  const browser = new Browser(server);
  const page = await browser.open('/oauth/activate');
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.html)?.[1] ?? expect.fail();
  const body = new URLSearchParams({ user_code: await userCode(), xsrf });
  for (const headers of [
    { origin: 'https://evil.test' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
  ]) {
    expect((await browser.post(page.url, body, headers)).status).toBe(403);
  }
  expect((await browser.post(page.url, body)).html).toContain('name="confirm"');
});

// The second write follows the handlers of the engine.
test.each([1, 2])(
  'a form whose write %i the store rejects returns 500 and is logged',
  async (rejected) => {
    const browser = new Browser(server);
    const page = await browser.open('/oauth/activate');
    await server.settled();
    const { transaction } = server.store;
    let calls = 0;
    Object.assign(server.store, {
      transaction: (...change: Parameters<typeof transaction>) => {
        calls += 1;
        if (calls === rejected) return Promise.reject(new Error('the disk is full'));
        return transaction.apply(server.store, change);
      },
    });
    const failed = await browser.submit(page, { user_code: 'AAAA-AAAA' });
    Object.assign(server.store, { transaction });
    expect(failed).toMatchObject({ status: 500, leaves: undefined });
    expect(failed.html).not.toMatch(/disk/);
    expect(lines.join()).toContain('the disk is full');
  },
);
