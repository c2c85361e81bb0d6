import { DocumentVault } from '@document-vault/sdk';
import { check, rejects, same, thrownBy } from '../check.ts';
import { keyClient, sceneClient, signedIn } from '../clients.ts';
import { control } from '../control.ts';
import type { Case } from '../suite.ts';

export const credentialCases: readonly Case[] = [
  {
    name: 'an API key authenticates',
    async run(world) {
      const { valid, name } = await keyClient(world).apiKeys.current();
      same({ valid, name }, { valid: true, name: 'Development' }, 'the key');
    },
  },
  {
    name: 'an API key is refused in a browser, and nowhere else',
    async run({ runtime, service, account: { apiKey } }) {
      const error = thrownBy(() => new DocumentVault({ baseUrl: service, apiKey }));
      const expected = runtime === 'chromium' ? 'UsageError' : undefined;
      same((error as Error | undefined)?.name, expected, 'what it throws');
    },
  },
  {
    name: 'a wrong API key is an AuthenticationError',
    async run(world) {
      const client = keyClient(world, { apiKey: `service_sk_${'a1B2c3D4e5'.repeat(4)}` });
      await rejects(client.vaults.list(), {
        name: 'AuthenticationError',
        status: 401,
        attempts: 1,
      });
    },
  },
  {
    name: 'an API key without the scope is a PermissionError',
    async run(world) {
      const user = await signedIn(world);
      const { key } = await user.apiKeys.create({ name: 'Reader', scopes: ['vaults:read'] });
      const client = keyClient(world, { apiKey: key });
      await client.vaults.list();
      await rejects(client.vaults.create({ name: 'Taxes' }), {
        name: 'PermissionError',
        status: 403,
        code: 'INSUFFICIENT_PERMISSIONS',
      });
    },
  },
  {
    name: 'the client names itself, but in no browser, and invents no request id',
    async run(world) {
      await sceneClient(world, 'forward').vaults.list();
      const [arrival] = (await control(world, 'arrivals')).companion;
      const named = String(arrival?.headers['user-agent']).startsWith('document-vault-sdk/');
      same(named, world.runtime !== 'chromium', 'whether it names itself');
      same(arrival?.headers['x-request-id'], undefined, 'the request id');
    },
  },
  {
    name: 'http beyond this machine is refused',
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
    name: 'a redirect to another origin is refused, and nothing arrives there',
    async run(world) {
      const client = sceneClient(world, 'redirect-elsewhere');
      const refused = { name: 'ConnectionError', attempts: 1 };
      await rejects(client.vaults.list(), refused);
      await rejects(client.vaults.create({ name: 'Taxes' }), refused);
      const { companion, foreign } = await control(world, 'arrivals');
      same([companion.length, foreign.length], [2, 0], 'arrivals');
    },
  },
  {
    name: 'a redirect within the origin is followed, but by no browser',
    async run(world) {
      const list = sceneClient(world, 'redirect-within').vaults.list();
      if (world.runtime === 'chromium') await rejects(list, { name: 'ConnectionError' });
      else check(Array.isArray((await list).data), 'no page');
    },
  },
];
