import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { connectTo } from './support/connection.ts';
import { startS3, useS3Credentials } from './support/contents/s3-server.ts';
import { newDocument, newVault } from './support/resources.ts';
import { startTestServer } from './support/server.ts';

test('a request with invalid chunks is not logged as an error, and the log contains none of its bytes', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line) => lines.push(line) });
  const server = await startTestServer({ log });
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1').resume();
  const secret = 'not-for-the-log';
  socket.write(
    [
      'POST /api/v1/vaults HTTP/1.1',
      'Host: vault.example',
      `X-Api-Key: ${server.apiKey}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
      '',
      `no length of a chunk, ${secret}\r\n`,
    ].join('\r\n'),
  );
  await once(socket, 'close');
  await server.close();

  const entries = lines.map((line) => JSON.parse(line));
  expect(entries).toContainEqual(
    expect.objectContaining({ msg: 'response was not sent', code: 'HPE_INVALID_CHUNK_SIZE' }),
  );
  expect(entries.filter(({ level }) => level >= 50)).toEqual([]);
  const asBytes = [...Buffer.from(secret)].join(',');
  for (const line of lines) {
    expect(line).not.toContain(secret);
    expect(line).not.toContain(asBytes);
    expect(line).not.toContain(server.apiKey);
  }
});

test('a download whose client disconnects while the object store is slow is logged, and its object is closed', async () => {
  useS3Credentials();
  const s3 = await startS3();
  onTestFinished(() => s3.close());
  const lines: { msg: string; method?: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) });
  const { bucket, endpoint } = s3;
  const contents = { bucket, prefix: '' };
  const server = await startTestServer({ log, contents, contentsEndpoint: endpoint });
  const { id } = await newVault(server.developer);
  const document = await newDocument(server.developer, id, Buffer.alloc(400_000));
  const held = new Promise<ServerResponse>((resolve) => {
    s3.fault = ({ headers }, res) => {
      if (headers.range?.startsWith('bytes=0-')) return false;
      resolve(res);
      return true;
    };
  });

  const client = await connectTo(server.url);
  client.socket.write(
    `GET ${document.contentUrl} HTTP/1.1\r\nHost: vault.example\r\nX-Api-Key: ${server.apiKey}\r\n\r\n`,
  );
  const response = await held;
  await client.leave();
  const closed = once(response, 'close');
  const [from = 0, to = 0] = (response.req.headers.range ?? '').match(/\d+/g)?.map(Number) ?? [];
  response.writeHead(206, { 'content-length': to - from + 1 }).write(Buffer.alloc(to - from));
  await closed;
  await expect
    .poll(() => lines.slice(-2))
    .toMatchObject([
      { msg: 'response was not sent', code: 'ECONNRESET' },
      { msg: 'request', method: 'GET', status: 200, bytes: 128 * 1024 },
    ]);
});
