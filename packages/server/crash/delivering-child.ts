// A server in a process of its own, which the test kills. It prints its address and its credentials.
import { writeSync } from 'node:fs';
import { startServer } from '../src/index.ts';

const [, , data = ''] = process.argv;

const server = await startServer({
  port: 0,
  data,
  logLevel: 'silent',
  webhookRetryDelays: [20, 20, 20, 20, 20],
});
writeSync(process.stdout.fd, `${JSON.stringify({ url: server.url, account: server.account })}\n`);
