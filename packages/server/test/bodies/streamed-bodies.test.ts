import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { TestClock } from '../../src/clock.ts';
import { GentleEnding } from '../../src/http/bodies/gentle-ending.ts';
import { IncomingBody } from '../../src/http/bodies/incoming-body.ts';
import { ReadBrake } from '../../src/http/bodies/read-brake.ts';

const mebibyte = 1024 * 1024;

/** Sends a body to a server, which leaves it to the test to read. */
async function send(content: Buffer) {
  const arrived = Promise.withResolvers<{ stream: AsyncIterable<Buffer>; socket: Socket }>();
  const server = createServer((req, res) => {
    const body = new IncomingBody({
      req,
      res,
      declared: content.length,
      clock: new TestClock(),
      brake: new ReadBrake(),
      ending: new GentleEnding(),
    });
    arrived.resolve({ stream: body.stream(), socket: req.socket });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const client = request({ port, host: '127.0.0.1', method: 'PUT' });
  client.on('error', () => undefined).end(content);
  return arrived.promise;
}

/** Resolves with the bytes that were read, once no more arrive for many turns of the event loop. */
async function readBytes(socket: Socket): Promise<number> {
  let last = socket.bytesRead;
  for (let turns = 0; turns < 200; turns += 1) {
    await setImmediate();
    if (socket.bytesRead !== last) turns = 0;
    last = socket.bytesRead;
  }
  return last;
}

test('a streamed body is read no further than its consumer needs', async () => {
  const content = Buffer.alloc(8 * mebibyte, 'content of a part');
  const { stream, socket } = await send(content);
  expect(await readBytes(socket)).toBeLessThan(mebibyte);

  const pieces = stream[Symbol.asyncIterator]();
  const first = await pieces.next();
  expect(await readBytes(socket)).toBeLessThan(mebibyte);
  const rest = await buffer({ [Symbol.asyncIterator]: () => pieces });
  expect(Buffer.concat([first.value, rest]).equals(content)).toBe(true);
});
