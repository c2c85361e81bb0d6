import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Connection, connectTo, head, singleBytes, statuses } from '../support/connection.ts';
import { startTestServer } from '../support/server.ts';

const mebibyte = 1024 * 1024;

async function startChild() {
  const program = fileURLToPath(new URL('./server-child.ts', import.meta.url));
  const child = fork(program, { execArgv: ['--conditions=@document-vault/source'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const [{ url, apiKey }] = (await once(child, 'message')) as [{ url: string; apiKey: string }];
  /** Highest resident memory of the server so far, in bytes. */
  const peak = async (): Promise<number> => {
    child.send('peak');
    const [bytes] = (await once(child, 'message')) as [number];
    return bytes;
  };
  // The first request of each type compiles code and validators.
  await fetch(`${url}/auth/login`, { method: 'POST', body: '{}' });
  return { url, apiKey, peak };
}

/** Runs `use` on several connections at once. */
async function attack(
  url: string,
  connections: number,
  use: (connection: Connection) => Promise<unknown>,
): Promise<Connection[]> {
  const opened = await Promise.all(Array.from({ length: connections }, () => connectTo(url)));
  await Promise.all(opened.map(use));
  return opened;
}

/** Writes the bytes until the server has taken them or closed the connection. */
async function write({ socket }: Connection, bytes: string | Buffer): Promise<void> {
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.write(bytes, () => resolve());
  });
}

describe('memory of the server', () => {
  // It once took 540 bytes for each byte: three connections of 1 MB took 960 MiB.
  test.each([3, 100])(
    'it grows by less than 64 MiB for %i logins of 1,000,000 chunks of one byte, and another login is served',
    async (connections) => {
      const { url, peak } = await startChild();
      const before = await peak();
      const request = head('/auth/login', { 'Transfer-Encoding': 'chunked' });
      const bytes = Buffer.from(request + singleBytes('x'.repeat(1_000_000)));
      const refused = attack(url, connections, async (connection) => {
        await Promise.race([write(connection, bytes), connection.until(/"chunkSize"|RATE_LIMIT/)]);
      });
      const login = await fetch(`${url}/auth/login`, { method: 'POST', body: '{}' });
      expect([400, 429]).toContain(login.status);
      // A client that does not read for 2 s loses its response.
      const received = (await refused).flatMap((connection) => statuses(connection.received()));
      expect([400, 429]).toEqual(expect.arrayContaining(received));
      expect((await peak()) - before).toBeLessThan(64 * mebibyte);
    },
  );

  test('it grows by less than 64 MiB for 100 logins of 8,000 chunks of one byte without an end', async () => {
    const { url, peak } = await startChild();
    const before = await peak();
    const request = head('/auth/login', { 'Transfer-Encoding': 'chunked' });
    const bytes = request + singleBytes('x'.repeat(8_000));
    await attack(url, 100, (connection) => write(connection, bytes));
    await fetch(`${url}/health/live`);
    expect((await peak()) - before).toBeLessThan(64 * mebibyte);
  });

  // 4 times 2.2 MB of chunks, plus what any request costs.
  test('it grows by at most 4 bytes for each byte of a body with credentials', async () => {
    const { url, apiKey, peak } = await startChild();
    const before = await peak();
    const headers = { 'X-Api-Key': apiKey, 'Transfer-Encoding': 'chunked' };
    const bytes = `${head('/api/v1/vaults', headers)}${`20\r\n${'x'.repeat(32)}\r\n`.repeat(30_000)}`;
    await attack(url, 2, async (connection) => {
      await write(connection, `${bytes}0\r\n\r\n`);
      await connection.until(/"json"/);
    });
    const grown = (await peak()) - before;
    expect(grown).toBeLessThan(4 * 2 * bytes.length + 16 * mebibyte);
  });

  // The server once kept twelve bodies of 8 MiB as long as single bytes arrived.
  test('it does not hold more than four bodies of an account', async () => {
    const { url, apiKey, peak } = await startChild();
    const before = await peak();
    const headers = { 'X-Api-Key': apiKey, 'Content-Length': 8 * mebibyte };
    const bytes = `${head('/api/v1/documents', headers)}{"encryptedData":"${'A'.repeat(7 * mebibyte)}`;
    const opened = await attack(url, 12, async ({ socket }) => {
      socket.write(bytes);
    });
    // The network buffers hold bytes that the server does not read.
    const taken = () => opened.filter(({ socket }) => socket.writableLength === 0).length;
    await expect.poll(taken).toBeGreaterThanOrEqual(4);
    const grown = (await peak()) - before;
    expect(grown).toBeLessThan(5 * 8 * mebibyte);
  });
});

// JSON.parse takes seconds for them, during which no other request is served.
test.each([
  ['zeros', `[${'0,'.repeat(8 * mebibyte)}0]`],
  ['empty lists', `[${'[],'.repeat(5 * mebibyte)}0]`],
  ['escapes', `{"fileName":"${'\\u0041'.repeat(3 * mebibyte)}"}`],
])('POST /documents rejects 16 MiB of %s without parsing them', async (_, body) => {
  const server = await startTestServer();
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  const connection = await connectTo(server.url);
  const headers = { 'X-Api-Key': server.apiKey, 'Content-Length': body.length };
  await write(connection, head('/api/v1/documents', headers) + body);
  expect(statuses(await connection.until(/VALIDATION_ERROR/))).toEqual([400]);
  const longest = Math.max(0, ...parse.mock.calls.map(([json]) => json.length));
  expect(longest).toBeLessThan(64 * 1024);
  await server.close();
});
