/**
 * A receiver of webhooks in Express that several processes can run side by side: a database that they
 * share stores which events were handled. Long work continues after the response.
 *
 *     WEBHOOK_SECRET=… PORT=3000 DATABASE=webhooks.db node examples/express-receiver.ts
 *
 * Prerequisites: `npm install @document-vault/webhook-verify express`, and a webhook that is
 * registered with the same secret and the address that is printed.
 */
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { createVerifier, nodeReceiver } from '@document-vault/webhook-verify';
import Express from 'express';
import { sqlStore } from './sql-store.ts';

const { WEBHOOK_SECRET, PORT = '3000', DATABASE = 'webhooks.db' } = process.env;
if (!WEBHOOK_SECRET) {
  console.error('WEBHOOK_SECRET is not set: the secret of the webhook, at least 32 characters');
  process.exit(1);
}

const database = new DatabaseSync(DATABASE);
const store = sqlStore(database);
database.exec(
  'CREATE TABLE IF NOT EXISTS jobs (event_id TEXT PRIMARY KEY, file_name TEXT NOT NULL)',
);
const addJob = database.prepare('INSERT OR IGNORE INTO jobs VALUES (?, ?)');

const receive = nodeReceiver(
  createVerifier({ secrets: WEBHOOK_SECRET }),
  {
    'document.uploaded': (event, { acknowledge }) => {
      addJob.run(event.id, event.data.object.fileName);
      // The job is safe: the service gets its response now, whether or not the work below succeeds.
      acknowledge();
      console.log(`queued ${event.data.object.fileName}`);
    },
    'vault.deleted': (event) => console.log(`deleted ${event.data.object.id}`),
  },
  {
    store,
    onError: (error, { status }) => console.warn(`responded ${status}: ${error.message}`),
  },
);

const app = Express();
// Before any body parser: a receiver needs the bytes that were signed.
app.use('/hooks', receive);
app.use(Express.json());
app.get('/', (_request, response) => void response.json({ healthy: true }));

const server = app.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`);
});
