import { createHttpClient } from '@document-vault/sdk/http';
import { check, rejects, same } from '../check.ts';
import { keyClient } from '../clients.ts';
import type { Case } from '../suite.ts';

/** Creates this number of vaults. */
async function createVaults(client: ReturnType<typeof keyClient>, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await client.vaults.create({ name: `Vault ${n}` });
}

export const resourceCases: readonly Case[] = [
  {
    name: 'a vault is created, read, updated and deleted',
    async run(environment) {
      const { vaults } = keyClient(environment);
      const { id } = await vaults.create({ name: 'Grüße', category: 'personal' });
      same((await vaults.get(id)).name, 'Grüße', 'the name');
      same((await vaults.update(id, { name: 'Taxes' })).name, 'Taxes', 'the new name');
      same(await vaults.delete(id), undefined, 'the deletion');
      await rejects(vaults.get(id), { name: 'NotFoundError' });
    },
  },
  {
    name: 'withResponse returns data, response, request id and rate limit',
    async run(environment) {
      const list = keyClient(environment).vaults.list();
      const { data, response, requestId, rateLimit } = await list.withResponse();
      same(data.pagination.totalCount, 0, 'vaults');
      same(response.status, 200, 'status');
      check(/^req_/.test(String(requestId)), `request id ${requestId}`);
      check(Number(rateLimit?.remaining) > 0, `remaining: ${rateLimit?.remaining}`);
      check(rateLimit?.resetAt instanceof Date, 'resetAt is not a Date');
      same(rateLimit.tier, 'enterprise', 'tier');
    },
  },
  {
    name: 'a list resolves to one page and iterates over the items of all pages',
    async run(environment) {
      const client = keyClient(environment);
      await createVaults(client, 5);
      const page = await client.vaults.list({ pageSize: 2 });
      same([page.data.length, page.pagination.totalCount], [2, 5], 'the page');
      const names: string[] = [];
      const query = { pageSize: 2, sortBy: 'name', sortOrder: 'asc' } as const;
      for await (const { name } of client.vaults.list(query)) names.push(name);
      same(names.join(), 'Vault 0,Vault 1,Vault 2,Vault 3,Vault 4', 'names');
    },
  },
  {
    name: 'pages are requested lazily, and no more than maxItems needs',
    async run(environment) {
      let requests = 0;
      const client = keyClient(environment, { onRequest: () => requests++ });
      await createVaults(client, 5);
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
    name: 'createHttpClient calls operations by method and path',
    async run(environment) {
      const http = createHttpClient(keyClient(environment));
      const created = await http.POST('/api/v1/vaults', { body: { name: 'Taxes' } });
      same([created.response.status, created.data?.name], [201, 'Taxes'], 'the vault');
      const params = { path: { id: created.data?.id ?? '' } };
      same((await http.GET('/api/v1/vaults/{id}', { params })).data?.name, 'Taxes', 'the name');
      const { response } = await http.DELETE('/api/v1/vaults/{id}', { params });
      same(response.status, 204, 'the deletion');
      const { error } = await http.GET('/api/v1/vaults/{id}', { params });
      same(error?.error.code, 'NOT_FOUND', 'the error');
    },
  },
  {
    name: 'a path parameter that would change the path rejects with a UsageError and sends no request',
    async run(environment) {
      let requests = 0;
      const { vaults } = keyClient(environment, { onRequest: () => requests++ });
      for (const id of ['', '.', '..', '%2e%2e', '../users', '..%2fusers', '\\..\\']) {
        await rejects(vaults.get(id), { name: 'UsageError' });
      }
      same(requests, 0, 'requests');
    },
  },
  {
    name: 'hooks and logger receive the request and the response of a call',
    async run(environment) {
      const calls: string[] = [];
      const client = keyClient(environment, {
        onRequest: ({ method, path, attempt }) => calls.push(`> ${method} ${path} ${attempt}`),
        onResponse: ({ status, requestId }) => calls.push(`< ${status} ${requestId?.slice(0, 4)}`),
        logger: {
          debug: (_details, message) => calls.push(message),
          warn: (_details, message) => calls.push(message),
        },
      });
      await client.vaults.list();
      const expected = ['request', '> GET /api/v1/vaults 1', 'response', '< 200 req_'];
      same(calls, expected, 'calls of hooks and logger');
    },
  },
];
