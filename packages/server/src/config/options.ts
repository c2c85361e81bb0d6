import {
  automatic,
  baseUrl,
  boolean,
  byTier,
  choice,
  duration,
  integer,
  type Kind,
  list,
  masterKey,
  network,
  optionalText,
  origin,
  size,
  type Tier,
  text,
  tiers,
} from './kinds.ts';

export type { Tier };
export type Mode = 'development' | 'production';

interface Option<T> extends Omit<Kind<T>, 'show'> {
  readonly defaults: Readonly<Record<Mode, T>>;
  /** The defaults as they are written in a flag. */
  readonly shownDefaults: Readonly<Record<Mode, string>>;
  /** Whether the flag stands alone, and has a `--no-` form. */
  readonly isSwitch: boolean;
  /** No flag sets it, since other users can read command lines, and no message shows its value. */
  readonly isSecret: boolean;
  /** One sentence. */
  readonly description: string;
}

function optionByMode<T>(
  kind: Kind<T>,
  defaults: Readonly<Record<Mode, NoInfer<T>>>,
  description: string,
): Option<T> {
  return {
    expects: kind.expects,
    parse: kind.parse,
    read: kind.read,
    defaults,
    shownDefaults: {
      development: kind.show(defaults.development),
      production: kind.show(defaults.production),
    },
    isSwitch: Object.is(kind, boolean),
    isSecret: Object.is(kind, masterKey),
    description,
  };
}

function option<T>(kind: Kind<T>, value: NoInfer<T>, description: string): Option<T> {
  return optionByMode(kind, { development: value, production: value }, description);
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const mebibyte = 2 ** 20;
const gibibyte = 2 ** 30;
const tebibyte = 2 ** 40;

const tier = choice(...tiers);
const requests = integer(1, 1_000_000_000);
const points = integer(1, 1_000_000_000);
const quota = size(4096 * tebibyte);
const bodyMemory = automatic(size(tebibyte));
const million = 1_000_000;

/** How many of a kind of row an account may have, by its tier. */
function accountRows(
  [free, paid, enterprise]: readonly [number, number, number],
  rows: string,
): Option<Readonly<Record<Tier, number>>> {
  return option(
    byTier(integer(0)),
    { free, paid, enterprise },
    `${rows} an account may have in the tiers free, paid and enterprise.`,
  );
}

/**
 * Every option: what it may be, its default, what it is for. Flag and variable follow from the name:
 * `webhookTimeout` is `--webhook-timeout` and `DOCUMENT_VAULT_WEBHOOK_TIMEOUT`.
 */
export const options = {
  mode: option(
    choice('development', 'production'),
    'development',
    'What the other defaults suit; production too when NODE_ENV says so.',
  ),
  host: optionByMode(
    text,
    { development: '127.0.0.1', production: '0.0.0.0' },
    'Address or name to listen on.',
  ),
  port: option(integer(0, 65_535), 4000, 'Port to listen on; 0 takes any that is free.'),
  data: option(
    text,
    './data',
    'Folder of the database, made when missing; `:memory:` keeps nothing after the end.',
  ),
  masterKey: option(
    masterKey,
    null,
    'Key that seals the stored secrets: 32 bytes in base64. The environment alone sets it.',
  ),
  masterKeyFile: option(
    optionalText,
    null,
    'File that contains the master key, in the place of the variable.',
  ),
  baseUrl: option(baseUrl, null, 'URL that clients reach the server by.'),
  corsOrigins: option(
    list(origin),
    ['*'],
    'Origins whose pages may call the server, with commas between; * is every one.',
  ),
  trustedProxies: option(
    list(network),
    [],
    'Networks (CIDR) of the proxies whose X-Forwarded-For is believed.',
  ),
  blockedAddresses: option(list(network), [], 'Networks (CIDR) whose requests are refused.'),
  // Base64 in JSON makes a third more of it, and a string of the engine ends at half a gibibyte.
  maxDocumentBytes: option(
    size(256 * mebibyte),
    32 * mebibyte,
    'Largest document, in bytes after base64 is decoded.',
  ),
  headersTimeout: option(
    duration(1, 10 * minute),
    10 * second,
    'Time the head of a request may take to arrive.',
  ),
  requestTimeout: option(
    duration(1, 24 * hour),
    10 * minute,
    'Time a whole request may take to arrive, however slowly it drips in.',
  ),
  idleTimeout: option(
    duration(1, 24 * hour),
    30 * second,
    'Time without a byte in either direction after which a request is given up.',
  ),
  keepAliveTimeout: option(
    duration(1, 24 * hour),
    65 * second,
    'Time a connection stays open between requests; longer than that of a proxy in front.',
  ),
  minDataRate: option(
    integer(0),
    240,
    'Bytes per second that a request body must arrive with; 0 allows any rate.',
  ),
  dataRateGrace: option(
    duration(second, 10 * minute),
    5 * second,
    'Time that a request body may stay below the minimum rate; then its connection is closed.',
  ),
  maxBodyMemory: option(
    bodyMemory,
    null,
    'Bytes of request bodies in memory at once; further ones wait, up to 30s. auto: a quarter of the heap limit.',
  ),
  registration: option(choice('open', 'closed'), 'open', 'Whether anybody may make an account.'),
  defaultTier: optionByMode(
    tier,
    { development: 'enterprise', production: 'free' },
    'Tier of new accounts, and of addresses without valid credentials.',
  ),
  freeRequestsPerHour: option(requests, 1000, 'Requests an hour in the free tier.'),
  freeRequestsPerMinute: option(requests, 10, 'Requests a minute in the free tier.'),
  freeGraphqlPoints: option(points, 100, 'GraphQL points an hour in the free tier.'),
  freeGraphqlQueries: option(requests, 100, 'GraphQL queries an hour in the free tier.'),
  freeVaultQuota: option(quota, 100 * mebibyte, 'Bytes a vault may hold in the free tier.'),
  paidRequestsPerHour: option(requests, 10_000, 'Requests an hour in the paid tier.'),
  paidRequestsPerMinute: option(requests, 100, 'Requests a minute in the paid tier.'),
  paidGraphqlPoints: option(points, 5000, 'GraphQL points an hour in the paid tier.'),
  paidVaultQuota: option(quota, 10 * gibibyte, 'Bytes a vault may hold in the paid tier.'),
  enterpriseRequestsPerHour: option(requests, 100_000, 'Requests an hour in the enterprise tier.'),
  enterpriseRequestsPerMinute: option(requests, 1000, 'Requests a minute in the enterprise tier.'),
  enterpriseGraphqlPoints: option(points, 50_000, 'GraphQL points an hour in the enterprise tier.'),
  enterpriseVaultQuota: option(quota, tebibyte, 'Bytes a vault may hold in the enterprise tier.'),
  instanceQuota: option(
    quota,
    10 * tebibyte,
    'Bytes that all vaults of the instance may hold together.',
  ),
  accountQuota: option(
    byTier(quota),
    { free: gibibyte, paid: 100 * gibibyte, enterprise: 10 * tebibyte },
    'Bytes an account may hold in the tiers free, paid and enterprise, names and metadata included.',
  ),
  accountVaults: accountRows([100, 1000, 100_000], 'Vaults'),
  accountDocuments: accountRows([10_000, million, 100 * million], 'Documents'),
  accountShares: accountRows([1000, 100_000, 10 * million], 'Shares'),
  accountConsents: accountRows([1000, 100_000, 10 * million], 'Consents'),
  accountKeys: accountRows([20, 100, 1000], 'API keys'),
  accountWebhooks: accountRows([10, 100, 1000], 'Webhooks'),
  // A webhook that fails at every attempt has what the requests of its account cause in the five and a
  // half hours of the schedule, and room to spare.
  webhookDeliveries: option(
    byTier(integer(1)),
    { free: 5000, paid: 50_000, enterprise: 500_000 },
    'Deliveries a webhook may have waiting, and finished ones it keeps, in the tiers free, paid and enterprise.',
  ),
  graphqlIntrospection: optionByMode(
    boolean,
    { development: true, production: false },
    'Whether GraphQL tells its schema, and `/graphql` shows GraphiQL to browsers.',
  ),
  webhookAllowPrivate: optionByMode(
    boolean,
    { development: true, production: false },
    'Whether webhooks may go to http URLs and to loopback and private addresses.',
  ),
  webhookAllowedNetworks: option(
    list(network),
    [],
    'Networks (CIDR) that webhooks may go to though they are private or special.',
  ),
  webhookConcurrency: option(
    integer(1, 1000),
    // The webhooks of one account, should all hang, leave room for others.
    256,
    'Deliveries at once, all webhooks together.',
  ),
  webhookConcurrencyPerWebhook: option(integer(1, 1000), 2, 'Deliveries at once to one webhook.'),
  webhookConcurrencyPerHost: option(
    integer(1, 1000),
    64,
    'Deliveries at once to one host that acknowledges them, all webhooks and accounts together.',
  ),
  webhookConcurrencyPerNewHost: option(
    integer(1, 1000),
    2,
    'Deliveries at once to one host that has not acknowledged any; each acknowledgement adds one.',
  ),
  webhookRatePerNewHost: option(
    integer(1, 1_000_000),
    60,
    'Deliveries a minute to one host that has not acknowledged any.',
  ),
  webhookHostPause: option(
    duration(0, hour),
    minute,
    'Longest pause of a host, for one account, that fails five times in a row or asks for a pause by Retry-After; 0s is none.',
  ),
  webhookRetryDelays: option(
    list(duration(0, 7 * 24 * hour)),
    [minute, 5 * minute, 15 * minute, hour, 4 * hour],
    'Waits before the second and every further attempt of a delivery.',
  ),
  webhookTimeout: option(
    duration(1, 5 * minute),
    10 * second,
    'Time a webhook has to acknowledge a delivery.',
  ),
  minFreeDisk: option(
    size(4096 * tebibyte, 0),
    256 * mebibyte,
    'Free space on the disk of the data folder below which the server is degraded, not ready, and stores nothing more; 0 sets no limit.',
  ),
  maxDeliveryWait: option(
    duration(second, 7 * 24 * hour),
    5 * minute,
    'Time that a due delivery may wait for the server before it counts as degraded.',
  ),
  validateResponses: option(
    boolean,
    false,
    'Whether every answer is checked against the contract before it is sent.',
  ),
  metricsNetworks: optionByMode(
    list(network),
    { development: ['0.0.0.0/0', '::/0'], production: [] },
    'Networks (CIDR) that may read `/metrics`; for others there is no such path.',
  ),
  logLevel: option(
    choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'info',
    'Least important log lines that are written.',
  ),
  shutdownTimeout: option(
    duration(0, 10 * minute),
    10 * second,
    'Time that running requests have to finish at shutdown.',
  ),
} satisfies Readonly<Record<string, Option<unknown>>>;

export type Key = keyof typeof options;

/** The value of every option. */
export type Values = {
  readonly [K in Key]: (typeof options)[K] extends Option<infer T> ? T : never;
};

/** All names, in the order of the documentation. */
export const keys = Object.keys(options) as readonly Key[];

export function flagOf(key: Key): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The form of a switch that turns it off. */
export function negatedFlagOf(key: Key): string {
  return flagOf(key).replace('--', '--no-');
}

/** The variables that set an option; the first that is set counts. */
export function variablesOf(key: Key): readonly string[] {
  const own = `DOCUMENT_VAULT_${flagOf(key).slice(2).replaceAll('-', '_').toUpperCase()}`;
  // The public documentation of webhooks knows this one by a shorter name.
  return key === 'webhookAllowPrivate' ? [own, 'WEBHOOK_ALLOW_PRIVATE'] : [own];
}

/** One option as the documentation shows it. */
export interface OptionDescription {
  readonly key: string;
  readonly flags: readonly string[];
  readonly variables: readonly string[];
  readonly default: string;
  readonly description: string;
}

/** Every option, in the order of the documentation. */
export function describeOptions(): OptionDescription[] {
  return keys.map((key) => {
    const { isSwitch, isSecret, shownDefaults, description } = options[key];
    const flags = isSwitch ? [flagOf(key), negatedFlagOf(key)] : [flagOf(key)];
    const { development, production } = shownDefaults;
    return {
      key,
      flags: isSecret ? [] : flags,
      variables: variablesOf(key),
      default:
        development === production ? development : `${development} (production: ${production})`,
      description,
    };
  });
}

/** All options as a table in Markdown. */
export function configTable(): string {
  const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(' ');
  const rows = describeOptions().map((option) => {
    const cells = [
      code(option.flags) || 'none',
      code(option.variables),
      code([option.default]),
      option.description,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return ['| Flag | Environment | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n');
}

/** All options for `--help`. */
export function helpText(): string {
  const described = describeOptions().map(({ flags, variables, default: usual, description }) =>
    [
      `  ${flags.join(', ') || variables[0]}`,
      `      ${description}`,
      `      Default: ${usual}. Environment: ${variables.join(', ')}.`,
    ].join('\n'),
  );
  return ['Options of start, by flag or environment:', '', ...described].join('\n');
}
