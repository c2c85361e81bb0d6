import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Connection, connectTo, head, singleBytes, statuses } from '../support/connection.ts';

const mebibyte = 1024 * 1024;

interface Cost {
  /** The most resident memory that the process has had. */
  readonly peakBytes: number;
  readonly processorMs: number;
}

async function startChild() {
  const program = fileURLToPath(new URL('./server-child.ts', import.meta.url));
  const child = fork(program, { execArgv: ['--conditions=@document-vault/source'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const [{ url, apiKey }] = (await once(child, 'message')) as [{ url: string; apiKey: string }];
  const look = async (): Promise<Cost> => {
    child.send('look');
    const [cost] = (await once(child, 'message')) as [Cost];
    return cost;
  };
  // The first request of each kind compiles code and validators.
  await fetch(`${url}/auth/login`, { method: 'POST', body: '{}' });
  return { url, apiKey, look };
}

/** Sends the same bytes on several connections, and resolves when each has its response or is held. */
async function attack(
  url: string,
  connections: number,
  use: (connection: Connection) => Promise<unknown>,
): Promise<Connection[]> {
  const opened = await Promise.all(Array.from({ length: connections }, () => connectTo(url)));
  await Promise.all(opened.map(use));
  return opened;
}

/** Takes the bytes as far as the server does. */
async function write({ socket }: Connection, bytes: string): Promise<void> {
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.write(bytes, () => resolve());
  });
}

describe('the memory of the server', () => {
  // Before: 540 bytes for each byte; three connections of 1 MB took 960 MiB.
  test('grows by less than 64 MiB for 3 logins of 300,000 chunks of one byte', async () => {
    const { url, look } = await startChild();
    const before = await look();
    const request = head('/auth/login', { 'Transfer-Encoding': 'chunked' });
    const bytes = request + singleBytes('x'.repeat(300_000));
    const refused = await attack(url, 3, async (connection) => {
      await write(connection, bytes);
      await connection.until(/"chunkSize"/);
    });
    for (const { received } of refused) expect(statuses(received())).toEqual([400]);
    expect((await look()).peakBytes - before.peakBytes).toBeLessThan(64 * mebibyte);
  });

  test('grows by less than 64 MiB for 100 logins of 8,000 chunks of one byte without an end', async () => {
    const { url, look } = await startChild();
    const before = await look();
    const request = head('/auth/login', { 'Transfer-Encoding': 'chunked' });
    const bytes = request + singleBytes('x'.repeat(8_000));
    await attack(url, 100, (connection) => write(connection, bytes));
    await fetch(`${url}/health/live`);
    expect((await look()).peakBytes - before.peakBytes).toBeLessThan(64 * mebibyte);
  });

  // 4 times 2.2 MB of chunks, above what any request costs.
  test('grows by 4 bytes at most for each byte of a body with credentials', async () => {
    const { url, apiKey, look } = await startChild();
    const before = await look();
    const headers = { 'X-Api-Key': apiKey, 'Transfer-Encoding': 'chunked' };
    const bytes = `${head('/api/v1/vaults', headers)}${`20\r\n${'x'.repeat(32)}\r\n`.repeat(30_000)}`;
    await attack(url, 2, async (connection) => {
      await write(connection, `${bytes}0\r\n\r\n`);
      await connection.until(/"json"/);
    });
    const grown = (await look()).peakBytes - before.peakBytes;
    expect(grown).toBeLessThan(4 * 2 * bytes.length + 16 * mebibyte);
  });

  // Before: twelve bodies of 8 MiB were kept for as long as a byte came now and then.
  test('is not used for the bodies of an account beyond the fourth', async () => {
    const { url, apiKey, look } = await startChild();
    const before = await look();
    const headers = { 'X-Api-Key': apiKey, 'Content-Length': 8 * mebibyte };
    const bytes = `${head('/api/v1/documents', headers)}{"encryptedData":"${'A'.repeat(7 * mebibyte)}`;
    const opened = await attack(url, 12, async ({ socket }) => {
      socket.write(bytes);
    });
    // The buffers of the network take what is not read.
    const taken = () => opened.filter(({ socket }) => socket.writableLength === 0).length;
    await vi.waitFor(() => expect(taken()).toBeGreaterThanOrEqual(4), 20_000);
    const grown = (await look()).peakBytes - before.peakBytes;
    expect(grown).toBeLessThan(5 * 8 * mebibyte);
  });
});

// Before: a microsecond and more for each of 1,000,000 chunks.
test('100 logins of 10,000 chunks of one byte are refused within 700 ms of processor time', async () => {
  const { url, look } = await startChild();
  const before = await look();
  const request = head('/auth/login', { 'Transfer-Encoding': 'chunked' });
  const bytes = request + singleBytes('x'.repeat(10_000));
  await attack(url, 100, async (connection) => {
    await write(connection, bytes);
    await connection.until(/"chunkSize"|RATE_LIMIT/);
  });
  expect((await look()).processorMs - before.processorMs).toBeLessThan(700);
});

// Before: seconds of processor time, in which nobody else was served.
test.each([
  ['zeros', `[${'0,'.repeat(8 * mebibyte)}0]`],
  ['empty lists', `[${'[],'.repeat(5 * mebibyte)}0]`],
  ['escapes', `{"fileName":"${'\\u0041'.repeat(3 * mebibyte)}"}`],
])('POST /documents refuses 16 MiB of %s within 500 ms of processor time', async (_, body) => {
  const { url, apiKey, look } = await startChild();
  const before = await look();
  const [connection] = await attack(url, 1, async (opened) => {
    const headers = { 'X-Api-Key': apiKey, 'Content-Length': body.length };
    await write(opened, head('/api/v1/documents', headers) + body);
    await opened.until(/VALIDATION_ERROR/);
  });
  expect(statuses(connection?.received() ?? '')).toEqual([400]);
  expect((await look()).processorMs - before.processorMs).toBeLessThan(500);
});
