import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { stalled } from '../support/connection.ts';
import { dataFolder } from '../support/data-folder.ts';
import { newDocument, newShare, newVault } from '../support/resources.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../support/server.ts';

const mebibyte = 1024 * 1024;

/** Many times the buffers of both ends of a connection together. */
const large = Buffer.alloc(16 * mebibyte, 'ciphertext');

/** Collects the lines of a log. */
function createLog() {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) });
  return { log, lines };
}

/** Lines of level error and above. */
const errorsIn = (lines: Record<string, unknown>[]) =>
  lines.filter(({ level }) => Number(level) >= 50);

async function startWithContent(content: Buffer, options: TestServerOptions = {}) {
  const { log, lines } = createLog();
  // Validating would read each shared document twice.
  const server = await startTestServer({ log, validateResponses: false, ...options });
  const owner = await server.signUp('owner@example.com');
  const vault = await newVault(owner.call);
  const document = await newDocument(owner.call, vault.id, content);
  const share = await newShare(owner.call, document.id, { access: 'anyone' });
  const opened = await server.anonymous('GET', `/api/v1/documents/share/${share.shareToken}`);
  const { email, password } = owner;
  const login = await server.anonymous('POST', '/auth/login', { body: { email, password } });
  expect(login.status).toBe(200);
  const { accessToken, refreshToken } = login.body;
  return {
    server,
    owner,
    refreshToken,
    ownHeaders: { authorization: `Bearer ${accessToken}` },
    path: `/api/v1/documents/${document.id}`,
    contentUrl: document.contentUrl as string,
    sharePath: `/api/v1/documents/${document.id}/shares/${share.id}`,
    ticketUrl: opened.body.contentUrl as string,
    lines,
    errors: () => errorsIn(lines),
  };
}

/** Starts a download that is not read until the test reads it. */
async function startReading(
  { url }: TestServer,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<IncomingMessage> {
  const request = get(url + path, { headers, agent: false });
  // The server may cut the connection at any time.
  request.on('error', () => undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

describe('a content that is being sent', () => {
  test('ends with its connection when the document is deleted', async () => {
    const { server, owner, path, contentUrl, ownHeaders, errors, lines } =
      await startWithContent(large);
    const response = await startReading(server, contentUrl, ownHeaders);
    await stalled([response]);
    expect(await owner.call('DELETE', path)).toMatchObject({ status: 204 });
    await expect(buffer(response)).rejects.toThrow('aborted');
    expect(response.complete).toBe(false);
    await server.close();
    expect(errors()).toEqual([]);
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'response was not sent', code: 'CONTENT_ACCESS_ENDED' }),
    );
  });

  test('ends within 5 seconds after the share is revoked', async () => {
    const { server, owner, sharePath, ticketUrl, errors } = await startWithContent(large);
    const response = await startReading(server, ticketUrl);
    await stalled([response]);
    await owner.call('DELETE', sharePath);
    server.clock.advance(5_000);
    await expect(buffer(response)).rejects.toThrow('aborted');
    expect(errors()).toEqual([]);
  });

  test('ends within 5 seconds after the session of its reader ends', async () => {
    const { server, contentUrl, ownHeaders, refreshToken, errors } = await startWithContent(large);
    const response = await startReading(server, contentUrl, ownHeaders);
    await stalled([response]);
    await server.anonymous('POST', '/auth/logout', { body: { refreshToken } });
    server.clock.advance(5_000);
    await expect(buffer(response)).rejects.toThrow('aborted');
    expect(errors()).toEqual([]);
  });

  test('goes on after 25 hours while access lasts', async () => {
    const { server, owner, contentUrl } = await startWithContent(large);
    const { body } = await owner.call('POST', '/api/v1/api-keys', {
      body: { name: 'Key', scopes: ['documents:read'] },
    });
    const response = await startReading(server, contentUrl, { 'x-api-key': body.key });
    await stalled([response]);
    server.clock.advance(25 * 60 * 60 * 1000);
    expect((await buffer(response)).equals(large)).toBe(true);
  });

  test('a ticket that expires during the response does not end it', async () => {
    const { server, ticketUrl } = await startWithContent(large);
    const response = await startReading(server, ticketUrl);
    await stalled([response]);
    server.clock.advance(25 * 60 * 60 * 1000);
    expect((await buffer(response)).equals(large)).toBe(true);
    expect((await server.anonymous('GET', ticketUrl)).status).toBe(404);
  });

  test('logs no error when the client disconnects', async () => {
    const { server, owner, contentUrl, ownHeaders, errors } = await startWithContent(large);
    const response = await startReading(server, contentUrl, ownHeaders);
    response.destroy();
    expect((await owner.call('GET', '/api/v1/vaults')).status).toBe(200);
    await server.close();
    expect(errors()).toEqual([]);
  });

  test('ends when the client does not read for idleTimeout', async () => {
    const data = await dataFolder();
    // A busy machine can take longer than 2 seconds to send the content.
    const { server: first, ticketUrl } = await startWithContent(large, { data });
    await first.close();
    const { log, lines } = createLog();
    const options = { data, log, validateResponses: false, shutdownTimeout: 600_000 };
    const server = await startTestServer({ ...options, idleTimeout: 2_000 });
    const response = await startReading(server, ticketUrl);
    await stalled([response]);
    // While the response is unread, close would wait until shutdownTimeout.
    await server.close();
    expect(errorsIn(lines)).toEqual([]);
    response.destroy();
  });

  test('is cut short by the fault truncate', async () => {
    const content = Buffer.alloc(1_000_000, 'x');
    const { server, contentUrl, ownHeaders } = await startWithContent(content);
    server.fault('truncate', { operations: 'getDocumentContent' });
    const response = await startReading(server, contentUrl, ownHeaders);
    expect(response.headers['content-length']).toBe('1000000');
    await expect(buffer(response)).rejects.toThrow('aborted');
  });
});

test('100 connections that read nothing of 16 MiB each use less than 64 MiB', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const { server, ticketUrl } = await startWithContent(large);
  const before = process.memoryUsage().external;
  const responses = await Promise.all(
    Array.from({ length: 100 }, () => startReading(server, ticketUrl)),
  );
  await stalled(responses);
  collectGarbage();
  expect(process.memoryUsage().external - before).toBeLessThan(64 * mebibyte);
  for (const response of responses) response.destroy();
});

test('a request for a content does not wait for another that is being sent', async () => {
  const { server, contentUrl, ownHeaders } = await startWithContent(large);
  const response = await startReading(server, contentUrl, ownHeaders);
  await stalled([response]);
  const other = await startReading(server, contentUrl, { ...ownHeaders, range: 'bytes=0-9' });
  expect((await buffer(other)).toString()).toBe('ciphertext');
  response.destroy();
});

test('the log line of a content has the bytes that were sent, also when its client disconnects', async () => {
  const { server, contentUrl, ownHeaders, lines } = await startWithContent(large);
  const logged = () => lines.filter(({ operation }) => operation === 'getDocumentContent');
  await buffer(await startReading(server, contentUrl, ownHeaders));
  await expect.poll(logged).toMatchObject([{ status: 200, bytes: large.length }]);
  const response = await startReading(server, contentUrl, ownHeaders);
  await stalled([response]);
  expect(logged()).toHaveLength(1);
  response.destroy();
  await expect.poll(logged).toHaveLength(2);
  const { bytes } = logged()[1] ?? {};
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(large.length);
});

test('log line and metrics name the operation and the status', async () => {
  const { server, contentUrl, ticketUrl, ownHeaders, lines } = await startWithContent(large);
  for (const headers of [
    { range: 'bytes=0-9' },
    { range: `bytes=${large.length}-` },
    { 'if-none-match': '*' },
  ]) {
    const response = await startReading(server, contentUrl, { ...ownHeaders, ...headers });
    await buffer(response);
  }
  await buffer(await startReading(server, ticketUrl, { range: 'bytes=0-9' }));
  const requests = () => lines.filter(({ msg }) => msg === 'request').slice(-4);
  await expect.poll(requests).toMatchObject([
    { operation: 'getDocumentContent', status: 206, bytes: 10 },
    { operation: 'getDocumentContent', status: 416 },
    { operation: 'getDocumentContent', status: 304 },
    { operation: 'getSharedContent', status: 206, userId: null, bytes: 10 },
  ]);
  expect(JSON.stringify(lines)).not.toContain(ticketUrl);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  for (const [operation, status] of [
    ['getDocumentContent', 206],
    ['getDocumentContent', 304],
    ['getDocumentContent', 416],
    ['getSharedContent', 206],
  ]) {
    expect(metrics).toMatch(
      new RegExp(
        `^document_vault_http_requests_total\\{operation="${operation}",status="${status}"\\} 1$`,
        'm',
      ),
    );
  }
});
