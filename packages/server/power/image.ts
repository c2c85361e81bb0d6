import { pino } from 'pino';
import { expect } from 'vitest';
import { send } from '../crash/http.ts';
import { inspect } from '../crash/inspection.ts';
import { replays } from '../crash/operations.ts';
import type { Access } from '../crash/server-process.ts';
import { type State, together } from '../crash/state.ts';
import { startServer } from '../src/index.ts';
import { commandJson } from '../test/support/command-line.ts';
import { inDatabase } from '../test/support/data-folder.ts';
import { copyState, type Moment, type Step } from './history.ts';

/** Confirmed changes with a key whose requests are repeated at each image, per client. */
const repeated = 2;

export interface Expectation {
  /** Each client at this moment. */
  readonly moments: readonly Moment[];
  readonly position: number;
  /** The key of the account; undefined while the account was not announced. */
  readonly apiKey: string | undefined;
}

/** Starts a server on what a power loss has left, and compares it with what was confirmed before. */
export async function expectNothingMissing(data: string, expectation: Expectation): Promise<void> {
  const { moments, apiKey } = expectation;
  await withServer(data, async (access) => {
    if (apiKey !== undefined) expect(access.apiKey).toBe(apiKey);
    const actual = await inspect(access);
    const { expected, made } = learn(actual, expectation);
    expect(actual).toEqual(expected);
    expectEvents(data, moments, made);
    for (const moment of moments) {
      for (const step of moment.confirmedWithKey.slice(-repeated)) {
        await expectReplay(access, step, expected);
      }
    }
  });
  await expectSound(data);
}

async function expectSound(data: string): Promise<void> {
  expect(await commandJson(['doctor', '--data', data])).toMatchObject({ ok: true });
}

async function withServer(data: string, work: (access: Access) => Promise<void>): Promise<void> {
  const complaints: unknown[] = [];
  const log = pino({ level: 'error' }, { write: (line) => complaints.push(line) });
  const server = await startServer({
    port: 0,
    data,
    log,
    requestsPerMinute: { enterprise: 1_000_000_000 },
    requestsPerHour: { enterprise: 1_000_000_000 },
  });
  try {
    await work(server);
  } finally {
    await server.close();
  }
  expect(complaints).toEqual([]);
}

/** What was confirmed, with the changes that were under way and that the server shows as made. */
function learn(actual: State, { moments, position }: Expectation) {
  const made: Step[] = [];
  const states = moments.map((moment) => {
    const state = copyState(moment.confirmed);
    const unconfirmed = moment.unconfirmed(actual, position);
    if (unconfirmed) {
      unconfirmed.step.operation.apply(state, unconfirmed.made);
      made.push(unconfirmed.step);
    }
    return state;
  });
  return { expected: together(states), made };
}

/** Each change has its event with a delivery to the webhook; no event is about something else. */
function expectEvents(data: string, moments: readonly Moment[], made: readonly Step[]): void {
  const stored = inDatabase(data, (database) =>
    database
      .prepare(
        `SELECT events.body ->> '$.context.requestId' FROM events JOIN deliveries ON event_id = events.id
         WHERE type LIKE 'vault.%' OR type LIKE 'document.%'`,
      )
      .pluck()
      .all(),
  );
  const steps = [...moments.flatMap(({ confirmedSteps }) => confirmedSteps), ...made];
  const expected = steps.flatMap(({ operation, requestId }) => (operation.event ? requestId : []));
  expect(stored.sort()).toEqual(expected.sort());
}

async function expectReplay(
  access: Access,
  { operation, idempotencyKey, body }: Step,
  state: State,
) {
  const { method, path } = operation;
  const request = { method, path, body: operation.body, idempotencyKey };
  const response = await send(access, request);
  if (!replays(state, operation, body)) {
    expect(response.body.error.details.constraint).toBe('usable');
    return;
  }
  expect({ replayed: response.replayed, body: response.body }).toEqual({ replayed: true, body });
}
