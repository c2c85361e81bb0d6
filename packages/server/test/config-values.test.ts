import { describe, expect, test } from 'vitest';
import { type Config, loadConfig, resolveConfig } from '../src/config/config.ts';
import { problemsOf } from './support/config-problems.ts';

const load = (argv: string[] = [], env: Record<string, string | undefined> = {}) =>
  loadConfig({ argv, env });

const MiB = 2 ** 20;
const GiB = 2 ** 30;
const TiB = 2 ** 40;

type Row = [flag: string, text: string, key: keyof Config, value: unknown];

const accepted: Row[] = [
  ['--host', '::1', 'host', '::1'],
  ['--port', '0', 'port', 0],
  ['--port', '65535', 'port', 65_535],
  ['--data', ':memory:', 'data', ':memory:'],
  ['--base-url', 'https://vault.example', 'baseUrl', 'https://vault.example'],
  ['--base-url', 'HTTP://Vault.example:80/a/', 'baseUrl', 'http://vault.example/a'],
  ['--base-url', 'https://vault.example/a/?#', 'baseUrl', 'https://vault.example/a'],
  ['--cors-origins', 'none', 'corsOrigins', []],
  [
    '--cors-origins',
    'https://a.example, http://b.example:81',
    'corsOrigins',
    ['https://a.example', 'http://b.example:81'],
  ],
  ['--trusted-proxies', '10.0.0.0/8,::1', 'trustedProxies', ['10.0.0.0/8', '::1/128']],
  ['--trusted-proxies', '192.0.2.1', 'trustedProxies', ['192.0.2.1/32']],
  ['--blocked-addresses', '2001:db8::/32', 'blockedAddresses', ['2001:db8::/32']],
  ['--blocked-addresses', '0.0.0.0/0', 'blockedAddresses', ['0.0.0.0/0']],
  ['--max-json-document-bytes', '1', 'maxJsonDocumentBytes', 1],
  ['--max-json-document-bytes', '1000B', 'maxJsonDocumentBytes', 1000],
  ['--max-json-document-bytes', '1.5KiB', 'maxJsonDocumentBytes', 1536],
  ['--max-json-document-bytes', '256MiB', 'maxJsonDocumentBytes', 256 * MiB],
  ['--instance-quota', '2 GiB', 'instanceQuota', 2 * GiB],
  ['--instance-quota', '3TiB', 'instanceQuota', 3 * TiB],
  ['--registration', 'closed', 'registration', 'closed'],
  ['--oauth', 'on', 'oauth', 'on'],
  ['--default-tier', 'paid', 'defaultTier', 'paid'],
  ['--webhook-allow-private', '0', 'webhookAllowPrivate', false],
  [
    '--webhook-allowed-networks',
    '10.1.0.0/16,fd00::1',
    'webhookAllowedNetworks',
    ['10.1.0.0/16', 'fd00::1/128'],
  ],
  [
    '--webhook-retry-delays',
    '0s,250ms,1m,2h,7d',
    'webhookRetryDelays',
    [0, 250, 60_000, 7_200_000, 604_800_000],
  ],
  ['--webhook-retry-delays', 'none', 'webhookRetryDelays', []],
  ['--webhook-timeout', '1.5s', 'webhookTimeout', 1500],
  ['--log-level', 'silent', 'logLevel', 'silent'],
  ['--shutdown-timeout', '0s', 'shutdownTimeout', 0],
  ['--validate-responses', '1', 'validateResponses', true],
];

const refused: [flag: string, text: string][] = [
  ['--mode', 'test'],
  ['--host', ' '],
  ['--port', '65536'],
  ['--port', '-1'],
  ['--port', '80.5'],
  ['--port', '0x50'],
  ['--port', ''],
  ['--data', ''],
  ['--base-url', 'vault.example'],
  ['--base-url', 'ftp://vault.example'],
  ['--base-url', 'https://vault.example/?a=1'],
  ['--base-url', 'https://user@vault.example'],
  ['--base-url', 'https://:password@vault.example'],
  ['--cors-origins', 'https://a.example/path'],
  ['--cors-origins', 'a.example'],
  ['--cors-origins', ''],
  ['--trusted-proxies', '10.0.0.0/33'],
  ['--trusted-proxies', '10.0.0/8'],
  ['--trusted-proxies', '127.1'],
  ['--trusted-proxies', '10.0.0.0/'],
  ['--trusted-proxies', '10.0.0.0/8/8'],
  ['--trusted-proxies', '10.0.0.0/8,,::1'],
  ['--trusted-proxies', 'proxy.example'],
  ['--blocked-addresses', '::1/129'],
  ['--blocked-addresses', 'fe80::1%eth0'],
  ['--max-json-document-bytes', '0'],
  ['--max-json-document-bytes', '257MiB'],
  ['--max-json-document-bytes', '1MB'],
  ['--max-json-document-bytes', '1.0001B'],
  ['--max-json-document-bytes', '1constructor'],
  ['--registration', 'maybe'],
  ['--oauth', 'yes'],
  ['--default-tier', 'gold'],
  ['--requests-per-hour', '0,1,1'],
  ['--requests-per-hour', '1'],
  ['--account-quota', '1GiB'],
  ['--account-quota', '1GiB,2GiB,3GiB,4GiB'],
  ['--account-quota', '1GiB,2GiB,none'],
  ['--account-webhooks', '10,100,'],
  ['--account-webhooks', '10,100,-1'],
  ['--webhook-allow-private', 'yes please'],
  ['--webhook-concurrency', '0'],
  ['--webhook-retry-delays', '60'],
  ['--webhook-retry-delays', '1m,8d'],
  ['--webhook-retry-delays', '1m;5m'],
  ['--webhook-timeout', '0s'],
  ['--webhook-timeout', '10'],
  ['--log-level', 'verbose'],
];

const variable = (flag: string) =>
  `DOCUMENT_VAULT_${flag.slice(2).replaceAll('-', '_').toUpperCase()}`;

describe('parsing of settings', () => {
  test.each(accepted)('%s %s is accepted as a flag and as a variable', (flag, text, key, value) => {
    expect(load([`${flag}=${text}`])[key]).toEqual(value);
    expect(load([], { [variable(flag)]: text })[key]).toEqual(value);
  });

  test.each(refused)(
    '%s %j is rejected with the name of the flag and the expected form',
    (flag, text) => {
      const [problem, ...others] = problemsOf(() => load([`${flag}=${text}`]));
      expect(problem).toMatch(new RegExp(`^${flag}: '.*' is not .+`));
      expect(problem).toContain(text);
      expect(others).toEqual([]);
    },
  );

  test('an invalid environment variable is rejected with the name of the variable', () => {
    expect(problemsOf(() => load([], { DOCUMENT_VAULT_PORT: 'http' }))).toEqual([
      "DOCUMENT_VAULT_PORT: 'http' is not a whole number from 0 to 65535",
    ]);
    expect(problemsOf(() => load([], { WEBHOOK_ALLOW_PRIVATE: 'x' }))).toEqual([
      "WEBHOOK_ALLOW_PRIVATE: 'x' is not true or false",
    ]);
  });
});

describe('account limits', () => {
  test('flags list values for the tiers free, paid and enterprise, in this order', () => {
    const config = load(['--account-quota=1KiB, 2MiB,3GiB', '--account-webhooks=0,1,2']);
    expect(config).toMatchObject({
      accountQuota: { free: 1024, paid: 2 * MiB, enterprise: 3 * GiB },
      accountWebhooks: { free: 0, paid: 1, enterprise: 2 },
      accountKeys: { free: 20, paid: 100, enterprise: 1000 },
      accountVaults: { free: 100 },
      accountDocuments: { paid: 1_000_000 },
    });
  });

  test('options are objects by tier, and tiers that are not named keep their default', () => {
    const { accountKeys } = resolveConfig({ accountKeys: { free: 1, paid: 2 } });
    expect(accountKeys).toEqual({ free: 1, paid: 2, enterprise: 1000 });
    for (const wrong of [{ free: -1 }, { free: 1, gold: 4 }, 5]) {
      const attempt = () => resolveConfig({ accountKeys: wrong as never });
      expect(problemsOf(attempt)).toEqual([
        expect.stringMatching(/^accountKeys: .* is not three values/s),
      ]);
    }
  });
});

describe('boolean flags', () => {
  test.each([
    [['--validate-responses'], true],
    [['--no-validate-responses'], false],
    [['--validate-responses=false'], false],
    [['--validate-responses', '--port', '1'], true],
  ])('%j sets validateResponses to %j', (argv, value) => {
    expect(load(argv).validateResponses).toBe(value);
  });

  test('--no-validate-responses overrides DOCUMENT_VAULT_VALIDATE_RESPONSES=true', () => {
    const env = { DOCUMENT_VAULT_VALIDATE_RESPONSES: 'true' };
    expect(load([], env).validateResponses).toBe(true);
    expect(load(['--no-validate-responses'], env).validateResponses).toBe(false);
  });
});
