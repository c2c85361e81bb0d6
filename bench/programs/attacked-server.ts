/** A server whose sources lie in the folder that it is given; its data in the second one. */
import { pathToFileURL } from 'node:url';

const [, , sources = '', data = ''] = process.argv;
const { startServer } = (await import(
  pathToFileURL(`${sources}/index.ts`).href
)) as typeof import('@document-vault/server');

const server = await startServer({
  port: 0,
  data,
  requestsPerHour: { enterprise: 1_000_000_000 },
  requestsPerMinute: { enterprise: 1_000_000_000 },
  logLevel: 'silent',
});

/** How often processor time is read, in milliseconds. A longer turn of the event loop delays it. */
const interval = 10;

let before = process.threadCpuUsage();
let longestTurn = 0;

setInterval(() => {
  const { user, system } = process.threadCpuUsage(before);
  before = process.threadCpuUsage();
  longestTurn = Math.max(longestTurn, (user + system) / 1000);
}, interval);

/** Erases what was deleted: the sweeper runs every minute of the server's clock. */
async function sweep(): Promise<void> {
  server.clock.advance(60_000);
  await server.settled();
}

// Responds with the longest turn since the last message, in milliseconds.
process.on('message', async (wish: 'longest turn' | 'sweep') => {
  if (wish === 'sweep') await sweep();
  process.send?.(longestTurn);
  if (wish === 'longest turn') longestTurn = 0;
});
process.send?.({ url: server.url, apiKey: server.apiKey });
