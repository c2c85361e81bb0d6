import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, test } from 'vitest';
import { rawBodyOf } from '../../src/adapters/node-request.ts';
import { IncomingBody } from '../../src/receiver/incoming-body.ts';
import { listen, stopServers } from '../support/receivers/receiver.ts';

const { signal } = new AbortController();
const reading = () => ({ maxBodySize: 100, signal, body: new IncomingBody(100) });

afterEach(stopServers);

test('throws body_incomplete when the sender disconnected before the body was read', async () => {
  const server = createServer();
  const { port } = new URL(await listen(server));
  const socket = connect(Number(port), '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345');
  const [request] = await once(server, 'request');
  socket.destroy();
  await once(request, 'close').catch(() => undefined);

  await expect(rawBodyOf({}, request, reading())).rejects.toMatchObject({
    code: 'body_incomplete',
  });
});

test.each<[string, (bytes: Uint8Array) => Parameters<typeof rawBodyOf>]>([
  ['as a body', (body) => [{ body }, Readable.from([]), reading()]],
  ['as a raw body', (rawBody) => [{ rawBody, body: {} }, Readable.from([]), reading()]],
  ['in a stream', (bytes) => [{}, Readable.from([bytes]), reading()]],
])('accepts the bytes of another realm %s', async (_, received) => {
  const bytes = runInNewContext('Uint8Array.of(1, 2)');
  expect(Buffer.from((await rawBodyOf(...received(bytes))) as Uint8Array)).toEqual(
    Buffer.from([1, 2]),
  );
});
