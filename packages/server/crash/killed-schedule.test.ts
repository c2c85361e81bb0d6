import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { dataFolder } from '../test/support/data-folder.ts';
import { startReceiver } from '../test/support/delivery/receiver.ts';
import { secret, verifiedEvent } from '../test/support/webhook-events.ts';

const program = fileURLToPath(new URL('./clocked-child.ts', import.meta.url));

const minute = 60_000;
const waits = [minute, 5 * minute, 15 * minute, 60 * minute, 240 * minute];

/** A server in a process of its own, whose clock stands at `now`. */
async function start(data: string, now: number) {
  const child = fork(program, [data, String(now)], {
    execArgv: ['--conditions=@document-vault/source', '--disable-warning=ExperimentalWarning'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exit = once(child, 'exit');
  const [{ url, apiKey }] = await once(child, 'message');
  return {
    // biome-ignore lint/suspicious/noExplicitAny: responses of every shape
    async call(method: string, path: string, body?: object): Promise<any> {
      const reply = await fetch(url + path, {
        method,
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      expect(reply.ok, `${method} ${path}: ${reply.status}`).toBe(true);
      return reply.json();
    },
    async advance(milliseconds: number): Promise<void> {
      child.send(milliseconds);
      await once(child, 'message');
    },
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      expect(await exit).toEqual([null, 'SIGKILL']);
    },
  };
}

/** Starts a receiver that rejects every delivery or does not respond. */
async function startRefusingReceiver() {
  const state = { holds: false };
  const receiver = await startReceiver((response: ServerResponse) => {
    if (!state.holds) response.writeHead(500).end();
  });
  onTestFinished(() => receiver.close());
  return { ...receiver, state };
}

test('a delivery keeps its schedule when the process is killed in each attempt and between attempts', {
  timeout: 120_000,
}, async () => {
  const data = await dataFolder();
  const receiver = await startRefusingReceiver();
  let now = Date.UTC(2026, 0, 1);
  let server = await start(data, now);
  const { id } = await server.call('POST', '/api/v1/webhooks', {
    url: receiver.url,
    events: ['vault.created'],
    secret,
  });
  receiver.state.holds = true;
  await server.call('POST', '/api/v1/vaults', { name: 'Taxes' });

  const startedAt: string[] = [];
  let requests = 0;
  for (const wait of [...waits, 0]) {
    // The new process makes the attempt by itself, while its clock stands still.
    requests += 1;
    await receiver.received(requests);
    await server.kill();

    now += 7_000;
    receiver.state.holds = false;
    server = await start(data, now);
    requests += 1;
    await receiver.received(requests);
    startedAt.push(new Date(now).toISOString());
    await server.advance(Math.max(0, wait - 1));
    expect(receiver.requests, 'a moment too early').toHaveLength(requests);
    if (wait === 0) break;
    await server.kill();

    now += wait;
    receiver.state.holds = true;
    server = await start(data, now);
  }

  const path = `/api/v1/webhooks/${id}/deliveries`;
  const [delivery] = (await server.call('GET', path)).data;
  expect(delivery).toMatchObject({ status: 'failed', attemptNumber: 6, nextAttemptAt: null });
  const { attempts } = await server.call('GET', `${path}/${delivery.id}`);
  expect(attempts).toMatchObject(
    startedAt.map((moment, index) => ({
      attemptNumber: index + 1,
      startedAt: moment,
      statusCode: 500,
      manual: false,
    })),
  );

  await server.call('POST', `${path}/${delivery.id}/retry`);
  await server.advance(0);
  expect(receiver.requests).toHaveLength(13);
  const sent = receiver.requests.map((request) => {
    const { id: eventId } = verifiedEvent(request);
    const { headers, body } = request;
    const { 'x-service-signature': signature, 'x-service-delivery-id': deliveryId } = headers;
    return JSON.stringify([body.toString(), signature, eventId, deliveryId]);
  });
  expect(new Set(sent).size, 'the same bytes every time').toBe(1);
});
