import { DocumentVault } from '@document-vault/sdk';
import { check, rejects, same, thrownBy } from '../check.ts';
import { keyClient, signedIn, stubClient } from '../clients.ts';
import { control } from '../control.ts';
import type { Case } from '../suite.ts';

export const credentialCases: readonly Case[] = [
  {
    name: 'a request with an API key is authenticated',
    async run(environment) {
      const { valid, name } = await keyClient(environment).apiKeys.current();
      same({ valid, name }, { valid: true, name: 'Development' }, 'the key');
    },
  },
  {
    name: 'an API key throws a UsageError in browsers only',
    async run({ runtime, service, account: { apiKey } }) {
      const error = thrownBy(() => new DocumentVault({ baseUrl: service, apiKey }));
      const expected = runtime === 'chromium' ? 'UsageError' : undefined;
      same((error as Error | undefined)?.name, expected, 'error');
    },
  },
  {
    name: 'an unknown API key rejects with an AuthenticationError',
    async run(environment) {
      const client = keyClient(environment, { apiKey: `service_sk_${'a1B2c3D4e5'.repeat(4)}` });
      await rejects(client.vaults.list(), {
        name: 'AuthenticationError',
        status: 401,
        attempts: 1,
      });
    },
  },
  {
    name: 'an API key without the required scope rejects with a PermissionError',
    async run(environment) {
      const user = await signedIn(environment);
      const { key } = await user.apiKeys.create({ name: 'Reader', scopes: ['vaults:read'] });
      const client = keyClient(environment, { apiKey: key });
      await client.vaults.list();
      await rejects(client.vaults.create({ name: 'Taxes' }), {
        name: 'PermissionError',
        status: 403,
        code: 'INSUFFICIENT_PERMISSIONS',
      });
    },
  },
  {
    name: 'requests have a User-Agent of the client outside browsers, and no X-Request-Id',
    async run(environment) {
      await stubClient(environment, 'forward').vaults.list();
      const [request] = (await control(environment, 'requests')).stub;
      const userAgent = String(request?.headers['user-agent']);
      const isNamed = userAgent.startsWith('document-vault-sdk/');
      check(isNamed === (environment.runtime !== 'chromium'), `User-Agent: ${userAgent}`);
      same(request?.headers['x-request-id'], undefined, 'X-Request-Id');
    },
  },
  {
    name: 'a base URL with http: throws a UsageError unless its host is this machine',
    async run({ account: { apiKey } }) {
      const options = { apiKey, dangerouslyAllowBrowser: true };
      for (const baseUrl of ['http://vault.example.com', 'http://127.0.0.1.example.com']) {
        const error = thrownBy(() => new DocumentVault({ ...options, baseUrl }));
        same((error as Error).name, 'UsageError', baseUrl);
      }
      for (const baseUrl of ['http://[::1]:4000', 'http://localhost', 'https://example.com']) {
        same(
          thrownBy(() => new DocumentVault({ ...options, baseUrl })),
          undefined,
          baseUrl,
        );
      }
    },
  },
  {
    name: 'a redirect to another origin rejects with a ConnectionError and is not followed',
    async run(environment) {
      const client = stubClient(environment, 'redirect-elsewhere');
      const expected = { name: 'ConnectionError', attempts: 1 };
      await rejects(client.vaults.list(), expected);
      await rejects(client.vaults.create({ name: 'Taxes' }), expected);
      const { stub, foreign } = await control(environment, 'requests');
      same([stub.length, foreign.length], [2, 0], 'requests');
    },
  },
  {
    name: 'a redirect within the origin rejects with a ConnectionError and is not followed',
    async run(environment) {
      const list = stubClient(environment, 'redirect-within').vaults.list();
      await rejects(list, { name: 'ConnectionError', attempts: 1 });
      const { stub } = await control(environment, 'requests');
      same(stub.length, 1, 'requests');
    },
  },
];
