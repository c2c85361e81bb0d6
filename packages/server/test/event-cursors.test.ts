import { describe, expect, test } from 'vitest';
import { startWithAdministrator } from './support/administrator.ts';
import { refusal } from './support/front-door.ts';
import { invalid } from './support/replies.ts';
import { newDocument, newKey, newVault } from './support/resources.ts';
import { type Caller, startTestServer } from './support/server.ts';

const day = 24 * 60 * 60_000;

async function page(call: Caller, query = '') {
  const reply = await call('GET', `/api/v1/events?${query}`);
  expect(reply).toMatchObject({ status: 200 });
  return reply.body;
}

const cursorOf = async (call: Caller) => (await page(call, 'pageSize=1')).cursor as string;
const expired = invalid('after', 'cursorExpired');

/** The names of the vaults of events. */
const namesOf = ({ data }: { data: { data: { object: { name: string } } }[] }) =>
  data.map((event) => event.data.object.name);

describe('GET /api/v1/events?after', () => {
  test('lists what was committed after the cursor, the oldest first, each once', async () => {
    const { developer, clock } = await startTestServer();
    await newVault(developer, { name: 'Before' });
    let cursor = await cursorOf(developer);
    expect(await page(developer, `after=${cursor}`)).toEqual({ data: [], cursor, hasMore: false });
    const names = ['1', '2', '3', '4', '5'];
    for (const name of names) await newVault(developer, { name });
    const found: string[] = [];
    const counts: number[] = [];
    for (let hasMore = true; hasMore; ) {
      const next = await page(developer, `pageSize=2&after=${cursor}`);
      expect(next).not.toHaveProperty('pagination');
      found.push(...namesOf(next));
      counts.push(next.data.length);
      ({ cursor, hasMore } = next);
    }
    expect([found, counts]).toEqual([names, [2, 2, 1]]);
    clock.advance(1);
    await newVault(developer, { name: '6' });
    expect(namesOf(await page(developer, `after=${cursor}`))).toEqual(['6']);
    const all = await page(developer, 'type=vault.created');
    expect(namesOf(all)).toEqual(['6', ...names.toReversed(), 'Before']);
  });

  test('returns an event after a cursor when the clock was set back', async () => {
    const { developer, clock } = await startTestServer();
    await newVault(developer, { name: 'First' });
    const cursor = await cursorOf(developer);
    clock.advance(-day);
    await newVault(developer, { name: 'Second' });
    expect(namesOf(await page(developer, `after=${cursor}`))).toEqual(['Second']);
  });

  test('shows neither the events of another account nor those that the credentials may not read', async () => {
    const { developer, signUp, withKey } = await startTestServer();
    const { call } = await signUp('ada@example.com');
    const cursor = await cursorOf(call);
    await newVault(developer, { name: 'Of the developer' });
    const vault = await newVault(call, { name: 'Of Ada' });
    await newDocument(call, vault.id);
    const typesFor = async (caller: Caller, query = '') => {
      const { data } = await page(caller, `after=${cursor}${query}`);
      return data.map(({ type }: { type: string }) => type);
    };
    expect(await typesFor(call)).toEqual(['vault.created', 'document.uploaded']);
    expect(await typesFor(call, '&type=document.uploaded')).toEqual(['document.uploaded']);
    const reader = withKey((await newKey(call, ['webhooks:read', 'documents:read'])).key);
    expect(await typesFor(reader)).toEqual(['document.uploaded']);
    expect(await reader('GET', `/api/v1/events?type=vault.created&after=${cursor}`)).toMatchObject(
      refusal('INSUFFICIENT_PERMISSIONS', { requiredScopes: ['vaults:read'] }),
    );
  });

  test('lists the events of all accounts for administrators', async () => {
    const { developer, admin } = await startWithAdministrator();
    const { cursor } = await page(admin, 'account=all');
    await newVault(developer, { name: 'Taxes' });
    expect(namesOf(await page(admin, `account=all&after=${cursor}`))).toEqual(['Taxes']);
    expect((await page(admin, `after=${cursor}`)).data).toEqual([]);
    const refused = await developer('GET', `/api/v1/events?account=all&after=${cursor}`);
    expect(refused).toMatchObject({ status: 403 });
  });

  test('a page without an event of its type moves the cursor on', async () => {
    const { developer, store } = await startTestServer();
    const { cursor } = await page(developer, 'pageSize=1');
    const { id: userId, instanceId } = (await developer('GET', '/api/v1/users/me')).body;
    await store.transaction(async (tx) => {
      for (let n = 0; n < 1_500; n += 1) {
        const id = `evt_${n.toString(16).padStart(32, '0')}`;
        const event = { id, userId, instanceId, type: 'vault.updated', body: '{}', test: false };
        await tx.events.insert(event);
      }
    });
    await newVault(developer, { name: 'Rare' });
    const first = await page(developer, `type=vault.created&after=${cursor}`);
    expect(first).toMatchObject({ data: [], hasMore: true });
    const second = await page(developer, `type=vault.created&after=${first.cursor}`);
    expect(second).toMatchObject({ hasMore: false });
    expect(namesOf(second)).toEqual(['Rare']);
  });
});

describe('GET /api/v1/events?after with a cursor that is refused', () => {
  test.each(['page=2', 'since=2026-01-01T00:00:00.000Z', 'until=2026-01-01T00:00:00.000Z'])(
    'returns 400 exclusive beside %s',
    async (other) => {
      const { developer } = await startTestServer();
      const reply = await developer(
        'GET',
        `/api/v1/events?${other}&after=${await cursorOf(developer)}`,
      );
      expect(reply).toMatchObject(invalid(other.split('=')[0] ?? '', 'exclusive'));
    },
  );

  test('returns 400 cursorExpired for an altered cursor and one of another database', async () => {
    const { developer } = await startTestServer();
    const other = await startTestServer();
    const cursor = await cursorOf(developer);
    const altered = cursor.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'));
    const foreign = await cursorOf(other.developer);
    const wrong = [
      'x',
      'c1_',
      'c1_AAAA',
      cursor.slice(0, -2),
      altered,
      foreign,
      `c2${cursor.slice(2)}`,
    ];
    for (const after of wrong) {
      expect(await developer('GET', `/api/v1/events?after=${after}`), after).toMatchObject(expired);
    }
  });

  test('returns 400 cursorExpired when a page in the middle is followed after more than 30 days', async () => {
    const { developer, clock } = await startTestServer();
    const cursor = await cursorOf(developer);
    for (const name of ['1', '2', '3']) await newVault(developer, { name });
    clock.advance(29 * day);
    const middle = await page(developer, `pageSize=2&after=${cursor}`);
    expect(middle.hasMore).toBe(true);
    clock.advance(2 * day);
    const reply = await developer('GET', `/api/v1/events?after=${middle.cursor}`);
    expect(reply).toMatchObject(expired);
  });

  test('returns 400 cursorExpired for a cursor of more than 30 days', async () => {
    const { developer, clock } = await startTestServer();
    const cursor = await cursorOf(developer);
    clock.advance(30 * day);
    const { cursor: renewed } = await page(developer, `after=${cursor}`);
    clock.advance(1);
    expect(await developer('GET', `/api/v1/events?after=${cursor}`)).toMatchObject(expired);
    expect(await page(developer, `after=${renewed}`)).toMatchObject({ data: [] });
  });
});
