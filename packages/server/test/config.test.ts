import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { type Config, type ConfigInput, loadConfig, resolveConfig } from '../src/config/config.ts';
import { configTable, describeOptions, helpText } from '../src/config/options.ts';
import { problemsOf } from './support/config-problems.ts';

const load = (argv: string[] = [], env: Record<string, string | undefined> = {}) =>
  loadConfig({ argv, env });

const MiB = 2 ** 20;
const GiB = 2 ** 30;
const TiB = 2 ** 40;

const development: Config = {
  mode: 'development',
  host: '127.0.0.1',
  port: 4000,
  data: './data',
  contents: null,
  contentsEndpoint: null,
  contentsRegion: 'us-east-1',
  contentsGrace: 30 * 86_400_000,
  databaseUrl: null,
  masterKey: null,
  masterKeyFile: null,
  baseUrl: null,
  corsOrigins: ['*'],
  trustedProxies: [],
  blockedAddresses: [],
  maxJsonDocumentBytes: 32 * MiB,
  maxDocumentBytes: 16 * 1024 * MiB,
  headersTimeout: 10_000,
  requestTimeout: 600_000,
  idleTimeout: 30_000,
  keepAliveTimeout: 65_000,
  minDataRate: 240,
  dataRateGrace: 5000,
  maxBodyMemory: null,
  registration: 'open',
  oauth: 'auto',
  defaultTier: 'enterprise',
  requestsPerHour: { free: 1000, paid: 10_000, enterprise: 100_000 },
  requestsPerMinute: { free: 10, paid: 100, enterprise: 1000 },
  graphqlPoints: { free: 100, paid: 5000, enterprise: 50_000 },
  freeGraphqlQueries: 100,
  vaultQuota: { free: 100 * MiB, paid: 10 * GiB, enterprise: TiB },
  accountQuota: { free: GiB, paid: 100 * GiB, enterprise: 10 * TiB },
  accountVaults: { free: 100, paid: 1000, enterprise: 100_000 },
  accountDocuments: { free: 10_000, paid: 1_000_000, enterprise: 100_000_000 },
  accountShares: { free: 1000, paid: 100_000, enterprise: 10_000_000 },
  accountConsents: { free: 1000, paid: 100_000, enterprise: 10_000_000 },
  accountKeys: { free: 20, paid: 100, enterprise: 1000 },
  accountWebhooks: { free: 10, paid: 100, enterprise: 1000 },
  accountClients: { free: 10, paid: 100, enterprise: 1000 },
  instanceQuota: 10 * TiB,
  webhookDeliveries: { free: 5000, paid: 50_000, enterprise: 500_000 },
  graphqlIntrospection: true,
  console: true,
  webhookAllowPrivate: true,
  webhookAllowedNetworks: [],
  webhookConcurrency: 256,
  webhookConcurrencyPerWebhook: 2,
  webhookConcurrencyPerHost: 64,
  webhookConcurrencyPerNewHost: 2,
  webhookRatePerNewHost: 60,
  webhookHostPause: 60_000,
  webhookRetryDelays: [60_000, 300_000, 900_000, 3_600_000, 14_400_000],
  webhookTimeout: 10_000,
  minFreeDisk: 256 * MiB,
  maxDeliveryWait: 300_000,
  validateResponses: false,
  metricsNetworks: ['0.0.0.0/0', '::/0'],
  logLevel: 'info',
  shutdownTimeout: 10_000,
};

const production: Config = {
  ...development,
  mode: 'production',
  host: '0.0.0.0',
  defaultTier: 'free',
  graphqlIntrospection: false,
  webhookAllowPrivate: false,
  metricsNetworks: [],
};

describe('default values', () => {
  test('without settings are those of development', () => {
    expect(load()).toEqual(development);
    expect(resolveConfig({})).toEqual(development);
  });

  test.each([
    ['NODE_ENV', () => load([], { NODE_ENV: 'production' })],
    ['DOCUMENT_VAULT_MODE', () => load([], { DOCUMENT_VAULT_MODE: 'production' })],
    ['--mode', () => load(['--mode', 'production'])],
    ['--production', () => load(['--production'])],
    ['the option mode', () => resolveConfig({ mode: 'production' })],
  ])('are those of production when %s selects it', (_, config) => {
    expect(config()).toEqual(production);
  });

  test('are those of development with NODE_ENV=test, and with --development over NODE_ENV', () => {
    expect(load([], { NODE_ENV: 'test' }).mode).toBe('development');
    expect(load(['--development'], { NODE_ENV: 'production' })).toEqual(development);
  });
});

describe('precedence of sources', () => {
  const env = { DOCUMENT_VAULT_PORT: '5000' };

  test('a flag overrides a variable, which overrides the default', () => {
    expect(load([], {}).port).toBe(4000);
    expect(load([], env).port).toBe(5000);
    expect(load(['--port', '6000'], env).port).toBe(6000);
    expect(load(['--port=7000'], env).port).toBe(7000);
  });

  test('the last of repeated flags is used', () => {
    expect(load(['--port', '1', '--port', '2']).port).toBe(2);
    expect(load(['--validate-responses', '--no-validate-responses']).validateResponses).toBe(false);
  });

  test('empty and undefined values select the default', () => {
    expect(load([], { DOCUMENT_VAULT_PORT: '' }).port).toBe(4000);
    expect(load([], { DOCUMENT_VAULT_PORT: undefined }).port).toBe(4000);
    expect(resolveConfig({ port: undefined }).port).toBe(4000);
  });

  test('DOCUMENT_VAULT_WEBHOOK_ALLOW_PRIVATE overrides its short name WEBHOOK_ALLOW_PRIVATE', () => {
    const short = { NODE_ENV: 'production', WEBHOOK_ALLOW_PRIVATE: 'true' };
    expect(load([], short).webhookAllowPrivate).toBe(true);
    const both = { ...short, DOCUMENT_VAULT_WEBHOOK_ALLOW_PRIVATE: 'false' };
    expect(load([], both).webhookAllowPrivate).toBe(false);
  });

  test('an invalid variable is ignored when its flag is given', () => {
    expect(load(['--port', '1'], { DOCUMENT_VAULT_PORT: 'x' }).port).toBe(1);
  });

  test('variables without the prefix, and empty ones, are ignored', () => {
    const env = { PORT: '1', HOST: 'h', DATA: 'd', DOCUMENT_VAULT_PROT: '' };
    expect(load([], env)).toEqual(development);
  });

  test('the variables of a Kubernetes service named document-vault are ignored', () => {
    const env = {
      DOCUMENT_VAULT_SERVICE_HOST: '10.0.171.239',
      DOCUMENT_VAULT_SERVICE_PORT: '4000',
      DOCUMENT_VAULT_SERVICE_PORT_HTTP: '4000',
      DOCUMENT_VAULT_PORT: 'tcp://10.0.171.239:4000',
      DOCUMENT_VAULT_PORT_4000_TCP: 'tcp://10.0.171.239:4000',
      DOCUMENT_VAULT_PORT_4000_TCP_PROTO: 'tcp',
      DOCUMENT_VAULT_PORT_4000_TCP_PORT: '4000',
      DOCUMENT_VAULT_PORT_4000_TCP_ADDR: '10.0.171.239',
      DOCUMENT_VAULT_API_SERVICE_HOST: '10.0.171.240',
      DOCUMENT_VAULT_API_PORT: 'tcp://10.0.171.240:80',
    };
    expect(load([], env)).toEqual(development);
    expect(load([], { ...env, DOCUMENT_VAULT_PORT: '4100' }).port).toBe(4100);
  });
});

describe('ConfigError', () => {
  test.each(['DOCUMENT_VAULT_PROT', 'DOCUMENT_VAULT_PORTS', 'DOCUMENT_VAULT_API_KEY'])(
    '%s is refused without its value',
    (name) => {
      const problems = problemsOf(() => load([], { [name]: 'secret' }));
      expect(problems).toEqual([`${name}: there is no such variable`]);
    },
  );

  test.each([
    [['--production', '--mode', 'development'], '--mode', 'production'],
    [['--mode=development', '--production'], '--production', 'development'],
    [['--development', '--production'], '--production', 'development'],
  ])('%j is refused', (argv, flag, earlier) => {
    expect(problemsOf(() => load(argv, {}))).toEqual([
      `${flag}: an earlier flag selects the mode ${earlier}; pass one of them`,
    ]);
  });

  test('the same mode can be named twice', () => {
    expect(load(['--production', '--mode', 'production'], {}).mode).toBe('production');
  });

  test('lists all problems of flags and variables', () => {
    const argv = ['--port', 'x', '--prot', '1', '--no-port', '--host', '--log-level=loud', 'stop'];
    const env = { DOCUMENT_VAULT_DEFAULT_TIER: 'gold', DOCUMENT_VAULT_BLOCKED_ADDRESSES: 'me' };
    const problems = problemsOf(() => load([...argv, '--data'], env));
    expect(problems.map((problem) => problem.split(':')[0])).toEqual([
      '--prot',
      '1',
      '--no-port',
      '--host',
      'stop',
      '--data',
      '--port',
      'DOCUMENT_VAULT_BLOCKED_ADDRESSES',
      'DOCUMENT_VAULT_DEFAULT_TIER',
      '--log-level',
    ]);
    expect(() => load(argv)).toThrow(/not valid:\n {2}--prot: .*\n {2}1: /);
  });

  test('names the problems of resolveConfig() by property, including unknown properties', () => {
    const input = {
      port: '4000',
      corsOrigins: '*',
      trustedProxies: ['10.0.0.0/8', 'x'],
      maxJsonDocumentBytes: 1.5,
      webhookRetryDelays: [1, Number.NaN],
      mode: null,
      colour: 'red',
      toString: 1,
    } as unknown as ConfigInput;
    expect(problemsOf(() => resolveConfig(input)).map((problem) => problem.split(':')[0])).toEqual([
      'colour',
      'toString',
      'mode',
      'port',
      'corsOrigins',
      'trustedProxies',
      'maxJsonDocumentBytes',
      'webhookRetryDelays',
    ]);
  });
});

describe('resolveConfig()', () => {
  test('uses the given options and defaults for the others', () => {
    const given = {
      port: 0,
      data: ':memory:',
      webhookRetryDelays: [5],
      requestsPerMinute: { free: 3 },
    };
    expect(resolveConfig(given)).toEqual({
      ...development,
      port: 0,
      data: ':memory:',
      webhookRetryDelays: [5],
      requestsPerMinute: { ...development.requestsPerMinute, free: 3 },
    });
  });

  test('copies the given arrays', () => {
    const corsOrigins = ['https://a.example'];
    const config = resolveConfig({ corsOrigins });
    corsOrigins.push('https://b.example');
    expect(config.corsOrigins).toEqual(['https://a.example']);
  });

  test('ignores environment variables', () => {
    vi.stubEnv('NODE_ENV', 'production');
    expect(resolveConfig({}).mode).toBe('development');
    vi.unstubAllEnvs();
  });
});

describe('the returned configuration', () => {
  test('is deeply frozen', () => {
    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(frozen));
    expect(frozen(load())).toBe(true);
    expect(frozen(resolveConfig({ corsOrigins: ['*'], webhookRetryDelays: [1] }))).toBe(true);
  });
});

describe('helpText() and configTable()', () => {
  const flagsOf = (text: string) => new Set(text.match(/--[a-z][a-z-]+/g));

  test('contain every option with its flags, variables, default and description', () => {
    const described = describeOptions();
    expect(described.map(({ key }) => key).sort()).toEqual(Object.keys(development).sort());
    for (const { flags, variables, default: shown, description } of described) {
      for (const text of [helpText(), configTable()]) {
        for (const part of [...flags, ...variables, shown, description]) {
          expect(text).toContain(part);
        }
      }
      expect(description).toMatch(/^[A-Z].*\.$/);
    }
  });

  test('contain no unknown flag', () => {
    const flags = [...flagsOf(helpText()), ...flagsOf(configTable())];
    const unknown = problemsOf(() => load(flags)).filter((problem) => problem.includes('no such'));
    expect(unknown).toEqual([]);
  });

  test('contain defaults that parse to the same configuration', () => {
    for (const { key, variables, default: shown } of describeOptions()) {
      if (key === 'baseUrl') continue;
      const [own = ''] = variables;
      const [, inDevelopment = '', inProduction = inDevelopment] =
        /^(.*?)(?: \(production: (.*)\))?$/.exec(shown) ?? [];
      expect(load([], { [own]: inDevelopment })).toEqual(development);
      const NODE_ENV = 'production';
      if (key !== 'mode') expect(load([], { NODE_ENV, [own]: inProduction })).toEqual(production);
    }
  });

  test('configTable() has one row per option', () => {
    const rows = configTable().split('\n');
    expect(rows).toHaveLength(2 + describeOptions().length);
    for (const row of rows) expect(row.match(/\|/g)).toHaveLength(5);
    expect(configTable()).toContain(
      '| `--webhook-timeout` | `DOCUMENT_VAULT_WEBHOOK_TIMEOUT` | `10s` | ',
    );
  });
});

describe('random arguments', () => {
  test('make loadConfig() return a configuration or throw a ConfigError', () => {
    const flags = describeOptions().flatMap((option) => option.flags);
    const argument = fc.oneof(
      fc.constantFrom(...flags),
      fc.string(),
      fc.constantFrom('1', '1s', '='),
    );
    fc.assert(
      fc.property(fc.array(argument, { maxLength: 6 }), (argv) => {
        expect(Array.isArray(problemsOf(() => load(argv)))).toBe(true);
      }),
    );
  });
});
