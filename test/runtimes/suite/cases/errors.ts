import { isVaultError, VaultError } from '@document-vault/sdk';
import { check, rejects, same } from '../check.ts';
import { keyClient, sceneClient } from '../clients.ts';
import type { Case } from '../suite.ts';

const unknownId = '019cadd6-a210-7670-891a-985ccc8c71a2';

export const errorCases: readonly Case[] = [
  {
    name: 'a refused value is a ValidationError with its field',
    async run(world) {
      const error = await rejects(keyClient(world).vaults.create({ name: '' }), {
        name: 'ValidationError',
        status: 400,
        code: 'VALIDATION_ERROR',
        method: 'POST',
        path: '/api/v1/vaults',
        attempts: 1,
      });
      same((error.details as { field: string }).field, 'name', 'the field');
      check(/^req_/.test(String(error.requestId)), `request id ${error.requestId}`);
      check(isVaultError(error) && error instanceof VaultError, 'its class');
    },
  },
  {
    name: 'what does not exist is a NotFoundError',
    async run(world) {
      const path = '/api/v1/vaults/{id}';
      const expected = { name: 'NotFoundError', status: 404, code: 'NOT_FOUND', path };
      await rejects(keyClient(world).vaults.get(unknownId), expected);
    },
  },
  {
    name: 'a page of HTML with status 502 is a ServerError',
    async run(world) {
      const expected = { name: 'ServerError', status: 502, code: undefined, attempts: 3 };
      await rejects(sceneClient(world, 'html').vaults.list(), expected);
    },
  },
  ...(['html-ok', 'empty', 'bad-json', 'text-ok'].map((scene) => ({
    name: `an answer that is none of the service's is an ApiError: ${scene}`,
    run: async (world) => {
      const expected = { name: 'ApiError', status: 200, code: undefined, attempts: 1 };
      await rejects(sceneClient(world, scene).vaults.list(), expected);
    },
  })) satisfies Case[]),
  {
    name: 'a refused connection is a ConnectionError',
    async run(world) {
      const client = keyClient(world, { baseUrl: world.nobody });
      await rejects(client.vaults.list(), { name: 'ConnectionError', attempts: 3 });
    },
  },
  {
    name: 'a name that does not resolve is a ConnectionError',
    async run(world) {
      const client = keyClient(world, { baseUrl: 'https://vault.invalid' });
      await rejects(client.vaults.list(), { name: 'ConnectionError', attempts: 3 });
    },
  },
];
