import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { ApiError, CodeLoadError, ConnectionError, isVaultError } from '@document-vault/sdk';
import { afterEach, describe, expect, test } from 'vitest';
import { loadCode } from '../src/errors.ts';
import { keyClient, rejection } from './support/client.ts';
import { vaultBody } from './support/responses.ts';
import { type ReceivedRequest, startServer } from './support/server.ts';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

type Respond = (arrival: ReceivedRequest, response: ServerResponse) => unknown;

/** What a call rejects with when a real server does this; how often it was asked. */
async function failing(respond: Respond) {
  const server = await startServer((arrival, response) => {
    respond(arrival, response);
  });
  closers.push(server.close);
  const error = await rejection(keyClient({ baseUrl: server.url }).vaults.get('1'));
  return { error, asked: server.arrivals.length };
}

const json = { 'content-type': 'application/json' };
const text = JSON.stringify(vaultBody);

describe('guarantee 11: errors of the SDK for responses that do not fit the contract', () => {
  test.each<[string, Respond]>([
    ['an HTML page', (_, response) => response.end('<html>Welcome to the Wi-Fi</html>')],
    ['an empty body', (_, response) => response.writeHead(200, json).end()],
    [
      'JSON that was cut off',
      (_, response) => response.writeHead(200, json).end(text.slice(0, 99)),
    ],
    [
      'compressed content that is cut off',
      (_, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text).subarray(0, 40)),
    ],
    ['JSON of another kind', (_, response) => response.writeHead(200, json).end('"ok"')],
    ['no content', (_, response) => response.writeHead(204).end()],
    ['nothing new', (_, response) => response.writeHead(304).end()],
    ['an unknown status', (_, response) => response.writeHead(299, json).end()],
    ['a page about an error', (_, response) => response.writeHead(404).end('<html>')],
    [
      'an error of another shape',
      (_, response) => response.writeHead(400, json).end('{"error":[]}'),
    ],
  ])('%s', async (_, respond) => {
    const { error, asked } = await failing(respond);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: undefined, details: {}, attempts: 1, method: 'GET' });
    expect(asked).toBe(1);
    expect(`${error}`).not.toContain('Wi-Fi');
  });

  test.each<[string, Respond]>([
    ['a connection that is reset', (_, response) => response.socket?.resetAndDestroy()],
    ['one that ends before the answer', (_, response) => response.socket?.end()],
    [
      'compressed content that is garbage',
      (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('garbage'),
    ],
    ['an answer that is no HTTP', (_, response) => response.socket?.end('no HTTP at all\r\n\r\n')],
  ])('%s, after each retry', async (_, respond) => {
    const { error, asked } = await failing(respond);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ attempts: 3, path: '/api/v1/vaults/{id}' });
    expect(asked).toBe(3);
  });

  test('TLS to a plain HTTP server rejects with a ConnectionError', async () => {
    const server = await startServer(() => {});
    closers.push(server.close);
    const baseUrl = server.url.replace('http:', 'https:');
    const error = await rejection(keyClient({ baseUrl }).vaults.get('1'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(isVaultError(error)).toBe(true);
  });

  test('a server that closes each connection rejects with a ConnectionError', async () => {
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => void server.close());
    const { port } = server.address() as { port: number };
    const error = await rejection(keyClient({ baseUrl: `http://127.0.0.1:${port}` }).users.me());
    expect(error).toBeInstanceOf(ConnectionError);
  });

  test('an error of another realm, as fetch has in Jest, rejects with a ConnectionError', async () => {
    const cause = runInNewContext("new TypeError('fetch failed')");
    expect(cause).not.toBeInstanceOf(Error);
    const fetch = () => Promise.reject(cause);
    const error = await rejection(keyClient({ fetch }).vaults.get('1'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ attempts: 3, cause });
    expect(String(error)).toContain('failed: fetch failed');
  });

  test('a JSON body with another media type is accepted', async () => {
    const server = await startServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(text);
    });
    closers.push(server.close);
    const { vaults } = keyClient({ baseUrl: server.url });
    await expect(vaults.get('1')).resolves.toEqual(vaultBody);
  });
});

describe('guarantee 11: errors name their cause', () => {
  test('a connection that fails names the host and the code', async () => {
    const server = await startServer(() => {});
    await server.close();
    const error = await rejection(keyClient({ baseUrl: server.url }).vaults.get('1'));
    expect(error).toBeInstanceOf(ConnectionError);
    const { host } = new URL(server.url);
    expect(String(error)).toBe(
      `ConnectionError: GET /api/v1/vaults/{id}: connection to ${host} failed: ECONNREFUSED`,
    );
  });

  test.each([520, 521, 522, 523, 524])('status %i of Cloudflare is retried', async (status) => {
    const { error, asked } = await failing((_, response) => response.writeHead(status).end());
    expect(error).toMatchObject({ name: 'ServerError', status, attempts: 3 });
    expect(asked).toBe(3);
  });

  test('code that is missing is a CodeLoadError with the reason and the advice to reload', async () => {
    const missing = new TypeError('Failed to fetch dynamically imported module');
    const error = await rejection(loadCode(() => Promise.reject(missing)));
    expect(error).toBeInstanceOf(CodeLoadError);
    expect(error).toMatchObject({ name: 'CodeLoadError', cause: missing });
    expect(String(error)).toContain(`${missing.message}. In a browser, reload the page`);
  });
});
