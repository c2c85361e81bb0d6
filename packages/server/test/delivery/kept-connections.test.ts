import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createAttempt } from '../../src/delivery/attempt.ts';
import { clock, never } from '../support/delivery/attempts.ts';
import { queuedDelivery } from '../support/delivery/queued.ts';
import { listen } from '../support/delivery/receiver.ts';

const refusal = 'HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n';
const acknowledgement = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

/** Starts a receiver. `react` gets the number of each request. */
async function startSequence(react: (socket: Socket, number: number) => void) {
  let number = 0;
  const closed = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('close', () => closed.resolve());
    socket.on('data', (chunk) => {
      if (!chunk.includes('POST ')) return;
      number += 1;
      react(socket, number);
    });
  });
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${await listen(server)}/`, closed: closed.promise };
}

function createPost() {
  const post = createAttempt({ clock, timeoutMs: 10_000, allowPrivate: true, userAgent: '-' });
  return (url: string) => post(queuedDelivery({ url }), never);
}

test.each([
  ['a second response', acknowledgement],
  ['a part of a second response', acknowledgement.slice(0, 20)],
  ['the head of a second response', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n'],
  ['text that is no response', 'and more'],
])('%s after the first response is not used for the next request', async (_name, more) => {
  const { url, closed } = await startSequence((socket, number) => {
    socket.write(number === 1 ? acknowledgement + more : refusal);
  });
  const post = createPost();
  expect(await post(url)).toMatchObject({ statusCode: 200, error: null });
  expect(await post(url)).toMatchObject({ statusCode: 500, error: 'status 500' });
  await closed;
});

test('a response that arrives right before the next request is not used for it', async () => {
  const held = Promise.withResolvers<Socket>();
  const { url, closed } = await startSequence((socket, number) => {
    socket.write(number === 1 ? acknowledgement : refusal);
    held.resolve(socket);
  });
  const post = createPost();
  expect(await post(url)).toMatchObject({ statusCode: 200, error: null });
  (await held.promise).write(acknowledgement);
  expect(await post(url)).toMatchObject({ statusCode: 500, error: 'status 500' });
  await closed;
});

test('a response without a request ends the connection', async () => {
  const held = Promise.withResolvers<Socket>();
  const { url, closed } = await startSequence((socket, number) => {
    socket.write(number === 1 ? acknowledgement : refusal);
    held.resolve(socket);
  });
  const post = createPost();
  expect(await post(url)).toMatchObject({ statusCode: 200, error: null });
  (await held.promise).write(acknowledgement);
  await closed;
  expect(await post(url)).toMatchObject({ statusCode: 500, error: 'status 500' });
});

test('the unread rest of a response is not used for the next request', async () => {
  const rest = acknowledgement.repeat(1000);
  const { url, closed } = await startSequence((socket, number) => {
    const length = `Content-Length: ${rest.length}`;
    socket.write(number === 1 ? `HTTP/1.1 200 OK\r\n${length}\r\n\r\n${rest}` : refusal);
  });
  const post = createPost();
  expect(await post(url)).toMatchObject({ statusCode: 200, error: null });
  await closed;
  expect(await post(url)).toMatchObject({ statusCode: 500, error: 'status 500' });
});
