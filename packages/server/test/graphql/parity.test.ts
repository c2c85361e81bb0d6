import { describe, expect, test } from 'vitest';
import { dataFolder, everyRow } from '../support/data-folder.ts';
import { newHouse } from '../support/graphql/every-field.ts';
import { asCame, byGraphql, type Came, comparable } from '../support/graphql/parity.ts';
import { newVault } from '../support/resources.ts';
import { type Caller, startTestServer } from '../support/server.ts';
import { type Act, changesIn, type House, refusalsIn } from './acts.ts';

type How = (call: Caller, act: Act) => Promise<Came>;

const byRest: How = async (call, { rest: [method, path], input }) =>
  asCame(await call(method, path, input && { body: input }));

const overGraphql: How = (call, { field, args = {}, input }) =>
  byGraphql(call, 'Mutation', [field, { ...args, ...(input && { input }) }]);

/** A server with one of everything, in a folder of its own. */
async function furnish() {
  const folder = await dataFolder();
  const server = await startTestServer({ data: folder, enterpriseRequestsPerMinute: 100_000 });
  const { call } = await server.signUp('ada@example.com');
  const world = await newHouse(server, call);
  const { id: otherVaultId } = await newVault(call, { name: 'Other' });
  const house: House = { ...world, otherVaultId };
  return { folder, server, call, house };
}

/** Makes every change in a house: what came of each, what was told of it, and all that is left. */
async function makeAll(how: How) {
  const { folder, server, call, house } = await furnish();
  const acts = [];
  for (const act of changesIn(house)) {
    const reported = (await server.events()).length;
    server.clock.advance(1000);
    const came = said(await how(call, act), act);
    await server.settled();
    acts.push({ name: act.field, came, events: (await server.events()).slice(reported) });
  }
  await server.close();
  return comparable(withoutRandom({ acts, rows: storedIn(folder) }));
}

describe('the same act over REST and GraphQL', () => {
  test('answers, tells and leaves the same', async () => {
    const overRest = await makeAll(byRest);
    expect(overRest.acts.length).toBeGreaterThan(25);
    // Each of them was made.
    expect(JSON.stringify(overRest.acts)).not.toContain('"code"');
    expect(overRest.acts.flatMap(({ events }) => events).length).toBeGreaterThan(15);
    const other = await makeAll(overGraphql);
    expect(other.acts).toEqual(overRest.acts);
    expect(other.rows).toEqual(overRest.rows);
  });

  test('is refused in the same words, and leaves nothing behind', async () => {
    const { server, call, house } = await furnish();
    const before = await server.events();
    for (const act of refusalsIn(house)) {
      const came = await byRest(call, act);
      expect(came, act.name).toHaveProperty('code');
      expect(await overGraphql(call, act), act.name).toEqual(came);
    }
    expect(await server.events()).toEqual(before);
  });
});

/** What came of an act but for the token, which is random; what REST answers without a body is an id. */
function said(came: Came, { args }: Act): unknown {
  if (!('result' in came)) return came;
  const result = came.result ?? args?.id;
  if (typeof result !== 'object' || result === null) return result;
  return 'shareToken' in result ? { ...result, shareToken: 'token' } : result;
}

/** What differs however the same is done. */
const random = new Set(['requestId', 'durationMs', 'duration_ms', 'token_hash']);

function withoutRandom<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value, (name, part) => (random.has(name) ? undefined : part)));
}

/** The tables of what an account owns. */
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

/** The rows of what an account owns. */
function storedIn(folder: string): unknown {
  const rows = everyRow(folder);
  return Object.fromEntries(tables.map((table) => [table, rows[table]]));
}
