import { createGraphql, isGraphqlError, partialData } from '@document-vault/sdk/graphql';
import { check, rejects, same } from '../check.ts';
import { keyClient, requestCounter, signedIn } from '../clients.ts';
import { control } from '../control.ts';
import type { Case } from '../suite.ts';

export const graphqlCases: readonly Case[] = [
  {
    name: 'createGraphql queries, mutates and lists with the credentials of the client',
    async run(environment) {
      const gql = createGraphql(keyClient(environment));
      const { data, cost } = await gql.me().withResponse();
      same(data.email, environment.account.email, 'email');
      check(Number(cost?.points) > 0, `cost: ${cost?.points} points`);
      await gql.createVault({ name: 'Health' });
      await gql.createVault({ name: 'Taxes' });
      const names: string[] = [];
      for await (const { name } of gql.vaults({ sortBy: 'name', pageSize: 1 })) names.push(name);
      same(names, ['Health', 'Taxes'], 'vaults');
    },
  },
  {
    name: 'a GraphQL error has the class of the REST error and the data of other fields',
    async run(environment) {
      const gql = createGraphql(keyClient(environment));
      const id = '019cadd6-a210-7670-891a-985ccc8c71a2';
      const query = 'query ($id: ID!) { vault(id: $id) { name } me { email } }';
      const error = await rejects(gql.request(query, { id }), { name: 'NotFoundError' });
      check(isGraphqlError(error), 'isGraphqlError returned false');
      same(partialData(error)?.me, { email: environment.account.email }, 'the other field');
    },
  },
  {
    name: '10 GraphQL requests with an expired token renew it once',
    async run(environment) {
      const { of, onRequest } = requestCounter();
      const gql = createGraphql(await signedIn(environment, { onRequest }));
      await control(environment, 'advance', { ms: 3_601_000 });
      await Promise.all(Array.from({ length: 10 }, () => gql.me()));
      same(of('/auth/refresh'), 1, 'renewals');
    },
  },
];
