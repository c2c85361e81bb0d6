/** Fastify and better-sqlite3, as bare as the Koa beside it. */
import { fastify } from 'fastify';
import type { NewVault, newDocument } from '../data.ts';
import { programArguments } from './arguments.ts';
import { openBareStore } from './sqlite.ts';

const { port, folder, synchronous } = programArguments();
const store = openBareStore({ folder, synchronous });

const app = fastify();
app.get<{ Params: { id: string } }>('/api/v1/vaults/:id', async ({ params }) =>
  store.findVault(params.id),
);
app.get<{ Querystring: { page?: string } }>('/api/v1/vaults', async ({ query }) =>
  store.listVaults(Number(query.page ?? 1)),
);
app.post<{ Body: NewVault }>('/api/v1/vaults', async ({ body }, reply) => {
  reply.code(201);
  return store.insertVault(body);
});
app.post<{ Body: ReturnType<typeof newDocument> }>('/api/v1/documents', async ({ body }, reply) => {
  reply.code(201);
  return store.insertDocument(body);
});

await app.listen({ port, host: '127.0.0.1' });
process.on('SIGTERM', () => {
  store.close();
  process.exit(0);
});
