import { expect, test } from 'vitest';
import { connectTo, statuses } from './support/connection.ts';
import { startTestServer } from './support/server.ts';

// Requests that a proxy may read in another way than Node does.

const paths = ['/health/live', '/api/v1/vaults', '/unknown', '/graphql', '/oauth/token', '/docs'];

async function send(head: readonly string[], body = '', version = 'HTTP/1.1') {
  const { url } = await startTestServer();
  const received: string[] = [];
  for (const path of paths) {
    const { socket, end } = await connectTo(url);
    socket.write(`POST ${path} ${version}\r\n${head.join('\r\n')}\r\n\r\n${body}`);
    // Is not served: the connection ends.
    socket.write('GET /health/live HTTP/1.1\r\nHost: vault.example\r\n\r\n');
    received.push(await end());
  }
  return received;
}

function expectRefused(received: readonly string[], field: string, constraint: string) {
  for (const [index, text] of received.entries()) {
    expect(statuses(text), paths[index]).toEqual([400]);
    expect(text, paths[index]).toContain('"code":"VALIDATION_ERROR"');
    expect(text, paths[index]).toContain(`"field":"${field}","constraint":"${constraint}"`);
    expect(text, paths[index]).toMatch(/^X-Request-Id: req_/im);
    expect(text, paths[index]).toMatch(/^X-RateLimit-Limit: \d/im);
    expect(text, paths[index]).toMatch(/^Connection: close\r$/im);
  }
}

test.each([
  [['Host: vault.example', 'Host: other.example']],
  [['Host: vault.example', 'Accept: */*', 'HOST: vault.example']],
])('a request with two Host headers returns 400 single on every path: %j', async (head) => {
  expectRefused(await send([...head, 'Content-Length: 0']), 'Host', 'single');
});

test.each(['gzip, chunked', 'identity, chunked', 'xchunked, chunked'])(
  'a request with Transfer-Encoding: %s returns 400 chunked on every path',
  async (encoding) => {
    const head = ['Host: vault.example', `Transfer-Encoding: ${encoding}`];
    expectRefused(await send(head, '2\r\n{}\r\n0\r\n\r\n'), 'Transfer-Encoding', 'chunked');
  },
);

test.each(['HTTP/1.0', 'HTTP/2.0'])(
  'a request of %s with Transfer-Encoding returns 400 chunked on every path',
  async (version) => {
    const head = ['Host: vault.example', 'Connection: keep-alive', 'Transfer-Encoding: chunked'];
    const received = await send(head, '2\r\n{}\r\n0\r\n\r\n', version);
    expectRefused(received, 'Transfer-Encoding', 'chunked');
  },
);

test('a request with one Host and Transfer-Encoding: Chunked is read', async () => {
  const { url } = await startTestServer();
  const { socket, end } = await connectTo(url);
  const head = 'POST /auth/login HTTP/1.1\r\nHost: vault.example\r\nConnection: close\r\n';
  const typed = 'Content-Type: application/json\r\nTransfer-Encoding: Chunked\r\n';
  const login = '{"email":"a@example.com","password":"not the password"}';
  const body = `${login.length.toString(16)}\r\n${login}\r\n0\r\n\r\n`;
  socket.write(`${head}${typed}\r\n${body}`);
  expect(statuses(await end())).toEqual([401]);
});
