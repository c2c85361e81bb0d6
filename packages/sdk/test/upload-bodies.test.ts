/**
 * How the bytes of a part are sent: in Node as a stream of a known length, in browsers as a Blob, to a `fetch` of the
 * caller as bytes.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AbortError } from '@document-vault/sdk';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { keyClient, rejection, sessionClient } from './support/client.ts';
import { hour, storeOf } from './support/session.ts';
import { until } from './support/until.ts';
import { sha256 } from './support/upload-service.ts';
import { content, MiB } from './support/uploads.ts';

const part = content.subarray(17, 17 + 2 * MiB + 5);

interface Arrival {
  readonly length: string | undefined;
  readonly encoding: string | undefined;
  readonly digest: string;
}

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

let close = async () => {};
afterEach(() => close());

/** Starts a server that reads bodies and responds by the next function, or 204. */
async function startPartServer(...responses: Respond[]) {
  const arrivals: Arrival[] = [];
  const state = { connections: 0 };
  const server = createServer(async (request, response) => {
    const respond = responses.shift();
    if (request.url === '/auth/refresh' || respond === stall) {
      return respond?.(request, response);
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    arrivals.push({
      length: request.headers['content-length'],
      encoding: request.headers['transfer-encoding'],
      digest: sha256(Buffer.concat(chunks)),
    });
    if (respond) respond(request, response);
    else response.writeHead(204).end();
  });
  server.on('connection', (socket) => {
    state.connections++;
    socket.on('close', () => state.connections--);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, arrivals, state };
}

const sendJson =
  (status: number, body: object): Respond =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** Reads no body and sends no response. */
const stall: Respond = (request) => stalled.push(request);
const stalled: IncomingMessage[] = [];

const whole: Arrival = { length: String(part.length), encoding: undefined, digest: sha256(part) };

test('uploads.putPart sends a part with its length and without chunked encoding', async () => {
  const { url, arrivals } = await startPartServer();
  await keyClient({ baseUrl: url }).uploads.putPart('u1', 0, part);
  expect(arrivals).toEqual([whole]);
});

test('each attempt sends all bytes again, after a 503 and after a lost connection', async () => {
  const drop: Respond = (request) => request.socket.destroy();
  const { url, arrivals } = await startPartServer(sendJson(503, {}), drop);
  await keyClient({ baseUrl: url }).uploads.putPart('u1', 0, part);
  expect(arrivals).toEqual([whole, whole, whole]);
});

test('a 401 of an expired token refreshes the session and sends the part again', async () => {
  const { url, arrivals } = await startPartServer(
    sendJson(401, { error: { code: 'EXPIRED_TOKEN', message: 'expired' } }),
    sendJson(200, { accessToken: 'a2', refreshToken: 'r2', expiresIn: hour / 1_000 }),
  );
  const client = sessionClient({ baseUrl: url, session: { store: storeOf('a1', 'r1') } });
  await client.uploads.putPart('u1', 0, part);
  expect(arrivals).toEqual([whole, whole]);
});

test('a 401 that Node 24.14 turns into an error of the stream refreshes the session too', async () => {
  const { url, arrivals } = await startPartServer(
    sendJson(401, { error: { code: 'EXPIRED_TOKEN', message: 'expired' } }),
    sendJson(401, { error: { code: 'EXPIRED_TOKEN', message: 'expired' } }),
    sendJson(200, { accessToken: 'a2', refreshToken: 'r2', expiresIn: hour / 1_000 }),
  );
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', async (input: string, init: RequestInit) => {
    const response = await fetch(input, init);
    if (response.status !== 401 || !(init.body instanceof ReadableStream)) return response;
    throw new TypeError('fetch failed', { cause: new Error('expected non-null body source') });
  });
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  const client = sessionClient({ baseUrl: url, session: { store: storeOf('a1', 'r1') } });
  await client.uploads.putPart('u1', 0, part);
  expect(arrivals).toEqual([whole, whole, whole]);
});

test('an abort while the server reads no bytes rejects with AbortError and closes the connection', async () => {
  const { url, state } = await startPartServer(stall);
  const controller = new AbortController();
  const { signal } = controller;
  const sending = keyClient({ baseUrl: url }).uploads.putPart('u1', 0, part, { signal });
  await until(() => stalled.length === 1);
  controller.abort();
  expect(await rejection(sending)).toBeInstanceOf(AbortError);
  // A server notices the end of a connection when it reads.
  stalled[0]?.resume();
  await until(() => state.connections === 0);
});

test.each([
  ['document', {}],
  ['WorkerNavigator', class {}],
])('in a browser with %s, each attempt sends the part as a Blob', async (name, value) => {
  const { url, arrivals } = await startPartServer(sendJson(503, {}));
  const { fetch } = globalThis;
  const bodies: unknown[] = [];
  vi.stubGlobal(name, value);
  vi.stubGlobal('fetch', (input: string, init: RequestInit) => {
    bodies.push(init.body);
    return fetch(input, init);
  });
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  const client = keyClient({ baseUrl: url, dangerouslyAllowBrowser: true });
  await client.uploads.putPart('u1', 0, part);
  expect(arrivals).toEqual([whole, whole]);
  expect(bodies.map((body) => body instanceof Blob)).toEqual([true, true]);
});

test('a fetch of the caller gets bytes, which it can send as it likes', async () => {
  const bodies: unknown[] = [];
  const fetch = async (_: string, { body }: RequestInit) => {
    bodies.push(body);
    return new Response(null, { status: 204 });
  };
  await keyClient({ fetch }).uploads.putPart('u1', 0, part);
  expect(bodies).toEqual([part]);
});

test('in jsdom, whose Blobs the fetch of Node does not know, each attempt sends the bytes', async () => {
  const { url, arrivals } = await startPartServer(sendJson(503, {}));
  vi.stubGlobal('document', {});
  vi.stubGlobal('Blob', class Blob {});
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  const client = keyClient({ baseUrl: url, dangerouslyAllowBrowser: true });
  await client.uploads.putPart('u1', 0, part);
  expect(arrivals).toEqual([whole, whole]);
});
