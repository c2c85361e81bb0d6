/**
 * A receiver of webhooks in Koa, during a change of the secret: it still accepts deliveries that are
 * signed with the previous one, and prints which they are.
 *
 *     WEBHOOK_SECRET=… WEBHOOK_SECRET_PREVIOUS=… PORT=3000 node examples/koa-receiver.ts
 *
 * Prerequisites: `npm install @document-vault/webhook-verify koa`, and a webhook that is registered
 * with one of the secrets and the address that is printed.
 */
import type { AddressInfo } from 'node:net';
import { createVerifier } from '@document-vault/webhook-verify';
import { koaReceiver } from '@document-vault/webhook-verify/koa';
import Koa from 'koa';

const { WEBHOOK_SECRET, WEBHOOK_SECRET_PREVIOUS, PORT = '3000' } = process.env;
if (!WEBHOOK_SECRET) {
  console.error('WEBHOOK_SECRET is not set: the secret of the webhook, at least 32 characters');
  process.exit(1);
}
const secrets = WEBHOOK_SECRET_PREVIOUS
  ? [WEBHOOK_SECRET, WEBHOOK_SECRET_PREVIOUS]
  : [WEBHOOK_SECRET];

const receive = koaReceiver(createVerifier({ secrets }), {
  default: (event, { secretIndex }) => {
    const previous = secretIndex > 0 ? ', signed with the previous secret' : '';
    console.log(`${event.type} ${event.id}${previous}`);
  },
});

const app = new Koa();
app.on('error', (error: Error) => console.warn(error.message));
app.use((context, next) => (context.path === '/hooks' ? receive(context) : next()));
app.use((context) => {
  context.body = { healthy: true };
});

const server = app.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`);
});
