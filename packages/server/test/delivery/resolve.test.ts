import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { createNameServerResolve, createResolve } from '../../src/delivery/targets.ts';

const cleanups: (() => unknown)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const typeA = 1;
const typeAaaa = 28;

/** Address bytes of every name, by record type. The server does not respond to types without an entry. */
type Zone = Readonly<Record<number, readonly (readonly number[])[]>>;

/** Returns the response to a query (RFC 1035, section 4): header and question of the query, then records. */
function reply(query: Buffer, type: number, addresses: readonly (readonly number[])[]): Buffer {
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt16BE(0, 10);
  const question = query.subarray(12, query.indexOf(0, 12) + 5);
  const records = addresses.map((address) =>
    // A pointer to the name in the question, type, class IN, 60 seconds, length, address.
    Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, address.length, ...address]),
  );
  return Buffer.concat([header, question, ...records]);
}

async function startNameServer(zone: Zone): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (query, client) => {
    const type = query.readUInt16BE(query.indexOf(0, 12) + 1);
    const addresses = zone[type];
    if (addresses !== undefined) socket.send(reply(query, type, addresses), client.port);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  cleanups.push(() => socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

const loopback6 = [...Array<number>(15).fill(0), 1];

test('resolves IPv4 and IPv6 addresses of a name', async () => {
  const server = await startNameServer({
    [typeA]: [
      [8, 8, 8, 8],
      [10, 0, 0, 1],
    ],
    [typeAaaa]: [loopback6],
  });
  const resolve = createNameServerResolve([server]);
  expect(await resolve('receiver.example')).toEqual(['8.8.8.8', '10.0.0.1', '::1']);
});

test('resolves a name with addresses of one family', async () => {
  const only4 = await startNameServer({ [typeA]: [[8, 8, 8, 8]], [typeAaaa]: [] });
  expect(await createNameServerResolve([only4])('receiver.example')).toEqual(['8.8.8.8']);
  const only6 = await startNameServer({ [typeA]: [], [typeAaaa]: [loopback6] });
  expect(await createNameServerResolve([only6])('receiver.example')).toEqual(['::1']);
});

test('rejects a name without an address', async () => {
  const server = await startNameServer({ [typeA]: [], [typeAaaa]: [] });
  await expect(createNameServerResolve([server])('receiver.example')).rejects.toThrow(
    'receiver.example has no address',
  );
});

test('a silent name server does not delay names of other servers', async () => {
  const silent = createNameServerResolve([await startNameServer({})]);
  const lookups = Array.from({ length: 16 }, () => silent('receiver.example').catch(() => []));
  const talking = await startNameServer({ [typeA]: [[8, 8, 8, 8]], [typeAaaa]: [] });
  const first = await Promise.race([...lookups, createNameServerResolve([talking])('a.example')]);
  expect(first).toEqual(['8.8.8.8']);
});

test('resolves localhost when private addresses are allowed', async () => {
  const addresses = await createResolve({ allowPrivate: true })('localhost');
  expect(['127.0.0.1', '::1']).toEqual(expect.arrayContaining([...addresses]));
  expect(addresses.length).toBeGreaterThan(0);
});
