import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { rawBodyOf } from '../../src/adapters/node-body.ts';
import { listen, stopServers } from './receiver.ts';

afterEach(stopServers);

it('tells of a sender that has left before its body was read', async () => {
  const server = createServer();
  const { port } = new URL(await listen(server));
  const socket = connect(Number(port), '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345');
  const [request] = await once(server, 'request');
  socket.destroy();
  await once(request, 'close').catch(() => undefined);

  const { signal } = new AbortController();
  await expect(rawBodyOf({}, request, { limit: 100, signal })).rejects.toMatchObject({
    code: 'body_incomplete',
  });
});
