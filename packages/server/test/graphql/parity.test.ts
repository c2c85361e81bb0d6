import { describe, expect, test } from 'vitest';
import { dataFolder, everyRow } from '../support/data-folder.ts';
import { createWithWaitingDelivery } from '../support/graphql/every-field.ts';
import { byGraphql, comparable, type Outcome, outcomeOf } from '../support/graphql/parity.ts';
import { newVault } from '../support/resources.ts';
import { type Caller, startTestServer } from '../support/server.ts';
import { acceptedChanges, type Change, type Fixture, rejectedChanges } from './changes.ts';

type Send = (call: Caller, change: Change) => Promise<Outcome>;

const byRest: Send = async (call, { rest: [method, path], input }) =>
  outcomeOf(await call(method, path, input && { body: input }));

const overGraphql: Send = (call, { field, args = {}, input }) =>
  byGraphql(call, 'Mutation', [field, { ...args, ...(input && { input }) }]);

/** Starts a server with one of each resource, in a folder of its own. */
async function startWithFixture() {
  const folder = await dataFolder();
  const server = await startTestServer({
    data: folder,
    requestsPerMinute: { enterprise: 100_000 },
  });
  const { call } = await server.signUp('ada@example.com');
  const resources = await createWithWaitingDelivery(server, call);
  const { id: otherVaultId } = await newVault(call, { name: 'Other' });
  const fixture: Fixture = { ...resources, otherVaultId };
  return { folder, server, call, fixture };
}

/** Makes every change. Returns the results, the events and the stored rows. */
async function applyAll(send: Send) {
  const { folder, server, call, fixture } = await startWithFixture();
  const results = [];
  for (const change of acceptedChanges(fixture)) {
    const reported = (await server.events()).length;
    server.clock.advance(1000);
    const outcome = withoutToken(await send(call, change), change);
    await server.settled();
    results.push({ name: change.field, outcome, events: (await server.events()).slice(reported) });
  }
  await server.close();
  return comparable(withoutRandom({ results, rows: storedIn(folder) }));
}

describe('same change over REST and GraphQL', () => {
  test('it has the same result, events and stored rows', async () => {
    const overRest = await applyAll(byRest);
    expect(overRest.results.length).toBeGreaterThan(25);
    // All changes succeeded.
    expect(JSON.stringify(overRest.results)).not.toContain('"code"');
    expect(overRest.results.flatMap(({ events }) => events).length).toBeGreaterThan(15);
    const other = await applyAll(overGraphql);
    expect(other.results).toEqual(overRest.results);
    expect(other.rows).toEqual(overRest.rows);
  });

  test('a rejected change has the same error, and changes nothing', async () => {
    const { server, call, fixture } = await startWithFixture();
    const before = await server.events();
    for (const change of rejectedChanges(fixture)) {
      const outcome = await byRest(call, change);
      expect(outcome, change.name).toHaveProperty('code');
      expect(await overGraphql(call, change), change.name).toEqual(outcome);
    }
    expect(await server.events()).toEqual(before);
  });
});

/**
 * The result of a change without the random share token, and without a secret that is null or absent. REST returns no body for a deletion; GraphQL returns
 * the id.
 */
function withoutToken(outcome: Outcome, { args }: Change): unknown {
  if (!('result' in outcome)) return outcome;
  const result = outcome.result ?? args?.id;
  if (typeof result !== 'object' || result === null) return result;
  if ('secret' in result) {
    const { secret: _, ...webhook } = result;
    return webhook;
  }
  return 'shareToken' in result ? { ...result, shareToken: 'token' } : result;
}

/** Properties that differ between two runs of the same changes. */
const random = new Set(['requestId', 'durationMs', 'duration_ms', 'token_hash']);

function withoutRandom<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value, (name, part) => (random.has(name) ? undefined : part)));
}

/** Tables with the rows of an account. */
const tables = [
  'vaults',
  'documents',
  'shares',
  'consents',
  'webhooks',
  'webhook_subscriptions',
  'deliveries',
  'instances',
];

/** Returns the rows that an account owns. */
function storedIn(folder: string): unknown {
  const rows = everyRow(folder);
  return Object.fromEntries(tables.map((table) => [table, rows[table]]));
}
