import { isVaultError, VaultError } from '@document-vault/sdk';
import { check, rejects, same } from '../check.ts';
import { keyClient, stubClient } from '../clients.ts';
import type { Case } from '../suite.ts';

const unknownId = '019cadd6-a210-7670-891a-985ccc8c71a2';

export const errorCases: readonly Case[] = [
  {
    name: 'an invalid value rejects with a ValidationError that names the field',
    async run(environment) {
      const error = await rejects(keyClient(environment).vaults.create({ name: '' }), {
        name: 'ValidationError',
        status: 400,
        code: 'VALIDATION_ERROR',
        method: 'POST',
        path: '/api/v1/vaults',
        attempts: 1,
      });
      same((error.details as { field: string }).field, 'name', 'the field');
      check(/^req_/.test(String(error.requestId)), `request id ${error.requestId}`);
      check(isVaultError(error) && error instanceof VaultError, 'class of the error');
    },
  },
  {
    name: 'an unknown id rejects with a NotFoundError',
    async run(environment) {
      const path = '/api/v1/vaults/{id}';
      const expected = { name: 'NotFoundError', status: 404, code: 'NOT_FOUND', path };
      await rejects(keyClient(environment).vaults.get(unknownId), expected);
    },
  },
  {
    name: 'an HTML page with status 502 rejects with a ServerError after 3 attempts',
    async run(environment) {
      const expected = { name: 'ServerError', status: 502, code: undefined, attempts: 3 };
      await rejects(stubClient(environment, 'html').vaults.list(), expected);
    },
  },
  ...(['html-ok', 'empty', 'bad-json', 'text-ok'].map((scenario) => ({
    name: `a 200 response without a body of the contract rejects with an ApiError: ${scenario}`,
    run: async (environment) => {
      const expected = { name: 'ApiError', status: 200, code: undefined, attempts: 1 };
      await rejects(stubClient(environment, scenario).vaults.list(), expected);
    },
  })) satisfies Case[]),
  {
    name: 'a closed port rejects with a ConnectionError after 3 attempts',
    async run(environment) {
      const client = keyClient(environment, { baseUrl: environment.closedPort });
      await rejects(client.vaults.list(), { name: 'ConnectionError', attempts: 3 });
    },
  },
  {
    name: 'a host name that does not resolve rejects with a ConnectionError after 3 attempts',
    async run(environment) {
      const client = keyClient(environment, { baseUrl: 'https://vault.invalid' });
      await rejects(client.vaults.list(), { name: 'ConnectionError', attempts: 3 });
    },
  },
];
