import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { signIn, startConsole, type TestConsole, type Visit } from './support/console.ts';
import { type Receiver, startReceiver } from './support/receiver.ts';

// Screens of developers: webhooks with their log, activity and API keys, against the real server and a real receiver.

let testConsole: TestConsole;
let receiver: Receiver;
let visit: Visit;
beforeAll(async () => {
  testConsole = await startConsole();
});
afterAll(() => testConsole.close());
beforeEach(async () => {
  await testConsole.server.reset();
  receiver = await startReceiver();
});
afterEach(async () => {
  expect(visit.problems).toEqual([]);
  await visit.context.close();
  await receiver.close();
});

const secret = 'whsec_example_0123456789abcdefghijklmnop';

async function open(path: string): Promise<Visit['page']> {
  visit = await testConsole.open({ path });
  await signIn(testConsole, visit);
  return visit.page;
}

describe('webhooks', () => {
  test('a new webhook shows its secret once and delivers with a signature that the checker accepts', async () => {
    const page = await open('webhooks');
    await page.getByRole('button', { name: 'New webhook' }).first().click();
    await page.getByLabel('URL').fill(receiver.url);
    await page.getByLabel('vault.created').check();
    await page.getByRole('button', { name: 'Create the webhook' }).click();
    const shown = await page.locator('.secret code').textContent();
    expect(shown).toMatch(/^whsec_[\w+/]{40}$/);
    await page.getByRole('button', { name: 'Done' }).click();
    await expect.poll(() => page.getByText(shown ?? '').count()).toBe(0);

    await testConsole.client.vaults.create({ name: 'Taxes' });
    await testConsole.server.settled();
    const [delivered] = receiver.delivered;
    visit.sent.length = 0;
    await page.getByRole('link', { name: 'Check a signature' }).click();
    await page.getByLabel('Secret of the webhook').fill(shown ?? '');
    const signature = String(delivered?.headers['x-service-signature']);
    await page.getByLabel('Value of X-Service-Signature').fill(signature);
    const check = async (body: string) => {
      await page.getByLabel('Raw body').fill(body);
      await page.getByRole('button', { name: 'Check', exact: true }).click();
    };
    await check(delivered?.body ?? '');
    await page.getByText('The signature is right.').waitFor();
    await check(JSON.stringify(JSON.parse(delivered?.body ?? ''), null, 2));
    await page.getByText('fits this JSON without spaces').waitFor();
    await check('{"id":"evt_1"}');
    await page.getByText('The signature does not fit').waitFor();
    expect(visit.sent.join()).not.toContain(shown);
    expect(visit.requests.filter((request) => request.includes('/webhooks'))).toHaveLength(3);
  });

  test('a rotated secret is shown once, and the previous one signs until it is ended', async () => {
    const { client } = testConsole;
    const webhook = await client.webhooks.create({ url: receiver.url, events: ['vault.created'] });
    const page = await open(`webhooks/${webhook.id}`);
    const choose = async (action: string) => {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await choose('Rotate the secret');
    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    const shown = await page.locator('.secret code').textContent();
    expect(shown).toMatch(/^whsec_[\w+/]{40}$/);
    expect(shown).not.toBe(webhook.secret);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('signs until').waitFor();
    await choose('End the previous secret');
    await expect.poll(() => page.getByText('signs until').count()).toBe(0);
    expect(await client.webhooks.get(webhook.id)).toMatchObject({ previousSecretExpiresAt: null });
  });

  test('the log keeps its filters in the address, and failed deliveries are retried', async () => {
    const { client, server } = testConsole;
    receiver.respond = { status: 503, body: '<img src=x onerror="document.title=1">' };
    const webhook = await client.webhooks.create({
      url: receiver.url,
      events: ['vault.created'],
      secret,
      headers: { 'X-Team': "Ada's" },
    });
    await client.vaults.create({ name: 'Taxes' });
    // The last of six attempts is a day after the first, at most.
    for (let attempt = 0; attempt < 8; attempt += 1) {
      await server.settled();
      server.clock.advance(86_400_000);
    }
    await server.settled();
    receiver.respond = { status: 200, body: 'ok' };
    const page = await open(`webhooks/${webhook.id}?status=succeeded`);
    await page.getByRole('heading', { name: 'Nothing matches the filters' }).waitFor();
    expect(visit.requests.filter((request) => request.includes('/webhooks'))).toHaveLength(2);
    await page.getByLabel('Status', { exact: true }).selectOption('failed');
    await page.getByRole('link', { name: 'vault.created' }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=failed');
    await page.reload();
    await page.locator('[name=email]').waitFor();
    await signIn(testConsole, visit);
    await page.getByRole('link', { name: 'vault.created' }).click();

    await page.getByText('<img src=x onerror="document.title=1">').first().waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    expect(await page.getByText('Attempt 6').count()).toBe(1);
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByLabel('Secret of the webhook').fill(secret);
    const signature = String(receiver.delivered[0]?.headers['x-service-signature']);
    await page.getByText(signature).waitFor();
    await page.getByText(/webhook-signature: v1,/).waitFor();
    const command = await page.locator('dialog pre').textContent();
    expect(command).toContain(`--header 'X-Team: Ada'\\''s'`);
    expect(command).toContain(receiver.delivered[0]?.body);
    await page.keyboard.press('Escape');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Copy as curl');

    await page.locator('.above').getByRole('link').last().click();
    await page.getByRole('button', { name: 'Retry all failed' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry all failed' }).click();
    await page.getByText('1 delivery is retried.').waitFor();
    await server.settled();
    const { data } = await client.webhooks.deliveries.list(webhook.id);
    expect(data.map(({ status, attemptNumber }) => [status, attemptNumber])).toEqual([
      ['succeeded', 7],
    ]);
  });

  test('a test event leads to its delivery, with the response of the receiver', async () => {
    const { id } = await testConsole.client.webhooks.create({
      url: receiver.url,
      events: ['document.uploaded'],
      secret,
    });
    receiver.respond = { status: 418, body: 'short and stout' };
    const page = await open(`webhooks/${id}`);
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('heading', { name: 'document.uploaded' }).waitFor();
    await testConsole.server.settled();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('short and stout').waitFor();
    expect(receiver.delivered[0]?.headers['x-service-test']).toBe('true');
    expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0);
  });

  test('a refused address is shown at its field, which has the focus', async () => {
    const page = await open('webhooks');
    await page.getByRole('button', { name: 'New webhook' }).first().click();
    await page.getByLabel('URL').fill('https://receiver.example.com');
    await page.getByLabel('All events').check();
    await page.getByRole('button', { name: 'Add a header' }).click();
    await page.getByLabel('Name of header 1').fill('Host');
    await page.getByLabel('Value of header 1').fill('elsewhere');
    await page.getByRole('button', { name: 'Create the webhook' }).click();
    await page.getByText('This header is reserved').waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('name'));
    await expect.poll(focused).toBe('headers.Host');
  });
});

describe('activity', () => {
  test('filters by type, opens an event from its address, and runs nothing of hostile names', async () => {
    await testConsole.client.vaults.create({ name: '<script>document.title = 1</script>' });
    const page = await open('activity?type=vault.created');
    await page.getByText('<script>document.title = 1</script>').waitFor();
    expect(await page.getByText('user.login').count()).toBe(1);
    expect(visit.requests.filter((request) => request.includes('/events'))).toHaveLength(1);
    await page.getByRole('button', { name: 'vault.created' }).click();
    await page.getByRole('dialog').getByText('"apiVersion"').waitFor();
    expect(new URL(page.url()).searchParams.get('event')).toMatch(/^evt_/);
    await page.keyboard.press('Escape');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('vault.created');
    expect(visit.requests.filter((request) => request.includes('/events'))).toHaveLength(1);
  });
});

describe('API keys', () => {
  test('a new key works, is shown once, and is refused after it is revoked', async () => {
    const page = await open('api-keys');
    await page.getByRole('button', { name: 'New API key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Backup job');
    await page.getByLabel('vaults:read').check();
    await page.getByRole('button', { name: 'Create the key' }).click();
    const key = (await page.locator('.secret code').textContent()) ?? '';
    const status = async () =>
      (await fetch(`${testConsole.server.url}/api/v1/vaults`, { headers: { 'X-API-Key': key } }))
        .status;
    expect(await status()).toBe(200);
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await page.getByText(key).count()).toBe(0);
    await page.getByRole('button', { name: 'Actions for Backup job' }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('“Backup job” is revoked.').waitFor();
    expect(await status()).toBe(401);
  });
});
