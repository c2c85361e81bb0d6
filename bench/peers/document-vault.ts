/** This server as it is shipped: durable commits, credentials, limits, validation, events, log. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '@document-vault/server';

const folder = mkdtempSync(join(tmpdir(), 'document-vault-bench-'));
const server = await startServer({
  port: 0,
  data: folder,
  enterpriseRequestsPerHour: 1_000_000_000,
  enterpriseRequestsPerMinute: 1_000_000_000,
});
process.send?.({ url: server.url, apiKey: server.account?.apiKey });
process.on('SIGTERM', async () => {
  await server.close();
  rmSync(folder, { recursive: true });
  process.exit(0);
});
