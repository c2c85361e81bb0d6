import { pipeline, Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { post } from '../../src/cli/post.ts';
import { CommandFailure } from '../../src/cli/terminal.ts';
import { startServer, startTcpServer } from '../support/cli/servers.ts';

const body = Buffer.from('{}');
const send = (url: string, timeoutMs = 10_000) =>
  post({ url: new URL(url), headers: { 'Content-Length': '2' }, body, timeoutMs });

/** Returns the message of a failed post. */
async function failure(url: string, timeoutMs?: number): Promise<string> {
  const error = await send(url, timeoutMs).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CommandFailure);
  expect(error).toHaveProperty('cause', expect.any(Error));
  return (error as CommandFailure).message;
}

class Endless extends Readable {
  override _read(size: number) {
    this.push(Buffer.alloc(size));
  }
}

describe('post()', () => {
  test('resolves to status, reason phrase, location and body', async () => {
    const { url } = await startServer((_, response) =>
      response.writeHead(302, 'Elsewhere', { location: '/new' }).end('moved'),
    );
    expect(await send(url)).toEqual({
      status: 302,
      statusText: 'Elsewhere',
      location: '/new',
      durationMs: expect.any(Number),
      body: Buffer.from('moved'),
    });
  });

  test('reads 16 KiB of an endless response and disconnects', async () => {
    const gone: (() => void)[] = [];
    const left = new Promise<void>((resolve) => gone.push(resolve));
    const { url } = await startServer((_, response) => {
      pipeline(new Endless(), response, () => gone.pop()?.());
    });
    const answer = await send(url);
    expect(answer.body.length).toBeGreaterThanOrEqual(16 * 1024);
    expect(answer.body.length).toBeLessThan(1024 * 1024);
    await left;
  });

  const late = 'No complete response within 0.2 s, which is as long as the service waits.';
  const closed = 'The connection was closed before the response was complete.';
  test.each<[string, Parameters<typeof startTcpServer>[0], string]>([
    ['a receiver that never responds', () => {}, late],
    ['half a head', (socket) => socket.write('HTTP/1.1 200 OK\r\nCont'), late],
    [
      'half a body',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'),
      late,
    ],
    ['a reset', (socket) => socket.resetAndDestroy(), closed],
    ['an end without a response', (socket) => socket.end(), closed],
    ['an end in the head', (socket) => socket.end('HTTP/1.1 200 OK\r\nCont'), closed],
    [
      'an end in the body',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'),
      closed,
    ],
    [
      'a change of protocol',
      (socket) =>
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
        ),
      closed,
    ],
    [
      'another protocol',
      (socket) => socket.end('220 mail.example ESMTP\r\n'),
      'The response is not valid HTTP.',
    ],
  ])('fails on %s', async (_, onData, message) => {
    const { url } = await startTcpServer(onData);
    expect(await failure(url, message === late ? 200 : undefined)).toBe(message);
  });

  test('fails where nothing listens', async () => {
    const { url, close } = await startServer();
    await close();
    const { host, port } = new URL(url);
    expect(await failure(url)).toBe(`Connection refused: nothing listens on ${host}.`);
    // A name with several addresses, all of which refuse.
    expect(await failure(`http://localhost:${port}/`)).toBe(
      `Connection refused: nothing listens on localhost:${port}.`,
    );
  });

  test('fails on an unknown host name', async () => {
    expect(await failure('http://receiver.invalid/')).toBe(
      'The host receiver.invalid is not known.',
    );
  });

  test('fails on https to an http server', async () => {
    const { url } = await startServer();
    expect(await failure(url.replace('http:', 'https:'))).toMatch(
      /^The TLS connection failed \((EPROTO|ERR_SSL_\w+)\)\.$/,
    );
  });
});
