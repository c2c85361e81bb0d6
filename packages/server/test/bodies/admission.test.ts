import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import {
  createAdmission,
  type MemoryGrant,
  type MemoryHolder,
} from '../../src/http/bodies/admission.ts';
import { TestClock } from '../../src/lib/clock.ts';
import { type Connection, connectTo, head, statuses } from '../support/connection.ts';
import { documentOf, newVault } from '../support/resources.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const mebibyte = 1024 * 1024;
const continues = /^HTTP\/1\.1 100 Continue\r\n\r\n/;

/** Sends the head of an upload with `Expect: 100-continue`, which waits for the server. */
async function upload(
  { url }: TestServer,
  apiKey: string,
  length: number,
  path = '/api/v1/documents',
): Promise<Connection> {
  const connection = await connectTo(url);
  await connection.send(
    head(path, { 'X-Api-Key': apiKey, Expect: '100-continue', 'Content-Length': length }),
  );
  return connection;
}

/** Runs the event loop until the server has handled the received bytes. */
async function settle(server: TestServer): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await fetch(`${server.url}/health/live`);
}

describe('account with 4 bodies above 1 MiB', () => {
  async function startWithFourBodies() {
    const server = await startTestServer({ minDataRate: 0 });
    const vault = await newVault(server.developer);
    const body = JSON.stringify(documentOf(vault.id, Buffer.alloc(2 * mebibyte)));
    const open = () => upload(server, server.apiKey, body.length);
    const admitted = await Promise.all([open(), open(), open(), open()]);
    for (const connection of admitted) await connection.until(continues);
    return { server, body, open, admitted };
  }

  test('the fifth body waits until one has ended', async () => {
    const { server, body, open, admitted } = await startWithFourBodies();
    const fifth = await open();
    await settle(server);
    expect(fifth.received()).toBe('');
    admitted[0]?.socket.write(body);
    expect(statuses((await admitted[0]?.until(/"id":/)) ?? '')).toEqual([201]);
    await fifth.until(continues);
    fifth.socket.write(body);
    expect(statuses(await fifth.until(/"id":/))).toEqual([201]);
  });

  test('the fifth body waits until a client disconnects', async () => {
    const { open, admitted } = await startWithFourBodies();
    const fifth = await open();
    admitted[1]?.socket.destroy();
    await fifth.until(continues);
  });

  test('the fifth body gets 429 with retryAfter 1 after 30 s, and not before', async () => {
    const { server, open } = await startWithFourBodies();
    const fifth = await open();
    await settle(server);
    server.clock.advance(29_999);
    await settle(server);
    expect(fifth.received()).toBe('');
    server.clock.advance(1);
    const received = await fifth.end();
    expect(statuses(received)).toEqual([429]);
    expect(received).toMatch(/^Retry-After: 1\r$/im);
    expect(received).toContain('"retryAfter":1');
  });

  test('small bodies and bodies of other accounts do not wait', async () => {
    const { server } = await startWithFourBodies();
    await newVault(server.developer);
    const other = await server.signUp('other@example.com');
    const vault = await newVault(other.call);
    const created = await other.call('POST', '/api/v1/documents', {
      body: documentOf(vault.id, Buffer.alloc(2 * mebibyte)),
    });
    expect(created.status).toBe(201);
  });

  test('a chunked body waits once it exceeds 1 MiB', async () => {
    const { server, body, admitted } = await startWithFourBodies();
    const headers = { 'X-Api-Key': server.apiKey, 'Transfer-Encoding': 'chunked' };
    const chunked = await connectTo(server.url);
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    chunked.socket.write(head('/api/v1/documents', headers) + chunk);
    await settle(server);
    expect(chunked.received()).toBe('');
    admitted[0]?.socket.destroy();
    expect(statuses(await chunked.until(/"id":/))).toEqual([201]);
  });
});

test('bodies without credentials return 429 above 1 MiB per address', async () => {
  const server = await startTestServer({ minDataRate: 0 });
  const login = () => upload(server, '', 16 * 1024, '/auth/login');
  const admitted = await Promise.all(Array.from({ length: 64 }, login));
  for (const connection of admitted) await connection.until(continues);
  const refused = await login();
  expect(statuses(await refused.end())).toEqual([429]);
  // Requests with credentials from that address are not limited.
  await newVault(server.developer);
});

describe('memory of all bodies', () => {
  const alice: MemoryHolder = { key: 'alice', isAccount: true };
  const bob: MemoryHolder = { key: 'bob', isAccount: true };
  const clock = new TestClock();

  /** Requests memory and returns the state of the request. */
  function admit(
    admission: ReturnType<typeof createAdmission>,
    holder: MemoryHolder,
    bytes: number,
  ) {
    const admitted = admission.admit(holder, bytes);
    const state: { grant?: MemoryGrant; error?: unknown } = {};
    if (!(admitted instanceof Promise)) state.grant = admitted;
    else
      admitted.then(
        (granted) => (state.grant = granted),
        (error) => (state.error = error),
      );
    return state;
  }

  const turn = () => new Promise((resolve) => setImmediate(resolve));

  test('large bodies wait in their order, and small ones do not wait', async () => {
    const admission = createAdmission(clock, 8 * mebibyte);
    const first = admit(admission, alice, 5 * mebibyte);
    const second = admit(admission, bob, 4 * mebibyte);
    // It would fit, but must not overtake the second.
    const third = admit(admission, alice, 1.5 * mebibyte);
    expect(first.grant).toBeDefined();
    expect(admit(admission, bob, 1_000).grant).toBeDefined();
    await turn();
    expect([second, third]).toEqual([{}, {}]);
    first.grant?.release();
    await turn();
    expect(second.grant).toBeDefined();
    expect(third.grant).toBeDefined();
  });

  test('a body that fits is admitted when the one before it has waited for 30 s', async () => {
    const admission = createAdmission(clock, 8 * mebibyte);
    admit(admission, alice, 4 * mebibyte);
    const second = admit(admission, bob, 4 * mebibyte);
    const third = admit(admission, bob, 1.5 * mebibyte);
    clock.advance(30_000);
    await turn();
    expect(second.error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    expect(third.grant).toBeDefined();
    expect(third.error).toBeUndefined();
  });

  test('addresses of rejected bodies use no memory', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const admission = createAdmission(clock, 8 * mebibyte);
    const bodyOf = (key: string) => admission.admit({ key, isAccount: false }, 16 * 1024);
    for (let admitted = 0; admitted < 64; admitted += 1) bodyOf(`admitted ${admitted}`);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    let refused = 0;
    for (let address = 0; address < 40_000; address += 1) {
      await Promise.resolve(bodyOf(`refused ${address}`)).catch(() => {
        refused += 1;
      });
    }
    expect(refused).toBe(40_000);
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(2 * mebibyte);
    await expect(bodyOf('one more')).rejects.toThrow('too many request bodies');
  });

  test('one body is always admitted, however large', () => {
    const admission = createAdmission(clock, mebibyte);
    expect(admit(admission, alice, 40 * mebibyte).grant).toBeDefined();
    expect(admit(admission, bob, 1_000).grant).toBeDefined();
  });

  test('a body that ends while it waits for more memory releases its grant', async () => {
    const admission = createAdmission(clock, 8 * mebibyte);
    const first = admit(admission, alice, 5 * mebibyte);
    const growing = admit(admission, bob, 1_000).grant;
    const grown = growing?.grow(5 * mebibyte);
    expect(grown).toBeInstanceOf(Promise);
    growing?.release();
    first.grant?.release();
    expect(admit(admission, alice, 6 * mebibyte).grant).toBeDefined();
  });
});

describe('bodies without credentials', () => {
  const sender = (network: number, site: string): MemoryHolder => ({
    key: `address:${network}`,
    isAccount: false,
    site,
  });

  test('of the networks of one site use at most a quarter of what all addresses can', () => {
    // 32 MiB for all addresses, and 8 MiB for a site.
    const admission = createAdmission(new TestClock(), 256 * mebibyte);
    const admit = (network: number, site: string) => {
      const admitted = admission.admit(sender(network, site), mebibyte);
      if (!(admitted instanceof Promise)) return admitted;
      admitted.catch(() => undefined);
      return undefined;
    };
    const site = Array.from({ length: 12 }, (_, network) => admit(network, 'one site'));
    expect(site.filter(Boolean)).toHaveLength(8);
    expect(admit(100, 'another site')).toBeDefined();
    site[0]?.release();
    expect(admit(13, 'one site')).toBeDefined();
    expect(admit(14, 'one site')).toBeUndefined();
  });
});
