import { type ApiError, DocumentVault } from '@document-vault/sdk';
import { createCipher } from '@document-vault/sdk/crypto';
import { createTestVault } from '@document-vault/testing';
import { setupServer } from 'msw/node';
import { describe, expect, test } from 'vitest';
import { rejection } from '../../sdk/test/support/client.ts';
import { TestClock } from '../../server/src/lib/clock.ts';
import { startTestServer } from '../../server/test/support/server.ts';
import * as accountScenarios from './support/account-scenarios.ts';
import { checkedFetch } from './support/checked-fetch.ts';
import * as contentScenarios from './support/content-scenarios.ts';
import * as keyScenarios from './support/key-scenarios.ts';
import * as oauthClientScenarios from './support/oauth-client-scenarios.ts';
import { comparable, Recorder, type Service, type Step } from './support/recorder.ts';
import * as uploadScenarios from './support/upload-scenarios.ts';

/** A service with its clock. */
type ClockedService = Service & { readonly now: () => number };

function withClock(clock: TestClock, service: Pick<Service, 'baseUrl' | 'fetch'>): ClockedService {
  const advance = (milliseconds: number) => clock.advance(milliseconds);
  return { ...service, advance, now: () => clock.now() };
}

type Run<Result> = (service: ClockedService) => Promise<Result>;

async function withServer<Result>(run: Run<Result>): Promise<Result> {
  const clock = new TestClock();
  const { url } = await startTestServer({
    clock,
    requestsPerMinute: { enterprise: 100_000 },
    oauth: 'on',
  });
  return run(withClock(clock, { baseUrl: url, fetch }));
}

async function withTestVault<Result>(run: Run<Result>): Promise<Result> {
  const clock = new TestClock();
  const { handlers, baseUrl } = createTestVault({ baseUrl: 'https://vault.example', clock });
  const server = setupServer(...handlers);
  server.listen({ onUnhandledFrame: 'error' });
  try {
    return await run(withClock(clock, { baseUrl, fetch: checkedFetch() }));
  } finally {
    server.close();
  }
}

type Scenario = (recorder: Recorder, now: () => number) => Promise<void>;

async function stepsOf(scenario: Scenario, service: ClockedService): Promise<readonly Step[]> {
  const recorder = new Recorder(service);
  await scenario(recorder, service.now);
  return recorder.steps;
}

const scenarios = Object.entries({
  ...contentScenarios,
  ...accountScenarios,
  ...keyScenarios,
  ...oauthClientScenarios,
  ...uploadScenarios,
}).filter((entry): entry is [string, Scenario] => typeof entry[1] === 'function');

describe('the test vault and the server return the same responses', () => {
  test.each(scenarios)(
    'the test vault responds to the requests of %s like the server',
    async (_, scenario) => {
      const expected = await withServer((service) => stepsOf(scenario, service));
      const actual = await withTestVault((service) => stepsOf(scenario, service));
      expect(actual.length).toBeGreaterThan(10);
      expect(comparable(actual)).toEqual(comparable(expected));
    },
  );
});

/** Uses a client as an app does, and returns its results and errors. */
async function useAsApp({ baseUrl, fetch, now, advance }: ClockedService): Promise<unknown> {
  const clock = { now, sleep: async (milliseconds: number) => advance(milliseconds) };
  const client = new DocumentVault({ baseUrl, session: {}, fetch, clock });
  const password = 'correct horse battery';
  const register = { email: 'ada@app.example', password, name: 'Ada' };
  await client.auth.register(register);
  await client.auth.login({ email: register.email, password });
  const { id: vaultId } = await client.vaults.create({ name: 'Taxes', category: 'personal' });
  const cipher = await createCipher({ passphrase: 'open sesame' });
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
    await rejection(
      client.documents.create({ ...contentScenarios.document, vaultId, sizeBytes: 5 }),
    ),
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
  const actual = await withTestVault(useAsApp);
  expect(actual).toMatchObject({ texts: ['one', 'one'], seen: { documentCount: 3 } });
  expect(actual).toEqual(await withServer(useAsApp));
});

/** Sends queries and forms of an app with one parameter too many, and returns the responses. */
async function sendLongForms({ baseUrl }: ClockedService): Promise<unknown> {
  const many = Array(101).fill('scope=1').join('&');
  const requests = [
    ['/oauth/token', many],
    ['/oauth/revoke', many],
    [`/oauth/token?${many}`, 'grant_type=refresh_token'],
    [`/oauth/revoke?${many}`, 'token=a'],
  ] as const;
  const responses = requests.map(async ([path, form]) => {
    const body = new URLSearchParams(form);
    const response = await fetch(baseUrl + path, { method: 'POST', body });
    return [response.status, await response.text()];
  });
  return Promise.all(responses);
}

test('an app gets the same 400 for more than 100 parameters from the test vault and the server', async () => {
  const expected = await withServer(sendLongForms);
  expect(expected).toMatchObject(
    Array(4).fill([400, expect.stringContaining('at most 100 parameters')]),
  );
  expect(await withTestVault(sendLongForms)).toEqual(expected);
});
