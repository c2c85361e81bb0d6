/**
 * The ceiling: Koa and better-sqlite3 with nothing around them. No credentials, no rate limit, no
 * validation, no events, no log.
 */
import Koa from 'koa';
import { programArguments } from './arguments.ts';
import { openBareStore } from './sqlite.ts';

const { port, folder, synchronous } = programArguments();
const store = openBareStore({ folder, synchronous });

async function jsonBody(ctx: Koa.Context) {
  const chunks: Buffer[] = [];
  for await (const chunk of ctx.req) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

const app = new Koa();
app.use(async (ctx) => {
  const id = /^\/api\/v1\/vaults\/([^/]+)$/.exec(ctx.path)?.[1];
  if (ctx.method === 'GET' && id) {
    ctx.body = store.findVault(id);
  } else if (ctx.method === 'GET') {
    ctx.body = store.listVaults(Number(ctx.query.page ?? 1));
  } else {
    const body = await jsonBody(ctx);
    ctx.status = 201;
    ctx.body = ctx.path === '/api/v1/vaults' ? store.insertVault(body) : store.insertDocument(body);
  }
});

app.listen(port, '127.0.0.1');
process.on('SIGTERM', () => {
  store.close();
  process.exit(0);
});
