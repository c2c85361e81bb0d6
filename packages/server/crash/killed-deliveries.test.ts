import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { dataFolder, inDatabase } from '../test/support/data-folder.ts';
import { startReceiver } from '../test/support/delivery/receiver.ts';
import { secret, verifiedEvent } from '../test/support/webhook-events.ts';

const program = fileURLToPath(new URL('./delivering-child.ts', import.meta.url));

/** A server in a process of its own. */
async function start(data: string) {
  const child = spawn(process.execPath, ['--conditions=@document-vault/source', program, data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { url, account } = JSON.parse(line);
  return {
    async call<Body>(method: string, path: string, body?: object): Promise<Body> {
      const reply = await fetch(url + path, {
        method,
        headers: { 'x-api-key': account.apiKey, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      expect(reply.ok, `${method} ${path}: ${reply.status}`).toBe(true);
      return (await reply.json()) as Body;
    },
    async kill() {
      child.kill('SIGKILL');
      expect(await exit).toEqual([null, 'SIGKILL']);
    },
  };
}

/** Starts a receiver that rejects every delivery twice and then acknowledges it. */
async function startReluctantReceiver() {
  const seen = new Map<string, number>();
  const receiver = await startReceiver((response, { headers }) => {
    const delivery = String(headers['x-service-delivery-id']);
    const attempts = (seen.get(delivery) ?? 0) + 1;
    seen.set(delivery, attempts);
    response.statusCode = attempts > 2 ? 200 : 503;
    response.end();
  });
  onTestFinished(() => receiver.close());
  return receiver;
}

test('a process that is killed repeatedly loses no delivery and skips no attempt', {
  timeout: 120_000,
}, async () => {
  const data = await dataFolder();
  const receiver = await startReluctantReceiver();
  let server = await start(data);
  const { id } = await server.call<{ id: string }>('POST', '/api/v1/webhooks', {
    url: receiver.url,
    events: ['vault.created'],
    secret,
  });
  const confirmed: string[] = [];
  for (let kills = 0; kills < 3; kills += 1) {
    for (let vaults = 0; vaults < 4; vaults += 1) {
      confirmed.push(
        (await server.call<{ id: string }>('POST', '/api/v1/vaults', { name: 'Taxes' })).id,
      );
    }
    // Kills during an attempt, while other deliveries wait.
    await receiver.received(confirmed.length + kills);
    await server.kill();
    server = await start(data);
  }
  const retried = await server.call('POST', `/api/v1/webhooks/${id}/deliveries/retry-failed`);
  const open = async () => {
    const { data: deliveries } = await server.call<{ data: { status: string }[] }>(
      'GET',
      `/api/v1/webhooks/${id}/deliveries?pageSize=100`,
    );
    return deliveries.some(({ status }) => status !== 'succeeded');
  };
  await expect.poll(open, { timeout: 60_000 }).toBe(false);
  const { stats } = await server.call<{ stats: object }>('GET', `/api/v1/webhooks/${id}`);
  await server.kill();

  expect(retried).toEqual({ retried: 0 });
  const arrived = receiver.requests.map((request) => verifiedEvent(request).data.object.id);
  expect(new Set(arrived)).toEqual(new Set(confirmed));
  expect(stats).toMatchObject({ totalDeliveries: confirmed.length, failedDeliveries: 0 });
  const logs = inDatabase(data, (database) =>
    database
      .prepare(
        `SELECT d.attempt_number AS last, group_concat(a.attempt_number, ' ' ORDER BY a.attempt_number) AS numbers
         FROM deliveries d JOIN delivery_attempts a ON a.delivery_id = d.id GROUP BY d.id`,
      )
      .all(),
  ) as { last: number; numbers: string }[];
  expect(logs).toHaveLength(confirmed.length);
  for (const { last, numbers } of logs) {
    expect(numbers).toBe(Array.from({ length: last }, (_, index) => index + 1).join(' '));
  }
});
