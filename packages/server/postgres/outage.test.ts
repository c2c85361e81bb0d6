import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import {
  callEveryRoute,
  countedStatuses,
  expectFailingTasks,
  expectForm,
  expectLogged,
  expectPages,
  furnish,
  type LogLine,
} from '../test/support/outage.ts';
import { startCluster } from '../test/support/postgres/cluster.ts';
import { newVault } from '../test/support/resources.ts';
import { type Reply, startTestServer } from '../test/support/server.ts';
import { listen } from '../test/support/webhook-events.ts';

/** Milliseconds within which a server serves again after its database does. */
const resumptionLimit = 10_000;

test('every route keeps the form of its errors while PostgreSQL is stopped, and works after it', async () => {
  const cluster = await startCluster();
  onTestFinished(() => cluster.remove());
  const lines: LogLine[] = [];
  const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) });
  const server = await startTestServer({
    databaseUrl: cluster.url,
    log,
    requestsPerMinute: { enterprise: 100_000 },
    requestsPerHour: { enterprise: 1_000_000 },
  });
  const furnished = await furnish(server);
  const { call } = furnished.owner;

  const ended = new AbortController();
  const underLoad: Reply[] = [];
  const load = Array.from({ length: 8 }, async (_, client) => {
    while (!ended.signal.aborted) {
      const [method, body] = client % 2 === 0 ? ['GET'] : ['POST', { name: 'Under load' }];
      underLoad.push(await call(method as string, '/api/v1/vaults', { body }));
    }
  });
  await expect.poll(() => underLoad.length).toBeGreaterThan(20);
  await cluster.kill();
  const failed = underLoad.length;
  await expect.poll(() => underLoad.length).toBeGreaterThan(failed + 50);
  ended.abort();
  await Promise.all(load);
  for (const reply of underLoad) expectForm({ ...reply, route: 'under load', form: 'contract' });
  expect(underLoad.at(-1)?.status).toBe(500);

  const before = await countedStatuses(server);
  const replies = await callEveryRoute(server, furnished);
  const failures = replies.filter(({ status }) => status === 500);
  // All but descriptions and preflights.
  expect(failures.length).toBeGreaterThan(replies.length - 20);
  const after = await countedStatuses(server);
  expect((after.get(500) ?? 0) - (before.get(500) ?? 0)).toBe(failures.length);
  expectLogged([...underLoad, ...replies], lines);
  await expectPages(server);
  await expectFailingTasks(server, lines);

  await cluster.start();
  const back = performance.now();
  while ((await call('GET', '/api/v1/vaults')).status !== 200) await pause(50);
  const receiver = await listen({ server, call, events: ['vault.created'] });
  await newVault(call);
  await expect.poll(() => receiver.requests.length).toBe(1);
  expect(performance.now() - back).toBeLessThan(resumptionLimit);
  const problems = lines.length;
  server.clock.advance(120_000);
  await server.settled();
  // The receivers of the earlier webhooks do not exist.
  const ofReceivers = 'delivery failed, and is tried again';
  const found = lines
    .slice(problems)
    .filter(({ level, msg }) => level >= 40 && msg !== ofReceivers);
  expect(found).toEqual([]);
});
