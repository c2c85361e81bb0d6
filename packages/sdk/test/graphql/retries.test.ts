import {
  ConnectionError,
  RateLimitError,
  SessionExpiredError,
  type Tokens,
} from '@document-vault/sdk';
import { createGraphql } from '@document-vault/sdk/graphql';
import { describe, expect, test } from 'vitest';
import { keyClient, rejection } from '../support/client.ts';
import { JumpingClock } from '../support/clock.ts';
import { scriptedFetch } from '../support/fetch.ts';
import { startGraphqlClient, webhookInput } from '../support/graphql/server.ts';
import { failure, json, networkError } from '../support/responses.ts';
import { storeOf } from '../support/session.ts';

const hour = 3_600_000;

describe('transport, session: GraphQL', () => {
  test('100 parallel requests with an expired token renew it once and are each sent again once', async () => {
    const session = { store: storeOf('replaced by the login', '') };
    const { gql, server, sent } = await startGraphqlClient({}, { session });
    // The client is not to know that its token has expired.
    const tokens = (await session.store.get()) as Tokens;
    session.store.set({ ...tokens, expiresAt: Number.MAX_SAFE_INTEGER });
    server.clock.advance(2 * hour);
    const calls = Array.from({ length: 100 }, () => gql.me());
    await expect(Promise.all(calls)).resolves.toHaveLength(100);
    expect(sent.filter(({ path }) => path === '/auth/refresh')).toHaveLength(1);
    expect(sent.filter(({ path }) => path === '/graphql')).toHaveLength(200);
  });

  test('a GraphQL request after the end of the session rejects', async () => {
    const { gql, client, server } = await startGraphqlClient();
    server.clock.advance(400 * 24 * hour);
    expect(await rejection(gql.me())).toBeInstanceOf(SessionExpiredError);
    expect(await rejection(client.vaults.list())).toBeInstanceOf(SessionExpiredError);
  });
});

describe('transport: GraphQL is repeated', () => {
  test('a GraphQL request is retried after the Retry-After of a 429', async () => {
    const { gql, server, clock, sent } = await startGraphqlClient();
    server.fault('rateLimit', { operations: 'graphql', retryAfter: 7 });
    await gql.me();
    expect(clock.slept).toEqual([7_000]);
    expect(sent).toHaveLength(2);
  });

  test.each(['error', 'networkError', 'truncate'] as const)(
    'a GraphQL request is retried after the fault %s',
    async (fault) => {
      const { gql, server, sent, resources } = await startGraphqlClient();
      server.fault(fault, { operations: 'graphql' });
      expect((await gql.vault(resources.vaultId)).name).toBe('Of the owner');
      expect(sent).toHaveLength(2);
    },
  );

  test('a mutation whose response was lost creates one webhook', async () => {
    const { gql, server, sent } = await startGraphqlClient();
    server.fault('networkError', { operations: 'graphql', when: 'after' });
    const webhook = await gql.createWebhook(webhookInput);
    const { data } = await gql.webhooks();
    expect(data.filter(({ url }) => url === webhookInput.url).map(({ id }) => id)).toEqual([
      webhook.id,
    ]);
    const [first, second, reading] = sent.map(({ headers }) => headers['idempotency-key']);
    expect(first).toBe(second);
    expect(reading).not.toBe(first);
  });

  test('maxRetries limits the attempts of a GraphQL request', async () => {
    const { gql, server, sent } = await startGraphqlClient();
    server.fault('networkError', { operations: 'graphql', times: 2 });
    const error = await rejection(gql.createVault({ name: 'Taxes' }, { maxRetries: 1 }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ method: 'POST', path: '/graphql', attempts: 2 });
    expect(sent).toHaveLength(2);
  });

  test('a GraphQL request has the idempotencyKey of the caller', async () => {
    const { fetch, sent } = scriptedFetch(
      () => {
        throw networkError('ECONNRESET');
      },
      () => json({ data: { createVault: { id: '1' } } }),
    );
    await createGraphql(keyClient({ fetch })).createVault({ name: 'x' }, { idempotencyKey: 'k' });
    expect(sent.map(({ headers }) => headers['idempotency-key'])).toEqual(['k', 'k']);
  });
});

/** The refusal of an operation that costs more than what is left. */
function overBudget(points: number, remaining: number, retryAfter: number) {
  const extensions = {
    code: 'RATE_LIMIT_EXCEEDED',
    details: { points, limit: 100, remaining },
    retryAfter,
  };
  return json({ errors: [{ message: 'The budget is used up', extensions }] }, { status: 429 });
}

describe('transport, budget of GraphQL', () => {
  test('a used-up GraphQL budget rejects GraphQL requests at once and REST calls succeed', async () => {
    const { gql, client, sent } = await startGraphqlClient({
      defaultTier: 'free',
      graphqlPoints: { free: 2 },
      requestsPerMinute: { free: 1_000 },
    });
    await gql.me();
    const { cost } = await gql.me().withResponse();
    expect(cost).toMatchObject({ points: 1, limit: 2, remaining: 0 });
    const error = await rejection(gql.me());
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfterMs: hour, details: { remaining: 0 }, attempts: 1 });
    await expect(gql.me()).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', attempts: 0 });
    expect(sent).toHaveLength(3);
    await expect(client.vaults.list()).resolves.toMatchObject({ pagination: { totalCount: 1 } });
  });

  test('requests wait for the budget, and 50 of them cause at most one more 429', async () => {
    let refusals = 0;
    let open = false;
    const { fetch } = scriptedFetch(async () => {
      await new Promise(setImmediate);
      if (open) return json({ data: { me: { id: '1' } } });
      refusals++;
      open = refusals === 2;
      return overBudget(1, 0, 3);
    });
    const refused = Promise.withResolvers<void>();
    const gql = createGraphql(keyClient({ fetch, onRetry: () => refused.resolve() }));
    const first = gql.me();
    await refused.promise;
    const others = Array.from({ length: 50 }, () => gql.me());
    await Promise.all([first, ...others]);
    expect(refusals).toBe(2);
  });

  test('a request that costs less than the remaining budget is sent', async () => {
    const { fetch } = scriptedFetch(
      () => overBudget(50, 10, 600),
      () => json({ data: { me: { id: '1' } } }),
    );
    const gql = createGraphql(keyClient({ fetch }));
    const document = '{ vaults(pageSize: 100) { data { documents { data { id } } } } }';
    expect(await rejection(gql.request(document))).toMatchObject({ retryAfterMs: 600_000 });
    await expect(gql.me()).resolves.toEqual({ id: '1' });
  });

  test('a request above the remaining budget waits and does not delay others', async () => {
    const clock = new JumpingClock();
    const { fetch, sent } = scriptedFetch(
      () => overBudget(50, 10, 30),
      () => json({ data: { me: { id: '1' } } }),
    );
    await expect(createGraphql(keyClient({ fetch, clock })).me()).resolves.toEqual({ id: '1' });
    expect(clock.slept).toEqual([30_000]);
    expect(sent).toHaveLength(2);
  });

  test('the limit of requests delays both REST and GraphQL', async () => {
    const refusal = () => failure(429, 'RATE_LIMIT_EXCEEDED', { retryAfter: 600 });
    for (const [first, second] of [
      ['rest', 'graphql'],
      ['graphql', 'rest'],
    ]) {
      const { fetch, sent } = scriptedFetch(refusal);
      const client = keyClient({ fetch });
      const gql = createGraphql(client);
      const ask = (way: string | undefined) => (way === 'rest' ? client.users.me() : gql.me());
      expect(await rejection(ask(first))).toMatchObject({ attempts: 1 });
      expect(await rejection(ask(second))).toMatchObject({ attempts: 0, retryAfterMs: 600_000 });
      expect(sent).toHaveLength(1);
    }
  });
});
