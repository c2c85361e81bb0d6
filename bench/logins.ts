/** Reads while others log in: hashing passwords must not delay other requests. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Extent } from './compare-scenarios.ts';
import { addSlice, emptyMeasurement, type Load } from './load.ts';
import { developmentAccount } from './peers/document-vault.ts';
import type { RunningPeer } from './process.ts';
import { figuresOf, type LoginFigures, mean } from './results.ts';
import { loadOf, scenarios } from './scenarios.ts';

const inFlight = 20;
const rounds = 2;
/** Milliseconds in which the server finishes the logins that the end of a slice leaves behind. */
const pause = 2_000;

export async function measureLogins(
  { target, folder }: RunningPeer,
  { connections, seconds }: Extent,
): Promise<LoginFigures> {
  const reading = scenarios.find(({ name }) => name === 'get');
  if (!reading) throw new Error('there is no scenario that reads a vault');
  const { url } = target;
  const read = loadOf(reading, target, connections);
  const { email, password } = await developmentAccount(url, folder);
  const body = JSON.stringify({ email, password });
  const login: Load = {
    url,
    headers: {},
    requests: [{ method: 'POST', path: '/auth/login', body }],
    status: 200,
    connections: inFlight,
  };

  const alone = emptyMeasurement();
  const during = emptyMeasurement();
  const logins = emptyMeasurement();
  for (let round = 0; round < rounds; round += 1) {
    await addSlice(alone, read, seconds / rounds);
    await Promise.all([
      addSlice(during, read, seconds / rounds),
      addSlice(logins, login, seconds / rounds),
    ]);
    await delay(pause);
  }
  return {
    alone: figuresOf(alone),
    during: figuresOf(during),
    inFlight,
    loginsPerSecond: mean(logins.rates),
  };
}
