import { type ApiError, DocumentVault } from '@document-vault/sdk';
import { createCipher } from '@document-vault/sdk/crypto';
import { createTestVault } from '@document-vault/sdk/testing';
import { setupServer } from 'msw/node';
import { describe, expect, test } from 'vitest';
import { TestClock } from '../../../server/src/clock.ts';
import { startTestServer } from '../../../server/test/support/server.ts';
import { rejection } from '../support/client.ts';
import { checkedFetch } from '../support/testing/checked-fetch.ts';
import * as contentStories from '../support/testing/content-stories.ts';
import { comparable, Reporter, type Service, type Step } from '../support/testing/scenario.ts';
import * as accountStories from './account-stories.ts';

/** A service to be asked, and its clock. */
type Place = Service & { readonly now: () => number };

function placeOf(clock: TestClock, service: Pick<Service, 'baseUrl' | 'fetch'>): Place {
  const advance = (milliseconds: number) => clock.advance(milliseconds);
  return { ...service, advance, now: () => clock.now() };
}

async function atTheService<Result>(ask: (place: Place) => Promise<Result>): Promise<Result> {
  const clock = new TestClock();
  const { url } = await startTestServer({ clock, enterpriseRequestsPerMinute: 100_000 });
  return ask(placeOf(clock, { baseUrl: url, fetch }));
}

async function atTheKit<Result>(ask: (place: Place) => Promise<Result>): Promise<Result> {
  const clock = new TestClock();
  const { handlers, baseUrl } = createTestVault({ baseUrl: 'https://vault.example', clock });
  const server = setupServer(...handlers);
  server.listen({ onUnhandledFrame: 'error' });
  try {
    return await ask(placeOf(clock, { baseUrl, fetch: checkedFetch() }));
  } finally {
    server.close();
  }
}

type Story = (report: Reporter, now: () => number) => Promise<void>;

async function told(story: Story, place: Place): Promise<readonly Step[]> {
  const report = new Reporter(place);
  await story(report, place.now);
  return report.steps;
}

const stories = Object.entries({ ...contentStories, ...accountStories }).filter(
  (entry): entry is [string, Story] => typeof entry[1] === 'function',
);

describe('the test vault and the server return the same responses', () => {
  test.each(stories)('the responses to the requests of %s are the same', async (_, story) => {
    const expected = await atTheService((place) => told(story, place));
    const actual = await atTheKit((place) => told(story, place));
    expect(actual.length).toBeGreaterThan(10);
    expect(comparable(actual)).toEqual(comparable(expected));
  });
});

/** What an app does with its client, and what it sees. */
async function asAnApp({ baseUrl, fetch, now, advance }: Place): Promise<unknown> {
  const clock = { now, sleep: async (milliseconds: number) => advance(milliseconds) };
  const client = new DocumentVault({ baseUrl, fetch, clock });
  const password = 'correct horse battery';
  const register = { email: 'ada@app.example', password, name: 'Ada' };
  await client.auth.register(register);
  await client.auth.login({ email: register.email, password });
  const { id: vaultId } = await client.vaults.create({ name: 'Taxes', category: 'personal' });
  const cipher = await createCipher({ passphrase: 'open sesame', iterations: 1 });
  const ids: string[] = [];
  for (const text of ['one', 'two', 'three']) {
    const fileName = `${text}.txt`;
    ids.push((await client.documents.upload(text, { vaultId, cipher, fileName })).id);
    advance(1_000);
  }
  const [first = ''] = ids;
  const { bytes, mimeType } = await client.documents.download(first, { cipher });
  const names: string[] = [];
  for await (const { fileName } of client.documents.list({ vaultId, pageSize: 2 }))
    names.push(fileName);
  const share = await client.shares.create(first, { maxAccessCount: 1 });
  const opened = await client.shares.open(share.shareToken, { cipher });
  const errors = [
    await rejection(client.shares.open(share.shareToken, { cipher })),
    await rejection(client.vaults.create({ name: '' })),
    await rejection(client.auth.register(register)),
    await rejection(client.documents.create({ ...contentStories.document, vaultId, sizeBytes: 5 })),
  ] as ApiError[];
  advance(3_600_000);
  const { name, tier } = await client.users.me();
  const { documentCount, updatedAt } = await client.vaults.get(vaultId);
  return {
    texts: [bytes, opened.bytes].map((content) => new TextDecoder().decode(content)),
    seen: { mimeType, names, name, tier, documentCount, updatedAt },
    errors: errors.map((error) => [error.name, error.code, error.status, error.details]),
  };
}

test('an app gets the same results and errors from the test vault and the server', async () => {
  const actual = await atTheKit(asAnApp);
  expect(actual).toMatchObject({ texts: ['one', 'one'], seen: { documentCount: 3 } });
  expect(actual).toEqual(await atTheService(asAnApp));
});
