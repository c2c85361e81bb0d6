import { createGraphql, isGraphqlError, partialData } from '@document-vault/sdk/graphql';
import { check, rejects, same } from '../check.ts';
import { keyClient, requestCounter, signedIn } from '../clients.ts';
import { control } from '../control.ts';
import type { Case } from '../suite.ts';

export const graphqlCases: readonly Case[] = [
  {
    name: 'GraphQL reads, changes and lists through the same door',
    async run(world) {
      const gql = createGraphql(keyClient(world));
      const { data, cost } = await gql.me().withResponse();
      same(data.email, world.account.email, 'who it is');
      check(Number(cost?.points) > 0, 'its cost');
      await gql.createVault({ name: 'Health' });
      await gql.createVault({ name: 'Taxes' });
      const names: string[] = [];
      for await (const { name } of gql.vaults({ sortBy: 'name', pageSize: 1 })) names.push(name);
      same(names, ['Health', 'Taxes'], 'vaults');
    },
  },
  {
    name: 'an error of GraphQL is that of REST, with the fields that did not fail',
    async run(world) {
      const gql = createGraphql(keyClient(world));
      const id = '019cadd6-a210-7670-891a-985ccc8c71a2';
      const query = 'query ($id: ID!) { vault(id: $id) { name } me { email } }';
      const error = await rejects(gql.request(query, { id }), { name: 'NotFoundError' });
      check(isGraphqlError(error), 'its kind');
      same(partialData(error)?.me, { email: world.account.email }, 'the other field');
    },
  },
  {
    name: 'GraphQL renews an expired session too, once',
    async run(world) {
      const { of, onRequest } = requestCounter();
      const gql = createGraphql(await signedIn(world, { onRequest }));
      await control(world, 'advance', { ms: 3_601_000 });
      await Promise.all(Array.from({ length: 10 }, () => gql.me()));
      same(of('/auth/refresh'), 1, 'renewals');
    },
  },
];
