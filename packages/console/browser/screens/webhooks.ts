import { createHmac } from 'node:crypto';
import type { TestConsole } from '../support/console.ts';
import { startReceiver } from '../support/receiver.ts';
import type { Screen } from '../support/screens.ts';

const secret = 'whsec_example_0123456789abcdefghijklmnop';

/** Two webhooks, one of which fails, and one with the longest texts. */
async function seed({ client, server }: TestConsole): Promise<void> {
  const receiver = await startReceiver();
  const { webhooks, vaults } = client;
  await webhooks.create({
    url: `https://receiver.example.com/${'a-path-that-has-no-end-'.repeat(8)}`,
    events: ['user.login'],
    secret,
    active: false,
    description: 'A description that does not end where the column ends. '.repeat(4),
  });
  const failing = await webhooks.create({
    url: `${receiver.url}/failing`,
    events: ['vault.created', 'vault.updated', 'document.uploaded'],
    secret,
    headers: { 'X-Gateway-Token': 'a token' },
  });
  receiver.respond = { status: 503, body: '{"error":"The database is being restored"}' };
  await vaults.create({ name: 'Taxes' });
  await server.settled();
  receiver.respond = { status: 200, body: 'ok' };
  await webhooks.create({
    url: `${receiver.url}/finance`,
    events: ['vault.created'],
    secret,
    description: 'Archive of the finance team',
  });
  await vaults.create({ name: 'Insurance' });
  await webhooks.test(failing.id, { eventType: 'document.uploaded' });
  await server.settled();
  await receiver.close();
}

const openFailing = async (page: Parameters<Screen['show']>[0]) => {
  await page.getByRole('link', { name: /failing/ }).click();
  await page.getByRole('heading', { name: 'Delivery log' }).waitFor();
  await page.getByRole('rowheader').first().waitFor();
};

export const webhookScreens: readonly Screen[] = [
  {
    name: 'webhooks-empty',
    path: 'webhooks',
    show: (page) => page.getByRole('heading', { name: 'No webhooks yet' }).waitFor(),
  },
  {
    name: 'webhooks',
    path: 'webhooks',
    seed,
    show: (page) => page.getByText('Archive of the finance team').waitFor(),
  },
  {
    name: 'webhooks-create',
    path: 'webhooks',
    async show(page) {
      await page.getByRole('button', { name: 'New webhook' }).first().click();
      await page.getByRole('dialog').waitFor();
      await page.getByLabel('URL').fill('https://receiver.example.com');
      await page.getByRole('button', { name: 'Add a header' }).click();
      await page.getByRole('button', { name: 'Create the webhook' }).click();
      await page.getByText('Choose at least one event.').waitFor();
    },
  },
  {
    name: 'webhook-secret',
    path: 'webhooks',
    async show(page) {
      await page.getByRole('button', { name: 'New webhook' }).first().click();
      await page.getByLabel('URL').fill('https://receiver.example.com/hooks');
      await page.getByLabel('All events').check();
      await page.getByRole('button', { name: 'Create the webhook' }).click();
      await page.getByText('It is not shown again').waitFor();
    },
  },
  { name: 'webhook', path: 'webhooks', seed, show: openFailing },
  {
    name: 'webhook-test',
    path: 'webhooks',
    seed,
    async show(page) {
      await openFailing(page);
      await page.getByRole('button', { name: 'Send a test event' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'delivery',
    path: 'webhooks',
    seed,
    async show(page) {
      await openFailing(page);
      await page.getByRole('link', { name: 'vault.created' }).last().click();
      await page.getByText('The database is being restored').first().waitFor();
    },
  },
  {
    name: 'delivery-curl',
    path: 'webhooks',
    seed,
    async show(page) {
      await openFailing(page);
      await page.getByRole('link', { name: 'vault.created' }).last().click();
      await page.getByRole('button', { name: 'Copy as curl' }).click();
      await page.getByLabel('Secret of the webhook').fill(secret);
      await page.getByText('hmac_sha256').waitFor();
    },
  },
  {
    name: 'signature',
    path: 'webhooks/signature',
    async show(page) {
      await page.getByLabel('Secret of the webhook').fill(secret);
      await page.getByLabel('Value of X-Service-Signature').fill(`hmac_sha256=${'0'.repeat(64)}`);
      await page.getByLabel('Raw body').fill('{"id":"evt_1"}');
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      await page.getByText('The signature does not fit').waitFor();
    },
  },
  {
    name: 'signature-right',
    path: 'webhooks/signature',
    async show(page) {
      const body = '{"id":"evt_1"}';
      await page.getByLabel('Secret of the webhook').fill(secret);
      const value = createHmac('sha256', secret).update(body).digest('hex');
      await page.getByLabel('Value of X-Service-Signature').fill(`hmac_sha256=${value}`);
      await page.getByLabel('Raw body').fill(body);
      await page.getByRole('button', { name: 'Check', exact: true }).click();
      await page.locator('.note.success').waitFor();
    },
  },
  {
    name: 'webhook-filtered',
    path: 'webhooks',
    seed,
    async show(page) {
      await openFailing(page);
      await page.getByRole('combobox', { name: 'Status' }).selectOption('failed');
      await page.getByText('Nothing matches the filters').waitFor();
    },
  },
  {
    name: 'webhook-retry-failed',
    path: 'webhooks',
    seed,
    async show(page) {
      await openFailing(page);
      await page.getByRole('button', { name: 'Retry all failed' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'webhook-delete',
    path: 'webhooks',
    seed,
    async show(page) {
      await page.getByRole('button', { name: /^Actions for .*failing/ }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
];
