import { expect, test } from 'vitest';
import { TestClock } from '../src/lib/clock.ts';
import { dataFolder } from './support/data-folder.ts';
import { startTlsReceiver } from './support/delivery/tls-receiver.ts';
import { invalid } from './support/replies.ts';
import { newVault } from './support/resources.ts';
import { startTestServer } from './support/server.ts';
import { secret } from './support/webhook-events.ts';

const path = '/api/v1/webhooks';

test.each([
  ['http://127.0.0.1', 'only https URLs are allowed'],
  ['https://127.1', 'address 127.0.0.1 is not allowed'],
  ['https://2130706433', 'address 127.0.0.1 is not allowed'],
  ['https://[::1]', 'address ::1 is not allowed'],
  ['https://localhost.', 'address 127.0.0.1 is not allowed'],
])(
  '%s: attempts, tests and retries do not connect once it is not allowed',
  async (origin, error) => {
    const data = await dataFolder();
    const clock = new TestClock();
    const open = await startTestServer({ data, clock });
    const { port, counts } = await startTlsReceiver();
    const fields = { url: `${origin}:${port}/`, events: ['vault.created'], secret };
    const own = `${path}/${(await open.developer('POST', path, { body: fields })).body.id}`;
    await newVault(open.developer);
    await open.settled();
    const [{ id }] = (await open.developer('GET', `${own}/deliveries`)).body.data;
    await open.close();
    const { connections } = counts;

    const closed = await startTestServer({ data, clock, webhookAllowPrivate: false });
    await newVault(closed.developer);
    await closed.developer('POST', `${own}/test`);
    await closed.developer('POST', `${own}/deliveries/${id}/retry`);
    await closed.settled();
    const { data: deliveries } = (await closed.developer('GET', `${own}/deliveries`)).body;
    expect(deliveries.map(({ attemptNumber }: never) => attemptNumber).toSorted()).toEqual([
      1, 1, 2,
    ]);
    for (const delivery of deliveries) expect(delivery).toMatchObject({ statusCode: null, error });
    expect(counts.connections).toBe(connections);

    const unchanged = { status: 200, body: { description: 'x' } };
    const change = { body: { description: 'x' } };
    expect(await closed.developer('PUT', own, change), 'a change of another field').toMatchObject(
      unchanged,
    );
    const same = { body: { url: fields.url } };
    expect(await closed.developer('PUT', own, same)).toMatchObject(invalid('url', 'allowedTarget'));
  },
);

test('webhookAllowedNetworks allows these networks only', async () => {
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
