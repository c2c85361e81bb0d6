import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contractOperations, type OperationId } from '../src/contract/contract.ts';
import { startWithAdministrator } from './support/administrator.ts';
import { rowsIn } from './support/data-folder.ts';
import { invalid } from './support/replies.ts';
import { clientOf, documentOf, newDocument, newVault } from './support/resources.ts';
import type { Reply } from './support/server.ts';
import { secret } from './support/webhook-events.ts';

// Random operations, keys and bodies: all requests concurrently, then the same requests again.

// Without the rotation of a secret: two further rotations end the secret of an outcome, which is not returned then.
const rotations = ['rotateOAuthClientSecret', 'rotateWebhookSecret'];
const keyed = contractOperations.filter(
  ({ id, parameters }) =>
    !rotations.includes(id) && parameters.some(({ name }) => name === 'Idempotency-Key'),
);

/** One call; `variant` chooses between two bodies, `path` among the operation's paths. */
const call = fc.record({
  id: fc.constantFrom(...keyed.map(({ id }) => id)),
  key: fc.constantFrom('a', 'b', 'c'),
  variant: fc.nat(1),
  path: fc.nat(5),
});

type Call = typeof call extends fc.Arbitrary<infer Value> ? Value : never;

/** How to call an operation on the test server, and how to count its effects. */
interface Usage {
  /** Values of the path parameters. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Two bodies for each name; undefined for an operation without a body. */
  readonly bodies?: (name: string) => readonly [object, object];
  /** Path of a list with one item per effect; undefined when several effects can be merged. */
  readonly effects?: string;
}

const port9 = 'http://127.0.0.1:9/unreachable';

/** Starts a server with an administrator who has a document and a webhook with a failed delivery. */
async function start() {
  const server = await startWithAdministrator({
    requestsPerMinute: { enterprise: 1_000_000 },
    requestsPerHour: { enterprise: 1_000_000 },
    webhookRetryDelays: [],
    // The clock stands still, and the host of the webhooks fails.
    webhookHostPause: 0,
    webhookRatePerNewHost: 100_000,
  });
  const { admin } = server;
  const newWebhook = async (event: string) => {
    const body = { url: port9, events: [event], secret };
    return (await admin('POST', '/webhooks', { body })).body.id as string;
  };
  const [failing, silent] = [
    await newWebhook('document.deleted'),
    await newWebhook('user.deleted'),
  ];
  const vault = await newVault(admin);
  const [document, lost] = [await newDocument(admin, vault.id), await newDocument(admin, vault.id)];
  await admin('DELETE', `/api/v1/documents/${lost.id}`);
  await server.settled();
  const deliveries = await admin('GET', `/api/v1/webhooks/${failing}/deliveries`);
  expect(deliveries.body.data).toMatchObject([{ status: 'failed', attemptNumber: 1 }]);
  const failed = { id: failing, deliveryId: deliveries.body.data[0].id as string };

  const named = (name: string, more: object = {}) =>
    [
      { ...more, name },
      { ...more, name: `other ${name}` },
    ] as const;
  const usages: Partial<Record<OperationId, Usage>> = {
    createApiKey: {
      bodies: (name) => named(name, { scopes: ['vaults:read'] }),
      effects: '/api/v1/api-keys',
    },
    createOAuthClient: {
      bodies: (name) => [clientOf({ name }), clientOf({ name: `other ${name}` })],
      effects: '/api/v1/oauth/clients',
    },
    createVault: { bodies: named, effects: '/api/v1/vaults' },
    createDocument: {
      bodies: (name) => [documentOf(vault.id, name), documentOf(vault.id, `other ${name}`)],
      effects: '/api/v1/documents',
    },
    createUpload: {
      bodies: () => [
        { vaultId: vault.id, sizeBytes: 1 },
        { vaultId: vault.id, sizeBytes: 2 },
      ],
    },
    shareDocument: {
      parameters: { id: document.id },
      bodies: () => [{ maxAccessCount: 1 }, { maxAccessCount: 2 }],
      effects: `/api/v1/documents/${document.id}/shares`,
    },
    createInstance: { bodies: named, effects: '/api/v1/instances' },
    createConsent: {
      bodies: (name) => [
        { purpose: name, grantedTo: 'Linden' },
        { purpose: name, grantedTo: 'Other' },
      ],
      effects: '/api/v1/consents',
    },
    createWebhook: {
      bodies: (name) => [
        { url: port9, events: ['user.deleted'], secret, description: name },
        { url: port9, events: ['user.deleted'], secret, description: 'other' },
      ],
      effects: '/api/v1/webhooks',
    },
    testWebhook: {
      parameters: { id: silent },
      bodies: () => [{}, { eventType: 'vault.created', allowUnsubscribed: true }],
      effects: `/api/v1/webhooks/${silent}/deliveries`,
    },
    retryFailedDeliveries: { parameters: { id: failing } },
    retryDelivery: { parameters: failed },
  };
  return { ...server, usages, failed };
}

type Model = Awaited<ReturnType<typeof start>>;

/** Sends a call. `run` makes the keys of different runs distinct. */
function make({ admin, usages }: Model, run: number, { id, key, variant, path }: Call) {
  const operation = keyed.find((each) => each.id === id);
  if (!operation) throw new Error(`${id} takes no key`);
  const { parameters = {}, bodies } = usages[id] ?? {};
  const templates = [operation.path, ...operation.aliases];
  const template = templates[path % templates.length] ?? operation.path;
  return admin(
    'POST',
    template.replaceAll(/\{(\w+)\}/g, (_, name) => parameters[name] ?? ''),
    {
      headers: { 'idempotency-key': `${run} ${key}` },
      body: bodies?.(`${run} ${key}`)[variant],
    },
  );
}

/** The response without request id and time. */
function outcome({ status, body }: Reply): string {
  if (status < 400) return JSON.stringify({ status, body });
  const { requestId, timestamp, ...error } = body.error;
  return JSON.stringify({ status, error });
}

const isReplayed = ({ headers }: Reply) => headers.get('idempotency-replayed') === 'true';

const reused = invalid('Idempotency-Key', 'reuse');

const isReuse = ({ body }: Reply) => body?.error?.details?.constraint === 'reuse';

/** Checks all calls with one key, and returns whether they had an effect. */
function checkCalls(
  calls: readonly (Call & { readonly reply: Reply })[],
  takesBody: boolean,
): boolean {
  const [first] = calls;
  const name = `${first?.id} ${first?.key}`;
  const own = calls.filter(({ reply }) => !isReuse(reply));
  const outcomes = new Set(own.map(({ reply }) => outcome(reply)));
  expect(outcomes.size, `${name}: one outcome`).toBe(1);
  expect(
    own.filter(({ reply }) => !isReplayed(reply)),
    `${name}: once`,
  ).toHaveLength(1);
  if (takesBody) {
    const [winner, ...others] = new Set(own.map(({ variant }) => variant));
    expect(others, `${name}: of one body`).toEqual([]);
    for (const { variant, reply } of calls) {
      if (variant !== winner) expect(reply, name).toMatchObject(reused);
    }
  } else {
    expect(own, name).toHaveLength(calls.length);
  }
  const succeeded = own.every(({ reply }) => reply.status < 300);
  if (takesBody) expect(succeeded, `${name}: ${[...outcomes]}`).toBe(true);
  return succeeded;
}

test('the model covers every operation with an Idempotency-Key', async () => {
  const { usages } = await start();
  expect(Object.keys(usages).toSorted()).toEqual(keyed.map(({ id }) => id).toSorted());
});

test('concurrent and repeated requests with one key have one outcome and one effect', async () => {
  const model = await start();
  const { admin, usages, failed, settled, data } = model;
  const count = async (list: string) =>
    (await admin('GET', `${list}?pageSize=1`)).body.pagination.totalCount as number;
  const countAll = () =>
    Promise.all(keyed.map(async ({ id }) => count(usages[id]?.effects ?? '/api/v1/vaults')));
  const attempts = async () =>
    (await admin('GET', `/api/v1/webhooks/${failed.id}/deliveries/${failed.deliveryId}`)).body
      .attemptNumber as number;
  let run = 0;
  let distinctKeys = 0;

  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 5, maxLength: 40 }), async (calls) => {
      run += 1;
      const [before, attemptsBefore] = [await countAll(), await attempts()];
      const round = () =>
        Promise.all(calls.map(async (each) => ({ ...each, reply: await make(model, run, each) })));
      const first = await round();
      await settled();
      const groups = Map.groupBy(first, ({ id, key }) => `${id} ${key}`);
      distinctKeys += groups.size;
      const effects = new Map<OperationId, number>();
      for (const group of groups.values()) {
        const id = group[0]?.id;
        if (id && checkCalls(group, usages[id]?.bodies !== undefined)) {
          effects.set(id, (effects.get(id) ?? 0) + 1);
        }
      }

      const again = await round();
      await settled();
      expect(again.map(({ reply }) => outcome(reply))).toEqual(
        first.map(({ reply }) => outcome(reply)),
      );
      for (const { reply } of again) expect(isReplayed(reply)).toBe(!isReuse(reply));

      const after = await countAll();
      for (const [index, { id }] of keyed.entries()) {
        if (!usages[id]?.effects) continue;
        expect((after[index] ?? 0) - (before[index] ?? 0), id).toBe(effects.get(id) ?? 0);
      }
      // Concurrent retries of a delivery make one attempt.
      const requested =
        (effects.get('retryDelivery') ?? 0) + (effects.get('retryFailedDeliveries') ?? 0);
      const made = (await attempts()) - attemptsBefore;
      expect(made).toBeLessThanOrEqual(requested);
      if (requested > 0) expect(made).toBeGreaterThan(0);
      // An account may have 20 open uploads.
      for (const { id, reply } of first) {
        if (id === 'createUpload') await admin('DELETE', `/api/v1/uploads/${reply.body.id}`);
      }
    }),
    { numRuns: 12, endOnFailure: true },
  );
  await model.close();
  expect(rowsIn(data, 'idempotency_outcomes')).toBe(distinctKeys);
});
