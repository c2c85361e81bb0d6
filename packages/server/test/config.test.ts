import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import {
  type Config,
  ConfigError,
  type ConfigInput,
  loadConfig,
  resolveConfig,
} from '../src/config/config.ts';
import { configTable, describeOptions, helpText } from '../src/config/options.ts';

const load = (argv: string[] = [], env: Record<string, string | undefined> = {}) =>
  loadConfig({ argv, env });

function problemsOf(attempt: () => Config): readonly string[] {
  try {
    attempt();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const MiB = 2 ** 20;
const GiB = 2 ** 30;
const TiB = 2 ** 40;

const development: Config = {
  mode: 'development',
  host: '127.0.0.1',
  port: 4000,
  data: './data',
  masterKey: null,
  baseUrl: null,
  corsOrigins: ['*'],
  trustedProxies: [],
  blockedAddresses: [],
  maxDocumentBytes: 32 * MiB,
  headersTimeout: 10_000,
  requestTimeout: 600_000,
  idleTimeout: 30_000,
  keepAliveTimeout: 65_000,
  minDataRate: 240,
  dataRateGrace: 5000,
  maxBodyMemory: null,
  registration: 'open',
  defaultTier: 'enterprise',
  tierLimits: {
    free: { requestsPerHour: 1000, requestsPerMinute: 10 },
    paid: { requestsPerHour: 10_000, requestsPerMinute: 100 },
    enterprise: { requestsPerHour: 100_000, requestsPerMinute: 1000 },
  },
  graphqlLimits: {
    free: { pointsPerHour: 100, queriesPerHour: 100 },
    paid: { pointsPerHour: 5000, queriesPerHour: Infinity },
    enterprise: { pointsPerHour: 50_000, queriesPerHour: Infinity },
  },
  vaultQuotas: { free: 100 * MiB, paid: 10 * GiB, enterprise: TiB },
  accountLimits: {
    free: {
      bytes: GiB,
      vaults: 100,
      documents: 10_000,
      shares: 1000,
      consents: 1000,
      keys: 20,
      webhooks: 10,
    },
    paid: {
      bytes: 100 * GiB,
      vaults: 1000,
      documents: 1_000_000,
      shares: 100_000,
      consents: 100_000,
      keys: 100,
      webhooks: 100,
    },
    enterprise: {
      bytes: 10 * TiB,
      vaults: 100_000,
      documents: 100_000_000,
      shares: 10_000_000,
      consents: 10_000_000,
      keys: 1000,
      webhooks: 1000,
    },
  },
  instanceQuota: 10 * TiB,
  webhookDeliveries: { free: 5000, paid: 50_000, enterprise: 500_000 },
  graphqlIntrospection: true,
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

describe('the defaults', () => {
  test('suit development', () => {
    expect(load()).toEqual(development);
    expect(resolveConfig({})).toEqual(development);
  });

  test.each([
    ['the variable of Node', () => load([], { NODE_ENV: 'production' })],
    ['its own variable', () => load([], { DOCUMENT_VAULT_MODE: 'production' })],
    ['its flag', () => load(['--mode', 'production'])],
    ['the short flag', () => load(['--production'])],
    ['a program', () => resolveConfig({ mode: 'production' })],
  ])('suit production when %s asks for it', (_, config) => {
    expect(config()).toEqual(production);
  });

  test('suit development whatever else NODE_ENV says, and when a flag overrides it', () => {
    expect(load([], { NODE_ENV: 'test' }).mode).toBe('development');
    expect(load(['--development'], { NODE_ENV: 'production' })).toEqual(development);
  });
});

describe('where a value comes from', () => {
  const env = { DOCUMENT_VAULT_PORT: '5000' };

  test('flag before environment before default', () => {
    expect(load([], {}).port).toBe(4000);
    expect(load([], env).port).toBe(5000);
    expect(load(['--port', '6000'], env).port).toBe(6000);
    expect(load(['--port=7000'], env).port).toBe(7000);
  });

  test('the last of several flags', () => {
    expect(load(['--port', '1', '--port', '2']).port).toBe(2);
    expect(load(['--validate-responses', '--no-validate-responses']).validateResponses).toBe(false);
  });

  test('not an empty variable, nor an undefined one', () => {
    expect(load([], { DOCUMENT_VAULT_PORT: '' }).port).toBe(4000);
    expect(load([], { DOCUMENT_VAULT_PORT: undefined }).port).toBe(4000);
    expect(resolveConfig({ port: undefined }).port).toBe(4000);
  });

  test('the short name of the one variable that has two, unless the long one is set', () => {
    const short = { NODE_ENV: 'production', WEBHOOK_ALLOW_PRIVATE: 'true' };
    expect(load([], short).webhookAllowPrivate).toBe(true);
    const both = { ...short, DOCUMENT_VAULT_WEBHOOK_ALLOW_PRIVATE: 'false' };
    expect(load([], both).webhookAllowPrivate).toBe(false);
  });

  test('a variable that is wrong does not matter behind a flag', () => {
    expect(load(['--port', '1'], { DOCUMENT_VAULT_PORT: 'x' }).port).toBe(1);
  });

  test('no other variable', () => {
    expect(load([], { PORT: '1', HOST: 'h', DATA: 'd', DOCUMENT_VAULT_API_KEY: 'k' })).toEqual(
      development,
    );
  });
});

describe('mistakes', () => {
  test('are reported all at once', () => {
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

  test('of a program are named by property, unknown ones too', () => {
    const input = {
      port: '4000',
      corsOrigins: '*',
      trustedProxies: ['10.0.0.0/8', 'x'],
      maxDocumentBytes: 1.5,
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
      'maxDocumentBytes',
      'webhookRetryDelays',
    ]);
  });
});

describe('a configuration made by a program', () => {
  test('takes what is given and fills in the rest', () => {
    const given = { port: 0, data: ':memory:', webhookRetryDelays: [5], freeRequestsPerMinute: 3 };
    expect(resolveConfig(given)).toEqual({
      ...development,
      port: 0,
      data: ':memory:',
      webhookRetryDelays: [5],
      tierLimits: {
        ...development.tierLimits,
        free: { requestsPerHour: 1000, requestsPerMinute: 3 },
      },
    });
  });

  test('leaves the lists it was given alone', () => {
    const corsOrigins = ['https://a.example'];
    const config = resolveConfig({ corsOrigins });
    corsOrigins.push('https://b.example');
    expect(config.corsOrigins).toEqual(['https://a.example']);
  });

  test('knows nothing of the environment', () => {
    vi.stubEnv('NODE_ENV', 'production');
    expect(resolveConfig({}).mode).toBe('development');
    vi.unstubAllEnvs();
  });
});

describe('a configuration', () => {
  test('is frozen all the way down', () => {
    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(frozen));
    expect(frozen(load())).toBe(true);
    expect(frozen(resolveConfig({ corsOrigins: ['*'], webhookRetryDelays: [1] }))).toBe(true);
  });
});

describe('the documentation', () => {
  const flagsOf = (text: string) => new Set(text.match(/--[a-z][a-z-]+/g));

  test('has every option, its flags, variables, default and one sentence', () => {
    const known = Object.keys(development).filter(
      (key) => !['tierLimits', 'graphqlLimits', 'vaultQuotas', 'accountLimits'].includes(key),
    );
    const described = describeOptions();
    expect(described.map(({ key }) => key)).toEqual(expect.arrayContaining(known));
    expect(described).toHaveLength(known.length + 21);
    for (const { flags, variables, default: usual, description } of described) {
      for (const text of [helpText(), configTable()]) {
        for (const part of [...flags, ...variables, usual, description]) {
          expect(text).toContain(part);
        }
      }
      expect(description).toMatch(/^[A-Z].*\.$/);
    }
  });

  test('names no flag that is not understood', () => {
    const flags = [...flagsOf(helpText()), ...flagsOf(configTable())];
    const unknown = problemsOf(() => load(flags)).filter((problem) => problem.includes('no such'));
    expect(unknown).toEqual([]);
  });

  test('shows defaults that can be given as they are shown', () => {
    for (const { key, variables, default: usual } of describeOptions()) {
      if (key === 'baseUrl') continue;
      const [own = ''] = variables;
      const [, inDevelopment = '', inProduction = inDevelopment] =
        /^(.*?)(?: \(production: (.*)\))?$/.exec(usual) ?? [];
      expect(load([], { [own]: inDevelopment })).toEqual(development);
      const NODE_ENV = 'production';
      if (key !== 'mode') expect(load([], { NODE_ENV, [own]: inProduction })).toEqual(production);
    }
  });

  test('is a table with one row an option', () => {
    const rows = configTable().split('\n');
    expect(rows).toHaveLength(2 + describeOptions().length);
    for (const row of rows) expect(row.match(/\|/g)).toHaveLength(5);
    expect(configTable()).toContain(
      '| `--webhook-timeout` | `DOCUMENT_VAULT_WEBHOOK_TIMEOUT` | `10s` | ',
    );
  });
});

describe('arguments of any kind', () => {
  test('make a configuration or a ConfigError', () => {
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
