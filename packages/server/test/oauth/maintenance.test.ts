import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { command, commandJson } from '../support/command-line.ts';
import { dataFolder, rowsIn } from '../support/data-folder.ts';
import { newMasterKey } from '../support/master-keys.ts';
import { refreshAs, useApp } from '../support/oauth/used-app.ts';
import { authorizationUrl, parameterOf, pkce, startOAuthServer } from '../support/oauth.ts';
import { startTestServer } from '../support/server.ts';

// What operators do with a database that has the rows of apps, and what the sweeper removes.

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const tables = ['oauth_clients', 'oauth_grants', 'oauth_artifacts'];

describe.each([
  ['without a master key', undefined],
  ['with a master key', newMasterKey().text],
])('a restored backup %s', (_name, masterKey) => {
  test('has the access of apps as it was, and nothing that came later', async () => {
    const env = { ...(masterKey !== undefined && { DOCUMENT_VAULT_MASTER_KEY: masterKey }) };
    const data = await dataFolder();
    const server = await startOAuthServer({ data, masterKey });
    const ada = await server.signUp('ada@example.com');
    const app = await useApp(server, ada);
    await server.settled();
    const file = join(await dataFolder(), 'backup.db');
    await commandJson(['backup', file, '--data', data], { env });
    const later = await useApp(server, ada);
    const port = Number(new URL(server.url).port);
    await server.close();

    const target = join(await dataFolder(), 'restored');
    await commandJson(['restore', file, '--data', target], { env });
    expect(await command(['doctor', '--data', target], { env })).toMatchObject({ code: 0 });
    for (const table of tables) expect(rowsIn(target, table), table).toBeGreaterThan(0);
    const { clock } = server;
    const restored = await startTestServer({
      data: target,
      masterKey,
      port,
      clock,
    });
    const call = restored.withToken(app.accessToken);
    expect((await call('GET', '/api/v1/vaults')).status).toBe(200);
    expect((await refreshAs(restored, app, app.refreshToken)).status).toBe(200);
    expect((await restored.anonymous('GET', `/shares/${app.shareToken}`)).status).toBe(200);
    const url = authorizationUrl(
      restored,
      { id: app.clientId },
      { code_challenge: pkce().challenge },
    );
    // The browser is still signed in, and the user has approved the app.
    expect(parameterOf(await app.browser.open(url), 'code')).not.toBe('');

    expect((await refreshAs(restored, later, later.refreshToken)).status).toBe(401);
    const gone = restored.withToken(later.accessToken);
    expect((await gone('GET', '/api/v1/vaults')).status).toBe(401);
  });
});

describe('the sweeper', () => {
  test('removes an ended grant with its tokens an hour later, ends what the app made, and keeps the consent', async () => {
    const data = await dataFolder();
    const server = await startOAuthServer({ data });
    const ada = await server.signUp('ada@example.com');
    const app = await useApp(server, ada);
    const { body } = await ada.call('GET', '/api/v1/consents');
    const [consent] = body.data;
    await ada.call('PUT', `/api/v1/consents/${consent.id}`, { body: { status: 'revoked' } });
    const sweep = async (time: number) => {
      server.clock.advance(time);
      await server.settled();
    };
    await sweep(hour - minute);
    expect(rowsIn(data, 'oauth_grants')).toBe(1);
    await sweep(2 * minute);
    expect(rowsIn(data, 'oauth_grants')).toBe(0);
    const fresh = await server.signIn(ada);
    const webhook = await fresh('GET', `/api/v1/webhooks/${app.webhookId}`);
    expect(webhook.body.active).toBe(false);
    expect((await server.anonymous('GET', `/shares/${app.shareToken}`)).status).toBe(404);
    expect(await command(['doctor', '--data', data])).toMatchObject({ code: 0 });

    // Sign-ins, device codes and revoked tokens too.
    await sweep(31 * day);
    expect(rowsIn(data, 'oauth_artifacts')).toBe(0);
    const kept = await (await server.signIn(ada))('GET', '/api/v1/consents');
    expect(kept.body.data).toMatchObject([
      { id: consent.id, status: 'revoked', clientId: app.clientId, grantedTo: 'Scanner' },
    ]);
  });

  test('removes a grant that was not used for 30 days, and the consent stays in force', async () => {
    const data = await dataFolder();
    const server = await startOAuthServer({ data });
    const ada = await server.signUp('ada@example.com');
    const app = await useApp(server, ada);
    server.clock.advance(30 * day - minute);
    await server.settled();
    expect(rowsIn(data, 'oauth_grants')).toBe(1);
    server.clock.advance(2 * minute);
    await server.settled();
    expect(rowsIn(data, 'oauth_grants')).toBe(0);
    expect((await refreshAs(server, app, app.refreshToken)).status).toBe(400);
    const { body } = await (await server.signIn(ada))('GET', '/api/v1/consents');
    expect(body.data).toMatchObject([{ status: 'granted', clientId: app.clientId }]);
  });
});
