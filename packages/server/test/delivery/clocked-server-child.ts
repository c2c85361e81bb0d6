// A server in a process of its own, to be killed, with a clock that stands still. Its parent moves the
// clock: a message is how far, in milliseconds, and is answered when everything due has been attempted.
import { startServer, TestClock } from '../../src/index.ts';

const [, , data = '', now = ''] = process.argv;

const clock = new TestClock(Number(now));
const server = await startServer({ port: 0, data, clock, logLevel: 'silent' });
process.on('message', async (milliseconds) => {
  clock.advance(Number(milliseconds));
  await server.settled();
  process.send?.('settled');
});
process.send?.({ url: server.url, apiKey: server.apiKey });
