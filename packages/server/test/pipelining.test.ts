import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectTo, head, statuses } from './support/connection.ts';
import { startTestServer } from './support/server.ts';

const live = 'GET /health/live HTTP/1.1\r\nHost: vault.example\r\n\r\n';
const unknown = 'GET /nothing HTTP/1.1\r\nHost: vault.example\r\n\r\n';
const login = `${head('/auth/login', { 'Content-Length': 2 })}{}`;

/** Counts requests that Node emits. */
function countRequests(): () => number {
  let count = 0;
  const add = () => {
    count += 1;
  };
  subscribe('http.server.request.start', add);
  onTestFinished(() => {
    unsubscribe('http.server.request.start', add);
  });
  return () => count;
}

describe('pipelined requests', () => {
  test.each([
    ['GET', unknown.repeat(16) + live, [...Array(16).fill(404), 200]],
    ['POST', login.repeat(4) + live, [...Array(4).fill(400), 200]],
  ])('%s requests get their responses in order', async (_, requests, expected) => {
    const server = await startTestServer();
    const { socket, until } = await connectTo(server.url);
    socket.write(requests);
    expect(statuses(await until(/200 OK/))).toEqual(expected);
    socket.write(requests);
    expect(statuses(await until(/200 OK[\s\S]*200 OK/))).toEqual([...expected, ...expected]);
  });

  test('a connection with 16 requests does not delay another connection', async () => {
    const server = await startTestServer();
    const [busy, other] = [await connectTo(server.url), await connectTo(server.url)];
    busy.socket.write(unknown.repeat(16));
    other.socket.write(live);
    await other.until(/200 OK/);
    expect(statuses(busy.received()).length).toBeLessThan(10);
    await busy.until(/(?:404 (?:(?!404 )[\s\S])*){16}/);
  });

  test.each([
    ['17 requests wait', live],
    ['5 requests with bodies wait', login],
  ])('the connection is closed when %s, and no further packet is read', async (_, request) => {
    const server = await startTestServer();
    const count = countRequests();
    const { socket, end } = await connectTo(server.url);
    socket.write(request.repeat(5_000));
    expect(statuses(await end()).length).toBeLessThanOrEqual(1);
    expect(count() * request.length).toBeLessThanOrEqual(64 * 1024 + request.length);
    const { socket: next, until } = await connectTo(server.url);
    next.write(live);
    expect(statuses(await until(/200 OK/))).toEqual([200]);
  });
});
