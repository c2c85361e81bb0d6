import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { commandJson } from '../test/cli/command-line.ts';
import { dataFolder } from '../test/data-folder.ts';
import { Client } from './client.ts';
import { drain, judgeArrivals, subscribe } from './deliveries.ts';
import { inspect } from './inspection.ts';
import { createJournal } from './journal.ts';
import { chooseSeed, createRandom, type Random } from './random.ts';
import { type Access, type ServerProcess, startServerProcess } from './server-process.ts';
import { together } from './state.ts';

const killsUnderLoad = 50;
const killsOfFirstStart = 4;
/** How often a server that is started again is killed before it listens. */
const killedStarts = 0.2;
const clientCount = 6;
/** The longest time that the clients work before a kill, in milliseconds. */
const longestRun = 400;

interface Figures {
  seed: number;
  killsUnderLoad: number;
  killsOfStarts: number;
  startMs: number;
}

/** A server on a folder of its own that is killed and started again. */
class Victim {
  readonly figures: Figures;
  readonly #data: string;
  readonly #random: Random;

  constructor(data: string, seed: number, random: Random) {
    this.#data = data;
    this.#random = random;
    this.figures = { seed, killsUnderLoad: 0, killsOfStarts: 0, startMs: 1_500 };
  }

  /** Kills it at any moment of its start. */
  async killStarting(): Promise<void> {
    const server = startServerProcess(this.#data);
    await wait(this.#random.below(this.figures.startMs * 1.1));
    await server.kill();
    this.figures.killsOfStarts += 1;
  }

  async start(): Promise<{ server: ServerProcess; access: Access }> {
    while (this.#random.happens(killedStarts)) await this.killStarting();
    const begin = performance.now();
    const server = startServerProcess(this.#data);
    const access = await server.listening;
    this.figures.startMs = Math.round(performance.now() - begin);
    return { server, access };
  }

  /** Kills it while the clients work. */
  async killWorking(server: ServerProcess, work: () => Promise<unknown>): Promise<void> {
    const working = work();
    await wait(this.#random.below(longestRun));
    await Promise.all([server.kill(), working]);
    this.figures.killsUnderLoad += 1;
  }
}

/** Holds what the server has against what it must have, down to the last byte and back. */
async function compare(access: Access, clients: readonly Client[]): Promise<void> {
  const actual = await inspect(access);
  for (const client of clients) client.learn(actual);
  expect(actual).toEqual(together(clients.map(({ expected }) => expected)));
}

const doctor = async (data: string) =>
  expect(await commandJson(['doctor', '--data', data])).toMatchObject({ ok: true });

test('a server that is killed over and over keeps what it confirmed, whole, and delivers all of it', {
  timeout: 600_000,
}, async () => {
  const data = await dataFolder();
  const seed = chooseSeed();
  report('seed', seed);
  const random = createRandom(seed);
  const journal = createJournal();
  let last = 1_000;
  const unique = () => ++last;
  const clients = Array.from({ length: clientCount }, (_, index) => {
    return new Client({ random: createRandom(seed + index + 1), journal, unique });
  });
  const victim = new Victim(data, seed, random);
  const begin = performance.now();

  while (victim.figures.killsOfStarts < killsOfFirstStart) await victim.killStarting();
  let { server, access } = await victim.start();
  const subscription = await subscribe(access);
  while (victim.figures.killsUnderLoad < killsUnderLoad) {
    const running = { server, access };
    await victim.killWorking(server, () =>
      Promise.all(clients.map((client) => client.work(running.access, running.server))),
    );
    ({ server, access } = await victim.start());
    await compare(access, clients);
    await doctor(data);
    const restarted = access;
    await Promise.all(clients.map((client) => client.repeat(restarted)));
  }
  await compare(access, clients);
  const deliveries = await drain(access, subscription);
  const events = judgeArrivals(subscription, journal);
  expect(deliveries).toBe(events);
  await server.stop();
  await doctor(data);

  const { confirmed, foundDone, foundUndone, replayed } = journal;
  const durationMs = Math.round(performance.now() - begin);
  const figures = { confirmed, foundDone, foundUndone, replayed, events };
  report('figures', {
    ...victim.figures,
    ...figures,
    arrivals: subscription.receiver.requests.length,
    durationMs,
  });
});

function report(name: string, value: unknown): void {
  process.stdout.write(`${name}: ${JSON.stringify(value)}\n`);
}
