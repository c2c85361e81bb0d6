import { expect, test } from 'vitest';
import { commandJson } from '../test/support/command-line.ts';
import { dataFolder } from '../test/support/data-folder.ts';
import { Client } from './client.ts';
import { drain, judgeArrivals, subscribe } from './deliveries.ts';
import { inspect } from './inspection.ts';
import { createJournal, type Journal } from './journal.ts';
import { chooseSeed, createRandom } from './random.ts';
import { report } from './report.ts';
import type { Access } from './server-process.ts';
import { together } from './state.ts';
import { Victim } from './victim.ts';

const killsUnderLoad = Number(process.env.CRASH_KILLS ?? 50);
const killsOfFirstStart = 4;
const clientCount = 6;

function createClients(seed: number, journal: Journal): Client[] {
  let last = 1_000;
  const unique = () => ++last;
  return Array.from({ length: clientCount }, (_, index) => {
    const random = createRandom(seed + 1 + index);
    return new Client({ random, journal, unique });
  });
}

/** Holds what the server has against what it must have, down to the last byte and back. */
async function compare(access: Access, clients: readonly Client[]): Promise<void> {
  const actual = await inspect(access);
  for (const client of clients) client.learn(actual);
  expect(actual).toEqual(together(clients.map(({ expected }) => expected)));
}

async function expectSound(data: string): Promise<void> {
  expect(await commandJson(['doctor', '--data', data])).toMatchObject({ ok: true });
}

test('a server that is killed over and over keeps what it confirmed, whole, and delivers all of it', {
  timeout: 60_000 + killsUnderLoad * 12_000,
}, async () => {
  const data = await dataFolder();
  const seed = chooseSeed();
  report('seed', seed);
  const journal = createJournal();
  const clients = createClients(seed, journal);
  const victim = new Victim(data, createRandom(seed));

  while (victim.killsOfStarts < killsOfFirstStart) await victim.killStarting();
  let server = await victim.start();
  const subscription = await subscribe(server.access);
  while (victim.killsUnderLoad < killsUnderLoad) {
    const { access, process } = server;
    await victim.killWorking(
      server,
      clients.map((client) => client.work(access, process)),
    );
    server = await victim.start();
    await compare(server.access, clients);
    await expectSound(data);
    for (const client of clients) await client.repeat(server.access);
  }
  await compare(server.access, clients);
  const deliveries = await drain(server.access, subscription);
  expect(judgeArrivals(subscription, journal)).toBe(deliveries);
  await server.process.stop();
  await expectSound(data);

  const { requestIds, events, ...changes } = journal;
  const arrivals = subscription.receiver.requests.length;
  report('figures', { ...victim, ...changes, deliveries, arrivals });
});
