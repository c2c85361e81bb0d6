import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { readRawBody } from '../src/adapters/node-body.ts';
import { UnreadableBodyError } from '../src/receiver.ts';

const server = createServer();
afterEach(() => server.close());

it('tells of a sender that has left before its body was read', async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345');
  const [request] = await once(server, 'request');
  socket.destroy();
  await once(request, 'close').catch(() => undefined);

  await expect(readRawBody(request, 100)).rejects.toBeInstanceOf(UnreadableBodyError);
});
