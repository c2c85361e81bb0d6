import { expect, test } from 'vitest';
import { TestClock } from '../src/clock.ts';
import { invalid } from './answers.ts';
import { dataFolder } from './data-folder.ts';
import { newVault } from './resources.ts';
import { startTestServer } from './server.ts';
import { listen, secret } from './webhook-events.ts';

const path = '/api/v1/webhooks';

test('an address that is no longer allowed is not dialled: by no attempt, test or retry', async () => {
  const data = await dataFolder();
  const clock = new TestClock();
  const open = await startTestServer({ data, clock });
  const webhook = await listen({ server: open, call: open.developer });
  await newVault(open.developer);
  await open.settled();
  const [{ id }] = (await open.developer('GET', `${webhook.path}/deliveries`)).body.data;
  expect(webhook.requests.splice(0)).toHaveLength(1);
  await open.close();

  const closed = await startTestServer({ data, clock, webhookAllowPrivate: false });
  await newVault(closed.developer);
  await closed.developer('POST', `${webhook.path}/test`);
  await closed.developer('POST', `${webhook.path}/deliveries/${id}/retry`);
  await closed.settled();
  const { data: deliveries } = (await closed.developer('GET', `${webhook.path}/deliveries`)).body;
  expect(deliveries).toHaveLength(3);
  for (const delivery of deliveries) {
    expect(delivery).toMatchObject({ statusCode: null, error: 'only https URLs are allowed' });
  }
  expect(webhook.requests).toEqual([]);
});

test('single networks can be opened, and no others with them', async () => {
  const { developer, settled } = await startTestServer({
    webhookAllowPrivate: false,
    webhookAllowedNetworks: ['127.0.0.2', 'fd00:1::/32'],
  });
  const create = (url: string) =>
    developer('POST', path, { body: { url, events: ['vault.created'], secret } });
  const { id } = (await create('https://127.0.0.2:9/hook')).body;
  expect(await create('https://[fd00:1::7]/hook')).toMatchObject({ status: 201 });
  for (const url of ['https://127.0.0.1/', 'https://[fd00:2::7]/', 'http://127.0.0.2/']) {
    expect(await create(url)).toMatchObject(invalid('url', 'allowedTarget'));
  }
  await developer('POST', `${path}/${id}/test`);
  await settled();
  const { data } = (await developer('GET', `${path}/${id}/deliveries`)).body;
  expect(data).toMatchObject([{ error: 'connection refused' }]);
});
