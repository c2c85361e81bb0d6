/** The server on the folder that it is given. */
import { startServer } from '@document-vault/server';

const server = await startServer({
  port: 0,
  data: process.argv[2] ?? '',
  requestsPerHour: { enterprise: 1_000_000_000 },
  requestsPerMinute: { enterprise: 1_000_000_000 },
  logLevel: 'error',
});
process.on('message', () => process.send?.(process.memoryUsage.rss()));
process.on('SIGTERM', async () => {
  await server.close();
  process.exit(0);
});
process.send?.({ url: server.url, apiKey: server.apiKey });
