import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { newDocument, newShare, newVault } from './support/resources.ts';
import { startTestServer, type TestServerOptions } from './support/server.ts';
import { listen } from './support/webhook-events.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
const tracestate = 'congo=t61rcWkgMzE,rojo=00f067aa0ba902b7';
const trace = { traceparent, tracestate };

interface Line {
  readonly msg: string;
  readonly operation?: string;
  readonly traceId?: string;
}

/** Starts a server with a webhook, and collects the log lines of requests. */
async function start(options: TestServerOptions = {}, status = 200) {
  const lines: Line[] = [];
  const log = pino({}, { write: (line) => lines.push(JSON.parse(line)) });
  const server = await startTestServer({ log, ...options });
  const webhook = await listen({
    server,
    call: server.developer,
    events: ['vault.created', 'document.share.accessed', 'document.share.expired'],
    reply: (response) => response.writeHead(status).end(),
  });
  return {
    ...server,
    webhook,
    createVault: (headers: Readonly<Record<string, string>>) =>
      server.developer('POST', '/api/v1/vaults', { headers, body: { name: 'Taxes' } }),
    /** Returns the trace id in the log line of the latest request of an operation. */
    logged: (operation: string) =>
      lines.findLast(({ msg, ...line }) => msg === 'request' && line.operation === operation)
        ?.traceId,
    /** Waits for the due deliveries, and returns the trace headers of those since the last call. */
    async sent() {
      await server.settled();
      return webhook.requests
        .splice(0)
        .map(({ headers: { traceparent, tracestate } }) => ({ traceparent, tracestate }));
    },
  };
}

const none = { traceparent: undefined, tracestate: undefined };

describe('a request with a valid traceparent', () => {
  test('its log line has the trace id, and its webhook the headers, but the event does not', async () => {
    const server = await start();
    expect((await server.createVault(trace)).status).toBe(201);
    expect(server.logged('createVault')).toBe(traceId);
    await server.settled();
    expect(server.webhook.requests[0]?.body.toString()).not.toContain(traceId);
    expect(await server.sent()).toEqual([trace]);
    const { body: events } = await server.developer('GET', '/api/v1/events');
    expect(JSON.stringify(events)).not.toContain(traceId);
    const { body: log } = await server.developer('GET', `${server.webhook.path}/deliveries`);
    expect(JSON.stringify(log)).not.toContain(traceId);
  });

  test('each attempt sends the same headers: the first one, a retry after a delay, and a retry by hand', async () => {
    const server = await start({}, 500);
    await server.createVault(trace);
    expect(await server.sent()).toEqual([trace]);
    server.clock.advance(60_000);
    expect(await server.sent()).toEqual([trace]);
    const deliveries = `${server.webhook.path}/deliveries`;
    const { body } = await server.developer('GET', deliveries);
    const other = { traceparent: `00-${'b'.repeat(32)}-${'b'.repeat(16)}-01` };
    const path = `${deliveries}/${body.data[0].id}/retry`;
    expect((await server.developer('POST', path, { headers: other })).status).toBe(200);
    expect(await server.sent()).toEqual([trace]);
  });

  test('deliveries of a GraphQL mutation and of a test event send it', async () => {
    const server = await start();
    const query = 'mutation { createVault(input: { name: "Taxes" }) { id } }';
    const created = await server.developer('POST', '/graphql', { headers: trace, body: { query } });
    expect(created.body.errors).toBeUndefined();
    expect(await server.sent()).toEqual([trace]);
    const tested = await server.developer('POST', `${server.webhook.path}/test`, {
      headers: trace,
      body: {},
    });
    expect(tested.status).toBeLessThan(300);
    expect(await server.sent()).toEqual([trace]);
  });

  test('a stranger who opens a share continues a trace, and the end of the share by time has none', async () => {
    const server = await start();
    const { developer: call } = server;
    const document = await newDocument(call, (await newVault(call)).id);
    const share = await newShare(call, document.id, { access: 'anyone' });
    expect(await server.sent()).toEqual([none]);
    const path = `/shares/${share.shareToken}`;
    expect((await server.anonymous('GET', path, { headers: trace })).status).toBe(200);
    expect(server.logged('openShare')).toBe(traceId);
    expect(await server.sent()).toEqual([trace]);
    server.clock.advance(366 * 24 * 60 * 60 * 1000);
    expect(await server.sent()).toEqual([none]);
  });

  test('of a later version, the fields of version 00 are sent', async () => {
    const server = await start();
    await server.createVault({
      traceparent: `cc${traceparent.slice(2, -2)}ff-what-the-future-adds`,
    });
    expect(server.logged('createVault')).toBe(traceId);
    expect(await server.sent()).toEqual([{ ...none, traceparent }]);
  });
});

test.each([
  ['version ff', `ff${traceparent.slice(2)}`],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
  ['a parent id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['upper case', traceparent.toUpperCase()],
  ['a short trace id', `00-${traceId.slice(1)}-00f067aa0ba902b7-01`],
  ['a long parent id', `00-${traceId}-00f067aa0ba902b70-01`],
  ['no flags', traceparent.slice(0, -3)],
  ['more than version 00 has', `${traceparent}-01`],
  ['two values', `${traceparent}, ${traceparent}`],
  ['an empty value', ''],
])('a traceparent with %s is ignored, with its tracestate', async (_, invalid) => {
  const server = await start();
  expect((await server.createVault({ tracestate, traceparent: invalid })).status).toBe(201);
  expect(server.logged('createVault')).toBeUndefined();
  expect(await server.sent()).toEqual([none]);
});

const entries = (count: number) =>
  Array.from({ length: count }, (_, index) => `v${index}=1`).join(',');

/** Returns a state of so many characters. */
const stateOf = (length: number) =>
  `a=${'x'.repeat(250)},b=${'x'.repeat(250)},c=${'x'.repeat(length - 508)}`;

test.each([
  ['up to 32 entries', entries(32), entries(32)],
  ['512 characters', stateOf(512), 'same'],
  ['spaces and empty entries', ' a=1 ,, b=2\t,', 'a=1,b=2'],
  ['a tenant in a key', 'fw529a3039@dt=FfffffCQ', 'same'],
  ['513 characters', stateOf(513), undefined],
  ['33 entries', entries(33), undefined],
  ['a key twice', 'a=1,a=2', undefined],
  ['a key in upper case', 'A=1', undefined],
  ['no value', 'a=', undefined],
  ['a value with =', 'a=1=2', undefined],
  ['a value outside of ASCII', 'a=\u00e9', undefined],
])(
  'a tracestate with %s is sent when it is valid, and dropped otherwise',
  async (_, given, sent) => {
    const server = await start();
    expect((await server.createVault({ traceparent, tracestate: given })).status).toBe(201);
    const expected = sent === 'same' ? given : sent;
    expect(await server.sent()).toEqual([{ traceparent, tracestate: expected }]);
  },
);

test('a tracestate without traceparent, and a request without either, send no trace', async () => {
  const server = await start();
  await server.createVault({ tracestate });
  await server.createVault({});
  expect(await server.sent()).toEqual([none, none]);
});
