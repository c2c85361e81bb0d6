/**
 * A web app that signs its users in with the vault and lists their vaults. It never sees a password, and
 * the user can end its access at any time.
 *
 *     CLIENT_ID=… CLIENT_SECRET=… npx node examples/oauth-app/oauth-app.ts
 *
 * VAULT_URL is the public address of the service, APP_URL that of the app, PORT where the app listens.
 *
 * Prerequisites: `npm install` and `npm run build`; a server with OAuth, and the app registered there: see
 * README.md.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from './app.ts';

const { CLIENT_ID, CLIENT_SECRET, PORT = '3000' } = process.env;
if (!CLIENT_ID || !CLIENT_SECRET) {
  const missing = CLIENT_ID ? 'CLIENT_SECRET' : 'CLIENT_ID';
  console.error(`${missing} is not set: the server returned it when the app was registered`);
  process.exit(1);
}

const server = createServer().listen(Number(PORT), '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
const appUrl = process.env.APP_URL ?? `http://127.0.0.1:${port}`;
server.on(
  'request',
  createApp({
    vaultUrl: process.env.VAULT_URL ?? 'http://localhost:4000',
    appUrl,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
  }),
);
console.log(appUrl);
