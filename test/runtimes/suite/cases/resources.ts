import { createHttpClient } from '@document-vault/sdk/http';
import { check, rejects, same } from '../check.ts';
import { keyClient } from '../clients.ts';
import type { Case } from '../suite.ts';

/** Makes so many vaults. */
async function fill(client: ReturnType<typeof keyClient>, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await client.vaults.create({ name: `Vault ${n}` });
}

export const resourceCases: readonly Case[] = [
  {
    name: 'a vault is made, read, changed and deleted',
    async run(world) {
      const { vaults } = keyClient(world);
      const { id } = await vaults.create({ name: 'Grüße', category: 'personal' });
      same((await vaults.get(id)).name, 'Grüße', 'the name');
      same((await vaults.update(id, { name: 'Taxes' })).name, 'Taxes', 'the new name');
      same(await vaults.delete(id), undefined, 'the deletion');
      await rejects(vaults.get(id), { name: 'NotFoundError' });
    },
  },
  {
    name: 'withResponse tells request id, rate limit and answer',
    async run(world) {
      const list = keyClient(world).vaults.list();
      const { data, response, requestId, rateLimit } = await list.withResponse();
      same(data.pagination.totalCount, 0, 'vaults');
      same(response.status, 200, 'status');
      check(/^req_/.test(String(requestId)), `request id ${requestId}`);
      check(Number(rateLimit?.remaining) > 0, 'what remains of the rate limit');
      check(rateLimit?.resetAt instanceof Date, 'when the rate limit begins anew');
      same(rateLimit.tier, 'enterprise', 'tier');
    },
  },
  {
    name: 'a list is a page when awaited, and all items when iterated',
    async run(world) {
      const client = keyClient(world);
      await fill(client, 5);
      const page = await client.vaults.list({ pageSize: 2 });
      same([page.data.length, page.pagination.totalCount], [2, 5], 'the page');
      const names: string[] = [];
      const query = { pageSize: 2, sortBy: 'name', sortOrder: 'asc' } as const;
      for await (const { name } of client.vaults.list(query)) names.push(name);
      same(names.join(), 'Vault 0,Vault 1,Vault 2,Vault 3,Vault 4', 'names');
    },
  },
  {
    name: 'pages are read lazily, up to the limit',
    async run(world) {
      let requests = 0;
      const client = keyClient(world, { onRequest: () => requests++ });
      await fill(client, 5);
      requests = 0;
      const pages = client.vaults.list({ pageSize: 2 }).pages();
      same((await pages.next()).value?.data.length, 2, 'the first page');
      same(requests, 1, 'requests for it');
      const limited: string[] = [];
      const list = client.vaults.list({ pageSize: 2 }, { maxItems: 3 });
      for await (const { id } of list) limited.push(id);
      same([limited.length, requests], [3, 3], 'items and requests');
    },
  },
  {
    name: 'createHttpClient calls an operation by its path',
    async run(world) {
      const http = createHttpClient(keyClient(world));
      const made = await http.POST('/api/v1/vaults', { body: { name: 'Taxes' } });
      same([made.response.status, made.data?.name], [201, 'Taxes'], 'the vault');
      const params = { path: { id: made.data?.id ?? '' } };
      same((await http.GET('/api/v1/vaults/{id}', { params })).data?.name, 'Taxes', 'it again');
      const { response } = await http.DELETE('/api/v1/vaults/{id}', { params });
      same(response.status, 204, 'the deletion');
      const { error } = await http.GET('/api/v1/vaults/{id}', { params });
      same(error?.error.code, 'NOT_FOUND', 'the error');
    },
  },
  {
    name: 'a path parameter that could lead elsewhere is refused',
    async run(world) {
      let requests = 0;
      const { vaults } = keyClient(world, { onRequest: () => requests++ });
      for (const id of ['', '.', '..', '%2e%2e', '../users', '..%2fusers', '\\..\\']) {
        await rejects(vaults.get(id), { name: 'UsageError' });
      }
      same(requests, 0, 'requests');
    },
  },
  {
    name: 'hooks and logger are told of attempts, answers and retries',
    async run(world) {
      const told: string[] = [];
      const client = keyClient(world, {
        onRequest: ({ method, path, attempt }) => told.push(`> ${method} ${path} ${attempt}`),
        onResponse: ({ status, requestId }) => told.push(`< ${status} ${requestId?.slice(0, 4)}`),
        logger: { debug: (message) => told.push(message), warn: (message) => told.push(message) },
      });
      await client.vaults.list();
      const expected = ['request', '> GET /api/v1/vaults 1', 'response', '< 200 req_'];
      same(told, expected, 'what they are told');
    },
  },
];
