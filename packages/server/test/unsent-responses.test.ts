import { once } from 'node:events';
import { connect } from 'node:net';
import { pino } from 'pino';
import { expect, test } from 'vitest';
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
