import { expect, onTestFinished, test } from 'vitest';
import {
  acknowledgements,
  brokenResponses,
  hanging as hangingReceivers,
  type Reaction,
  resets,
} from './support/delivery/hostile-receivers.ts';
import { startRawReceiver } from './support/delivery/receiver.ts';
import { newVault } from './support/resources.ts';
import { type Caller, startTestServer } from './support/server.ts';
import { listen, secret } from './support/webhook-events.ts';

/** A receiver and the expected error of its delivery; null when it acknowledges. */
type Hostile = readonly [name: string, react: Reaction, error: unknown];

const endedByTimeout = Object.entries(hangingReceivers).map(
  ([name, react]): Hostile => [name, react, expect.stringMatching(/^timeout after/)],
);

const endedByReceiver: readonly Hostile[] = [
  ...brokenResponses,
  ...Object.entries(resets).map(
    ([name, react]): Hostile => [`a reset ${name}`, react, expect.stringMatching(/^connection/)],
  ),
  ...Object.entries(acknowledgements).map(([name, react]): Hostile => [name, react, null]),
];

/** Creates a webhook for each receiver. */
async function register(call: Caller, hostile: readonly Hostile[]) {
  const webhooks = [];
  for (const [name, react, error] of hostile) {
    const { url, close } = await startRawReceiver(react);
    onTestFinished(close);
    const body = { url, events: ['vault.created'], secret };
    const { id } = (await call('POST', '/api/v1/webhooks', { body })).body;
    webhooks.push({ name, error, path: `/api/v1/webhooks/${id}`, close });
  }
  return webhooks;
}

test.each([
  ['that the receiver ends', endedByReceiver, {}],
  ['that the timeout ends', endedByTimeout, { webhookTimeout: 200 }],
])(
  'an attempt %s is logged once, with at most 2 KiB of the response',
  async (_, hostile, options) => {
    const { developer, settled } = await startTestServer(options);
    const webhooks = await register(developer, hostile);
    await newVault(developer);
    await settled();
    for (const { name, error, path } of webhooks) {
      const { data } = (await developer('GET', `${path}/deliveries`)).body;
      const status = error === null ? 'succeeded' : 'retrying';
      expect(data, name).toMatchObject([{ status, attemptNumber: 1, error }]);
      const detail = await developer('GET', `${path}/deliveries/${data[0].id}`);
      expect(detail.body.attempts, name).toHaveLength(1);
      const [attempt] = detail.body.attempts;
      expect(attempt, name).toMatchObject({ attemptNumber: 1, error, manual: false });
      // Each invalid byte becomes a replacement character of three bytes.
      expect(Buffer.byteLength(attempt.responseBody ?? ''), name).toBeLessThanOrEqual(3 * 2048);
    }
  },
);

test('a healthy webhook receives its events while other receivers hang', async () => {
  const server = await startTestServer();
  const { developer, settled } = server;
  const hanging = await register(developer, endedByTimeout);
  const others = await register(developer, endedByReceiver);
  const healthy = await listen({ server, call: developer, events: ['vault.created'] });
  for (let count = 1; count <= 2; count += 1) {
    await newVault(developer);
    await healthy.received(count);
  }
  for (const { name, path } of hanging) {
    const { data } = (await developer('GET', `${path}/deliveries`)).body;
    expect(
      data.map(({ attemptNumber }: never) => attemptNumber),
      name,
    ).toEqual([0, 0]);
  }
  await Promise.all([...hanging, ...others].map(({ close }) => close()));
  await settled();
  const { data } = (await developer('GET', `${healthy.path}/deliveries`)).body;
  for (const delivery of data)
    expect(delivery).toMatchObject({ status: 'succeeded', attemptNumber: 1 });
});
