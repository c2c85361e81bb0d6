/** A server whose sources lie in the folder that it is given; its data in the second one. */
import { pathToFileURL } from 'node:url';

const [, , sources = '', data = ''] = process.argv;
const { startServer } = (await import(
  pathToFileURL(`${sources}/index.ts`).href
)) as typeof import('@document-vault/server');

const server = await startServer({
  port: 0,
  data,
  enterpriseRequestsPerHour: 1_000_000_000,
  enterpriseRequestsPerMinute: 1_000_000_000,
  logLevel: 'silent',
});
process.send?.({ url: server.url, apiKey: server.apiKey });
