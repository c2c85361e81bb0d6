import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createNetworks } from '../../src/http/addresses.ts';
import { IncomingBody } from '../../src/http/bodies/incoming-body.ts';
import { NetworkPause } from '../../src/http/bodies/network-pause.ts';
import { TestClock } from '../../src/lib/clock.ts';

const content = Buffer.alloc(8 * 1024 * 1024, 'content of a part');

/** 64 KiB for the operation, or two pieces for the consumer, with a chunk of 64 KiB that arrives meanwhile and a margin. */
const maxAhead = 256 * 1024;

interface Received {
  readonly body: IncomingBody;
  /** Bytes that the connection has read for this request. */
  bytesRead(): number;
}

/**
 * Sends a body to a server, which leaves it to the test to read. The connection has carried another body before: only
 * then does the kernel buffer enough at once.
 */
async function send(): Promise<Received> {
  const arrived = Promise.withResolvers<Received>();
  let first: { socket: Socket; bytesRead: number } | undefined;
  const server = createServer((req, res) => {
    const body = new IncomingBody({
      req,
      res,
      declared: content.length,
      clock: new TestClock(),
      networkPause: new NetworkPause(createNetworks([])),
    });
    const { socket } = req;
    if (req.method === 'POST') {
      buffer(body.stream()).then(() => {
        first = { socket, bytesRead: socket.bytesRead };
        res.end();
      }, arrived.reject);
    } else if (socket === first?.socket) {
      const { bytesRead } = first;
      arrived.resolve({ body, bytesRead: () => socket.bytesRead - bytesRead });
    } else arrived.reject(new Error('another connection'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  const sent = (method: string) => request({ port, host: '127.0.0.1', agent, method });
  const [response] = await once(sent('POST').end(content), 'response');
  await once(response.resume(), 'close');
  sent('PUT')
    .on('error', () => undefined)
    .end(content);
  return arrived.promise;
}

/** Resolves with the bytes that were read, once no more arrive for many turns of the event loop. */
async function settledBytes({ bytesRead }: Received): Promise<number> {
  let last = bytesRead();
  for (let turns = 0; turns < 200; turns += 1) {
    await setImmediate();
    if (bytesRead() !== last) turns = 0;
    last = bytesRead();
  }
  return last;
}

test('a body that no operation has asked for is read no further than 64 KiB and some chunks', async () => {
  const received = await send();
  const bytes = await settledBytes(received);
  expect(bytes).toBeGreaterThan(60 * 1024);
  expect(bytes).toBeLessThan(maxAhead);

  expect((await buffer(received.body.stream())).equals(content)).toBe(true);
});

test('a streamed body is read no further than its consumer needs', async () => {
  const received = await send();
  const pieces = received.body.stream()[Symbol.asyncIterator]();
  const bytes = await settledBytes(received);
  expect(bytes).toBeGreaterThan(60 * 1024);
  expect(bytes).toBeLessThan(maxAhead);

  const first = await pieces.next();
  expect(await settledBytes(received)).toBeLessThan(2 * maxAhead);
  const rest = await buffer({ [Symbol.asyncIterator]: () => pieces });
  expect(Buffer.concat([first.value, rest]).equals(content)).toBe(true);
});
