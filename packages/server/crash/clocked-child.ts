// A server in a process of its own, which the test kills. Its clock stands still until the parent sends the
// milliseconds to advance. The process replies once all due deliveries were attempted.
import { startServer, TestClock } from '../src/index.ts';

const [, , data = '', now = ''] = process.argv;

const clock = new TestClock(Number(now));
const server = await startServer({ port: 0, data, clock, logLevel: 'silent' });
process.on('message', async (milliseconds) => {
  clock.advance(Number(milliseconds));
  await server.settled();
  process.send?.('settled');
});
process.send?.({ url: server.url, apiKey: server.apiKey });
