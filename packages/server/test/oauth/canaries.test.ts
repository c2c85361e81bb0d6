import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { dataFolder } from '../support/data-folder.ts';
import {
  approve,
  authorizationUrl,
  Browser,
  clientSecret,
  parameterOf,
  pkce,
  redeem,
  refresh,
  sendForm,
  startOAuthServer,
} from '../support/oauth.ts';

test('codes, tokens, secrets and passwords are in no log line, metric or Referer, and codes, tokens and secrets in no file', async () => {
  const data = await dataFolder();
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  const server = await startOAuthServer({ log, data, metricsNetworks: ['127.0.0.0/8', '::1/128'] });
  const app = await server.register();
  const ada = await server.signUp('ada@example.com');
  const { verifier, challenge } = pkce();
  const browser = new Browser(server);
  const url = authorizationUrl(server, app, { code_challenge: challenge, state: 'canary-state' });
  const visit = await approve(browser, url, ada);
  const code = parameterOf(visit, 'code');
  const { body } = await redeem(server, app, { code, verifier });
  const { body: refreshed } = await refresh(server, app, body.refresh_token);
  await server.withToken(body.access_token)('GET', '/api/v1/vaults');
  const pages = [
    await redeem(server, app, { code: `${code}x`, verifier }),
    await refresh(server, app, `${body.refresh_token}x`),
    await browser.open(`/oauth/authorize?client_id=unknown&state=canary-state&code=${code}`),
  ].map((page) => JSON.stringify(page));
  await sendForm(server, '/oauth/revoke', app, { token: refreshed.access_token });
  const metrics = await (await fetch(`${server.url}/metrics`)).text();

  const secrets = [
    code,
    verifier,
    body.access_token.split('.')[2],
    body.refresh_token,
    refreshed.refresh_token,
    clientSecret,
    ada.password,
    'canary-state',
    ...browser.cookies.map(({ value }) => value),
  ];
  for (const secret of secrets) {
    expect(lines.filter((line) => line.includes(secret))).toEqual([]);
    expect(metrics).not.toContain(secret);
  }
  const files = await readdir(data, { recursive: true, withFileTypes: true });
  let hasRows = false;
  for (const file of files.filter((each) => each.isFile())) {
    const bytes = await readFile(join(file.parentPath, file.name));
    hasRows ||= bytes.includes(app.id);
    const stored = [code, body.refresh_token, refreshed.refresh_token, clientSecret, ada.password];
    for (const secret of stored) expect(bytes.includes(secret), file.name).toBe(false);
  }
  expect(hasRows).toBe(true);
  for (const page of pages) expect(page).not.toContain(clientSecret);
  expect(lines.join('')).toContain('"operation":"oauth"');
  expect(visit.headers.get('referrer-policy')).toBe('no-referrer');
});
