import { describe, expect, test } from 'vitest';
import { uploadPartBytes } from '../../src/generated/rules/uploads.ts';
import { connectTo } from '../support/connection.ts';
import { expectEveryHeader, refusal } from '../support/front-door.ts';
import { newVault } from '../support/resources.ts';
import { startTestServer, type TestServerOptions } from '../support/server.ts';
import { begin, putPart } from '../support/uploads.ts';

async function startWithUpload(options: TestServerOptions, sizeBytes = 10) {
  const server = await startTestServer(options);
  const { developer, url, apiKey } = server;
  const vault = await newVault(developer);
  const { id } = (await begin(developer, vault.id, sizeBytes)).body;
  const send = (bytes = 'first part', part: number | string = 0) =>
    putPart({ url, headers: { 'x-api-key': apiKey }, id, part, bytes });
  const remaining = async () => {
    const { headers } = await developer('GET', `/api/v1/vaults/${vault.id}`);
    return Number(headers.get('x-ratelimit-remaining'));
  };
  return { ...server, id, send, remaining };
}

describe('rate limit of parts', () => {
  test('the first acceptance counts in no window and shows the headers', async () => {
    const { send, remaining } = await startWithUpload({});
    const before = await remaining();
    const sent = await send();
    expect(sent.status).toBe(204);
    expectEveryHeader(sent);
    expect(Number(sent.headers.get('x-ratelimit-remaining'))).toBe(before);
    expect(await remaining()).toBe(before - 1);
  });

  test('a repeated and a refused part count as one request each', async () => {
    const { send, remaining } = await startWithUpload({});
    const before = await remaining();
    await send();
    expect((await send()).headers.get('x-ratelimit-remaining')).toBe(String(before - 1));
    expect((await send('short')).headers.get('x-ratelimit-remaining')).toBe(String(before - 2));
    expect((await send('a', 1)).headers.get('x-ratelimit-remaining')).toBe(String(before - 3));
    expect(await remaining()).toBe(before - 4);
  });

  test('above the limit a first part is accepted, and after a counted one parts return 429', async () => {
    const server = await startWithUpload({ requestsPerMinute: { enterprise: 2 } }, 10);
    const { send, developer, clock } = server;
    expect(await developer('GET', '/api/v1/vaults')).toMatchObject({ status: 429 });
    expect(await send('short')).toMatchObject({ status: 400 });
    const limited = await send();
    expect(limited).toMatchObject(refusal('RATE_LIMIT_EXCEEDED'));
    expectEveryHeader(limited);
    clock.advance(60_000);
    expect(await send()).toMatchObject({ status: 204 });
    const repeated = await send();
    expect(repeated).toMatchObject({ status: 204 });
    expect(repeated.headers.get('x-ratelimit-minute-remaining')).toBe('1');
  });

  test('above the limit a first part returns 204 while no part was counted', async () => {
    const { send, developer } = await startWithUpload({ requestsPerMinute: { enterprise: 2 } });
    expect(await developer('GET', '/api/v1/vaults')).toMatchObject({ status: 429 });
    expect(await send()).toMatchObject({ status: 204 });
  });
});

describe('admission of parts', () => {
  const head = (id: string, apiKey: string, length: number) =>
    [
      `PUT /api/v1/uploads/${id}/parts/0 HTTP/1.1`,
      'Host: vault.example',
      `X-Api-Key: ${apiKey}`,
      'Content-Type: application/octet-stream',
      `Content-Length: ${length}`,
      'Expect: 100-continue',
      '\r\n',
    ].join('\r\n');
  const continues = /^HTTP\/1\.1 100 Continue\r\n\r\n/;

  test('a refused part is not asked for: its client sends no byte', async () => {
    const { url, id, apiKey } = await startWithUpload({});
    const connection = await connectTo(url);
    await connection.send(head(id, apiKey, uploadPartBytes));
    expect(await connection.end()).toMatch(/^HTTP\/1\.1 400 [\s\S]*partBytes/);
  });

  test('the fifth part of an account at once waits unread until one has ended', async () => {
    const { url, id, apiKey } = await startWithUpload({ minDataRate: 0 }, uploadPartBytes);
    const open = async () => {
      const connection = await connectTo(url);
      await connection.send(head(id, apiKey, uploadPartBytes));
      return connection;
    };
    const admitted = [await open(), await open(), await open(), await open()];
    for (const connection of admitted) await connection.until(continues);
    const fifth = await open();
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    expect(fifth.received()).toBe('');
    admitted[0]?.socket.write('a'.repeat(uploadPartBytes));
    await admitted[0]?.until(/HTTP\/1\.1 204 /);
    await fifth.until(continues);
  });

  test('of 100 at once, 64 return 429 unread; other accounts go on, and the room of lost connections is free again', async () => {
    const server = await startWithUpload({ minDataRate: 0 }, uploadPartBytes);
    const { url, id, apiKey, send, signUp } = server;
    const connections = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const connection = await connectTo(url);
        await connection.send(head(id, apiKey, uploadPartBytes));
        return connection;
      }),
    );
    const begun = (pattern: RegExp) =>
      connections.filter((connection) => pattern.test(connection.received())).length;
    // Four are read, and 32 wait.
    await expect.poll(() => [begun(continues), begun(/^HTTP\/1\.1 429 /)]).toEqual([4, 64]);
    const other = await signUp('other@example.com');
    const vault = await newVault(other.call);
    expect((await begin(other.call, vault.id, 10)).status).toBe(201);
    for (const { socket } of connections) socket.destroy();
    const accepted = async () => (await send('a'.repeat(uploadPartBytes))).status;
    await expect.poll(accepted).toBe(204);
  });
});
