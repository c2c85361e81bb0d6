import {
  automatic,
  type ByTier,
  baseUrl,
  boolean,
  byTier,
  choice,
  contentsPlace,
  databaseUrl,
  duration,
  endpoint,
  integer,
  type Kind,
  list,
  masterKey,
  network,
  optional,
  origin,
  size,
  text,
  tiers,
} from './kinds.ts';

export type Mode = 'development' | 'production';

export interface Option<T> extends Omit<Kind<T>, 'show'> {
  readonly defaults: Readonly<Record<Mode, T>>;
  /** The defaults as text for a flag. */
  readonly shownDefaults: Readonly<Record<Mode, string>>;
  /** Whether the flag takes no value and has a `--no-` form. */
  readonly isSwitch: boolean;
  /** Whether it has no flag, since other users can read command lines, and no message shows its value. */
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
    isSecret: Object.is(kind, masterKey) || Object.is(kind, databaseUrl),
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
const rows = integer(0);
const bodyMemory = automatic(size(tebibyte));
const million = 1_000_000;

/** An option with a value for each tier. */
function byTierOption(
  kind: Kind<number>,
  [free, paid, enterprise]: readonly [number, number, number],
  what: string,
): Option<ByTier<number>> {
  const description = `${what} in the tiers free, paid and enterprise.`;
  return option(byTier(kind), { free, paid, enterprise }, description);
}

/**
 * Every option with its type, default and description. The name gives the flag and the variable:
 * `webhookTimeout` is `--webhook-timeout` and `DOCUMENT_VAULT_WEBHOOK_TIMEOUT`.
 */
export const options = {
  mode: option(
    choice('development', 'production'),
    'development',
    'Sets the other defaults. `--production` and `--development` select a mode too, as does `NODE_ENV=production`.',
  ),
  host: optionByMode(
    text,
    { development: '127.0.0.1', production: '0.0.0.0' },
    'Address or name to listen on.',
  ),
  port: option(integer(0, 65_535), 4000, 'Port to listen on; 0 selects a free port.'),
  data: option(
    text,
    './data',
    'Folder of the database, created when missing; `:memory:` stores nothing beyond the process.',
  ),
  contents: option(
    contentsPlace,
    null,
    'Where the contents of documents are stored: `database`, or `s3://bucket/prefix` for those above 128 KiB and all uploads in parts. Credentials come from the environment of AWS clients.',
  ),
  contentsEndpoint: option(
    endpoint,
    null,
    'URL of an S3 service other than AWS, which is addressed with the bucket in the path.',
  ),
  contentsRegion: option(text, 'us-east-1', 'Region of the bucket.'),
  contentsGrace: option(
    duration(0, 3650 * 24 * hour),
    30 * 24 * hour,
    'Time that an object in S3 is kept after its document is deleted. Set it to how long backups are kept: a restored one needs its objects.',
  ),
  databaseUrl: option(
    databaseUrl,
    null,
    'PostgreSQL database in the place of a data folder, which several servers can use. It has no flag.',
  ),
  masterKey: option(
    masterKey,
    null,
    'Key that seals the stored secrets: 32 bytes in base64. It has no flag.',
  ),
  masterKeyFile: option(optional(text), null, 'File with the master key, instead of the variable.'),
  baseUrl: option(baseUrl, null, 'URL by which clients reach the server.'),
  corsOrigins: option(
    list(origin),
    ['*'],
    'Origins whose pages can call the server, separated by commas; * allows all.',
  ),
  trustedProxies: option(
    list(network),
    [],
    'Networks (CIDR) of proxies whose X-Forwarded-For is trusted.',
  ),
  blockedAddresses: option(
    list(network),
    [],
    'Networks (CIDR) whose requests are rejected with 403.',
  ),
  // Base64 adds a third, and V8 limits strings to half a gibibyte.
  maxJsonDocumentBytes: option(
    size(256 * mebibyte),
    32 * mebibyte,
    'Maximum size of a document in JSON, in bytes after decoding base64. Larger ones are sent in parts.',
  ),
  // The multipart uploads of S3 have at most 10,000 parts.
  maxDocumentBytes: option(
    size(64 * gibibyte),
    16 * gibibyte,
    'Maximum size of a document that is sent in parts.',
  ),
  headersTimeout: option(
    duration(1, 10 * minute),
    10 * second,
    'Maximum time for the headers of a request to arrive.',
  ),
  requestTimeout: option(
    duration(1, 24 * hour),
    10 * minute,
    'Maximum time for a whole request to arrive.',
  ),
  idleTimeout: option(
    duration(1, 24 * hour),
    30 * second,
    'Time without a byte in either direction after which the connection is closed.',
  ),
  keepAliveTimeout: option(
    duration(1, 24 * hour),
    65 * second,
    'Time a connection stays open between requests; set it longer than that of a proxy in front.',
  ),
  minDataRate: option(
    integer(0),
    240,
    'Minimum rate of a request body in bytes per second; 0 allows any rate.',
  ),
  dataRateGrace: option(
    duration(second, 10 * minute),
    5 * second,
    'Time that a request body can stay below the minimum rate before its connection is closed.',
  ),
  maxBodyMemory: option(
    bodyMemory,
    null,
    'Bytes of request bodies in memory at once; further requests wait up to 30s. auto: a quarter of the heap limit.',
  ),
  registration: option(
    choice('open', 'closed'),
    'open',
    'Whether `POST /auth/register` is open to everyone.',
  ),
  oauth: option(
    choice('auto', 'on', 'off'),
    'auto',
    'Whether apps get access by OAuth 2.0. auto: once a client is registered.',
  ),
  defaultTier: optionByMode(
    tier,
    { development: 'enterprise', production: 'free' },
    'Tier of new accounts and of requests without valid credentials.',
  ),
  requestsPerHour: byTierOption(requests, [1000, 10_000, 100_000], 'Requests per hour'),
  requestsPerMinute: byTierOption(requests, [10, 100, 1000], 'Requests per minute'),
  graphqlPoints: byTierOption(points, [100, 5000, 50_000], 'GraphQL points per hour'),
  freeGraphqlQueries: option(
    requests,
    100,
    'GraphQL queries per hour in the free tier; the others have no such limit.',
  ),
  vaultQuota: byTierOption(quota, [100 * mebibyte, 10 * gibibyte, tebibyte], 'Bytes of a vault'),
  instanceQuota: option(quota, 10 * tebibyte, 'Bytes of all vaults of the instance.'),
  accountQuota: byTierOption(
    quota,
    [gibibyte, 100 * gibibyte, 10 * tebibyte],
    'Bytes of an account, including names and metadata,',
  ),
  accountVaults: byTierOption(rows, [100, 1000, 100_000], 'Vaults of an account'),
  accountDocuments: byTierOption(rows, [10_000, million, 100 * million], 'Documents of an account'),
  accountShares: byTierOption(rows, [1000, 100_000, 10 * million], 'Shares of an account'),
  accountConsents: byTierOption(rows, [1000, 100_000, 10 * million], 'Consents of an account'),
  accountKeys: byTierOption(rows, [20, 100, 1000], 'API keys of an account'),
  accountWebhooks: byTierOption(rows, [10, 100, 1000], 'Webhooks of an account'),
  accountClients: byTierOption(rows, [10, 100, 1000], 'OAuth clients of an account'),
  // A webhook that fails at every attempt has what the requests of its account cause in the five and a
  // half hours of the schedule, and room to spare.
  webhookDeliveries: byTierOption(
    integer(1),
    [5000, 50_000, 500_000],
    'Deliveries a webhook may have waiting, and finished ones it keeps,',
  ),
  graphqlIntrospection: optionByMode(
    boolean,
    { development: true, production: false },
    'Whether GraphQL allows introspection, and `/graphql` serves GraphiQL to browsers.',
  ),
  console: option(
    boolean,
    true,
    'Whether the web console is served at `/console/`. Browsers that open the root are sent there, and otherwise to the page of share links.',
  ),
  webhookAllowPrivate: optionByMode(
    boolean,
    { development: true, production: false },
    'Whether webhooks can use http URLs, and loopback and private addresses.',
  ),
  webhookAllowedNetworks: option(
    list(network),
    [],
    'Private or special networks (CIDR) that webhooks can use.',
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
    'Delays before the second and every further attempt of a delivery.',
  ),
  webhookTimeout: option(
    duration(1, 5 * minute),
    10 * second,
    'Maximum time for a receiver to acknowledge a delivery.',
  ),
  minFreeDisk: option(
    size(4096 * tebibyte, 0),
    256 * mebibyte,
    'Free bytes on the disk of the data folder below which the server is degraded, not ready, and stores no more data; 0 sets no limit.',
  ),
  maxDeliveryWait: option(
    duration(second, 7 * 24 * hour),
    5 * minute,
    'Time that a due delivery can wait before the server is degraded.',
  ),
  validateResponses: option(
    boolean,
    false,
    'Whether the server validates every response against the contract.',
  ),
  metricsNetworks: optionByMode(
    list(network),
    { development: ['0.0.0.0/0', '::/0'], production: [] },
    'Networks (CIDR) that can read `/metrics`; others get 404.',
  ),
  logLevel: option(
    choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'info',
    'Lowest level of log lines that are written.',
  ),
  shutdownTimeout: option(
    duration(0, 10 * minute),
    10 * second,
    'Maximum time for running requests to finish at shutdown.',
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

/** Returns the flag that turns a switch off. */
export function negatedFlagOf(key: Key): string {
  return flagOf(key).replace('--', '--no-');
}

const otherVariables: Partial<Record<Key, readonly string[]>> = {
  // The public documentation of webhooks uses the shorter name.
  webhookAllowPrivate: ['WEBHOOK_ALLOW_PRIVATE'],
  // The variables of every AWS client.
  contentsEndpoint: ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'],
  contentsRegion: ['AWS_REGION', 'AWS_DEFAULT_REGION'],
};

/** Returns the environment variables of an option; the first one that is set counts. */
export function variablesOf(key: Key): readonly string[] {
  const own = `DOCUMENT_VAULT_${flagOf(key).slice(2).replaceAll('-', '_').toUpperCase()}`;
  return [own, ...(otherVariables[key] ?? [])];
}

/** One option in the documentation. */
export interface OptionDescription {
  readonly key: string;
  readonly flags: readonly string[];
  readonly variables: readonly string[];
  readonly default: string;
  readonly description: string;
}

/** Describes every option, in the order of the documentation. */
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

/** Formats all options as a Markdown table. */
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

/** Formats all options for `--help`. */
export function helpText(): string {
  const described = describeOptions().map(
    ({ flags, variables, default: defaultText, description }) =>
      [
        `  ${flags.join(', ') || variables[0]}`,
        `      ${description}`,
        `      Default: ${defaultText}. Environment: ${variables.join(', ')}.`,
      ].join('\n'),
  );
  return ['Options of start, as flags or environment variables:', '', ...described].join('\n');
}
