// A server in a process of its own. Its parent moves its clock: a message is how far, in milliseconds,
// and a message reports when that is done. Its arguments are the folder and further options in JSON.
import { startServer } from '../src/index.ts';

const [, , data = '', options = '{}'] = process.argv;

const server = await startServer({
  port: 0,
  data,
  // The disks of these tests are small, and become full.
  minFreeDisk: 0,
  requestsPerMinute: { enterprise: 1_000_000_000 },
  ...JSON.parse(options),
});
process.on('message', (milliseconds) => {
  server.clock.advance(Number(milliseconds));
  process.send?.('moved');
});
process.once('SIGTERM', async () => {
  await server.close();
  process.exit(0);
});
process.send?.({ url: server.url, apiKey: server.apiKey });
