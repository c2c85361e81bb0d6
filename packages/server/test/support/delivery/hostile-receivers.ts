import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** Runs on a connection when the first bytes of a request have arrived. */
export type Reaction = (socket: Socket) => void;

/** Sends the first bytes, and then others endlessly, as fast as they are read. */
export function flood(first: string, others: string): Reaction {
  const block = Buffer.from(others.repeat(Math.ceil((64 * 1024) / others.length)));
  return (socket) => {
    const write = () => {
      while (!socket.destroyed && socket.writable && socket.write(block));
    };
    socket.write(first);
    socket.on('drain', write);
    write();
  };
}

/** Sends the first bytes, and then others endlessly, every 10 ms. */
export function drip(first: string, others: string): Reaction {
  return (socket) => {
    const timer = setInterval(() => socket.write(others), 10);
    socket.on('close', () => clearInterval(timer));
    socket.write(first);
  };
}

const send =
  (text: string | Buffer): Reaction =>
  (socket) =>
    socket.end(text);

const sendAndReset =
  (text: string): Reaction =>
  (socket) =>
    socket.write(text, () => socket.resetAndDestroy());

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;

/** Responses that never end, so that only the timeout ends the attempt. */
export const hanging: Readonly<Record<string, Reaction>> = {
  silence: () => undefined,
  'a head that drips': drip(ok, 'x: y\r\n'),
  'a body that drips': drip(`${ok}Content-Length: 1000000\r\n\r\n`, '.'),
  'informational responses that drip': drip('', 'HTTP/1.1 102 Processing\r\n\r\n'),
};

/** Heads that never end, as fast as they are read. */
const headFloods: Readonly<Record<string, Reaction>> = {
  'informational responses': flood('', 'HTTP/1.1 102 Processing\r\n\r\n'),
  'the reason phrase of the status': flood('HTTP/1.1 200 ', 'because '),
  'the space before a value': flood(`${ok}x:`, '        '),
  'line ends before the head': flood('', '\r\n'),
};

const tooLargeHead = 'the head of the response is too large';
const notHttp = 'the response is not valid HTTP';
const unrequested = 'the receiver sent 100 Continue, which was not requested';
const cutOff = 'connection closed before the response was complete';

/** Invalid responses, each with the error of its attempt. */
export const brokenResponses: readonly (readonly [string, Reaction, string])[] = [
  ['an empty response', send(''), cutOff],
  ['half a head', send('HTTP/1.1 200 OK\r\nContent-'), cutOff],
  ['half a body', send(`${ok}Content-Length: 10\r\n\r\n12345`), cutOff],
  ['half a chunk', send(`${chunked}a\r\n12345`), cutOff],
  ['two lengths', send(`${ok}Content-Length: 2\r\nContent-Length: 3\r\n\r\nok`), notHttp],
  [
    'a length and chunks',
    send(`${ok}Content-Length: 2\r\n${chunked.slice(ok.length)}0\r\n\r\n`),
    notHttp,
  ],
  ['a negative length', send(`${ok}Content-Length: -2\r\n\r\nok`), notHttp],
  ['a folded line', send(`${ok}X: 1\r\n 2\r\nContent-Length: 0\r\n\r\n`), notHttp],
  ['a space before a colon', send(`${ok}Content-Length : 0\r\n\r\n`), notHttp],
  ['lines that end without CR', send('HTTP/1.1 200 OK\nContent-Length: 0\n\n'), notHttp],
  ['a chunk that is longer than its size', send(`${chunked}2\r\nokay\r\n0\r\n\r\n`), notHttp],
  ['another protocol', send('SSH-2.0-OpenSSH_9.6\r\n'), notHttp],
  ['HTTP/2', send('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), notHttp],
  ['an invalid status', send('HTTP/1.1 000 OK\r\n\r\n'), notHttp],
  ['a broken chunk', send(`${chunked}zz\r\n`), notHttp],
  ['a huge header', send(`${ok}X: ${'x'.repeat(40_000)}\r\n\r\n`), tooLargeHead],
  ['headers without end', flood(ok, 'a: b\r\n'), tooLargeHead],
  [
    '101 Switching Protocols',
    send('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    'the response changes the protocol, which was not requested',
  ],
  ['100 Continue', send(`HTTP/1.1 100 Continue\r\n\r\n${ok}\r\n`), unrequested],
  ['100 Continue, without end', flood('', 'HTTP/1.1 100 Continue\r\n\r\n'), unrequested],
  ...Object.entries(headFloods).map(
    ([name, react]) => [`${name}, without end`, react, tooLargeHead] as const,
  ),
];

/** Connections that are reset. Bytes that were sent before may be lost. */
export const resets: Readonly<Record<string, Reaction>> = {
  'before the head': (socket) => socket.resetAndDestroy(),
  'in the head': sendAndReset('HTTP/1.1 200 OK\r\nContent-'),
  'in the body': sendAndReset(`${ok}Content-Length: 10\r\n\r\n12345`),
};

/** Successful responses with more bytes than the server reads. */
export const acknowledgements: Readonly<Record<string, Reaction>> = {
  'a gigabyte': flood(`${ok}Content-Length: 1000000000\r\n\r\n`, 'x'),
  'a body without end': flood(`${ok}\r\n`, 'x'),
  'chunks without end': flood(chunked, `1000\r\n${'x'.repeat(4096)}\r\n`),
  'the extension of a chunk, without end': flood(`${chunked}2;`, 'extension'),
  'the zeros of a chunk size, without end': flood(chunked, '00000000'),
  'trailers without end': flood(`${chunked}0\r\n`, 'a: b\r\n'),
  'a gzip bomb': (socket) => {
    const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024, 'bomb'));
    socket.write(`${ok}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`);
    socket.end(bomb);
  },
  'HTTP/1.0': send('HTTP/1.0 200 OK\r\n\r\nok'),
  'a body that is longer than its content-length': send(
    `${ok}Content-Length: 2\r\n\r\nok and more`,
  ),
};
